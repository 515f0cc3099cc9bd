/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/ranks.h"

#include "qemu/base/json.h"

#include <inttypes.h>
#include <string.h>

static uint32_t hosts(const struct outcome *outcome)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < outcome->ranks; ++i) {
        uint32_t k = 0;

        while (k < i &&
               strcmp(outcome->rank[k].host, outcome->rank[i].host) != 0) {
            k += 1;
        }
        count += k == i;
    }
    return count;
}

static struct rank_seen sum_of(const struct outcome *outcome)
{
    struct rank_seen sum = {.cores = 0};

    for (uint32_t i = 0; i < outcome->ranks; ++i) {
        const struct rank_seen *rank = &outcome->rank[i];

        sum.doorbells += rank->doorbells;
        sum.up_bytes += rank->up_bytes;
        sum.down_bytes += rank->down_bytes;
        sum.between_bytes += rank->between_bytes;
    }
    return sum;
}

static json_t *traffic_json(const struct rank_seen *seen)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "doorbells",
                     json_whole(seen->doorbells), "up_bytes",
                     json_whole(seen->up_bytes), "down_bytes",
                     json_whole(seen->down_bytes), "between_bytes",
                     json_whole(seen->between_bytes));
}

static json_t *rank_json(const struct rank_seen *rank)
{
    json_t *json = traffic_json(rank);

    json_object_update_new(
        json,
        json_pack("{s:s, s:o, s:o, s:{s:f, s:f}}", "host", rank->host, "cores",
                  json_whole(rank->cores), "nodes", json_whole(rank->nodes),
                  "wall_s", "boot", rank->boot_s, "run", rank->run_s));
    return json;
}

json_t *ranks_json(const struct outcome *outcome)
{
    struct rank_seen sum = sum_of(outcome);
    json_t *json = traffic_json(&sum);
    json_t *each = json_array();

    for (uint32_t i = 0; i < outcome->ranks; ++i) {
        json_array_append_new(each, rank_json(&outcome->rank[i]));
    }
    json_object_update_new(
        json,
        json_pack("{s:o, s:o, s:o, s:o}", "count", json_whole(outcome->ranks),
                  "hosts", json_whole(hosts(outcome)), "each", each,
                  "expected_bytes",
                  json_whole(outcome->request->memory_hosts)));
    return json;
}

void ranks_print(FILE *out, const struct outcome *outcome)
{
    struct rank_seen sum = sum_of(outcome);

    fprintf(out,
            "ranks     %u on %u host%s: %" PRIu64 " of %" PRIu64
            " doorbells and %" PRIu64 " bytes up, %" PRIu64 " down, %" PRIu64
            " between ranks\n",
            outcome->ranks, hosts(outcome), hosts(outcome) == 1 ? "" : "s",
            sum.doorbells - outcome->rank[0].doorbells, sum.doorbells,
            sum.up_bytes, sum.down_bytes, sum.between_bytes);
}
