/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of --rates: how fast kernels have run, so that an originator need
 * not measure them again.
 *
 *   {"rates": [{"board": "mps2-an385", "kernel": "search",
 *               "argument_bytes": 13, "argument_crc32": 305419896,
 *               "unit_bytes": 1, "compute_ps": 98304, "call_ps": 7520000,
 *               "units": 9480, "slowest_percent": 800}]}
 *
 * An entry is for jobs with the same board, kernel, argument and unit length:
 * a unit takes compute_ps, a call of the kernel call_ps besides, as computing
 * so many units has shown, on a node without --slow and --inject. compute_ps
 * is 1 to PLANNER_TIME_MAX_PS, call_ps 0 to WIRE_CALL_MAX_PS. The slowest node
 * took slowest_percent of the median node's time for a unit, which is said from
 * 175 on. Entries of other jobs stay as they are. Functions of type int return
 * 0 or an exit status, after a message on stderr.
 */
#ifndef QEMU_JOB_RATES_H
#define QEMU_JOB_RATES_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

struct rates;

/* Reads the file at `path`, which outlives the rates; without one there are no
   entries. Refuses a file that rates_update() could not replace. To be freed
   with rates_free() if the result is 0. */
NODISCARD int rates_read(struct rates **rates, const char *path);

/* The rate of the task on such boards, as its originator will have it: slower
   if it has a slowdown. compute_ps is 0 if the request has no rates, or none of
   this job. */
struct job_rate rates_find(const struct job_task *task, const char *board);

/* How many times as long as the median node the slowest took for a unit in the
   job's last run, though none was known to be slow; 1 if no entry says so. */
double rates_slowest_over_median(const struct job_task *task,
                                 const char *board);

/* The file's path, for people. */
const char *rates_path(const struct rates *rates);

/* Adds or replaces the entry of a job that ended, in the file of the request's
   rates as it is by now; or does nothing, if the job has shown no rate. */
NODISCARD int rates_update(const struct job_task *task,
                           const struct outcome *outcome);

void rates_free(struct rates *rates); /* NULL, too */

#endif
