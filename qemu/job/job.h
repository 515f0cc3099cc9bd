/* SPDX-License-Identifier: Apache-2.0 */
/* One job on one mesh, from the order to the outcome. */
#ifndef QEMU_JOB_JOB_H
#define QEMU_JOB_JOB_H

#include "qemu/format/format.h"
#include "qemu/fabric/mesh.h"
#include "qemu/wired/noise.h"
#include "qemu/outcome/outcome.h"
#include "qemu/schedule/registry.h"
#include "scatter/wire/wire.h"

struct run_config {
    struct torus_size size;
    struct torus_coord originator;
    struct outcome_profile profile;             /* what communication costs */
    const struct outcome_profile *plan_profile; /* .. in the plan; or NULL */
    const struct kernel *kernel;
    struct kernel_terms terms; /* for this load and its argument */
    const char *input_name;
    struct format_load load;
    uint32_t batch_units; /* at most so many at once; 0: what memory takes */
    uint8_t phases;       /* or WIRE_BEST */
    uint8_t rounds;       /* or WIRE_BEST */
    enum schedule schedule;
    uint8_t ports; /* that a node uses at once: 1, 2 or 4 */
    bool store_and_forward;
    /* Node i computes 2^slow_shift[i] times slower; NULL: none does. */
    const uint8_t *slow_shift;
    bool native;
    bool serial;      /* boards with serial ports: qemu/job/serial_job.h */
    const char *port; /* .. the originator's console; NULL: emulated boards */
    bool
        allow_mixed; /* .. of which some may be unfit: qemu/survey/identity.h */
    struct noise noise;  /* .. of these, of their links */
    uint64_t room_bytes; /* in a node's memory, for a job's data; 0: the
                            emulated switch's */
    const char *firmware;
    unsigned watchdog_s;
    bool gdb; /* a socket for each board, no watchdog: see qemu/board/gdb.h */
    const char *gdb_dir; /* NULL: the default */
    bool progress;       /* a line on stderr */
    struct torus_coord victim;
    enum mesh_injection injection;
};

/* What the plan takes communication to cost: the truth, or what was given. */
static inline const struct outcome_profile *
run_plan_profile(const struct run_config *config)
{
    return config->plan_profile != NULL ? config->plan_profile
                                        : &config->profile;
}

/* When progress was last shown. */
struct run_progress {
    uint32_t nodes;
    double shown_s;
};

/* A mesh with its nodes started. It stays where it is. */
struct run_mesh {
    struct gdb_doors *doors; /* or NULL */
    struct mesh_config config;
    struct backend backend;
    struct mesh mesh;
    struct run_progress progress;
};

/* Starts the nodes that the config asks for; `probed`: probes may come before
   a job. Result: 0; else an exit status, with the reason said, and nothing to
   be closed. */
int run_mesh_open(struct run_mesh *run, const struct run_config *config,
                  bool probed);
void run_mesh_close(struct run_mesh *run);

/* What mesh_run() said, as an exit status; ends the line of progress. */
int run_status(enum mesh_end end, const struct mesh_config *config);

/*
 * Runs the job. Result: 0 and *outcome, to be freed with run_free(); else an
 * exit status, with the reason on stderr, and nothing to be freed.
 */
int run_job(struct outcome *outcome, const struct run_config *config);

void run_free(struct outcome *outcome);

#endif
