/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of --rates stores how fast kernels were in earlier jobs, so that an
 * originator need not measure them again.
 *
 *   {"rates": [{"board": "mps2-an385", "kernel": "search",
 *               "argument_bytes": 13, "argument_crc32": 305419896,
 *               "unit_bytes": 1, "compute_ps": 98304, "call_ps": 7520000,
 *               "units": 9480, "slowest_percent": 800}]}
 *
 * An entry holds for jobs with its board, kernel, argument and unit length. A
 * unit takes compute_ps (1 to PLANNER_TIME_MAX_PS), a call of the kernel takes
 * another call_ps (0 to WIRE_CALL_MAX_PS). Both were measured on `units` units
 * without --slow and --inject. slowest_percent is the slowest node's unit time
 * in percent of the median node's; it is left out below 175. Entries of other
 * jobs are kept.
 *
 * Functions of type int return 0, or an exit status after a message on stderr.
 */
#ifndef QEMU_JOB_RATES_H
#define QEMU_JOB_RATES_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

struct rates;

/* Reads the file at `path`; a missing file counts as empty. Refuses a file that
   rates_update() could not replace. `path` must outlive the rates. On success
   the caller frees them by rates_free(). */
NODISCARD int rates_read(struct rates **rates, const char *path);

/* Returns the rate of the task's kernel on boards of this name, with the
   slowdown of the originator by --slow. compute_ps is 0 if the rate is
   unknown. */
struct job_rate rates_find(const struct job_task *task, const char *board);

/* Returns the slowest node's unit time / the median of all nodes, in the job's
   last run. Slowdowns by --slow do not count. Returns 1 if unknown. */
double rates_slowest_over_median(const struct job_task *task,
                                 const char *board);

const char *rates_path(const struct rates *rates);

/* Adds or replaces the job's entry in the request's rates file. Reads the file
   again first. Does nothing if the outcome has no rate. */
NODISCARD int rates_update(const struct job_task *task,
                           const struct outcome *outcome);

void rates_free(struct rates *rates); /* may be NULL */

#endif
