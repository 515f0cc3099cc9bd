/* SPDX-License-Identifier: Apache-2.0 */
/* What comes to rank 0 from the others, and from its own nodes. */
#include "qemu/ranks/leader_state.h"

#include "qemu/fabric/mesh.h"
#include "qemu/ranks/patch.h"
#include "qemu/support/host_clock.h"
#include "qemu/support/progress.h"
#include "qemu/support/quote.h"

#include <string.h>

#define LOOK_S 5.0
/* Asking MPI costs more than an event, and gives the core away. */
#define OWN_AT_ONCE 16u

static enum backend_event lose(const struct leader *leader, unsigned rank,
                               const char *what, size_t bytes)
{
    char text[128];

    snprintf(text, sizeof text, "%.*s", (int)bytes, what);
    fprintf(stderr, "quincunx: the run ends%s: it %s\n",
            leader->peer[rank].place, quote_shown(text));
    return BACKEND_FAILED;
}

static enum backend_event lose_broken(const struct leader *leader,
                                      unsigned rank)
{
    static const char what[] = "sends what makes no sense";

    return lose(leader, rank, what, sizeof what - 1);
}

/* What is new in a window elsewhere. */
static bool take_patch(struct leader *leader, const struct ranks_record *record)
{
    uint32_t node = record->head.node;

    return leader->copies != NULL && record->from > 0 &&
           node >= leader->first[record->from] &&
           node < leader->first[record->from + 1] &&
           patch_apply(leader_window(leader, node), record->body,
                       record->head.bytes);
}

/* A rank that fails has closed its share. */
static enum backend_event take_failure(struct leader *leader,
                                       const struct ranks_record *record)
{
    struct record_failed failed;

    leader->peer[record->from].open = false;
    if (record->head.bytes < sizeof failed) {
        return lose_broken(leader, record->from);
    }
    memcpy(&failed, record->body, sizeof failed);
    if (failed.interrupted != 0) {
        return BACKEND_INTERRUPTED;
    }
    return lose(leader, record->from,
                (const char *)record->body + sizeof failed,
                record->head.bytes - sizeof failed);
}

static void note_doorbell(struct peer *peer)
{
    peer->doorbells += 1;
    peer->rung -= peer->rung > 0;
}

/* BACKEND_TIMEOUT: the record is no node's event. */
static enum backend_event take(struct leader *leader, uint32_t *node,
                               const struct ranks_record *record)
{
    *node = record->head.node;
    switch (record->head.kind) {
    case RECORD_RANG:
    case RECORD_DIED:
        if (!take_patch(leader, record)) {
            return lose_broken(leader, record->from);
        }
        note_doorbell(&leader->peer[record->from]);
        return record->head.kind == RECORD_RANG ? BACKEND_RANG : BACKEND_DIED;
    case RECORD_PAYLOAD:
        return local_take_payload(leader->local, record)
                   ? BACKEND_TIMEOUT
                   : lose_broken(leader, record->from);
    case RECORD_FAILED:
        return take_failure(leader, record);
    default:
        return lose_broken(leader, record->from);
    }
}

static enum backend_event look_at_own(struct leader *leader, uint32_t *node,
                                      long ns)
{
    enum backend_event event =
        leader->own.wait_at_most(leader->own.context, node, ns);

    if (event == BACKEND_RANG) {
        note_doorbell(&leader->peer[0]);
        if (!leader->is_up[*node]) {
            leader->is_up[*node] = true;
            leader->up += 1;
            leader->up_s =
                leader->up == leader->first[1] ? mesh_wall_s() : leader->up_s;
        }
    }
    return event;
}

/* Tells all ranks which nodes they have; then they may start. */
static void start_nodes(struct leader *leader)
{
    for (uint32_t node = leader->first[1]; node < leader->nodes; ++node) {
        leader->start[node].identity =
            leader_window(leader, node)->node.identity;
    }
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        struct peer *peer = &leader->peer[rank];
        uint32_t first = leader->first[rank];
        uint32_t count = leader->first[rank + 1] - first;

        peer->rung = count;
        peer->before = ranks_traffic_of(rank);
        if (peer->open) {
            ranks_put(rank, RECORD_START, 0,
                      &(struct ranks_body){&leader->start[first],
                                           count * sizeof *leader->start},
                      1);
        }
    }
    leader->started = true;
}

/* Whether native nodes on all ranks wait: each owes a doorbell for every
   ring. */
static bool is_quiet(const struct leader *leader)
{
    for (unsigned rank = 0; leader->config.in_process && rank < leader->ranks;
         ++rank) {
        if (leader->peer[rank].rung > 0) {
            return false;
        }
    }
    return leader->config.in_process;
}

/* Nothing more is to be waited for: brings all windows up to date. */
static enum backend_event give_up(struct leader *leader)
{
    leader_look_at_others(leader, true);
    return BACKEND_TIMEOUT;
}

