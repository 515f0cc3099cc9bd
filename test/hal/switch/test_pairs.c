/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of circuits on small meshes; and the scatter's pattern. */
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include "torus/pattern.h"

#define PATHS_MAX 40u

static const uint32_t lengths[] = {0, 1, 239, 240, 241, 700, 2, 16};

static uint32_t length_of(uint32_t number)
{
    return lengths[number % (sizeof lengths / sizeof *lengths)];
}

/* Every path of 1 or 2 hops, straight or with 1 or 2 more. */
static uint32_t list_paths(struct torus_path paths[PATHS_MAX])
{
    uint32_t count = 0;

    for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
        for (uint16_t hops = 1; hops <= 2; ++hops) {
            paths[count++] = STRAIGHT(port, hops);
            for (uint16_t after = 1; after <= 2; ++after) {
                paths[count++] = LEFT(port, hops, after);
                paths[count++] =
                    (struct torus_path){port, TORUS_RIGHT, hops, after};
            }
        }
    }
    return count;
}

/* The first from node 0: the torus looks alike from everywhere. The second may
   be the same again. Of all pairs every third is tried, at most. */
static void pairs_of_circuits(struct unit *unit)
{
    struct torus_path paths[PATHS_MAX];
    uint32_t count = list_paths(paths);

    CHECK_EQUAL(unit, count, PATHS_MAX);
    for (unsigned side = 2; side <= 3; ++side) {
        for (uint32_t pair = 0; pair < count * count * side * side;
             pair += 3 * unit->stride) {
            struct traffic *traffic = traffic_make(SQUARE(side), pair, 1000);

            traffic_add(traffic, 0, paths[pair % count], length_of(pair), 0);
            traffic_add(traffic, pair / count / count,
                        paths[pair / count % count], length_of(pair / 3), 0);
            traffic_check(unit, traffic);
        }
    }
}

/* ---- the scatter ---- */

static void add_phase(struct traffic *traffic, uint32_t originator,
                      unsigned phase, bool back, uint32_t salt)
{
    struct torus_size size = traffic->mesh->size;
    struct torus_coord origin = torus_coord_of(size, originator);

    for (uint32_t node = 0; node < traffic->mesh->nodes; ++node) {
        struct torus_role role =
            torus_role_of(size, origin, torus_coord_of(size, node));
        struct torus_path path;
        uint32_t from = torus_index(size, role.parent);

        if (role.layer != phase) {
            continue;
        }
        path = torus_phase_path(size, phase, (enum torus_port)role.port);
        if (back) {
            path = torus_path_reverse(path);
            from = node;
        }
        traffic_add(traffic, from, path, length_of(node + salt) * (1 + salt),
                    0);
    }
}

/* Circuits of one phase never meet: nobody refuses any. Back, a node refuses
   what comes while it takes another. */
static void phases_apart(struct unit *unit)
{
    for (uint32_t run = 0; run < 25u * 4u; run += unit->stride) {
        for (unsigned phase = 1; phase <= 2; ++phase) {
            bool back = run / 25u % 2 == 1;
            struct traffic *traffic = traffic_make(SQUARE(5), run, 7000);

            add_phase(traffic, run % 25u, phase, back, run / 25u);
            CHECK_EQUAL(unit, traffic->parcels, phase == 1 ? 4 : 20);
            CHECK(unit, traffic_run(traffic));
            CHECK(unit, back || mesh_counters(traffic->mesh).refused == 0);
            CHECK(unit, back || mesh_counters(traffic->mesh).retries == 0);
            traffic_check(unit, traffic);
        }
    }
}

void test_pairs(struct unit *unit)
{
    UNIT_RUN(unit, pairs_of_circuits);
    UNIT_RUN(unit, phases_apart);
}
