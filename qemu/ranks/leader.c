/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/leader.h"

#include "qemu/fabric/message.h"
#include "qemu/fabric/mesh.h"
#include "qemu/fabric/slices.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/patch.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/roll.h"
#include "qemu/base/file.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "qemu/base/quote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OPEN_S 60.0
#define STOP_S 10.0
#define LOOK_S 5.0
/* Asking MPI costs more than an event, and gives the core away. */
#define OWN_AT_ONCE 16u

/* Meshes so far. */
static uint16_t meshes;

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
    bool failed;         /* a rank has failed, said on stderr */
    bool broken;         /* a rank's record makes no sense, said on stderr */
    uint64_t idle_ns;    /* how long nobody has had anything to say */
    unsigned own_events; /* of own nodes, since the others were asked */
};

static bool is_own(const struct leader *leader, uint32_t node)
{
    return node < leader->first[1];
}

/* ---- out: answers, messages, faults of tests ---- */

static unsigned rank_of(const struct leader *leader, uint32_t node)
{
    return share_rank_of(leader->first, leader->ranks, node);
}

static struct window *leader_window(void *context, uint32_t node)
{
    struct leader *leader = context;

    return is_own(leader, node)
               ? local_window(leader->local, node)
               : (struct window *)(void *)(leader->copies +
                                           (size_t)node * BACKEND_WINDOW_BYTES);
}

static const char *leader_place(void *context, uint32_t node)
{
    struct leader *leader = context;

    return leader->peer[rank_of(leader, node)].place;
}

static void leader_slow(void *context, uint32_t node, unsigned shift)
{
    struct leader *leader = context;

    leader->start[node].slow_shift = shift;
    if (is_own(leader, node)) {
        leader->own.slow(leader->own.context, node, shift);
    }
}

static void leader_slow_from(void *context, uint32_t node, unsigned shift,
                             uint64_t from_ps)
{
    struct leader *leader = context;
    struct record_start *start = &leader->start[node];

    start->slow_from_shift = shift;
    start->slow_from_ps = from_ps;
    if (is_own(leader, node)) {
        leader->own.slow_from(leader->own.context, node, shift, from_ps);
    } else if (leader->started) {
        ranks_put(rank_of(leader, node), RECORD_SLOW_FROM, node,
                  &(struct ranks_body){start, sizeof *start}, 1);
    }
}

static void leader_kill(void *context, uint32_t node)
{
    struct leader *leader = context;

    if (is_own(leader, node)) {
        leader->own.kill(leader->own.context, node);
    } else {
        ranks_put(rank_of(leader, node), RECORD_KILL, node, NULL, 0);
    }
}

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

/* Sends an order of the host, all of whose bytes are here. */
static void send_whole(struct leader *leader, uint32_t node,
                       const struct message *message)
{
    struct record_payload payload = {.number = leader->answer.number};
    struct ranks_body body[] = {{&payload, sizeof payload},
                                {message->whole, message->bytes}};

    message_seal(message->whole, message->bytes);
    if (is_own(leader, node)) {
        leader->broken |= !local_payload(leader->local, node, payload.number,
                                         message->whole, message->bytes);
    } else {
        ranks_put(rank_of(leader, node), RECORD_PAYLOAD, node, body, 2);
    }
}

/* Describes the message to the sender's rank, which sends it. */
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
    if (is_own(leader, node)) {
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
    if (is_own(leader, node)) {
        leader->broken |= !local_send(leader->local, node, &leader->send);
    } else {
        ranks_put(rank_of(leader, node), RECORD_SEND, node,
                  &(struct ranks_body){&leader->send, sizeof leader->send}, 1);
    }
}

