/* SPDX-License-Identifier: Apache-2.0 */
/* One job on one mesh, from the order to the outcome. */
#ifndef QEMU_JOB_JOB_H
#define QEMU_JOB_JOB_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"

/* When progress was last shown. */
struct job_progress {
    uint32_t nodes;
    double shown_s;
};

/* A mesh with its nodes started. It stays where it is. */
struct job_mesh {
    struct gdb_sockets *sockets; /* or NULL */
    struct mesh_config config;
    struct backend backend;
    struct mesh mesh;
    struct job_progress progress;
};

/* Starts the nodes that the config asks for; `probed`: probes may come before
   a job. Result: 0; else an exit status, with the reason said, and nothing to
   be closed. */
NODISCARD int job_mesh_open(struct job_mesh *run,
                            const struct job_config *config, bool probed);
void job_mesh_close(struct job_mesh *run);

/* What mesh_run() said, as an exit status; ends the line of progress. */
NODISCARD int job_status(enum mesh_end end, const struct mesh_config *config);

/*
 * Runs the job. Result: 0 and *outcome, to be freed with outcome_free(); else
 * an exit status, with the reason on stderr, and nothing to be freed.
 */
NODISCARD int job_execute(struct outcome *outcome,
                          const struct job_config *config);

#endif
