/* SPDX-License-Identifier: Apache-2.0 */
#include "test/scatter/engine/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void world_check(bool holds, const char *what)
{
    if (!holds) {
        printf("# broken: %s\n", what);
        exit(1);
    }
}

/* Memory that nobody may look at is the world's affair: a node's stack and
   memory are never freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}

static struct letter *keep(void *context, const struct world_node *from,
                           struct letter *letter)
{
    struct told *told = context;
    bool farm = told->judge.policy == WIRE_FARM;
    bool result = WIRE_KIND(letter->kind) == WIRE_RESULT;

    if (from == told->node && (farm || result)) {
        judge_returned(&told->judge, letter);
    }
    if (from == told->node && result) {
        free(letter);
        return NULL;
    }
    if (told->with_children && !farm) {
        return letter;
    }
    letter->next = told->sent;
    told->sent = letter;
    return NULL;
}

static void taken(void *context, const struct world_node *to,
                  const struct letter *letter)
{
    struct told *told = context;

    if (to == told->node && letter->marked) {
        judge_delivers(&told->judge, letter);
    }
}

void told_begin(struct told *told, enum wire_policy policy,
                struct torus_size size, struct torus_coord at)
{
    told->world = (struct world){.size = size,
                                 .policy = policy,
                                 .kernel = &judge_kernel,
                                 .context = told,
                                 .sent = keep,
                                 .taken = taken,
                                 .prompt = true,
                                 .builds = told->judge.whole};
    told->judge.policy = policy;
    told->judge.forged = told->judge.whole;
    if (policy == WIRE_PATTERN) {
        told->judge.role = torus_role_of(size, (struct torus_coord){0, 0}, at);
    }
    world_begin(&told->world);
    told->node = world_node(at);
    told->node->news = true;
    world_run();
}

void tell(struct told *told, unsigned kind, uint16_t job, const uint8_t *data,
          uint32_t bytes)
{
    struct letter *letter = letter_new(kind, job, bytes);

    if (kind == WIRE_ORDER) {
        letter->port = CIRCUIT_HOST;
    }
    letter->marked = true;
    memcpy(letter->data, data, bytes);
    world_put(told->node, letter);
    world_run();
}

int told_end(struct told *told)
{
    int error = told->node->ended ? told->node->error : ERR_OK;

    while (told->sent != NULL) {
        struct letter *next = told->sent->next;

        free(told->sent);
        told->sent = next;
    }
    judge_free(&told->judge);
    world_free(&told->world);
    return error;
}

static void all(struct unit *unit)
{
    test_messages(unit);
    test_jobs(unit);
    test_farm(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