static void leader_ring(void *context, uint32_t node)
{
    struct leader *leader = context;
    struct record_answer *answer = &leader->answer;

    leader->peer[rank_of(leader, node)].rung += 1;
    if (is_own(leader, node)) {
        leader->broken |= !local_ring(leader->local, node);
    } else {
        const struct window *window = leader_window(leader, node);

        answer->response = window->response;
        answer->done = window->done;
        ranks_put(rank_of(leader, node), RECORD_ANSWER, node,
                  &(struct ranks_body){answer, sizeof *answer}, 1);
    }
    *answer = (struct record_answer){.number = 0};
    send_along(leader);
}

/* ---- in: from the others, and from own nodes ---- */

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

/* Copies the new parts of a window elsewhere. */
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
        local_note_up(leader->local, *node);
    }
    return event;
}

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

/*
 * Takes what comes, but for nodes' events, until a rank has said what it was
 * asked for, until that wall time (mesh_wall_s()). Result: the record; false:
 * it is silent, or some rank has failed, which was said on stderr
 * (leader->failed).
 */
static bool wait_for(struct leader *leader, struct ranks_record *record,
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
        if (!wait_for(leader, record, rank, RECORD_WORDS, until_s)) {
            return false;
        }
    } while (record->head.node != node);
    return true;
}

/* Asks ranks what they have seen; `windows`: brings copies of their windows up
   to date. A rank that fails is told on stderr (leader->failed). */
static void look_at_others(struct leader *leader, bool windows)
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

static void leader_explain(void *context, uint32_t node, FILE *out)
{
    struct leader *leader = context;
    unsigned rank = rank_of(leader, node);
    struct ranks_record record;

    if (is_own(leader, node)) {
        leader->own.explain(leader->own.context, node, out);
        return;
    }
    ranks_put(rank, RECORD_EXPLAIN, node, NULL, 0);
    if (wait_for_words(leader, &record, rank, node)) {
        fwrite(record.body, 1, record.head.bytes, out);
    }
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
    look_at_others(leader, true);
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

static enum backend_event leader_wait(void *context, uint32_t *node,
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

/* ---- beginning and end ---- */

/* Waits until all ranks have ended their boards. A rank that still starts its
   boards reads the request to end them afterwards. */
static void wait_for_stops(struct leader *leader)
{
    double now_s = mesh_wall_s();

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
    if (leader->own.stop != NULL) {
        leader->own.stop(leader->own.context);
    }
    wait_for_stops(leader);
    if (leader->copies != NULL) {
        munmap(leader->copies, (size_t)leader->nodes * BACKEND_WINDOW_BYTES);
    }
    local_free(leader->local);
    free(leader->first);
    free(leader->peer);
    free(leader->start);
    free(leader);
}

static void share_nodes(struct leader *leader)
{
    unsigned idle = 0;

    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        snprintf(leader->peer[rank].place, sizeof leader->peer[rank].place,
                 " on rank %u (%s)", rank, roll_of(rank)->host);
    }
    roll_share(leader->first, leader->config.size, leader->config.map);
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        idle += leader->first[rank] == leader->first[rank + 1];
    }
    if (idle > 0 && meshes == 1) {
        fprintf(stderr, "quincunx: %u of %u ranks have no nodes, and idle\n",
                idle, leader->ranks);
    }
}

static int start_own(struct leader *leader)
{
    struct leader_config *config = &leader->config;

    config->boards.nodes = leader->first[1];
    if (config->in_process) {
        return native_start(&leader->own, leader->first[1], slices_processors(),
                            NULL);
    }
    return boards_start(&leader->own, &config->boards);
}

static bool make_local(struct leader *leader)
{
    void *at;

    leader->local =
        local_new(&(struct local_config){.backend = &leader->own,
                                         .first = leader->first,
                                         .ranks = leader->ranks,
                                         .own = 0,
                                         .identity = leader->config.identity,
                                         .start_s = leader->start_s});
    /* Where nothing is written, or read, no memory is taken. */
    at = mmap(NULL, (size_t)leader->nodes * BACKEND_WINDOW_BYTES,
              PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "quincunx: no memory for %u windows\n", leader->nodes);
        limits_print_own(stderr);
        return false;
    }
    leader->copies = at;
    return leader->local != NULL;
}

