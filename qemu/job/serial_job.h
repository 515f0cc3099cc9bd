/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job on boards with serial ports. As qemu/job/job.h, but that there is no
 * fabric: times are those of the boards' own clocks, whose offsets are measured
 * after the job by an exchange with each node, and that logs are fetched over
 * the mesh, so that one console is enough.
 */
#ifndef QEMU_JOB_SERIAL_JOB_H
#define QEMU_JOB_SERIAL_JOB_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"
#include "qemu/console/serial_mesh.h"

/* The mesh that the config asks for; what it points to stays the config's. */
struct serial_mesh_config serial_job_mesh(const struct job_config *config);

/* As job_execute(). */
NODISCARD int serial_job_run(struct outcome *outcome,
                             const struct job_config *config);

#endif
