/* SPDX-License-Identifier: Apache-2.0 */
/* A job as the user requests it. The command line fills in one struct request,
   which is const from then on. Values that differ by originator or trial are in
   struct job_task. */
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

/* Time of one instruction on emulated boards, ps. Native nodes use it for
   kernels; their other code takes no time. */
#define JOB_INSTRUCTION_PS 32000u

struct job_originator {
    struct torus_coord at;
    const char *input_name;
    struct format_load load;
    struct kernel_terms terms;
};

/* How a load is scattered. */
struct job_schedule {
    enum schedule kind;
    uint8_t phases;      /* number of phases, or WIRE_BEST */
    uint8_t rounds;      /* number of rounds, or WIRE_BEST */
    uint8_t installment; /* farm: see scatter/plan/farm.h; 0: choose */
    uint8_t levels;      /* farm: 1; or 2, with masters; 0: choose */
    /* SCHEDULE_HYBRID: percent of the load to give out on demand; 0: choose.
       With a tree, WIRE_BEST: the whole load, if samples differ. */
    uint8_t reserve;
};

struct request {
    const struct mesh_ops *mesh;
    struct torus_size size;
    uint32_t originators; /* 1 or more */
    struct job_originator *originator;
    struct job_schedule schedule;
    struct profile profile;
    /* costs that the plan assumes; NULL: as profile */
    const struct profile *plan_profile;
    const struct kernel *kernel; /* NULL: the mesh is only probed */
    /* rates of earlier jobs (qemu/job/rates.h); or NULL */
    const struct rates *rates;
    uint32_t batch_units; /* largest batch, units; 0: as memory allows */
    uint8_t ports;        /* number of ports a node uses at once: 1, 2 or 4 */
    bool store_and_forward;
    /* node i computes 2^slow_shift[i] times slower; NULL: no node is slowed */
    const uint8_t *slow_shift;
    const struct board_kind *board; /* unused by native nodes */
    /* serial port of the first originator's console; or NULL */
    const char *port;
    /* Consoles of the originators after the first. NULL: the first originator's
       console reaches all. */
    const char *const *other_consoles;
    /* --allow-mixed: boards may differ, see qemu/serial/nodes.h */
    bool allow_mixed;
    struct noise noise;
    const char *firmware; /* firmware file of emulated boards; else NULL */
    /* kernels of an image that lacks some, " search spin"; or NULL */
    const char *image_kernels;
    /* image of boards that slow down later; or NULL */
    const char *firmware_slow;
    unsigned watchdog_s;
    bool one_by_one;  /* boards are not forked from a zygote */
    bool on_one_rank; /* this MPI rank runs all nodes, other ranks none */
    bool verbose;
    /* Program of native nodes in a trial (qemu/job/trial.h); else NULL. */
    const struct host_program *program;
    enum share_map map; /* mapping of nodes to MPI ranks */
    /* each board has a gdb socket and no watchdog, see qemu/board/gdb.h */
    bool gdb;
    const char *gdb_dir;          /* folder of gdb sockets; NULL: the default */
    struct gdb_halts halts;       /* boards that wait for a debugger */
    struct injections injections; /* faults for tests, unknown to plans */
    /* Memory need in bytes (qemu/job/memory_need.h): of one host with all
       nodes, and of all hosts of several ranks. 0: not computed. */
    uint64_t memory_need;
    uint64_t memory_hosts;
};

/* Measured speed of an originator: `units` took compute_ps each, plus call_ps
   for the call of the kernel. */
struct job_rate {
    uint64_t compute_ps;
    uint64_t call_ps;
    uint32_t units; /* 0: rate unknown */
};

struct job_task;

/* Returns the makespan, ps, of a farm on emulated switches. A unit takes
   rate.compute_ps, a call rate.call_ps. One originator leads the farm and
   measures first. Returns 0 if unknown. */
typedef uint64_t job_farm_end(const struct job_task *farm,
                              struct job_rate rate);

/* A request as seen by one originator, in one trial. */
struct job_task {
    const struct request *request;
    const struct job_originator *originator; /* one of request->originator[] */
    struct job_schedule schedule;            /* schedule requested or chosen */
    const struct mesh_groups *groups;        /* NULL: there is one originator */
    uint32_t group;                          /* index of the originator */
    /* memory of a node for job data; 0: 16 MB, as a window */
    uint64_t room_bytes;
    struct job_rate rate;   /* rate of earlier jobs; units 0: unknown */
    struct watch *watch;    /* shows the progress; or NULL */
    job_farm_end *farm_end; /* planned end of a farm; NULL: stays unknown */
};

/* Returns the task of the request's first originator. */
struct job_task job_task_of(const struct request *request);

/* Returns the kernel's estimate of a unit's time, at least 1 ps. */
double job_task_unit_ps(const struct job_task *task);

/* Returns s: --slow makes the originator 2^s times slower. */
unsigned job_task_slow_shift(const struct job_task *task);

/* Returns s: --slow makes the node 2^s times slower. */
unsigned request_slow_shift(const struct request *request, uint32_t node);

/* Returns plan_profile, or profile if that is NULL. */
const struct profile *request_plan_profile(const struct request *request);

#endif
