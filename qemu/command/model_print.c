/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/model_print.h"

#include "qemu/base/memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_TIME " of time"
#define TIME "units" OF_TIME

/* ---- numbers ---- */

/* Prints "39.8916967509 (11050/277)"; without the fraction if it is long. */
static void print_number(quad value)
{
    char fraction[THEORY_FRACTION_CHARS];

    printf("%.12g", (double)value);
    if (theory_number_fraction(fraction, value) &&
        strchr(fraction, '/') != NULL) {
        printf(" (%s)", fraction);
    }
}

/* Adds a value to a JSON object: `key` as a real and, if the value is a short
   fraction, `key`_exact as text. If `json` is NULL, prints a line instead:
   "period 3 units of time", where `label` is "period" and `of` " of time". */
static void figure(json_t *json, const char *key, const char *label, quad value,
                   const char *of)
{
    char fraction[THEORY_FRACTION_CHARS];
    char exact[32];

    if (json == NULL) {
        printf("%-13s ", label);
        print_number(value);
        printf(" unit%s%s\n", theory_number_compare(value, 1) == 0 ? "" : "s",
               of);
        return;
    }
    json_object_set_new(json, key, json_real((double)value));
    if (theory_number_fraction(fraction, value)) {
        snprintf(exact, sizeof exact, "%s_exact", key);
        json_object_set_new(json, exact, json_string(fraction));
    }
}

static void print_pair(size_t worker, quad one, quad other)
{
    printf("%6zu  ", worker + 1);
    print_number(one);
    fputs(", ", stdout);
    print_number(other);
    putchar('\n');
}

static json_t *numbers_json(const quad *values, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(array, json_real((double)values[i]));
    }
    return array;
}

static json_t *order_json(const size_t *order, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(array, json_integer((json_int_t)order[i] + 1));
    }
    return array;
}

static void print_order(const char *label, const size_t *order, size_t count)
{
    printf("%-13s", label);
    for (size_t i = 0; i < count; ++i) {
        printf(" %zu", order[i] + 1);
    }
    putchar('\n');
}

static json_t *arrays(size_t workers)
{
    json_t *array = json_array();

    for (size_t i = 0; i < workers; ++i) {
        json_array_append_new(array, json_array());
    }
    return array;
}

static void add_chunk(json_t *chunks, size_t worker, json_t *chunk)
{
    json_array_append_new(json_array_get(chunks, worker), chunk);
}

static json_t *object_of(bool json, const char *platform, size_t workers)
{
    return json ? json_pack("{s:s, s:I}", "platform", platform, "workers",
                            (json_int_t)workers)
                : NULL;
}

static void print_object(json_t *json)
{
    json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(json);
}

/* ---- star ---- */

static quad *shares_of(const struct theory_star_plan *plan, size_t workers)
{
    quad *shares = memory_or_exit(calloc(workers, sizeof *shares));
    quad times = plan->period > 0 ? (quad)(plan->rounds - 1) : 1;

    for (size_t i = 0; i < plan->sends; ++i) {
        shares[plan->worker[i]] += plan->units[i] * times;
    }
    return shares;
}

/* Returns how many workers get a chunk before any of them gets its second
   one. */
static size_t served(const struct theory_star_plan *plan)
{
    size_t count = 0;

    while (count < plan->sends &&
           (count == 0 || plan->worker[count] != plan->worker[0])) {
        count += 1;
    }
    return count;
}

static void star_json(const struct theory_star_plan *plan,
                      const struct theory_star *star, const quad *shares)
{
    size_t workers = star->workers->count;
    json_t *chunks = arrays(workers);
    json_t *json = object_of(true, "star", workers);

    for (size_t i = 0; i < plan->sends; ++i) {
        add_chunk(chunks, plan->worker[i], json_real((double)plan->units[i]));
    }
    json_object_update_new(json, json_pack("{s:I, s:s}", "rounds",
                                           (json_int_t)plan->rounds, "order_by",
                                           plan->searched ? "best" : "rule"));
    figure(json, "load", NULL, star->load, NULL);
    figure(json, "makespan", NULL, plan->makespan, NULL);
    figure(json, "rate", NULL, plan->rate, NULL);
    if (plan->period > 0) {
        figure(json, "period", NULL, plan->period, NULL);
        figure(json, "rate_limit", NULL, plan->rate_limit, NULL);
    }
    json_object_update_new(
        json, json_pack("{s:o, s:f, s:o, s:o}", "order",
                        order_json(plan->worker, served(plan)), "master_units",
                        (double)plan->master_units, "shares",
                        numbers_json(shares, workers), "chunks", chunks));
    print_object(json);
}

/* Prints a line for each worker that gets units: its share and, if it gets
   several chunks, their sizes. For a plan of periods, prints the chunk of one
   period. */
