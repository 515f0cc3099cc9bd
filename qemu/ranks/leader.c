/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/leader.h"

#include "qemu/fabric/mesh.h"
#include "qemu/fabric/slices.h"
#include "qemu/ranks/leader_state.h"
#include "qemu/ranks/roll.h"
#include "qemu/support/file.h"
#include "qemu/support/limits.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OPEN_S 60.0
#define STOP_S 10.0

/* Meshes so far. */
static uint16_t meshes;

/* Waits for all whose share is to end; one that still opens it hears of the end
   behind that. */
static void wait_for_stops(struct leader *leader)
{
    double now_s = mesh_wall_s();

    leader->failed = false;
    for (unsigned rank = 1; rank < leader->ranks; ++rank) {
        const struct peer *peer = &leader->peer[rank];
        double until_s = now_s + (peer->said == 0 ? OPEN_S : STOP_S);
        struct ranks_record record;

        if (!peer->open ||
            leader_wait_for(leader, &record, rank, RECORD_STOPPED, until_s)) {
            continue;
        }
        ranks_give_up();
        if (leader->failed) {
            return; /* as was said of whoever it was */
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
    free(leader->is_up);
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
        return native_start(&leader->own, leader->first[1],
                            slices_processors());
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
                                         .identity = leader->config.identity});
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

/* An image, as rank 0 has it. */
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
            !leader_wait_for(leader, &record, rank, RECORD_OPENED, until_s)) {
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
    leader->is_up = memory_or_exit(calloc(leader->first[1], sizeof(bool)));
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

    leader_look_at_others(leader, false);
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
    row[0].boot_s = leader->up_s - leader->start_s;
    row[0].run_s = mesh_wall_s() - leader->up_s;
    row[0].between_bytes = local_between_bytes(leader->local);
}
