/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outcome of a run as JSON, and the way in which files that describe a
 * run are written: complete under their name, or not at all. Functions that
 * return -1 have said why on stderr, as `quincunx: <path>: <reason>`.
 */
#ifndef QEMU_REPORT_JSON_H
#define QEMU_REPORT_JSON_H

#include "qemu/outcome/outcome.h"

#include <jansson.h>

#include <stdio.h>

/*
 * The JSON object of `quincunx run`. The caller owns the reference; NULL if
 * memory ran out (with a message).
 */
json_t *report_json(const struct outcome *outcome);

/* Writes the JSON object to a file. Result: 0 or -1. */
int report_write(const struct outcome *outcome, const char *path);

/* Writes the JSON object, and nothing else, to stdout. Result: 0 or -1. */
int report_print(const struct outcome *outcome);

/* The transfer time of one unit (of which the load may have few). */
uint64_t report_transfer_ps_per_unit(const struct outcome *outcome);

/* Nodes that the plan gives work: the sum of its layers. */
uint32_t report_planned_nodes(const struct outcome *outcome);

/* numerator / denominator, or 0 if the denominator is 0. */
double report_ratio(uint64_t numerator, uint64_t denominator);

/* The measured makespan less the planned, divided by the planned. */
double report_overhead_vs_plan(const struct outcome *outcome);

/* The compute time that the originator measured on pieces of the load, against
   that of all of it on all nodes: by how much of this it is larger. */
double report_calibration_error(const struct outcome *outcome);

/* Load * compute time / planned makespan. */
double report_planned_speedup(const struct outcome *outcome);

/*
 * A file that takes its name only when it is complete: until then it lies next
 * to it. What is no regular file (a pipe, /dev/null) is written directly.
 */
struct report_file {
    FILE *stream;     /* for the caller to write to, not to close */
    const char *path; /* as given: must stay valid until the end */
    char *target;     /* own: `path` with its symbolic links resolved */
    char *temporary;  /* own: NULL if written directly */
};

/* Result: 0; -1, and nothing is to be closed. */
int report_file_open(struct report_file *file, const char *path);

/*
 * Ends the file: gives it its name if `complete` and all was written, else
 * removes it. Result: 0; -1 if it is not there, with a message unless the
 * caller said that it is not complete.
 */
int report_file_close(struct report_file *file, bool complete);

#endif