/* The next event that the others tell. BACKEND_TIMEOUT: there is none. */
static enum backend_event take_next(struct leader *leader, uint32_t *node)
{
    enum backend_event event = BACKEND_TIMEOUT;
    struct ranks_record record;

    leader->own_events = 0;
    if (!ranks_at_hand()) {
        ranks_flush();
    }
    while (event == BACKEND_TIMEOUT && ranks_next(&record)) {
        event = take(leader, node, &record);
    }
    return event;
}

enum backend_event leader_wait(void *context, uint32_t *node,
                               struct watchdog *watchdog)
{
    struct leader *leader = context;

    if (!leader->started) {
        start_nodes(leader);
    }
    leader->idle_ns = 0;
    for (;;) {
        enum backend_event event = BACKEND_TIMEOUT;

        if (watchdog_barks(watchdog)) {
            return give_up(leader);
        }
        if (leader->broken) {
            fputs("quincunx: the run ends: what came to rank 0 for its nodes "
                  "makes no sense\n",
                  stderr);
            return BACKEND_FAILED;
        }
        if (!ranks_at_hand() && leader->own_events < OWN_AT_ONCE) {
            leader->own_events += 1;
            event = look_at_own(leader, node, 0);
        }
        if (event == BACKEND_TIMEOUT) {
            event = take_next(leader, node);
        }
        if (event == BACKEND_TIMEOUT && is_quiet(leader)) {
            return give_up(leader);
        }
        if (event == BACKEND_TIMEOUT) {
            progress_again();
            event = look_at_own(leader, node, ranks_sleep_ns(&leader->idle_ns));
        }
        if (event != BACKEND_TIMEOUT) {
            return event;
        }
    }
}

/* ---- when something has gone wrong ---- */

/* What comes while something else is awaited: nodes and their boards do not
   know yet that rank 0 no longer listens. Result: false: it makes no sense. */
static bool may_come_between(struct leader *leader,
                             const struct ranks_record *record)
{
    switch (record->head.kind) {
    case RECORD_LOOKED:
    case RECORD_RANG:
    case RECORD_DIED:
        return take_patch(leader, record);
    case RECORD_FAILED:
    case RECORD_WORDS:
    case RECORD_PAYLOAD:
        return true;
    default:
        return false;
    }
}

bool leader_wait_for(struct leader *leader, struct ranks_record *record,
                     unsigned rank, enum record_kind kind, double until_s)
{

    ranks_flush();
    for (;;) {
        while (leader->peer[rank].said != kind && ranks_next(record)) {
            if (record->head.kind == RECORD_OPENED ||
                record->head.kind == RECORD_STOPPED) {
                leader->peer[record->from].said = record->head.kind;
                continue;
            }
            if (record->from == rank && record->head.kind == kind) {
                return true;
            }
            if (record->head.kind == RECORD_FAILED && kind != RECORD_STOPPED) {
                (void)take_failure(leader, record);
                leader->failed = true;
                return false;
            }
            if (!may_come_between(leader, record)) {
                (void)lose_broken(leader, record->from);
                leader->failed = true;
                return false;
            }
        }
        if (leader->peer[rank].said == kind) {
            return true;
        }
        if (mesh_wall_s() > until_s) {
            return false;
        }
        host_clock_pause(host_clock(), HOST_CLOCK_MS_NS);
    }
}

/* The words that a rank was asked for: of a node, or of itself, 0. An answer to
   what was asked before may come first, if that was waited for in vain. */
static bool wait_for_words(struct leader *leader, struct ranks_record *record,
                           unsigned rank, uint32_t node)
{
    double until_s = mesh_wall_s() + LOOK_S;

    do {
        if (!leader_wait_for(leader, record, rank, RECORD_WORDS, until_s)) {
            return false;
        }
    } while (record->head.node != node);
    return true;
}

void leader_look_at_others(struct leader *leader, bool windows)
{
    for (unsigned rank = 1; rank < leader->ranks; ++rank) {
        struct peer *peer = &leader->peer[rank];
        struct ranks_record record;

        if (!peer->open) {
            continue;
        }
        ranks_put(rank, RECORD_LOOK, windows, NULL, 0);
        if (!wait_for_words(leader, &record, rank, 0)) {
            if (leader->failed) {
                return;
            }
            fprintf(stderr, "quincunx: nothing is heard%s\n", peer->place);
        } else if (record.head.bytes == sizeof peer->looked) {
            memcpy(&peer->looked, record.body, sizeof peer->looked);
        }
    }
}

void leader_explain(void *context, uint32_t node, FILE *out)
{
    struct leader *leader = context;
    unsigned rank = leader_rank_of(leader, node);
    struct ranks_record record;

    if (leader_is_own(leader, node)) {
        leader->own.explain(leader->own.context, node, out);
        return;
    }
    ranks_put(rank, RECORD_EXPLAIN, node, NULL, 0);
    if (wait_for_words(leader, &record, rank, node)) {
        fwrite(record.body, 1, record.head.bytes, out);
    }
}
