/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/leader.h"

#include "qemu/fabric/message.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/patch.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/roll.h"
#include "qemu/base/file.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_S 60.0
#define STOP_S 10.0
#define LOOK_S 5.0
/* After so many doorbells of its own nodes, rank 0 polls MPI. A poll costs more
   than a doorbell, and yields the core. */
#define OWN_AT_ONCE 16u

static uint16_t meshes;

struct peer {
    bool open;     /* true: the rank runs nodes of the mesh */
    uint16_t said; /* RECORD_OPENED or RECORD_STOPPED, what came last; 0 */
    uint64_t rung; /* number of the rank's native nodes that run */
    /* traffic (ranks.h) before the nodes started */
    struct ranks_traffic before;
    struct rank_seen seen; /* statistics; leader_look() adds the traffic */
    char place[RECORD_NAME_BYTES + 32];
};

struct leader {
    struct leader_config config;
    struct local *local;
    uint32_t nodes;
    unsigned ranks;
    uint32_t *first;
    struct peer *peer;
    uint8_t *copies; /* copies of all nodes' windows (qemu/ranks/patch.h) */
    struct record_start *start;
    bool started;
    uint32_t number;
    /* The next answer to a node, and how the message that it gets is sent. */
    struct record_answer answer;
    struct record_send send;
    uint32_t sender; /* sending node; MESSAGE_FROM_HOST: rank 0 sends */
    bool failed;
    bool broken;        /* true: a record for rank 0's own nodes is invalid */
    uint64_t idle_ns;   /* time without a record or doorbell */
    unsigned own_rings; /* doorbells of rank 0's nodes since the last poll */
};

/* ---- records to ranks ---- */

static unsigned rank_of(const struct leader *leader, uint32_t node)
{
    return share_rank_of(leader->first, node);
}

static struct window *leader_window(void *context, uint32_t node)
{
    struct leader *leader = context;

    return windows_at(leader->copies, node);
}

static const char *leader_place(void *context, uint32_t node)
{
    struct leader *leader = context;

    return leader->peer[rank_of(leader, node)].place;
}

static void leader_slow(void *context, uint32_t node, unsigned shift,
                        uint64_t from_ps)
{
    struct leader *leader = context;
    struct record_start *start = &leader->start[node];

    if (from_ps == 0) {
        start->slow_shift = shift;
        return;
    }
    start->slow_from_shift = shift;
    start->slow_from_ps = from_ps;
    if (leader->started) {
        ranks_put(rank_of(leader, node), RECORD_SLOW_FROM, node,
                  &(struct ranks_body){start, sizeof *start}, 1);
    }
}

static void leader_kill(void *context, uint32_t node)
{
    struct leader *leader = context;

    ranks_put(rank_of(leader, node), RECORD_KILL, node, NULL, 0);
}

/* Appends to *to what rank 0 has of a piece of a message: its first bytes.
   Returns whether that is the whole piece. */
static bool copy_known(uint8_t **to, const uint8_t *data, uint32_t bytes)
{
    uint32_t known = bytes < PATCH_KNOWN_BYTES ? bytes : PATCH_KNOWN_BYTES;

    if (known > 0) {
        memcpy(*to, data, known);
        *to += known;
    }
    return known == bytes;
}

/* Writes what rank 0 has of a message into its copy of the receiver's window:
   bytes from the begin on. Returns their number. */
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

/* Sends a message of the host, all of whose bytes are on rank 0, to a node's
   rank. */
static void send_whole(struct leader *leader, uint32_t node,
                       const struct message *message)
{
    struct record_payload payload = {.number = leader->answer.number};
    struct ranks_body body[] = {{&payload, sizeof payload},
                                {message->whole, message->bytes}};

    message_seal(message->whole, message->bytes);
    ranks_put(rank_of(leader, node), RECORD_PAYLOAD, node, body, 2);
}

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

static void leader_deliver(void *context, uint32_t node, uint32_t offset,
                           const struct message *message,
                           enum message_damage damage)
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
    if (message->source == MESSAGE_FROM_HOST) {
        send_whole(leader, node, message);
    } else {
        describe_send(leader, node, message);
    }
}

