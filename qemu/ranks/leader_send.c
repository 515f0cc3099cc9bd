/* SPDX-License-Identifier: Apache-2.0 */
/* What goes from rank 0 to the others: answers, messages, what tests do. */
#include "qemu/ranks/leader_state.h"

#include "qemu/fabric/message.h"
#include "qemu/ranks/patch.h"

#include <string.h>

unsigned leader_rank_of(const struct leader *leader, uint32_t node)
{
    return share_rank_of(leader->first, leader->ranks, node);
}

struct window *leader_window(void *context, uint32_t node)
{
    struct leader *leader = context;

    return leader_is_own(leader, node)
               ? local_window(leader->local, node)
               : (struct window *)(void *)(leader->copies +
                                           (size_t)node * BACKEND_WINDOW_BYTES);
}

const char *leader_place(void *context, uint32_t node)
{
    struct leader *leader = context;

    return leader->peer[leader_rank_of(leader, node)].place;
}

/* ---- what tests do ---- */

void leader_slow(void *context, uint32_t node, unsigned shift)
{
    struct leader *leader = context;

    leader->start[node].slow_shift = shift;
    if (leader_is_own(leader, node)) {
        leader->own.slow(leader->own.context, node, shift);
    }
}

void leader_slow_from(void *context, uint32_t node, unsigned shift,
                      uint64_t from_ps)
{
    struct leader *leader = context;
    struct record_start *start = &leader->start[node];

    start->slow_from_shift = shift;
    start->slow_from_ps = from_ps;
    if (leader_is_own(leader, node)) {
        leader->own.slow_from(leader->own.context, node, shift, from_ps);
    } else if (leader->started) {
        ranks_put(leader_rank_of(leader, node), RECORD_SLOW_FROM, node,
                  &(struct ranks_body){start, sizeof *start}, 1);
    }
}

void leader_kill(void *context, uint32_t node)
{
    struct leader *leader = context;

    if (leader_is_own(leader, node)) {
        leader->own.kill(leader->own.context, node);
    } else {
        ranks_put(leader_rank_of(leader, node), RECORD_KILL, node, NULL, 0);
    }
}

/* ---- messages ---- */

/* Copies as much of a piece as is known here. Result: whether that is all. */
static bool copy_known(uint8_t **to, const uint8_t *data, uint32_t bytes)
{
    uint32_t known = bytes < PATCH_KNOWN_BYTES ? bytes : PATCH_KNOWN_BYTES;

    if (known > 0) {
        memcpy(*to, data, known);
        *to += known;
    }
    return known == bytes;
}

/* Writes the message's beginning to where the fabric reads it. Result: its
   bytes. */
static uint32_t write_known(uint8_t *to, const struct message *message)
{
    const struct message_piece *piece = message->piece;
    uint8_t *end = to;

    if (message->source == MESSAGE_FROM_HOST) {
        (void)copy_known(&end, message->whole, message->bytes);
        return (uint32_t)(end - to);
    }
    end += CIRCUIT_HEADER_BYTES;
    message_header(to, message);
    if (copy_known(&end, piece[0].data, piece[0].bytes)) {
        (void)copy_known(&end, piece[1].data, piece[1].bytes);
    }
    return (uint32_t)(end - to);
}

/* An order of the host's: all of it is here. */
static void send_whole(struct leader *leader, uint32_t node,
                       const struct message *message)
{
    struct record_payload payload = {.number = leader->answer.number};
    struct ranks_body body[] = {{&payload, sizeof payload},
                                {message->whole, message->bytes}};

    message_seal(message->whole, message->bytes);
    if (leader_is_own(leader, node)) {
        leader->broken |= !local_payload(leader->local, node, payload.number,
                                         message->whole, message->bytes);
    } else {
        ranks_put(leader_rank_of(leader, node), RECORD_PAYLOAD, node, body, 2);
    }
}

/* What the sender's rank is to send. */
static void describe_send(struct leader *leader, uint32_t node,
                          const struct message *message)
{
    const uint8_t *window =
        (const uint8_t *)leader_window(leader, message->source);
    struct record_send *send = &leader->send;

    *send = (struct record_send){.to = node,
                                 .number = leader->answer.number,
                                 .job = message->job,
                                 .kind = message->kind,
                                 .has_head =
                                     message->piece[0].data == message->head};
    for (unsigned i = 0; i < MESSAGE_PIECES; ++i) {
        const struct message_piece *piece = &message->piece[i];

        send->piece[i].bytes = piece->bytes;
        if (piece->bytes > 0 && !(i == 0 && send->has_head)) {
            send->piece[i].offset = (uint32_t)(piece->data - window);
        }
    }
    if (send->has_head) {
        memcpy(send->head, message->head, sizeof send->head);
    }
    leader->sender = message->source;
}

void leader_deliver(void *context, uint32_t node, uint32_t offset,
                    const struct message *message, enum message_damage damage)
{
    struct leader *leader = context;
    struct record_answer *answer = &leader->answer;

    leader->number += 1;
    leader->number += leader->number == 0;
    *answer = (struct record_answer){
        .number = leader->number, .offset = offset, .damage = damage};
    if (damage == MESSAGE_SOUND) {
        answer->known = write_known(
            (uint8_t *)leader_window(leader, node) + offset, message);
    }
    if (leader_is_own(leader, node)) {
        leader->broken |= !local_expect(leader->local, node, answer);
    }
    if (message->source == MESSAGE_FROM_HOST) {
        send_whole(leader, node, message);
    } else {
        describe_send(leader, node, message);
    }
}

/* Has the message sent that goes with the answer. */
static void send_along(struct leader *leader)
{
    uint32_t node = leader->sender;

    leader->sender = MESSAGE_FROM_HOST;
    if (node == MESSAGE_FROM_HOST) {
        return;
    }
    if (leader_is_own(leader, node)) {
        leader->broken |= !local_send(leader->local, node, &leader->send);
    } else {
        ranks_put(leader_rank_of(leader, node), RECORD_SEND, node,
                  &(struct ranks_body){&leader->send, sizeof leader->send}, 1);
    }
}

void leader_ring(void *context, uint32_t node)
{
    struct leader *leader = context;
    struct record_answer *answer = &leader->answer;

    leader->peer[leader_rank_of(leader, node)].rung += 1;
    if (leader_is_own(leader, node)) {
        leader->broken |= !local_ring(leader->local, node);
    } else {
        const struct window *window = leader_window(leader, node);

        answer->response = window->response;
        answer->done = window->done;
        ranks_put(leader_rank_of(leader, node), RECORD_ANSWER, node,
                  &(struct ranks_body){answer, sizeof *answer}, 1);
    }
    *answer = (struct record_answer){.number = 0};
    send_along(leader);
}
