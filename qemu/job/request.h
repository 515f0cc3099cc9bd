/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job as it is asked for. The command line fills in one struct request, which
 * nobody changes from then on; what differs by originator and by trial is a
 * struct job_task.
 */
#ifndef QEMU_JOB_REQUEST_H
#define QEMU_JOB_REQUEST_H

#include "kernels/kernel.h"
#include "qemu/board/gdb.h"
#include "qemu/board/table.h"
#include "qemu/fabric/injection.h"
#include "qemu/fabric/mesh.h"
#include "qemu/format/format.h"
#include "qemu/ranks/share.h"
#include "qemu/schedule/registry.h"
#include "qemu/base/profile.h"
#include "qemu/serial/noise.h"

struct mesh_ops;
struct rates;

/* Time of an instruction on emulated boards, ps. Native nodes take it for the
   instructions of kernels, and no time for all else. */
#define JOB_INSTRUCTION_PS 32000u

/* An originator and its load. */
struct job_originator {
    struct torus_coord at;
    const char *input_name;
    struct format_load load;
    struct kernel_terms terms; /* for this load and its argument */
};

/* How a load goes out. */
struct job_schedule {
    enum schedule kind;
    uint8_t phases;      /* or WIRE_BEST */
    uint8_t rounds;      /* or WIRE_BEST */
    uint8_t installment; /* of a farm, scatter/plan/farm.h; 0: choose */
    uint8_t levels;      /* of a farm: 1; 2, with masters; 0: choose */
    uint8_t reserve;     /* of SCHEDULE_HYBRID, percent; 0: choose. Along a tree
                            WIRE_BEST: all, if samples differ */
};

struct request {
    const struct mesh_ops *mesh; /* where it runs: qemu/job/mesh_ops.h */
    struct torus_size size;
    uint32_t originators; /* 1 or more */
    struct job_originator *originator;
    struct job_schedule schedule;       /* as asked for */
    struct profile profile;             /* costs of circuits */
    const struct profile *plan_profile; /* the same for the plan; or NULL */
    const struct kernel *kernel;        /* NULL: the mesh is probed only */
    const struct rates *rates; /* of earlier jobs: qemu/job/rates.h; or NULL */
    uint32_t batch_units;      /* of a batch at most; 0: as memory allows */
    uint8_t ports;             /* that a node uses at once: 1, 2 or 4 */
    bool store_and_forward;
    /* Node i computes 2^slow_shift[i] times slower; NULL: none does. */
    const uint8_t *slow_shift;
    const struct board_kind *board; /* unless nodes are native */
    const char *port; /* the originator's console, if nodes are behind one */
    /* Consoles of the second originator and those behind; NULL if all are
       reached over the first one's console. */
    const char *const *other_consoles;
    bool allow_mixed;          /* also nodes that differ: qemu/serial/nodes.h */
    struct noise noise;        /* of emulated serial links */
    const char *firmware;      /* of emulated boards; else NULL */
    const char *image_kernels; /* " search spin", if it lacks some; or NULL */
    const char *firmware_slow; /* of those that become slow later; or NULL */
    unsigned watchdog_s;
    bool one_by_one;  /* emulated boards are not forked from a zygote */
    bool on_one_rank; /* all nodes are this rank's, whatever others there are */
    bool verbose;     /* says on stderr how boards are started */
    /* What native nodes run in a trial (qemu/job/trial.h); else NULL. */
    const struct host_program *program;
    enum share_map map; /* of nodes to ranks, if there are several */
    bool gdb; /* a socket for each board, no watchdog: see qemu/board/gdb.h */
    const char *gdb_dir;          /* NULL: the default */
    struct gdb_halts halts;       /* boards that wait for a debugger */
    struct injections injections; /* for tests; no plan knows of them */
    /* Bytes that qemu/job/memory_need.h expects: of one host that has all
       nodes, and of the hosts of several ranks together; 0: it was not asked.
     */
    uint64_t memory_need;
    uint64_t memory_hosts;
};

/* How fast the originator computed: `units`, each in compute_ps, and call_ps
   for the call of the kernel. */
struct job_rate {
    uint64_t compute_ps;
    uint64_t call_ps;
    uint32_t units; /* 0: not known */
};

struct job_task;

/* Returns the makespan, ps, of a farm on emulated switches, led by one
   originator that measures first, whose units take rate.compute_ps and calls
   rate.call_ps; 0: not known. */
typedef uint64_t job_farm_end(const struct job_task *farm,
                              struct job_rate rate);

/* The part of one originator in a trial of a request. */
struct job_task {
    const struct request *request;
    const struct job_originator *originator; /* one of the request's */
    struct job_schedule schedule;            /* as asked for, or chosen */
    const struct mesh_groups *groups;        /* NULL: there is one originator */
    uint32_t group;                          /* of the originator */
    uint64_t room_bytes;    /* of a node's memory for a job's data; 0: that of a
                               window, 16 MB */
    struct job_rate rate;   /* as rates of earlier jobs have it; units 0: not
                                   known */
    struct watch *watch;    /* of who looks on; or NULL */
    job_farm_end *farm_end; /* when a farm is planned to end; NULL: nobody asks
                             */
};

/* The task of a request's first originator, the schedule as asked for. */
struct job_task job_task_of(const struct request *request);

/* The time of a unit, ps, by the kernel's estimate: 1 or more. */
double job_task_unit_ps(const struct job_task *task);

/* The originator computes 2^result times slower, as asked for. */
unsigned job_task_slow_shift(const struct job_task *task);

/* A node computes 2^result times slower, as asked for. */
unsigned request_slow_shift(const struct request *request, uint32_t node);

/* The profile that the plan is made with: plan_profile if given, else
   profile. */
const struct profile *request_plan_profile(const struct request *request);

#endif
