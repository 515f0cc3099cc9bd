/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch [--all | --seeds COUNT [FIRST]]
 *      tests of the switch in software, as TAP (unit_host()); or random traffic
 * alone, of so many seeds. Exit status: 0, or 1 if something is wrong.
 */
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct torus_size draw_size(uint64_t *random)
{
    static const struct torus_size sizes[] = {{1, 1}, {1, 2}, {2, 1}, {1, 3},
                                              {2, 2}, {3, 2}, {2, 3}, {3, 3},
                                              {4, 2}, {4, 3}, {4, 4}, {5, 5}};

    return sizes[mesh_below(random, sizeof sizes / sizeof *sizes)];
}

/* At most `hops` in all, and no link twice: a path that meets itself is never
   set up. */
static struct torus_path draw_path(struct torus_size size, uint64_t *random,
                                   uint32_t hops)
{
    for (;;) {
        struct torus_path path = {.port =
                                      (uint8_t)mesh_below(random, TORUS_PORTS),
                                  .turn = (uint8_t)mesh_below(random, 3)};
        uint16_t along = size.width;
        uint16_t across = size.height;

        if (path.port == TORUS_NORTH || path.port == TORUS_SOUTH) {
            along = size.height;
            across = size.width;
        }
        path.hops = (uint16_t)(1 + mesh_below(random, along));
        if (path.turn != TORUS_STRAIGHT) {
            path.hops_after = (uint16_t)(1 + mesh_below(random, across));
        }
        if (torus_path_hops(path) <= hops) {
            return path;
        }
    }
}

static uint32_t draw_length(uint64_t *random)
{
    static const uint32_t special[] = {0,   1,   2,   16,  239, 240,
                                       241, 479, 480, 481, 1680};

    if (mesh_below(random, 3) == 0) {
        return special[mesh_below(random, sizeof special / sizeof *special)];
    }
    return mesh_below(random, mesh_below(random, 8) == 0 ? 4001 : 700);
}

static void draw_faults(struct mesh *mesh, uint64_t *random)
{
    static const uint32_t ppm[] = {0, 0, 30, 300, 1000, 3000, 10000};
    uint32_t all = ppm[mesh_below(random, sizeof ppm / sizeof *ppm)];

    mesh->fault_ppm[MESH_NONE] = all > 0;
    for (unsigned fault = MESH_DROP; fault <= MESH_REPEAT; ++fault) {
        uint32_t part = mesh_below(random, all + 1);

        mesh->fault_ppm[fault] = part;
        all -= part;
    }
    if (mesh_below(random, 2) == 0) {
        mesh->burst_bytes = 1 + mesh_below(random, MESH_BURST_MAX);
    }
    if (mesh_below(random, 3) == 0) {
        mesh->fault_ppm[MESH_NONE] = 1;
        mesh->fault_ppm[MESH_DELAY] = 1 + mesh_below(random, 3000);
        mesh->delay_us_max = 1 + mesh_below(random, 3000);
    }
}

/* What is set up too rarely on a bad line may fail. */
static uint32_t hops_max(const struct mesh *mesh)
{
    uint32_t ppm = 1;

    for (unsigned fault = MESH_DROP; fault <= MESH_REPEAT; ++fault) {
        ppm += mesh->fault_ppm[fault];
    }
    return ppm > 3000 ? 3 : ppm > 1000 ? 5 : 10;
}

static bool uses(const struct traffic *traffic, const struct parcel *parcel,
                 uint32_t node, unsigned port)
{
    struct torus_size size = traffic->mesh->size;
    uint32_t links[2 * MESH_NODES_MAX];
    size_t count =
        torus_path_links(size, torus_coord_of(size, parcel->from),
                         parcel->message.path, links, 2 * MESH_NODES_MAX);
    uint32_t dead =
        torus_link(size, torus_coord_of(size, node), (enum torus_port)port);

    for (size_t i = 0; i < count; ++i) {
        if (links[i] == dead) {
            return true;
        }
    }
    return false;
}