/* Sends a node the answer in its window, and the failures that it has not
   taken. */
static void leader_ring(void *context, uint32_t node)
{
    struct leader *leader = context;
    struct record_answer *answer = &leader->answer;
    const struct window *window = leader_window(leader, node);
    uint32_t first = window->taken % WINDOW_FAILURES;
    uint32_t room = WINDOW_FAILURES - first;
    uint32_t count = window->failed - window->taken;
    uint32_t some = count < room ? count : room;
    uint32_t rest = count <= WINDOW_FAILURES ? count - some : 0;
    struct ranks_body body[] = {
        {answer, sizeof *answer},
        {window->failure + first, some * sizeof window->failure[0]},
        {window->failure, rest * sizeof window->failure[0]}};

    leader->peer[rank_of(leader, node)].rung += 1;
    answer->response = window->response;
    answer->done = window->done;
    answer->failed = window->failed;
    ranks_put(rank_of(leader, node), RECORD_ANSWER, node, body, 3);
    *answer = (struct record_answer){.number = 0};
    if (leader->sender != MESSAGE_FROM_HOST) {
        ranks_put(rank_of(leader, leader->sender), RECORD_SEND, leader->sender,
                  &(struct ranks_body){&leader->send, sizeof leader->send}, 1);
    }
    leader->sender = MESSAGE_FROM_HOST;
}

/* ---- records from ranks ---- */

static enum backend_event lose(const struct leader *leader, unsigned rank,
                               const char *what)
{
    fprintf(stderr, "quincunx: the run ends%s: it %s\n",
            leader->peer[rank].place, quote_shown(what));
    return BACKEND_FAILED;
}

static enum backend_event lose_broken(const struct leader *leader,
                                      unsigned rank)
{
    return lose(leader, rank, "sends what makes no sense");
}

static bool take_patch(struct leader *leader, const struct ranks_record *record)
{
    uint32_t node = record->head.node;

    return leader->copies != NULL && node >= leader->first[record->from] &&
           node < leader->first[record->from + 1] &&
           patch_apply(leader_window(leader, node), record->body,
                       record->head.bytes);
}

/* Reports that a rank has failed and has ended its nodes. */
static enum backend_event take_failure(struct leader *leader,
                                       const struct ranks_record *record)
{
    char why[128];

    leader->peer[record->from].open = false;
    if (record->head.bytes == 0) {
        return BACKEND_INTERRUPTED;
    }
    snprintf(why, sizeof why, "%.*s", (int)record->head.bytes,
             (const char *)record->body);
    return lose(leader, record->from, why);
}

static void note_doorbell(struct peer *peer)
{
    peer->seen.doorbells += 1;
    peer->rung -= peer->rung > 0;
}

/* Handles a record of a rank. Returns the event that it brings, or
   BACKEND_TIMEOUT. */
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
    case RECORD_FAILED:
        return take_failure(leader, record);
    default:
        return lose_broken(leader, record->from);
    }
}

/* Waits for a record to rank 0 itself until the host's clock is until_s. Hands
   records for rank 0's nodes on to them. Returns false if no record came. */
static bool next_record(struct leader *leader, struct ranks_record *record,
                        double until_s)
{
    while (ranks_await(record, until_s)) {
        bool is_order = record->from == 0 && record->head.kind < RECORD_RANG;

        if (!is_order && record->head.kind != RECORD_PAYLOAD) {
            return true;
        }
        if (leader->local != NULL) {
            leader->broken |= !local_obey(leader->local, record);
        }
    }
    return false;
}

/* Handles a record that may come while rank 0 waits for another one; its event
   is ignored. Returns false if the record is invalid. */
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
        return true;
    default:
        return false;
    }
}

/* Handles records until this rank has sent one of the kind, or the host's clock
   is `until_s`. Events of nodes are ignored. Returns false if the rank did not
   send it, or if a rank has failed (leader->failed; stderr says why). */
