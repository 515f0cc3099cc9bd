/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: messages that a switch cuts off a range of the load, and sends on, by
 * itself. A row is four equal messages, one a port. A form is the path and the
 * kind that the messages of a row share; a label tells a message's row, port
 * and round. The
 * pattern (scatter/engine/pattern.h) is what needs them: a node's layer is the
 * form of the message that reaches it.
 *
 * Part of hal/circuit.h: the same circuits, and the same implementations.
 */
#ifndef HAL_ROWS_H
#define HAL_ROWS_H

#include "hal/circuit.h"

#define CIRCUIT_FORMS 16u /* forms are 1 to CIRCUIT_FORMS - 1 */
#define CIRCUIT_ROW_BYTES 12u

/* How the ranges of a job are cut into rows. */
struct circuit_cut {
    uint32_t gap_ps;   /* start no earlier than this after the port's last */
    uint8_t last_form; /* < CIRCUIT_FORMS */
    uint8_t form;      /* <= last_form */
    uint16_t job;
    uint32_t first_gap_ps; /* gap_ps of the row of `form` */
    uint32_t unit_bytes;
    uint32_t before_bytes; /* halo ahead of a message's units */
    uint32_t halo_bytes;   /* halo in all, ahead of them and behind them */
};

/*
 * The label of a row's message, its third word:
 *
 *   bits  0 to 3   form of the message, which is the receiver's layer
 *         4 to 7   last form of the range's rows
 *         8 to 15  port
 *        16 to 23  round; the switch leaves it as it is
 *        24        flag of the caller; likewise
 *        25 to 31  bytes of the shared segment, divided by 4
 */
#define CIRCUIT_LABEL_FORM(label) ((label)&0xfu)
#define CIRCUIT_LABEL_LAST(label) ((label) >> 4 & 0xfu)
#define CIRCUIT_LABEL_SHARED(label) ((label) >> 25 << 2)
#define CIRCUIT_LABEL_OWN ((1u << 24) | 0xffu << 16) /* the caller's bits */
#define CIRCUIT_LABEL_POSTED (0xfu | 0xffu << 8 | 0xffu << 16)
#define CIRCUIT_SHARED_MAX 508u

/* The bits of a label that all rows of a range have in common. */
static inline uint32_t circuit_label(unsigned last_form, uint32_t shared_bytes)
{
    return last_form << 4 | shared_bytes << 23;
}

/*
 * How a range's units are cut: into a row of up to four messages for each form
 * from `form` to `last_form`. The rows lie one behind the other, that of `form`
 * last:
 *
 *   | halo | kept | row of last_form | .. | row of form | halo |
 *   ^ data |<-------------------- units -------------->|
 *                 /                   \
 *                | port 0's | 1's | 2's | 3's |
 *
 * A message of form f has volume_units[f] units; the first extra_units messages
 * have one more, counted in the order in which they are sent: by form, then by
 * port. The message of port p is
 *
 *    0  u32  its units
 *    4  u32  number of the first of them, of which the range's is first_unit
 *    8  u32  label, see above, with the caller's bits of `label`
 *   12       the shared segment; then its units with their halo, but no byte
 *            from before `begin` or from `end` on
 *
 * A message without a unit is not sent.
 */
struct circuit_rows {
    struct circuit_segment shared; /* a multiple of 4, to CIRCUIT_SHARED_MAX */
    const uint8_t *begin;
    const uint8_t *end;
    const uint8_t *data;
    const uint32_t *volume_units; /* in the circuit's memory */
    uint32_t extra_units;
    uint32_t label;
    uint32_t units; /* of the range: no fewer than all messages have */
    uint32_t first_unit;
};

/*
 * Prepares a form: path and kind are those of `message`, which stays as it is
 * while rows of this form are queued; its other fields are ignored. Result: 0;
 * ERR_NO_ROUTE, as circuit_send() has.
 */
NODISCARD int circuit_prepare(struct circuit *circuit, unsigned form,
                              const struct circuit_message *message);

/*
 * Queues the rows of a range. Result: 0; ERR_PORT_BUSY. A form that was not
 * prepared, or a message that would end before it begins, is found by the
 * switch, which stops the mesh; where that is software, the result is
 * ERR_NO_ROUTE or ERR_RANGE. About 50 instructions.
 */
NODISCARD int circuit_send_rows(struct circuit *circuit,
                                const struct circuit_cut *cut,
                                const struct circuit_rows *rows);

/*
 * Rows go on by themselves: of a row's message that comes in, the switch keeps
 * this node's units and sends the rest on as rows of forms cut->form to L, with
 * the message's shared segment, as soon as the message is whole. L is the last
 * form, cut->form - 1 this node's layer. The shared segment begins with two
 * tables of u32:
 *
 *   units[0] .. units[L]    units that a node of each layer keeps
 *   units[0] .. units[L]    units of one message of each form
 *
 * Units beyond these are extra_units of the rows, and the last one this node's.
 *
 * circuit_expect() says how ranges are cut, until it is called again.
 * circuit_post() posts a label: the next row's message with its bits
 * CIRCUIT_LABEL_POSTED may be received and sent on, since the buffer that the
 * receive will name is free. One post holds at a time; a message takes along
 * the one that holds when its first byte comes in. A message whose numbers do
 * not fit is delivered and not sent on: its reader refuses it. Where the switch
 * is software, circuit_receive() does all this.
 */
void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut);
void circuit_post(struct circuit *circuit, uint32_t label);

/* ---- for switches that are software ---- */

/*
 * Sets *rows to what of a row's message goes on, and cut->last_form: rows point
 * into the payload, which is 4-byte aligned. Result: whether anything goes on;
 * not if the label has other bits than the posted one, or if the payload has
 * fewer bytes than it says.
 */
bool rows_forward(struct circuit_rows *rows, struct circuit_cut *cut,
                  uint32_t posted, const uint8_t *payload, uint32_t bytes);

#endif
