/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/model_print.h"

#include "qemu/command/model_text.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define OF_TIME " of time"
#define TIME "units" OF_TIME

/* ---- star ---- */

/* The chunks of each worker, in time's order. */
static json_t *sends_json(const struct theory_star_plan *plan, size_t workers)
{
    json_t *chunks = model_json_arrays(workers);

    for (size_t i = 0; i < plan->sends; ++i) {
        json_array_append_new(json_array_get(chunks, plan->worker[i]),
                              model_json_number(plan->units[i]));
    }
    return chunks;
}

static bool is_periodic(const struct theory_star_plan *plan)
{
    return plan->period > 0;
}

/* Each worker's sum of chunks, of `workers`; to be freed. */
static quad *shares_of(const struct theory_star_plan *plan, size_t workers)
{
    quad *shares = memory_or_exit(calloc(workers, sizeof *shares));
    quad times = is_periodic(plan) ? (quad)(plan->rounds - 1) : 1;

    for (size_t i = 0; i < plan->sends; ++i) {
        shares[plan->worker[i]] += plan->units[i] * times;
    }
    return shares;
}

/* How many workers were served before the first was served again. */
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
                      const struct theory_star *star)
{
    size_t workers = star->workers->count;
    quad *shares = shares_of(plan, workers);
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:s}", "platform", "star", "workers",
                  (json_int_t)workers, "rounds", (json_int_t)plan->rounds,
                  "order_by", plan->searched ? "best" : "rule");

    model_json_set(json, "load", star->load);
    model_json_set(json, "makespan", plan->makespan);
    model_json_set(json, "rate", plan->rate);
    if (is_periodic(plan)) {
        model_json_set(json, "period", plan->period);
        model_json_set(json, "rate_limit", plan->rate_limit);
    }
    json_object_set_new(json, "order",
                        model_json_order(plan->worker, served(plan)));
    json_object_set_new(json, "master_units",
                        model_json_number(plan->master_units));
    json_object_set_new(json, "shares", model_json_numbers(shares, workers));
    json_object_set_new(json, "chunks", sends_json(plan, workers));
    free(shares);
    model_json_print(json);
}

/* A line for each worker that is served: its share and, if there are several,
   its chunks; of equal periods one. */
static void print_shares(const struct theory_star_plan *plan, size_t workers)
{
    quad *shares = shares_of(plan, workers);
    size_t each = served(plan);

    for (size_t i = 0; i < each; ++i) {
        printf("%6zu  ", plan->worker[i] + 1);
        model_text_number(shares[plan->worker[i]]);
        for (size_t j = i;
             (plan->sends > each || is_periodic(plan)) && j < plan->sends;
             j += each) {
            printf("%s%.12g", j == i ? ": " : ", ", (double)plan->units[j]);
        }
        putchar('\n');
    }
    free(shares);
}

static void star_text(const struct theory_star_plan *plan,
                      const struct theory_star *star)
{
    bool periodic = is_periodic(plan);

    model_text_line("load", star->load, "");
    model_text_line("makespan", plan->makespan, OF_TIME);
    model_text_line("rate", plan->rate, " a unit of time");
    if (periodic) {
        model_text_line("rate limit", plan->rate_limit,
                        " a unit of time, of ever longer loads");
    }
    printf("%-13s %lu\n", periodic ? "periods" : "rounds", plan->rounds);
    if (periodic) {
        model_text_line("period", plan->period, OF_TIME);
    }
    printf("%-13s %zu of %zu worker%s, in %s\n", "served", served(plan),
           star->workers->count, star->workers->count == 1 ? "" : "s",
           plan->searched ? "the best order" : "an order found by rule");
    if (plan->master_units > 0) {
        model_text_line("master", plan->master_units, "");
    }
    puts(periodic ? "\nworker  units, and those of each period but the last"
                  : "\nworker  units");
    print_shares(plan, star->workers->count);
}

