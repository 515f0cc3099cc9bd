/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/verdict.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/format/table.h"
#include "qemu/report/remarks.h"
#include "qemu/report/result.h"
#include "qemu/base/amount.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BAR 60u
#define LINE 80u

/* ---- the sentence ---- */

/* Prints the `count` of the kernel's result, if it has one. */
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

/* "7.23 times as fast as one board", "16 times slower than one board" */
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

static void write_sentence(FILE *out, const struct outcome *outcome)
{
    const struct format *format = format_of(outcome->request->kernel->name);
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
        fprintf(out, "%" PRIu64 " unit%s", outcome->load_units,
                outcome->load_units == 1 ? "" : "s");
    }
    fprintf(out, " in %s%s from order to answer",
            amount_time(outcome_answer_ps(outcome)).text,
            outcome->host_times ? " of this host's time" : "");
    if (outcome->node_count > 1 && !outcome->host_times) {
        fputs(", ", out);
        print_speed(out, outcome_answer_speedup(outcome));
    }
    print_found(out, outcome, format);
    fputc('.', out);
}

char *verdict_sentence(const struct outcome *outcome)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    write_sentence(out, outcome);
    fclose(out);
    return memory_or_exit(text);
}

/* Words in lines of at most LINE characters, behind `indent` characters that
   the first line has already; the others begin with as many blanks. */
static void print_wrapped(FILE *out, const char *text, unsigned indent)
{
    size_t column = indent;

    for (const char *word = text; *word != '\0';) {
        size_t length = strcspn(word, " ");

        if (column > indent && column + 1 + length > LINE) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column += 1;
        }
        fwrite(word, 1, length, out);
        column += length;
        word += length;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

/* ---- the bar ---- */

struct verdict_times verdict_times(const struct outcome *outcome)
{
    uint64_t answer_ps = outcome_answer_ps(outcome);
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    uint64_t results_ps = outcome_with_results_ps(outcome);
    struct verdict_times times = {.preparing_ps = 0};
    uint64_t sum_ps = 0;

    if (outcome->batch_count > 1 || outcome->originators > 1) {
        return times;
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        /* One without a part is idle. */
        times.scatter_ps += node->active ? node->compute_start_ps : 0;
        times.compute_ps += outcome_compute_ps(node) - node->ports_ps;
        times.ports_ps += node->ports_ps;
    }
    times.scatter_ps /= outcome->node_count;
    times.compute_ps /= outcome->node_count;
    times.ports_ps /= outcome->node_count;
    times.preparing_ps = outcome_preparing(outcome).all_ps;
    times.gather_ps = results_ps > makespan_ps ? results_ps - makespan_ps : 0;
    sum_ps = times.preparing_ps + times.scatter_ps + times.compute_ps +
             times.ports_ps + times.gather_ps;
    times.idle_ps = answer_ps > sum_ps ? answer_ps - sum_ps : 0;
    return times;
}

/* For each of BAR parts of the time the letter of what it went to; names and
   percentages. Not every board's ports take any. */
static void write_bar(FILE *bar, FILE *legend,
                      const struct verdict_times *times)
{
    const struct {
        const char *name;
        char letter;
        uint64_t ps;
    } parts[] = {{"preparing", 'p', times->preparing_ps},
                 {"scatter", 's', times->scatter_ps},
                 {"compute", 'c', times->compute_ps},
                 {"ports", 'o', times->ports_ps},
                 {"idle", 'i', times->idle_ps},
                 {"gather", 'g', times->gather_ps}};
    const unsigned count = sizeof parts / sizeof *parts;
    uint64_t all_ps = 0;
    uint64_t until_ps = 0;
    unsigned drawn = 0;

    for (unsigned i = 0; i < count; ++i) {
        all_ps += parts[i].ps;
    }
    for (unsigned i = 0; all_ps > 0 && i < count; ++i) {
        until_ps += parts[i].ps;
        for (; drawn < outcome_ratio(until_ps, all_ps) * BAR - 0.5; ++drawn) {
            fputc(parts[i].letter, bar);
        }
        if (parts[i].ps > 0 || parts[i].letter != 'o') {
            fprintf(legend, "%s%s %.0f %%", i == 0 ? "" : ", ", parts[i].name,
                    100 * outcome_ratio(parts[i].ps, all_ps));
        }
    }
}

static void print_bar(FILE *out, const struct outcome *outcome)
{
    struct verdict_times times = verdict_times(outcome);
    char bar[BAR + 2] = "";
    char legend[160] = "";
    char line[200];
    FILE *to_bar = memory_or_exit(fmemopen(bar, sizeof bar, "w"));
    FILE *to_legend = memory_or_exit(fmemopen(legend, sizeof legend, "w"));

    write_bar(to_bar, to_legend, &times);
    fclose(to_bar);
    fclose(to_legend);
    if (bar[0] != '\0') {
        snprintf(line, sizeof line, "The average node's time: %s.", legend);
        fprintf(out, "[%s]\n", bar);
        print_wrapped(out, line, 0);
    }
}

static void print_remarks(FILE *out, const struct outcome *outcome)
{
    struct remarks remarks = remarks_of(outcome);

    for (unsigned i = 0; i < remarks.count; ++i) {
        fputs("- ", out);
        print_wrapped(out, remarks.text[i], 2);
    }
    remarks_free(&remarks);
}

void verdict_print(FILE *out, const struct outcome *outcome)
{
    char *sentence = verdict_sentence(outcome);

    print_wrapped(out, sentence, 0);
    free(sentence);
    print_bar(out, outcome);
    print_remarks(out, outcome);
    fputc('\n', out);
}
