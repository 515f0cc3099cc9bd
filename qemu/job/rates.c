/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/rates.h"

#include "hal/crc32.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/text.h"
#include "scatter/plan/one_round.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHOWN 60 /* most characters of a refused value that a message shows */
/* A slow node's unit time is at least this percentage of the median's. */
#define LATE_PERCENT 175
/* a node that computes for less time, ps, is never called slow */
#define SLOWEST_MIN_PS 1e8

/* name of a JSON field: the slowest node's unit time, in percent of the median
   node's */
#define SLOWEST "slowest_percent"
#define SLOWEST_MOST 1000000u

struct rates {
    const char *path;
    json_t *file; /* the file's JSON: an object with an array "rates" */
};

/* A field of an entry in the rates file: a name, or an integer from least to
   most. */
static const struct field {
    const char *name;
    uint64_t least;
    uint64_t most;       /* 0: the field's value is a name */
    const char *meaning; /* what `most` stands for, in messages */
    bool may_lack;
} fields[] = {
    {"board", 0, 0, "", false},
    {"kernel", 0, 0, "", false},
    {"argument_bytes", 0, KERNEL_ARG_MAX, "", false},
    {"argument_crc32", 0, UINT32_MAX, "", false},
    {"unit_bytes", 0, UINT32_MAX, "", false},
    {"compute_ps", 1, PLANNER_TIME_MAX_PS, " (1.1 s)", false},
    {"call_ps", 0, WIRE_CALL_MAX_PS, " (34 ms)", false},
    {"units", 1, UINT32_MAX, "", false},
    {SLOWEST, 100, SLOWEST_MOST, "", true},
};

/* ---- reading ---- */

static int refuse(const struct rates *rates, size_t index, const char *field,
                  const json_t *value, const char *allowed)
{
    char *text = value == NULL
                     ? NULL
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
                                             JSON_REAL_PRECISION(12));
    int status =
        text == NULL
            ? file_error(rates->path, "rates[%zu] has no %s; must be %s", index,
                         field, allowed)
            : file_error(rates->path, "rates[%zu]: %s is %.*s%s; must be %s",
                         index, field, SHOWN, text,
                         strlen(text) > SHOWN ? " .." : "", allowed);

    free(text);
    return status;
}

static int check_field(const struct rates *rates, size_t index,
                       const json_t *entry, const struct field *field)
{
    const json_t *value = json_object_get(entry, field->name);
    json_int_t is = json_integer_value(value);
    char allowed[96];

    if (value == NULL && field->may_lack) {
        return 0;
    }
    if (field->most == 0) {
        return json_is_string(value)
                   ? 0
                   : refuse(rates, index, field->name, value, "a name");
    }
    if (json_is_integer(value) && is >= (json_int_t)field->least &&
        is <= (json_int_t)field->most) {
        return 0;
    }
    snprintf(allowed, sizeof allowed,
             "a whole number from %" PRIu64 " to %" PRIu64 "%s", field->least,
             field->most, field->meaning);
    return refuse(rates, index, field->name, value, allowed);
}

static int check_entry(const struct rates *rates, size_t index,
                       const json_t *entry)
{
    int status = 0;

    if (!json_is_object(entry)) {
        return refuse(rates, index, "the entry", entry, "an object");
    }
    for (size_t i = 0; status == 0 && i < sizeof fields / sizeof *fields; ++i) {
        status = check_field(rates, index, entry, &fields[i]);
    }
    return status;
}

static json_t *entries_of(const struct rates *rates)
{
    return json_object_get(rates->file, "rates");
}

static int check(const struct rates *rates)
{
    const json_t *entries = entries_of(rates);
    int status = 0;

    if (!json_is_array(entries)) {
        return file_error(rates->path,
                          "must be an object with a list \"rates\", as --rates "
                          "writes it");
    }
    for (size_t i = 0; status == 0 && i < json_array_size(entries); ++i) {
        status = check_entry(rates, i, json_array_get(entries, i));
    }
    return status;
}

static int read_file(struct rates *rates)
{
    json_error_t error;
    struct text text;
    int status = text_read(&text, rates->path);

    if (status != 0) {
        return status;
    }
    rates->file = json_loadb((const char *)text.data, (size_t)text.bytes,
                             JSON_REJECT_DUPLICATES, &error);
    free(text.data);
    return rates->file != NULL ? check(rates)
                               : file_error(rates->path,
                                            "line %d: %s; must be JSON, as "
                                            "--rates writes it",
                                            error.line, error.text);
}

int rates_read(struct rates **rates, const char *path)
{
    struct rates *made = memory_or_exit(calloc(1, sizeof *made));
    struct stat is;
    bool there = stat(path, &is) == 0 || errno != ENOENT;
    int status = 0;

    made->path = path;
    if (there) {
        status = read_file(made);
    } else {
        made->file = json_pack("{s:[]}", "rates");
    }
    if (status != 0) {
        rates_free(made);
        return status;
    }
    *rates = made;
    return 0;
}

const char *rates_path(const struct rates *rates)
{
    return rates->path;
}

void rates_free(struct rates *rates)
{
    if (rates != NULL) {
        json_decref(rates->file);
        free(rates);
    }
}

/* ---- entries ---- */

static bool has_name(const json_t *entry, const char *field, const char *name)
{
    return strcmp(json_string_value(json_object_get(entry, field)), name) == 0;
}

static uint64_t number_of(const json_t *entry, const char *field)
{
    return (uint64_t)json_integer_value(json_object_get(entry, field));
}

