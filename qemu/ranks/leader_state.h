/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the leader share: leader.c starts, counts, stops the ranks,
 * leader_send.c tells them what the fabric answers, leader_wait.c hears what
 * they tell. What is not told here is of struct backend
 * (qemu/fabric/backend.h).
 */
#ifndef QEMU_RANKS_LEADER_STATE_H
#define QEMU_RANKS_LEADER_STATE_H

#include "hal/nodiscard.h"
#include "qemu/ranks/leader_config.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/record.h"
#include "qemu/ranks/seen.h"
#include "qemu/ranks/share.h"

#include <stdio.h>

/* A rank, as rank 0 sees it. */
struct peer {
    bool open;     /* it has a share of the mesh */
    uint16_t said; /* RECORD_OPENED, then RECORD_STOPPED; 0: neither */
    uint64_t rung; /* native: answers and starts that it owes a doorbell for */
    uint64_t doorbells;
    struct ranks_traffic before; /* when the nodes were started */
    struct record_looked looked;
    char place[RECORD_NAME_BYTES + 32];
};

struct leader {
    struct leader_config config;
    struct backend own; /* of rank 0's own nodes */
    struct local *local;
    uint32_t nodes;
    unsigned ranks;
    uint32_t *first;
    struct peer *peer;
    uint8_t *copies; /* of windows elsewhere: of all nodes, by number */
    struct record_start *start;
    bool started;
    uint32_t number; /* of the last payload */
    /* The answer to be rung next, and the message that goes with it. */
    struct record_answer answer;
    struct record_send send;
    uint32_t sender; /* its node, or MESSAGE_FROM_HOST: there is none */
    double start_s;
    double up_s;
    uint32_t up;
    bool *is_up;         /* rank 0's own */
    bool failed;         /* a rank has told, which was said on stderr */
    bool broken;         /* what a rank sent makes no sense: said on stderr */
    uint64_t idle_ns;    /* how long nobody has had anything to say */
    unsigned own_events; /* of own nodes, since the others were asked */
};

static inline bool leader_is_own(const struct leader *leader, uint32_t node)
{
    return node < leader->first[1];
}

/* ---- leader_send.c ---- */

unsigned leader_rank_of(const struct leader *leader, uint32_t node);
struct window *leader_window(void *context, uint32_t node);
const char *leader_place(void *context, uint32_t node);
void leader_slow(void *context, uint32_t node, unsigned shift);
void leader_slow_from(void *context, uint32_t node, unsigned shift,
                      uint64_t from_ps);
void leader_kill(void *context, uint32_t node);
void leader_deliver(void *context, uint32_t node, uint32_t offset,
                    const struct message *message, enum message_damage damage);
void leader_ring(void *context, uint32_t node);

/* ---- leader_wait.c ---- */

enum backend_event leader_wait(void *context, uint32_t *node,
                               struct watchdog *watchdog);
void leader_explain(void *context, uint32_t node, FILE *out);

/* Asks ranks what they have seen; `windows`: brings copies of their windows up
   to date. A rank that fails is told on stderr (leader->failed). */
void leader_look_at_others(struct leader *leader, bool windows);

/*
 * Takes what comes, but for nodes' events, until a rank has said what it was
 * asked for, until that wall time (mesh_wall_s()). Result: the record; false:
 * it is silent, or some rank has failed, which was said on stderr
 * (leader->failed).
 */
bool leader_wait_for(struct leader *leader, struct ranks_record *record,
                     unsigned rank, enum record_kind kind, double until_s);

#endif