void model_print_star(const struct theory_star_plan *plan,
                      const struct theory_star *star, bool json)
{
    if (json) {
        star_json(plan, star);
    } else {
        star_text(plan, star);
    }
}

/* ---- results ---- */

static json_t *collection_json(const struct theory_collection *of,
                               size_t workers, quad load)
{
    json_t *json = json_object();
    json_t *chunks = model_json_arrays(workers);

    model_json_set(json, "makespan", of->makespan);
    model_json_set(json, "rate", load / of->makespan);
    json_object_set_new(json, "sent", model_json_order(of->sent, of->takers));
    json_object_set_new(json, "collected",
                        model_json_order(of->collected, of->takers));
    json_object_set_new(json, "shares", model_json_numbers(of->share, workers));
    json_object_set_new(json, "idle", model_json_numbers(of->idle, workers));
    for (size_t i = 0; i < workers; ++i) {
        if (of->share[i] > 0) {
            json_array_append_new(json_array_get(chunks, i),
                                  model_json_number(of->share[i]));
        }
    }
    json_object_set_new(json, "chunks", chunks);
    return json;
}

static void print_collection(const char *name,
                             const struct theory_collection *of)
{
    printf("\n%s\n", name);
    model_text_line("makespan", of->makespan, OF_TIME);
    model_text_order("sent", of->sent, of->takers);
    model_text_order("collected", of->collected, of->takers);
    puts("worker  units, and time idle before its results are collected");
    for (size_t i = 0; i < of->takers; ++i) {
        size_t worker = of->sent[i];

        printf("%6zu  ", worker + 1);
        model_text_number(of->share[worker]);
        fputs(", ", stdout);
        model_text_number(of->idle[worker]);
        putchar('\n');
    }
}