static uint32_t argument_crc(const struct job_task *task)
{
    return crc32_update(0, task->originator->load.arg,
                        task->originator->load.arg_bytes);
}

static size_t index_of(const json_t *entries, const struct job_task *task,
                       const char *board)
{
    size_t count = json_array_size(entries);

    for (size_t i = 0; i < count; ++i) {
        const json_t *entry = json_array_get(entries, i);

        if (has_name(entry, "board", board) &&
            has_name(entry, "kernel", task->request->kernel->name) &&
            number_of(entry, "argument_bytes") ==
                task->originator->load.arg_bytes &&
            number_of(entry, "argument_crc32") == argument_crc(task) &&
            number_of(entry, "unit_bytes") ==
                task->originator->load.unit_bytes) {
            return i;
        }
    }
    return count;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static const json_t *entry_for(const struct job_task *task, const char *board)
{
    const struct rates *rates = task->request->rates;
    const json_t *entries = rates != NULL ? entries_of(rates) : NULL;

    return json_array_get(entries, index_of(entries, task, board));
}

struct job_rate rates_find(const struct job_task *task, const char *board)
{
    const json_t *entry = entry_for(task, board);
    unsigned shift = job_task_slow_shift(task);

    return (struct job_rate){
        .compute_ps = smaller(number_of(entry, "compute_ps") << shift,
                              PLANNER_TIME_MAX_PS),
        .call_ps =
            smaller(number_of(entry, "call_ps") << shift, WIRE_CALL_MAX_PS),
        .units = (uint32_t)number_of(entry, "units")};
}

double rates_slowest_over_median(const struct job_task *task, const char *board)
{
    uint64_t percent = number_of(entry_for(task, board), SLOWEST);

    return percent == 0 ? 1 : (double)percent / 100;
}

/* ---- writing ---- */

/* Returns a node's compute time of a unit, ps, as if --slow had not slowed it.
   Returns 0 if the node computed too little to tell. */
static double unit_ps(const struct job_task *task,
                      const struct outcome *outcome, uint32_t index)
{
    const struct outcome_node *node = &outcome->node[index];
    double sum_ps = (double)outcome_compute_ps(node) -
                    (double)outcome->plan.call_ps * node->intervals;
    uint64_t units = outcome_computed_units(node);

    return units > 0 && sum_ps >= SLOWEST_MIN_PS
               ? sum_ps / (double)units /
                     (1u << request_slow_shift(task->request, index))
               : 0;
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

static uint64_t slowest_percent(const struct job_task *task,
                                const struct outcome *outcome)
{
    double *times = memory_or_exit(calloc(outcome->node_count, sizeof *times));
    uint64_t percent = 100;
    uint32_t count = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        times[count] = unit_ps(task, outcome, i);
        count += times[count] > 0;
    }
    if (count > 1) {
        qsort(times, count, sizeof *times, compare_times);
        percent = (uint64_t)(100 * times[count - 1] / times[(count - 1) / 2]);
    }
    free(times);
    return percent;
}

static json_t *within(uint64_t value, uint64_t least, uint64_t most)
{
    return json_integer(
        (json_int_t)smaller(value > least ? value : least, most));
}

static json_t *entry_of(const struct job_task *task,
                        const struct outcome *outcome, struct job_rate rate)
{
    unsigned shift = job_task_slow_shift(task);
    uint64_t percent = slowest_percent(task, outcome);
    json_t *entry = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:I}", "board", outcome->board,
        "kernel", task->request->kernel->name, "argument_bytes",
        (json_int_t)task->originator->load.arg_bytes, "argument_crc32",
        (json_int_t)argument_crc(task), "unit_bytes",
        (json_int_t)task->originator->load.unit_bytes, "compute_ps",
        within(rate.compute_ps >> shift, 1, PLANNER_TIME_MAX_PS), "call_ps",
        within(rate.call_ps >> shift, 0, WIRE_CALL_MAX_PS), "units",
        (json_int_t)rate.units);

    if (percent >= LATE_PERCENT) {
        json_object_set_new(entry, SLOWEST, within(percent, 100, SLOWEST_MOST));
    }
    return entry;
}

static int write_file(const struct rates *rates)
{
    struct file_output file;
    int result;

    if (file_output_open(&file, rates->path) != 0) {
        return EXIT_FAILED;
    }
    result = json_dumpf(rates->file, file.stream, JSON_INDENT(2));
    fputc('\n', file.stream);
    return file_output_close(&file, result == 0) == 0 ? 0 : EXIT_FAILED;
}

int rates_update(const struct job_task *task, const struct outcome *outcome)
{
    const struct rates *rates = task->request->rates;
    struct job_rate rate = outcome_rate(outcome);
    struct rates *now;
    size_t index;
    json_t *entry;
    int status;

    if (rate.units == 0 || injection_slow(&task->request->injections,
                                          task->originator->at) != NULL) {
        return 0; /* the rate is unknown, or a test slowed a board */
    }
    status = rates_read(&now, rates->path);
    if (status != 0) {
        return status;
    }
    index = index_of(entries_of(now), task, outcome->board);
    entry = entry_of(task, outcome, rate);
    if (index < json_array_size(entries_of(now))) {
        json_array_set_new(entries_of(now), index, entry);
    } else {
        json_array_append_new(entries_of(now), entry);
    }
    status = write_file(now);
    rates_free(now);
    return status;
}
