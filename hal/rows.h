/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: messages that a switch cuts off a range of the load, and sends on, by
 * itself. A row is four messages, one on each port; their sizes differ by one
 * unit at most. A form is the number of the path and kind that they share. A
 * label tells a message's form, port and round. The policy
 * scatter/engine/pattern.h uses rows: there a node's layer is the form of the
 * message that reaches the node.
 *
 * The functions are part of the interface in hal/circuit.h, and every
 * implementation of circuits defines them.
 */
#ifndef HAL_ROWS_H
#define HAL_ROWS_H

#include "hal/circuit.h"

#define CIRCUIT_FORMS 16u /* forms are 1 to CIRCUIT_FORMS - 1 */
#define CIRCUIT_ROW_BYTES 12u

/* How the ranges of a job are cut into rows. */
struct circuit_cut {
    uint32_t gap_ps;   /* least time from the end of a port's previous message
                          to the start of a row's message */
    uint8_t last_form; /* form of the last row; < CIRCUIT_FORMS */
    uint8_t form;      /* form of the first row; <= last_form */
    uint16_t job;
    uint32_t first_gap_ps; /* gap_ps for the first row */
    uint32_t unit_bytes;
    uint32_t before_bytes; /* halo in front of a message's units, bytes */
    uint32_t halo_bytes;   /* halo in front of the units and behind them */
};

/*
 * The label, the third word of a row's message:
 *
 *   bits  0 to 3   form of the message: the receiver's layer
 *         4 to 7   form of the range's last row
 *         8 to 15  port on which the message left
 *        16 to 23  round; the switch copies these bits
 *        24        flag of the caller; the switch copies it
 *        25 to 31  bytes of the shared segment, divided by 4
 */
#define CIRCUIT_LABEL_FORM(label) ((label)&0xfu)
#define CIRCUIT_LABEL_LAST(label) ((label) >> 4 & 0xfu)
#define CIRCUIT_LABEL_SHARED(label) ((label) >> 25 << 2)
#define CIRCUIT_LABEL_OWN ((1u << 24) | 0xffu << 16) /* copied bits */
/* Bits in which a message's label must equal that of circuit_post(): form, port
   and round. */
#define CIRCUIT_LABEL_POSTED (0xfu | 0xffu << 8 | 0xffu << 16)
#define CIRCUIT_SHARED_MAX 508u

/* Returns the label of a range's rows without form, port, round and flag. */
static inline uint32_t circuit_label(unsigned last_form, uint32_t shared_bytes)
{
    return last_form << 4 | shared_bytes << 23;
}

/*
 * A range of units, to be cut into one row for each form from cut->form to
 * cut->last_form. The rows' units lie one behind the other, those of cut->form
 * last; in front of all are the units that the node keeps:
 *
 *   | halo | kept | row of last_form | .. | row of form | halo |
 *   ^ data |<-------------------- units -------------->|
 *                 /                   \
 *                | port 0's | 1's | 2's | 3's |
 *
 * A message of form f has volume_units[f] units, and the first extra_units
 * messages one more each, in the order in which they are sent: by form, then by
 * port. A message is
 *
 *    0  u32  number of the message's units
 *    4  u32  index of its first unit in the load
 *    8  u32  label, see above, with the bits CIRCUIT_LABEL_OWN of `label`
 *   12       the shared segment; then the units with their halo, but no byte
 *            in front of `begin` or from `end` on
 *
 * A message without a unit is not sent.
 */
struct circuit_rows {
    struct circuit_segment shared; /* a multiple of 4 bytes, at most
                                      CIRCUIT_SHARED_MAX */
    const uint8_t *begin;
    const uint8_t *end;
    const uint8_t *data;
    const uint32_t *volume_units; /* in the circuit's memory */
    uint32_t extra_units;
    uint32_t label;
    uint32_t units; /* units of the range; at least the sum of all messages' */
    uint32_t first_unit; /* index of the range's first unit in the load */
};

/*
 * Sets path and kind of a form (1 to CIRCUIT_FORMS - 1) to those of `message`,
 * whose other fields are ignored. The caller leaves *message unchanged as long
 * as it sends rows of this form. Result: 0; ERR_NO_ROUTE, as circuit_send().
 */
NODISCARD int circuit_prepare(struct circuit *circuit, unsigned form,
                              const struct circuit_message *message);

/*
 * Queues the rows of a range. Result: 0; ERR_PORT_BUSY: the queue is full. A
 * switch in hardware stops the mesh if a form was not prepared, or if a message
 * lies outside `begin` to `end`; with a switch in software the result is then
 * ERR_NO_ROUTE or ERR_RANGE. Cost: about 50 instructions.
 */
NODISCARD int circuit_send_rows(struct circuit *circuit,
                                const struct circuit_cut *cut,
                                const struct circuit_rows *rows);

/*
 * Forwarding by the switch: once a row's message has come in, the switch leaves
 * this node's units here, and sends the rest on as rows of the forms cut->form
 * to L, with the message's shared segment.
 * L is the last form in the message's label; this node's layer is
 * cut->form - 1. The shared segment begins with two tables of u32:
 *
 *   units[0] .. units[L]    units that a node of each layer keeps
 *   units[0] .. units[L]    units of one message of each form
 *
 * Units of the message beyond these numbers go to the rows' messages, one each
 * (extra_units); a unit that is left after that stays here.
 *
 * circuit_expect() sets how messages are cut, until its next call.
 * circuit_post() posts a label, and says that the buffer of the next receive is
 * free: the next row's message whose label equals the post in the bits
 * CIRCUIT_LABEL_POSTED is sent on. A post replaces the previous post; a message
 * uses up the post that holds when its first byte comes in. A message whose
 * numbers do not fit is delivered and not sent on: its reader refuses it. A
 * switch in software does all this in circuit_receive().
 */
void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut);
void circuit_post(struct circuit *circuit, uint32_t label);

/* ---- for switches that are software ---- */

/*
 * Sets *rows to the rows into which a row's message is cut, and cut->last_form.
 * `payload`, of `bytes` bytes, is 4-byte aligned; *rows points into it. Result:
 * false if the message is not sent on: its label is not the one `posted`, it
 * has fewer bytes than it says, or its tables do not fit its units.
 */
bool rows_forward(struct circuit_rows *rows, struct circuit_cut *cut,
                  uint32_t posted, const uint8_t *payload, uint32_t bytes);

#endif