void model_print_results(const struct theory_results *results, size_t workers,
                         quad load, bool json)
{
    json_t *object;
    json_t *optimal;

    if (!json) {
        model_text_line("load", load, "");
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
    object = json_pack("{s:s, s:I}", "platform", "results", "workers",
                       (json_int_t)workers);
    model_json_set(object, "load", load);
    json_object_set_new(object, "lifo",
                        collection_json(&results->lifo, workers, load));
    json_object_set_new(object, "fifo",
                        collection_json(&results->fifo, workers, load));
    optimal = collection_json(&results->optimal, workers, load);
    json_object_set_new(optimal, "exact", json_boolean(results->exact));
    json_object_set_new(object, "optimal", optimal);
    model_json_print(object);
}

/* ---- farm ---- */

/* The chunks of each worker, in time's order. */
static json_t *chunks_json(const struct theory_farm *farm)
{
    json_t *chunks = model_json_arrays(farm->workers);

    for (size_t i = 0; i < farm->chunks; ++i) {
        json_array_append_new(json_array_get(chunks, farm->worker[i]),
                              json_integer((json_int_t)farm->units[i]));
    }
    return chunks;
}

/* A line for each worker: its end and its chunks. `chunks`: chunks_json(). */
static void print_chunks(const struct theory_farm *farm, const json_t *chunks)
{
    for (size_t i = 0; i < farm->workers; ++i) {
        const json_t *mine = json_array_get(chunks, i);

        printf("%6zu  ", i + 1);
        model_text_number(farm->ends[i]);
        for (size_t j = 0; j < json_array_size(mine); ++j) {
            printf("%s%" JSON_INTEGER_FORMAT, j == 0 ? ": " : ", ",
                   json_integer_value(json_array_get(mine, j)));
        }
        putchar('\n');
    }
}

/* A factor that was computed is no fraction but for its 53 bits. */
static void print_factor(quad factor, bool given)
{
    printf("%-13s ", "factor");
    if (given) {
        model_text_number(factor);
    } else {
        printf("%.12g", (double)factor);
    }
    puts(", the divisor of what is left (for first chunks: of the load)");
}

void model_print_farm(const struct theory_farm *farm, quad load, quad factor,
                      bool given, bool json)
{
    json_t *chunks = chunks_json(farm);
    quad rate = load / farm->makespan;
    json_t *object;

    if (json) {
        object = json_pack("{s:s, s:I}", "platform", "farm", "workers",
                           (json_int_t)farm->workers);
        model_json_set(object, "load", load);
        if (given) {
            model_json_set(object, "factor", factor);
        } else {
            json_object_set_new(object, "factor", model_json_number(factor));
        }
        model_json_set(object, "makespan", farm->makespan);
        model_json_set(object, "lower_bound", farm->bound);
        model_json_set(object, "rate", rate);
        json_object_set_new(object, "ends",
                            model_json_numbers(farm->ends, farm->workers));
        json_object_set_new(object, "chunks", json_incref(chunks));
        model_json_print(object);
    } else {
        model_text_line("load", load, "");
        model_text_line("makespan", farm->makespan, OF_TIME);
        model_text_line("lower bound", farm->bound, OF_TIME);
        model_text_line("rate", rate, " a unit of time");
        print_factor(factor, given);
        printf("%-13s %zu\n\n", "chunks", farm->chunks);
        puts("worker  end in units of time, and chunks in units");
        print_chunks(farm, chunks);
    }
    json_decref(chunks);
}

/* ---- masters ---- */

static json_t *parts_json(const struct theory_masters *masters)
{
    json_t *parts = json_array();

    for (unsigned i = 0; i < masters->rounds.rounds; ++i) {
        json_array_append_new(parts,
                              json_real((double)masters->rounds.part[i]));
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
    json_t *json = json_pack(
        "{s:s, s:I, s:i, s:I, s:f, s:f, s:f, s:f}", "platform", "masters",
        "workers", (json_int_t)masters->nodes, "class", (int)masters->class,
        "rounds", (json_int_t)masters->rounds.rounds, "makespan", makespan,
        "over_bound", (double)(1 + masters->excess), "excess",
        (double)masters->excess, "idle", (double)masters->rounds.idle);

    model_json_set(json, "lower_bound", masters->bound);
    json_object_set_new(json, "parts", parts_json(masters));
    json_object_set_new(json, "sent",
                        model_json_numbers(masters->sent, masters->nodes));
    json_object_set_new(json, "received",
                        model_json_numbers(masters->received, masters->nodes));
    json_object_set_new(json, "transfers", transfers_json(masters));
    model_json_print(json);
}

static void print_rounds(const struct theory_masters *masters)
{
    if (masters->rounds.rounds == 0) {
        printf("%-13s 0: no node sends, each computes what it holds\n",
               "rounds");
        return;
    }
    printf("%-13s %u, after %.12g idle " TIME "\n", "rounds",
           masters->rounds.rounds, (double)masters->rounds.idle);
    for (unsigned i = 0; i < masters->rounds.rounds; ++i) {
        printf("%s%.6g", i == 0 ? "              of parts " : ", ",
               (double)masters->rounds.part[i]);
    }
    putchar('\n');
}

static void masters_text(const struct theory_masters *masters, double makespan)
{
    model_text_line("lower bound", masters->bound, OF_TIME);
    printf("%-13s %u\n", "class", masters->class);
    printf("%-13s %.12g " TIME ", %.6g (%.6g %%) more than the bound\n",
           "makespan", makespan, (double)masters->rounds.over,
           100 * (double)masters->excess);
    print_rounds(masters);
    puts("\n  node  units sent and received in the basic round, the bound's");
    for (size_t i = 0; i < masters->nodes; ++i) {
        printf("%6zu  ", i + 1);
        model_text_number(masters->sent[i]);
        fputs(", ", stdout);
        model_text_number(masters->received[i]);
        putchar('\n');
    }
}

void model_print_masters(const struct theory_masters *masters, bool json)
{
    double makespan = (double)((double)masters->bound * (1 + masters->excess));

    if (json) {
        masters_json(masters, makespan);
    } else {
        masters_text(masters, makespan);
    }
}
