/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/verdict.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/format/table.h"
#include "qemu/report/remarks.h"
#include "qemu/report/result.h"
#include "qemu/base/amount.h"
#include "qemu/base/memory.h"
#include "qemu/base/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BAR 60u
#define LINE 80u

/* ---- the sentence ---- */

static void print_found(FILE *out, const struct outcome *outcome,
                        const struct format *format)
{
    json_t *result = result_json(outcome, outcome->originators);
    const json_t *count = json_object_get(result, "count");

    if (format->thing != NULL && json_is_integer(count)) {
        json_int_t value = json_integer_value(count);

        fprintf(out, "; %" JSON_INTEGER_FORMAT " %s", value,
                value == 1 ? format->thing : format->things);
    }
    json_decref(result);
}

static void print_speed(FILE *out, double speedup)
{
    if (speedup > 0.995 && speedup < 1.005) {
        fputs("as fast as one board", out);
    } else if (speedup < 1 && speedup > 0) {
        fprintf(out, "%.3g times slower than one board", 1 / speedup);
    } else {
        fprintf(out, "%.3g times as fast as one board", speedup);
    }
}

/* Prints how many nodes computed the load, and how fast. */
static void print_work(FILE *out, const struct outcome *outcome,
                       const struct format *format)
{
    size_t letters = strlen(outcome->request->mesh->nodes) -
                     (outcome->node_count == 1 ? 1 : 0);
    uint32_t active = outcome_active_nodes(outcome);

    if (active > 0 && active < outcome->node_count) {
        fprintf(out, "%" PRIu32 " of ", active);
    }
    fprintf(out, "%" PRIu32 " %.*s %s ", outcome->node_count, (int)letters,
            outcome->request->mesh->nodes,
            format->done != NULL ? format->done : "computed");
    if (outcome->load_bytes > 0) {
        amount_bytes(out, (double)outcome->load_bytes);
    } else {
        amount_things(out, outcome->load_units, "unit");
    }
    fprintf(out, " in %s%s from order to answer",
            amount_time(outcome_answer_ps(outcome)).text,
            outcome->host_times ? " of this host's time" : "");
    if (outcome->node_count > 1 && !outcome->host_times) {
        fputs(", ", out);
        print_speed(out, outcome_answer_speedup(outcome));
    }
}

char *verdict_sentence(const struct outcome *outcome)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));
    const struct format *format = format_of(outcome->request->kernel->name);

    if (outcome->load_units == 0) {
        fputs("The load is empty, so no node was started", out);
    } else {
        print_work(out, outcome, format);
    }
    print_found(out, outcome, format);
    fputc('.', out);
    fclose(out);
    return memory_or_exit(text);
}

/* Prints words in lines of at most LINE characters. The first line has `indent`
   characters already; further lines begin with as many blanks. */
static void print_wrapped(FILE *out, const char *text, size_t indent)
{
    terminal_print(out, text, strlen(text), indent, indent, LINE);
    fputc('\n', out);
}

/* ---- the bar ---- */

enum {
    PREPARING,
    SCATTER,
    COMPUTE,
    PORTS,
    IDLE,
    GATHER,
    RECOVERY
};

/* Sets the parts of the average node's time (verdict_parts()). A node without
   units is idle. */
static void set_parts(struct verdict_part part[VERDICT_PARTS],
                      const struct outcome *outcome)
{
    uint64_t answer_ps = outcome_answer_ps(outcome);
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    uint64_t end_ps = outcome_preparing(outcome).all_ps + makespan_ps;
    uint64_t sum_ps = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        part[SCATTER].ps += node->active ? node->compute_start_ps : 0;
        part[COMPUTE].ps += outcome_compute_ps(node) - node->ports_ps;
        part[PORTS].ps += node->ports_ps;
    }
    for (unsigned i = SCATTER; i <= PORTS; ++i) {
        part[i].ps /= outcome->node_count;
    }
    part[PREPARING].ps = outcome_preparing(outcome).all_ps;
    /* waves behind the order that is told of */
    for (uint32_t i = 0; i < outcome->waves; ++i) {
        const struct outcome_wave *wave = &outcome->wave[i];

        part[RECOVERY].ps +=
            wave->start_ps >= end_ps ? wave->end_ps - wave->start_ps : 0;
    }
    end_ps += part[RECOVERY].ps;
    part[GATHER].ps = answer_ps > end_ps ? answer_ps - end_ps : 0;
    for (unsigned i = 0; i < VERDICT_PARTS; ++i) {
        sum_ps += part[i].ps;
    }
    part[IDLE].ps = answer_ps > sum_ps ? answer_ps - sum_ps : 0;
}

unsigned verdict_parts(struct verdict_part part[VERDICT_PARTS],
                       const struct outcome *outcome)
{
    static const struct verdict_part none[VERDICT_PARTS] = {
        [PREPARING] = {"preparing", 'p', 0}, [SCATTER] = {"scatter", 's', 0},
        [COMPUTE] = {"compute", 'c', 0},     [PORTS] = {"ports", 'o', 0},
        [IDLE] = {"idle", 'i', 0},           [GATHER] = {"gather", 'g', 0},
        [RECOVERY] = {"recovery", 'r', 0}};
    unsigned parts = VERDICT_PARTS;

    memcpy(part, none, sizeof none);
    if (outcome->batch_count <= 1 && outcome->originators == 1) {
        set_parts(part, outcome);
    }
    parts -= part[RECOVERY].ps == 0;
    if (part[PORTS].ps > 0) {
        return parts;
    }
    memmove(&part[PORTS], &part[IDLE], (parts - IDLE) * sizeof *part);
    return parts - 1;
}

/* Prints a bar of BAR letters, each of which stands for an equal part of the
   time; and below it, names and percentages. */
static void print_bar(FILE *out, const struct outcome *outcome)
{
    struct verdict_part part[VERDICT_PARTS];
    unsigned parts = verdict_parts(part, outcome);
    uint64_t all_ps = 0;
    uint64_t until_ps = 0;
    unsigned drawn = 0;
    char line[200] = "";
    FILE *legend;

    for (unsigned i = 0; i < parts; ++i) {
        all_ps += part[i].ps;
    }
    if (all_ps == 0) {
        return;
    }
    legend = memory_or_exit(fmemopen(line, sizeof line, "w"));
    fputc('[', out);
    for (unsigned i = 0; i < parts; ++i) {
        until_ps += part[i].ps;
        for (; drawn < outcome_ratio(until_ps, all_ps) * BAR - 0.5; ++drawn) {
            fputc(part[i].letter, out);
        }
        fprintf(legend, "%s%s %.0f %%",
                i == 0 ? "The average node's time: " : ", ", part[i].name,
                100 * outcome_ratio(part[i].ps, all_ps));
    }
    fputc('.', legend);
    fclose(legend);
    fputs("]\n", out);
    print_wrapped(out, line, 0);
}

void verdict_print(FILE *out, const struct outcome *outcome)
{
    char *sentence = verdict_sentence(outcome);
    json_t *remarks = remarks_json(outcome);
    const json_t *remark;
    size_t i;

    print_wrapped(out, sentence, 0);
    free(sentence);
    print_bar(out, outcome);
    json_array_foreach(remarks, i, remark)
    {
        fputs("- ", out);
        print_wrapped(out, json_string_value(remark), 2);
    }
    json_decref(remarks);
    fputc('\n', out);
}