static void print_shares(const struct theory_star_plan *plan,
                         const quad *shares)
{
    size_t each = served(plan);

    for (size_t i = 0; i < each; ++i) {
        printf("%6zu  ", plan->worker[i] + 1);
        print_number(shares[plan->worker[i]]);
        for (size_t j = i;
             (plan->sends > each || plan->period > 0) && j < plan->sends;
             j += each) {
            printf("%s%.12g", j == i ? ": " : ", ", (double)plan->units[j]);
        }
        putchar('\n');
    }
}

static void star_text(const struct theory_star_plan *plan,
                      const struct theory_star *star, const quad *shares)
{
    bool periodic = plan->period > 0;

    figure(NULL, NULL, "load", star->load, "");
    figure(NULL, NULL, "makespan", plan->makespan, OF_TIME);
    figure(NULL, NULL, "rate", plan->rate, " a unit of time");
    if (periodic) {
        figure(NULL, NULL, "rate limit", plan->rate_limit,
               " a unit of time, of ever longer loads");
    }
    printf("%-13s %lu\n", periodic ? "periods" : "rounds", plan->rounds);
    if (periodic) {
        figure(NULL, NULL, "period", plan->period, OF_TIME);
    }
    printf("%-13s %zu of %zu worker%s, in %s\n", "served", served(plan),
           star->workers->count, star->workers->count == 1 ? "" : "s",
           plan->searched ? "the best order" : "an order found by rule");
    if (plan->master_units > 0) {
        figure(NULL, NULL, "master", plan->master_units, "");
    }
    puts(periodic ? "\nworker  units, and those of each period but the last"
                  : "\nworker  units");
    print_shares(plan, shares);
}

void model_print_star(const struct theory_star_plan *plan,
                      const struct theory_star *star, bool json)
{
    quad *shares = shares_of(plan, star->workers->count);

    (json ? star_json : star_text)(plan, star, shares);
    free(shares);
}

/* ---- results ---- */

static json_t *collection_json(const struct theory_collection *of,
                               size_t workers, quad load)
{
    json_t *json = json_object();
    json_t *chunks = arrays(workers);

    for (size_t i = 0; i < workers; ++i) {
        if (of->share[i] > 0) {
            add_chunk(chunks, i, json_real((double)of->share[i]));
        }
    }
    figure(json, "makespan", NULL, of->makespan, NULL);
    figure(json, "rate", NULL, load / of->makespan, NULL);
    json_object_update_new(
        json, json_pack("{s:o, s:o, s:o, s:o, s:o}", "sent",
                        order_json(of->sent, of->takers), "collected",
                        order_json(of->collected, of->takers), "shares",
                        numbers_json(of->share, workers), "idle",
                        numbers_json(of->idle, workers), "chunks", chunks));
    return json;
}

static void print_collection(const char *name,
                             const struct theory_collection *of)
{
    printf("\n%s\n", name);
    figure(NULL, NULL, "makespan", of->makespan, OF_TIME);
    print_order("sent", of->sent, of->takers);
    print_order("collected", of->collected, of->takers);
    puts("worker  units, and time idle before its results are collected");
    for (size_t i = 0; i < of->takers; ++i) {
        print_pair(of->sent[i], of->share[of->sent[i]], of->idle[of->sent[i]]);
    }
}

void model_print_results(const struct theory_results *results, size_t workers,
                         quad load, bool json)
{
    json_t *object = object_of(json, "results", workers);
    json_t *optimal;

    figure(object, "load", "load", load, "");
    if (!json) {
        print_collection("LIFO, the last that is sent to is collected first",
                         &results->lifo);
        print_collection("FIFO, collected as sent", &results->fifo);
        print_collection(
            results->exact
                ? "optimal, of all pairs of orders"
                : "best pair of orders found, perhaps not the optimum",
            &results->optimal);
        return;
    }
    optimal = collection_json(&results->optimal, workers, load);
    json_object_set_new(optimal, "exact", json_boolean(results->exact));
    json_object_update_new(
        object,
        json_pack("{s:o, s:o, s:o}", "lifo",
                  collection_json(&results->lifo, workers, load), "fifo",
                  collection_json(&results->fifo, workers, load), "optimal",
                  optimal));
    print_object(object);
}

/* ---- farm ---- */

/* Prints a line for each worker: when it ends, and its chunks sorted by
   time. */
static void print_chunks(const struct theory_farm *farm)
{
    for (size_t i = 0; i < farm->workers; ++i) {
        const char *before = ": ";

        printf("%6zu  ", i + 1);
        print_number(farm->ends[i]);
        for (size_t j = 0; j < farm->chunks; ++j) {
            if (farm->worker[j] == i) {
                printf("%s%" PRIu64, before, farm->units[j]);
                before = ", ";
            }
        }
        putchar('\n');
    }
}

