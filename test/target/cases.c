/* SPDX-License-Identifier: Apache-2.0 */
#include "test/target/cases.h"

#include "scatter/plan/meanwhile.h"
#include "scatter/plan/rounds.h"
#include "torus/split.h"
#include "scatter/plan/tree_plan.h"
#include "torus/pattern.h"

#include <string.h>

#define NODES_MAX (CASES_BYTES_MAX / TREE_BRANCH_BYTES)
#define LINKS_MAX 16u

/* A case of this kind has these bytes, one after the other. */
struct rounds_case {
    struct plan_job job;
    uint32_t least, most;
};

struct split_case {
    uint32_t volume_units[PLANNER_PHASES_MAX + 1];
    uint32_t share_units[PLANNER_PHASES_MAX + 1];
    uint32_t phases, layer, units;
};

struct tree_case {
    struct plan_job job;
    struct torus_size size;
    uint32_t reserved; /* the tree follows */
};

struct torus_case {
    struct torus_size size;
    struct torus_coord from, to;
    struct torus_path path;
};

/* An answer grows here. */
struct answer {
    uint32_t bytes;
    uint8_t data[CASES_BYTES_MAX + 64];
};

static void add(struct answer *answer, const void *from, uint32_t bytes)
{
    memcpy(answer->data + answer->bytes, from, bytes);
    answer->bytes += bytes;
}

static void add_number(struct answer *answer, int64_t number)
{
    add(answer, &number, sizeof number);
}

static void one_round(struct answer *answer, const uint8_t *data,
                      uint32_t bytes)
{
    struct plan_job job;
    struct planner_plan plan;

    memset(&plan, 0, sizeof plan);
    (void)bytes;
    memcpy(&job, data, sizeof job);
    add_number(answer, planner_plan(&plan, &job));
    add(answer, &plan, sizeof plan);
}

static void split(struct answer *answer, const uint8_t *data, uint32_t bytes)
{
    struct split_case given;
    struct torus_split parts = {.share_units = 0};

    (void)bytes;
    memcpy(&given, data, sizeof given);
    add_number(answer,
               torus_split(&parts, given.volume_units, given.share_units,
                           given.phases, given.layer, given.units));
    add_number(answer, parts.share_units);
    add_number(answer, parts.extra_units);
}

static void add_rounds(struct answer *answer, int error, uint64_t time_ps,
                       const struct rounds_plan *plan)
{
    add_number(answer, error);
    if (error == ERR_OK) {
        add_number(answer, (int64_t)time_ps);
        add(answer, plan, sizeof *plan);
    }
}

static void rounds(struct answer *answer, const uint8_t *data, uint32_t bytes)
{
    struct rounds_case given;
    struct rounds_plan plan;
    uint64_t time_ps = UINT64_MAX;
    int error;

    memset(&plan, 0, sizeof plan);
    (void)bytes;
    memcpy(&given, data, sizeof given);
    error = rounds_plan(&plan, &time_ps, &given.job, given.least, given.most);
    add_rounds(answer, error, time_ps, &plan);
}

static void meanwhile(struct answer *answer, const uint8_t *data,
                      uint32_t bytes)
{
    struct rounds_case given;
    struct rounds_plan plan;
    uint64_t time_ps = (uint64_t)1 << 63;
    int error;

    memset(&plan, 0, sizeof plan);
    (void)bytes;
    memcpy(&given, data, sizeof given);
    error =
        meanwhile_plan(&plan, &time_ps, &given.job, given.least, given.most);
    add_rounds(answer, error, time_ps, &plan);
}

/* The tree ends where its room does, so that a sanitizer sees what is read
   behind it. */
static void tree(struct answer *answer, const uint8_t *data, uint32_t bytes)
{
    static _Alignas(8) uint8_t room[CASES_BYTES_MAX];
    static uint64_t work[62 + NODES_MAX * 9];
    uint8_t *at = room + sizeof room - (bytes - sizeof(struct tree_case));
    struct tree_case given;
    uint64_t makespan_ps = 0;
    unsigned phases = 0;
    bool valid;
    int error;

    memcpy(&given, data, sizeof given);
    bytes -= (uint32_t)sizeof given;
    memcpy(at, data + sizeof given, bytes);
    valid = tree_valid(at, bytes, given.size);
    add_number(answer, valid);
    if (valid && tree_work_bytes(tree_nodes(at)) <= sizeof work) {
        error = tree_plan(at, &given.job, work, &makespan_ps, &phases);
        add_number(answer, error);
        add_number(answer, (int64_t)makespan_ps);
        add_number(answer, phases);
        add(answer, at, error == ERR_OK ? bytes : 0);
    }
}

static void torus(struct answer *answer, const uint8_t *data, uint32_t bytes)
{
    struct torus_case given;
    struct torus_role role;
    struct torus_path back;
    uint32_t links[LINKS_MAX] = {0};

    (void)bytes;
    memcpy(&given, data, sizeof given);
    add_number(answer, torus_index(given.size, given.from));
    add_number(answer, torus_path_valid(given.size, given.path));
    if (torus_path_valid(given.size, given.path)) {
        back = torus_path_reverse(given.path);
        add(answer, &back, sizeof back);
        add_number(answer, torus_path_arrival(given.path));
        add_number(answer,
                   (int64_t)torus_path_links(given.size, given.from, given.path,
                                             links, LINKS_MAX));
        add(answer, links, sizeof links);
        add_number(answer, torus_index(given.size,
                                       torus_path_end(given.size, given.from,
                                                      given.path)));
    }
    add_number(answer, torus_phases(given.size));
    if (torus_phases(given.size) >= 0) {
        role = torus_role_of(given.size, given.from, given.to);
        add(answer, &role, sizeof role);
    }
}

/* Index: kind. */
static void (*const answers[])(struct answer *, const uint8_t *, uint32_t) = {
    one_round, split, rounds, meanwhile, tree, torus};

void cases_answer(void *context, cases_read *read, cases_write *write)
{
    static _Alignas(8) uint8_t data[CASES_BYTES_MAX];
    static struct answer answer;
    uint32_t head[2];

    while (read(context, head, sizeof head) == sizeof head &&
           head[0] < sizeof answers / sizeof *answers &&
           head[1] <= sizeof data && read(context, data, head[1]) == head[1]) {
        answer.bytes = 0;
        answers[head[0]](&answer, data, head[1]);
        write(context, &answer.bytes, sizeof answer.bytes);
        write(context, answer.data, answer.bytes);
    }
}
