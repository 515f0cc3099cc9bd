/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: messages that a switch by itself cuts out of a range of the load and
 * sends. A row is four messages, one on each port; their sizes differ by one
 * unit at most. The four messages have the same path and kind. The number of
 * this path and kind is the row's form. The policy scatter/engine/pattern.h
 * uses rows: there a node's layer is the form of the message that reaches it.
 */
#ifndef HAL_ROWS_H
#define HAL_ROWS_H

#include "hal/circuit.h"

#define CIRCUIT_FORMS 16u /* forms are 1 to CIRCUIT_FORMS - 1 */
#define CIRCUIT_ROW_BYTES 12u

/* How the ranges of a job are cut into rows. */
struct circuit_cut {
    uint32_t gap_ps;   /* least time between messages of a port */
    uint8_t last_form; /* form of the last row; < CIRCUIT_FORMS */
    uint8_t form;      /* form of the first row; <= last_form */
    uint16_t job;
    uint32_t first_gap_ps; /* gap_ps for the first row */
    uint32_t unit_bytes;
    uint32_t before_bytes; /* halo in front of a message's units, bytes */
    uint32_t halo_bytes;   /* bytes of the halo in front and behind together */
};

/*
 * The label, the third word of a row's message. A switch that sends a message
 * on as rows copies bits 16 to 24 into the rows' labels.
 *
 *   bits  0 to 3   form of the message: the receiver's layer
 *         4 to 7   form of the range's last row
 *         8 to 15  port on which the message left
 *        16 to 23  round
 *        24        flag, whose meaning the caller chooses
 *        25 to 31  bytes of the shared segment, divided by 4
 */
#define CIRCUIT_LABEL_FORM(label) ((label)&0xfu)
#define CIRCUIT_LABEL_LAST(label) ((label) >> 4 & 0xfu)
#define CIRCUIT_LABEL_SHARED(label) ((label) >> 25 << 2)
#define CIRCUIT_LABEL_OWN ((1u << 24) | 0xffu << 16) /* copied bits */
/* Bits that circuit_post() compares: form, port and round. */
#define CIRCUIT_LABEL_POSTED (0xfu | 0xffu << 8 | 0xffu << 16)
#define CIRCUIT_SHARED_MAX 508u

/* Returns the label of a range's rows; form, port, round and flag are 0. */
static inline uint32_t circuit_label(unsigned last_form, uint32_t shared_bytes)
{
    return last_form << 4 | shared_bytes << 23;
}

/*
 * A range of units, to be cut into one row for each form from cut->form to
 * cut->last_form. In memory the units that the node keeps come first, then the
 * rows, the row of the last form in front:
 *
 *   | halo | kept | row of last_form | .. | row of form | halo |
 *   ^ data |<-------------------- units -------------->|
 *                 /                   \
 *                | port 0's | 1's | 2's | 3's |
 *
 * A message of form f has volume_units[f] units. The first extra_units messages
 * in the order of sending (by form, then by port) have one unit more each. A
 * message without a unit is not sent. A message is
 *
 *    0  u32  number of the message's units
 *    4  u32  index of its first unit in the load
 *    8  u32  label, as above, with the bits CIRCUIT_LABEL_OWN of `label`
 *   12       the shared segment; then the units with their halo, but only bytes
 *            from `begin` on and in front of `end`
 */
struct circuit_rows {
    struct circuit_segment shared; /* a multiple of 4 bytes, at most
                                      CIRCUIT_SHARED_MAX */
    const uint8_t *begin;          /* start of the load's bytes in memory */
    const uint8_t *end;            /* end of the load's bytes */
    const uint8_t *data;           /* start of the front halo, see above */
    const uint32_t *volume_units;  /* [form]; lies in circuit->memory */
    uint32_t extra_units;
    uint32_t label;
    uint32_t units;      /* units of the range: kept units and all messages' */
    uint32_t first_unit; /* index of the range's first unit in the load */
};

/* Sets path and kind of a form to those of `message`. The caller leaves
   *message unchanged while it sends rows of this form. Result: 0; ERR_NO_ROUTE,
   as circuit_send(). */
NODISCARD int circuit_prepare(struct circuit *circuit, unsigned form,
                              const struct circuit_message *message);

/* Queues the rows of a range. Precondition: their forms are prepared, and the
   messages lie between `begin` and `end`. Result: 0; ERR_PORT_BUSY: the queue
   is full. Cost: about 50 instructions. */
NODISCARD int circuit_send_rows(struct circuit *circuit,
                                const struct circuit_cut *cut,
                                const struct circuit_rows *rows);

/*
 * Forwarding by the switch. This node's layer is cut->form - 1, and L is the
 * last form in a message's label. When a row's message has come in, the switch
 * leaves this node's units in the buffer, and sends the others on as rows of
 * the forms cut->form to L, with the message's shared segment. This segment
 * begins with two tables of u32:
 *
 *   keeps[0] .. keeps[L]      units that a node of each layer keeps
 *   volume[0] .. volume[L]    units of one message of each form
 *
 * Units beyond the tables go one each to the rows' messages, in the order of
 * sending. This node keeps a unit left after that.
 *
 * circuit_expect() sets how messages are cut. circuit_post() posts the label of
 * the one message to send on, and says that the buffer of the next receive is
 * free. A post replaces the previous post. A message whose tables and units do
 * not fit each other is delivered, but not sent on.
 */
void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut);
void circuit_post(struct circuit *circuit, uint32_t label);

/* ---- for switches that are software ---- */

/* Sets *rows to the rows of a message, and cut->last_form to their last form.
   `payload` is 4-byte aligned; *rows points into it. Result: false if the
   message is not sent on: it has another label than `posted`, it is too short,
   or its tables do not fit its units. */
bool rows_forward(struct circuit_rows *rows, struct circuit_cut *cut,
                  uint32_t posted, const uint8_t *payload, uint32_t bytes);

#endif