static bool wait_for(struct leader *leader, struct ranks_record *record,
                     unsigned rank, enum record_kind kind, double until_s)
{
    ranks_flush();
    while (leader->peer[rank].said != kind) {
        if (!next_record(leader, record, until_s)) {
            return false;
        }
        if (record->head.kind == RECORD_OPENED ||
            record->head.kind == RECORD_STOPPED) {
            leader->peer[record->from].said = record->head.kind;
        } else if (record->from == rank && record->head.kind == kind) {
            return true;
        } else if (record->head.kind == RECORD_FAILED &&
                   kind != RECORD_STOPPED) {
            (void)take_failure(leader, record);
            leader->failed = true;
            return false;
        } else if (!may_come_between(leader, record)) {
            (void)lose_broken(leader, record->from);
            leader->failed = true;
            return false;
        }
    }
    return true;
}

/* Waits for a rank's record WORDS: its answer to EXPLAIN about a node, or to
   LOOK (node 0). Skips late answers to earlier questions. */
static bool wait_for_words(struct leader *leader, struct ranks_record *record,
                           unsigned rank, uint32_t node)
{
    double until_s = host_clock_s(host_clock()) + LOOK_S;

    do {
        if (!wait_for(leader, record, rank, RECORD_WORDS, until_s)) {
            return false;
        }
    } while (record->head.node != node);
    return true;
}

/* Asks all ranks for their statistics; if `windows`, also updates the copies of
   all windows. If a rank fails, sets leader->failed after a message. */
static void look_at_all(struct leader *leader, bool windows)
{
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        struct peer *peer = &leader->peer[rank];
        struct ranks_record record;
        struct record_looked looked;

        if (!peer->open) {
            continue;
        }
        ranks_put(rank, RECORD_LOOK, windows, NULL, 0);
        if (!wait_for_words(leader, &record, rank, 0)) {
            if (leader->failed) {
                return;
            }
            fprintf(stderr, "quincunx: nothing is heard%s\n", peer->place);
        } else if (record.head.bytes == sizeof looked) {
            memcpy(&looked, record.body, sizeof looked);
            peer->seen.boot_s = looked.boot_s;
            peer->seen.run_s = looked.run_s;
            peer->seen.between_bytes = looked.between_bytes;
        }
    }
}

static void leader_explain(void *context, uint32_t node, FILE *out)
{
    struct leader *leader = context;
    unsigned rank = rank_of(leader, node);
    struct ranks_record record;

    ranks_put(rank, RECORD_EXPLAIN, node, NULL, 0);
    if (wait_for_words(leader, &record, rank, node)) {
        fwrite(record.body, 1, record.head.bytes, out);
    }
}

static void start_nodes(struct leader *leader)
{
    for (uint32_t node = 0; node < leader->nodes; ++node) {
        leader->start[node].identity =
            leader_window(leader, node)->node.identity;
    }
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        struct peer *peer = &leader->peer[rank];

        peer->rung = peer->seen.nodes;
        peer->before = ranks_traffic_of(rank);
        if (peer->open) {
            ranks_put(rank, RECORD_START, 0,
                      &(struct ranks_body){&leader->start[leader->first[rank]],
                                           peer->rung * sizeof *leader->start},
                      1);
        }
    }
    leader->started = true;
}

/* Returns whether all native nodes wait, so that no doorbell will ring. */
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

static void leader_refresh(void *context)
{
    look_at_all(context, true);
}

/* Waits until a doorbell of rank 0's nodes rings; the ring becomes a record.
   Returns BACKEND_TIMEOUT, except after an error or a signal. */
static enum backend_event listen(struct leader *leader, uint64_t ns)
{
    enum backend_event event = local_listen(leader->local, ns);
    bool rang = event == BACKEND_RANG || event == BACKEND_DIED;

    leader->own_rings += rang;
    return rang ? BACKEND_TIMEOUT : event;
}

/* Handles a record. Returns its event, or BACKEND_TIMEOUT if there is none.
   Polls MPI if no record is at hand. */