/* The file of an image. */
struct image_bytes {
    uint8_t *data;
    uint64_t bytes;
};

/* Result: 0, and the data are the caller's to free, NULL if there is no image;
   or 1 after a message. */
static int read_image(struct image_bytes *image, const char *path)
{
    return path == NULL ? 0 : file_read(&image->data, &image->bytes, path);
}

/* Has every rank start its share, all at once, and waits for them. */
static int open_others(struct leader *leader)
{
    const struct boards_config *boards = &leader->config.boards;
    struct record_open open = {.nodes = leader->nodes,
                               .ranks = leader->ranks,
                               .identity = leader->config.identity,
                               .in_process = leader->config.in_process,
                               .verbose = boards->verbose,
                               .one_by_one = boards->zygote_object == NULL};
    struct image_bytes image = {.data = NULL};
    struct image_bytes slow = {.data = NULL};
    int error = 0;

    if (!leader->config.in_process) {
        snprintf(open.board, sizeof open.board, "%s",
                 boards->board->place.board);
        emulator_version(open.emulator);
        error = read_image(&image, boards->firmware) |
                read_image(&slow, boards->firmware_slow);
    }
    open.firmware_bytes = (uint32_t)image.bytes;
    open.slow_bytes = (uint32_t)slow.bytes;
    for (unsigned rank = 1; error == 0 && rank < leader->ranks; ++rank) {
        struct ranks_body body[] = {
            {&open, sizeof open},
            {leader->first, (leader->ranks + 1) * sizeof *leader->first},
            {image.data, image.bytes},
            {slow.data, slow.bytes}};

        if (leader->first[rank] < leader->first[rank + 1]) {
            ranks_put(rank, RECORD_OPEN, 0, body, 4);
            leader->peer[rank].open = true;
        }
    }
    free(image.data);
    free(slow.data);
    ranks_flush();
    return error;
}

static int wait_for_others(struct leader *leader)
{
    double until_s = mesh_wall_s() + OPEN_S;

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
    leader->start_s = mesh_wall_s();
    leader->nodes = torus_nodes(config->size);
    leader->ranks = ranks_count();
    leader->sender = MESSAGE_FROM_HOST;
    leader->first =
        memory_or_exit(calloc(leader->ranks + 1u, sizeof *leader->first));
    leader->peer = memory_or_exit(calloc(leader->ranks, sizeof *leader->peer));
    leader->start =
        memory_or_exit(calloc(leader->nodes, sizeof *leader->start));
    share_nodes(leader);
    if (open_others(leader) != 0 || start_own(leader) != 0 ||
        !make_local(leader) || wait_for_others(leader) != 0) {
        leader_stop(leader);
        return -1;
    }
    *backend = (struct backend){.board = leader->own.board,
                                .context = leader,
                                .window = leader_window,
                                .slow = leader_slow,
                                .slow_from = leader_slow_from,
                                .wait = leader_wait,
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

    look_at_others(leader, false);
    leader->peer[0].looked = local_looked(leader->local);
    for (unsigned rank = 0; rank < leader->ranks; ++rank) {
        const struct peer *peer = &leader->peer[rank];
        struct ranks_traffic now = ranks_traffic_of(rank);

        row[rank] = (struct rank_seen){
            .cores = roll_of(rank)->cores,
            .nodes = leader->first[rank + 1] - leader->first[rank],
            .boot_s = peer->looked.boot_s,
            .run_s = peer->looked.run_s,
            .doorbells = peer->doorbells,
            .up_bytes = now.in_bytes - peer->before.in_bytes,
            .down_bytes = now.out_bytes - peer->before.out_bytes,
            .between_bytes = peer->looked.between_bytes};
        memcpy(row[rank].host, roll_of(rank)->host, sizeof row[rank].host);
    }
}