static json_t *chunks_json(const struct theory_farm *farm)
{
    json_t *chunks = arrays(farm->workers);

    for (size_t i = 0; i < farm->chunks; ++i) {
        add_chunk(chunks, farm->worker[i],
                  json_integer((json_int_t)farm->units[i]));
    }
    return chunks;
}

/* Prints the farm's factor. If it was computed, it has only a double's
   precision, and no fraction is printed. */
static void print_factor(json_t *json, quad factor, bool given)
{
    if (json != NULL && given) {
        figure(json, "factor", NULL, factor, NULL);
    } else if (json != NULL) {
        json_object_set_new(json, "factor", json_real((double)factor));
    } else {
        printf("%-13s ", "factor");
        if (given) {
            print_number(factor);
        } else {
            printf("%.12g", (double)factor);
        }
        puts(", the divisor of what is left (for first chunks: of the load)");
    }
}

void model_print_farm(const struct theory_farm *farm, quad load, quad factor,
                      bool given, bool json)
{
    json_t *object = object_of(json, "farm", farm->workers);

    figure(object, "load", "load", load, "");
    if (json) {
        print_factor(object, factor, given);
    }
    figure(object, "makespan", "makespan", farm->makespan, OF_TIME);
    figure(object, "lower_bound", "lower bound", farm->bound, OF_TIME);
    figure(object, "rate", "rate", load / farm->makespan, " a unit of time");
    if (json) {
        json_object_update_new(
            object, json_pack("{s:o, s:o}", "ends",
                              numbers_json(farm->ends, farm->workers), "chunks",
                              chunks_json(farm)));
        print_object(object);
        return;
    }
    print_factor(NULL, factor, given);
    printf("%-13s %zu\n\n", "chunks", farm->chunks);
    puts("worker  end in units of time, and chunks in units");
    print_chunks(farm);
}

/* ---- masters ---- */

static json_t *parts_json(const struct theory_masters *masters)
{
    json_t *parts = json_array();

    for (unsigned i = 0; i < masters->rounds; ++i) {
        json_array_append_new(parts, json_real((double)masters->part[i]));
    }
    return parts;
}

static json_t *transfers_json(const struct theory_masters *masters)
{
    json_t *transfers = json_array();

    for (size_t i = 0; i < masters->transfers; ++i) {
        const struct theory_transfer *one = &masters->transfer[i];

        json_array_append_new(
            transfers,
            json_pack("{s:I, s:I, s:f, s:f}", "from", (json_int_t)one->from + 1,
                      "to", (json_int_t)one->to + 1, "start",
                      (double)one->start, "units", (double)one->units));
    }
    return transfers;
}

static void masters_json(const struct theory_masters *masters, double makespan)
{
    json_t *json = object_of(true, "masters", masters->nodes);

    json_object_update_new(
        json,
        json_pack("{s:i, s:I, s:f, s:f, s:f, s:f}", "class",
                  (int)masters->class, "rounds", (json_int_t)masters->rounds,
                  "makespan", makespan, "over_bound",
                  (double)(1 + masters->excess), "excess",
                  (double)masters->excess, "idle", (double)masters->idle));
    figure(json, "lower_bound", NULL, masters->bound, NULL);
    json_object_update_new(
        json,
        json_pack("{s:o, s:o, s:o, s:o}", "parts", parts_json(masters), "sent",
                  numbers_json(masters->sent, masters->nodes), "received",
                  numbers_json(masters->received, masters->nodes), "transfers",
                  transfers_json(masters)));
    print_object(json);
}

static void print_rounds(const struct theory_masters *masters)
{
    if (masters->rounds == 0) {
        printf("%-13s 0: no node sends, each computes what it holds\n",
               "rounds");
        return;
    }
    printf("%-13s %u, after %.12g idle " TIME "\n", "rounds", masters->rounds,
           (double)masters->idle);
    for (unsigned i = 0; i < masters->rounds; ++i) {
        printf("%s%.6g", i == 0 ? "              of parts " : ", ",
               (double)masters->part[i]);
    }
    putchar('\n');
}

static void masters_text(const struct theory_masters *masters, double makespan)
{
    figure(NULL, NULL, "lower bound", masters->bound, OF_TIME);
    printf("%-13s %u\n", "class", masters->class);
    printf("%-13s %.12g " TIME ", %.6g (%.6g %%) more than the bound\n",
           "makespan", makespan, (double)masters->over,
           100 * (double)masters->excess);
    print_rounds(masters);
    puts("\n  node  units sent and received in the basic round, the bound's");
    for (size_t i = 0; i < masters->nodes; ++i) {
        print_pair(i, masters->sent[i], masters->received[i]);
    }
}

void model_print_masters(const struct theory_masters *masters, bool json)
{
    double makespan = (double)((double)masters->bound * (1 + masters->excess));

    (json ? masters_json : masters_text)(masters, makespan);
}