static enum backend_event take_next(struct leader *leader, uint32_t *node)
{
    struct ranks_record record;

    if (!ranks_at_hand()) {
        leader->own_rings = 0;
        ranks_flush();
    }
    return next_record(leader, &record, 0) ? take(leader, node, &record)
                                           : BACKEND_TIMEOUT;
}

/* Waits 1 ms at most, so that MPI is soon polled again. */
static enum backend_event leader_wait(void *context, uint32_t *node,
                                      uint64_t ns)
{
    struct leader *leader = context;
    enum backend_event event = BACKEND_TIMEOUT;

    (void)ns;
    if (!leader->started) {
        start_nodes(leader);
    }
    if (leader->broken) {
        fputs("quincunx: the run ends: what came to rank 0 for its nodes makes "
              "no sense\n",
              stderr);
        return BACKEND_FAILED;
    }
    if (!ranks_at_hand() && leader->own_rings < OWN_AT_ONCE) {
        event = listen(leader, 0);
    }
    if (event == BACKEND_TIMEOUT) {
        event = take_next(leader, node);
    }
    if (event == BACKEND_TIMEOUT && is_quiet(leader)) {
        return BACKEND_QUIET;
    }
    if (event == BACKEND_TIMEOUT) {
        return listen(leader, ranks_sleep_ns(&leader->idle_ns));
    }
    leader->idle_ns = 0;
    return event;
}

/* ---- beginning and end ---- */

/* Waits until all ranks have ended their boards. A rank that is starting boards
   reads the record STOP late. */
static void wait_for_stops(struct leader *leader)
{
    double now_s = host_clock_s(host_clock());

    leader->failed = false;
    for (unsigned rank = 1; rank < leader->ranks; ++rank) {
        const struct peer *peer = &leader->peer[rank];
        double until_s = now_s + (peer->said == 0 ? OPEN_S : STOP_S);
        struct ranks_record record;

        if (!peer->open ||
            wait_for(leader, &record, rank, RECORD_STOPPED, until_s)) {
            continue;
        }
        ranks_give_up();
        if (leader->failed) {
            return;
        }
        fprintf(stderr, "quincunx: boards have not ended%s\n", peer->place);
    }
}

static void leader_stop(void *context)
{
    struct leader *leader = context;

    for (unsigned rank = 1; rank < leader->ranks; ++rank) {
        if (leader->peer[rank].open) {
            ranks_put(rank, RECORD_STOP, 0, NULL, 0);
        }
    }
    ranks_flush();
    local_free(leader->local);
    leader->local = NULL;
    wait_for_stops(leader);
    windows_free(leader->copies, leader->nodes);
    free(leader->first);
    free(leader->peer);
    free(leader->start);
    free(leader);
}

static void share_nodes(struct leader *leader)
{
    const uint32_t *first = leader->first;
    unsigned idle = 0;

    roll_share(leader->first, leader->config.size, leader->config.map);
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        struct peer *peer = &leader->peer[rank];
        const struct record_hello *hello = roll_of(rank);

        peer->seen = (struct rank_seen){.cores = hello->cores,
                                        .nodes = first[rank + 1] - first[rank]};
        memcpy(peer->seen.host, hello->host, sizeof peer->seen.host);
        snprintf(peer->place, sizeof peer->place, " on rank %u (%s)", rank,
                 hello->host);
        idle += peer->seen.nodes == 0;
    }
    if (idle > 0 && meshes == 1) {
        fprintf(stderr, "quincunx: %u of %u ranks have no nodes, and idle\n",
                idle, leader->ranks);
    }
}