/* One direction of a link dies; messages over it fail, others do not. */
static const char *dead_trouble(const struct traffic *traffic, uint32_t line)
{
    uint32_t node = line / TORUS_PORTS;

    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        const struct parcel *parcel = &traffic->parcel[i];
        bool over = uses(traffic, parcel, node, line % TORUS_PORTS);

        if (parcel->message.error == ERR_PORT_BUSY &&
            parcel->message.kind == SWITCH_PEEK) {
            continue; /* its last try was refused before it came so far */
        }
        if ((parcel->message.error != ERR_OK) != over) {
            return over ? "acknowledged over a dead link"
                        : "failed beside a dead link";
        }
        if (over && parcel->message.error != ERR_DEAD_LINK) {
            return "another error than of a dead link";
        }
    }
    return traffic_wrong(traffic);
}

static struct traffic *draw_traffic(uint64_t *random)
{
    struct torus_size size = draw_size(random);
    struct traffic *traffic = traffic_make(size, mesh_random(random), 4000);
    struct mesh *mesh = traffic->mesh;
    uint32_t messages = 1 + mesh_below(random, 4 + 2 * mesh->nodes);

    draw_faults(mesh, random);
    traffic->slow_us =
        mesh_below(random, 2) == 0 ? 0 : mesh_below(random, 60000);
    for (uint32_t i = 0; i < messages; ++i) {
        uint32_t from = mesh_below(random, mesh->nodes);
        struct torus_path path = draw_path(size, random, hops_max(mesh));
        uint32_t after_us = mesh_below(random, 20000);
        uint32_t length = draw_length(random);

        struct parcel *parcel =
            traffic_add(traffic, from, path, length, after_us);
        uint32_t drawn = mesh_below(random, 12);

        if (drawn == 0) {
            parcel->message.kind = SWITCH_PING;
        } else if (drawn == 1) {
            traffic_peek(parcel);
        }
    }
    return traffic;
}

static const char *run_seed(uint64_t seed, struct switch_counters *sum)
{
    uint64_t random = seed * 0x2545f4914f6cdd1du;
    struct traffic *traffic = draw_traffic(&random);
    struct mesh *mesh = traffic->mesh;
    uint32_t dead = mesh_below(&random, mesh->nodes * TORUS_PORTS);
    bool dies = mesh_below(&random, 8) == 0;
    const char *trouble = NULL;

    mesh->line[dead].dead = dies;
    if (!traffic_run(traffic)) {
        trouble = "a hang";
    } else if (dies) {
        trouble = dead_trouble(traffic, dead);
    } else {
        trouble = traffic_trouble(traffic);
    }
    if (trouble == NULL && mesh->hurt_frames > 0 && mesh_noticed(mesh) == 0) {
        trouble = "damage that nobody counted";
    }
    *sum = mesh_counters(mesh);
    traffic_free(traffic);
    return trouble;
}

/* Seeds [first, first + seeds): prints a line of figures. Result: whether all
   was right. */
static bool seeds_run(uint64_t first, uint64_t seeds)
{
    uint64_t wrong = 0;
    uint64_t messages = 0;
    uint64_t repeated = 0;
    uint64_t damaged = 0;

    for (uint64_t seed = first; seed < first + seeds; ++seed) {
        struct switch_counters sum;
        const char *trouble = run_seed(seed, &sum);

        if (trouble != NULL) {
            printf("# seed %llu: %s\n", (unsigned long long)seed, trouble);
            fflush(stdout);
            wrong += 1;
        }
        messages += sum.sent_messages;
        repeated += sum.retransmitted + sum.retries;
        damaged += sum.damaged + sum.lost + sum.stale;
    }
    printf("# %llu seeds %llu wrong; %llu messages, %llu frames repeated, %llu "
           "damaged\n",
           (unsigned long long)seeds, (unsigned long long)wrong,
           (unsigned long long)messages, (unsigned long long)repeated,
           (unsigned long long)damaged);
    return wrong == 0;
}

static void random_traffic(struct unit *unit)
{
    CHECK(unit, seeds_run(1, 140 / unit->stride));
}

static void all(struct unit *unit)
{
    test_frames(unit);
    test_circuits(unit);
    test_pairs(unit);
    test_faults(unit);
    test_waits(unit);
    test_peek(unit);
    UNIT_RUN(unit, random_traffic);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--seeds") == 0) {
        return !seeds_run(argc > 3 ? strtoull(argv[3], NULL, 0) : 1,
                          strtoull(argv[2], NULL, 0));
    }
    return unit_host(argc, argv, all);
}