static int open_others(struct leader *leader)
{
    const struct boards_config *boards = &leader->config.boards;
    struct record_open open = {.ranks = leader->ranks,
                               .identity = leader->config.identity,
                               .in_process = leader->config.in_process,
                               .verbose = boards->verbose,
                               .one_by_one = boards->zygote_object == NULL};
    uint8_t *image = NULL;
    uint8_t *slow = NULL;
    uint64_t image_bytes = 0;
    uint64_t slow_bytes = 0;
    int error = 0;

    if (!leader->config.in_process) {
        snprintf(open.board, sizeof open.board, "%s",
                 boards->board->place.board);
        emulator_version(open.emulator);
        error = file_read(&image, &image_bytes, boards->firmware);
    }
    if (error == 0 && boards->firmware_slow != NULL) {
        error = file_read(&slow, &slow_bytes, boards->firmware_slow);
    }
    open.firmware_bytes = (uint32_t)image_bytes;
    open.slow_bytes = (uint32_t)slow_bytes;
    for (unsigned rank = 1; error == 0 && rank < leader->ranks; ++rank) {
        struct ranks_body body[] = {
            {&open, sizeof open},
            {leader->first, (leader->ranks + 1) * sizeof *leader->first},
            {image, image_bytes},
            {slow, slow_bytes}};

        if (leader->peer[rank].seen.nodes > 0) {
            ranks_put(rank, RECORD_OPEN, 0, body, 4);
            leader->peer[rank].open = true;
        }
    }
    free(image);
    free(slow);
    ranks_flush();
    return error;
}

static bool start_own(struct leader *leader)
{
    const struct leader_config *config = &leader->config;

    leader->peer[0].open = true;
    leader->copies = windows_new(leader->nodes);
    if (leader->copies != NULL) {
        leader->local =
            local_new(&(struct local_config){.first = leader->first,
                                             .identity = config->identity,
                                             .in_process = config->in_process,
                                             .boards = config->boards,
                                             .copies = leader->copies});
    }
    return leader->local != NULL;
}

static int wait_for_others(struct leader *leader)
{
    double until_s = host_clock_s(host_clock()) + OPEN_S;

    for (unsigned rank = 1; rank < leader->ranks; ++rank) {
        struct ranks_record record;

        if (leader->peer[rank].open &&
            !wait_for(leader, &record, rank, RECORD_OPENED, until_s)) {
            if (!leader->failed) {
                fprintf(stderr, "quincunx: no nodes%s\n",
                        leader->peer[rank].place);
            }
            return -1;
        }
    }
    return 0;
}

int leader_start(struct backend *backend, const struct leader_config *config)
{
    struct leader *leader;

    if (roll_call() != 0) {
        return -1;
    }
    leader = memory_or_exit(calloc(1, sizeof *leader));
    meshes += 1;
    ranks_set_mesh(meshes);
    leader->config = *config;
    leader->nodes = torus_nodes(config->size);
    leader->ranks = ranks_count();
    leader->sender = MESSAGE_FROM_HOST;
    leader->first =
        memory_or_exit(calloc(leader->ranks + 1u, sizeof *leader->first));
    leader->peer = memory_or_exit(calloc(leader->ranks, sizeof *leader->peer));
    leader->start =
        memory_or_exit(calloc(leader->nodes, sizeof *leader->start));
    share_nodes(leader);
    if (open_others(leader) != 0 || !start_own(leader) ||
        wait_for_others(leader) != 0) {
        leader_stop(leader);
        return -1;
    }
    *backend = (struct backend){
        .board =
            config->in_process ? "host" : config->boards.board->place.board,
        .context = leader,
        .window = leader_window,
        .slow = leader_slow,
        .wait = leader_wait,
        .refresh = leader_refresh,
        .ring = leader_ring,
        .kill = leader_kill,
        .stop = leader_stop,
        .explain = leader_explain,
        .place = leader_place,
        .deliver = leader_deliver};
    return 0;
}

void leader_look(void *context, struct rank_seen row[])
{
    struct leader *leader = context;

    look_at_all(leader, false);
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        const struct peer *peer = &leader->peer[rank];
        struct ranks_traffic now = ranks_traffic_of(rank);

        row[rank] = peer->seen;
        row[rank].up_bytes = now.in_bytes - peer->before.in_bytes;
        row[rank].down_bytes = now.out_bytes - peer->before.out_bytes;
    }
}
