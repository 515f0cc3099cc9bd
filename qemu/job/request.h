/* SPDX-License-Identifier: Apache-2.0 */
/* A job as the user requests it. The command line fills in one struct request,
   which is const from then on. Values that differ between originators or trials
   are in struct job_task. */
#ifndef QEMU_JOB_REQUEST_H
#define QEMU_JOB_REQUEST_H

#include "kernels/kernel.h"
#include "qemu/board/gdb.h"
#include "qemu/board/table.h"
#include "qemu/fabric/injection.h"
#include "qemu/fabric/mesh.h"
#include "qemu/format/format.h"
#include "qemu/ranks/share.h"
#include "qemu/schedule/holes.h"
#include "qemu/schedule/registry.h"
#include "qemu/base/profile.h"
#include "qemu/serial/noise.h"

struct mesh_ops;
struct rates;

/* Time of one instruction on emulated boards, ps. On native nodes kernels take
   this time; other code takes none. */
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
    uint8_t phases;      /* number of phases, or WIRE_BEST: the best one */
    uint8_t rounds;      /* number of rounds, or WIRE_BEST: the best one */
    uint8_t installment; /* of a farm (scatter/plan/farm.h); 0: boards choose */
    uint8_t levels; /* farm: 2 with masters, else 1; 0: the command chooses */
    /* SCHEDULE_HYBRID: percentage of the load to give out on demand; 0: boards
       choose. With a tree, WIRE_BEST: the whole load, if samples differ. */
    uint8_t reserve;
};

enum request_check {
    CHECK_IF_CHEAP,
    CHECK_NO,
    CHECK_YES
};

struct request {
    const struct mesh_ops *mesh;
    struct torus_size size;
    uint32_t originators; /* 1 or more */
    struct job_originator *originator;
    /* Nodes that should be the originator, in order, 1 or more: if one dies,
       the next that lives takes its place. Unused with several originators. */
    const struct torus_coord *preferred;
    uint32_t preferences;
    struct job_schedule schedule;
    struct profile profile;
    /* costs that the plan assumes; NULL: those of `profile` */
    const struct profile *plan_profile;
    const struct kernel *kernel; /* NULL: the mesh gets probes, not a job */
    /* rates of earlier jobs (qemu/job/rates.h); or NULL */
    const struct rates *rates;
    uint32_t batch_units; /* most units of a batch; 0: as memory allows */
    enum request_check check_load; /* whether nodes prove what they compute */
    uint8_t ports; /* number of ports that a node uses at once: 1, 2 or 4 */
    bool store_and_forward;
    /* node i computes 2^slow_shift[i] times slower; NULL: no node is slowed */
    const uint8_t *slow_shift;
    /* nodes and links that are dead before the job; NULL: there are none */
    const struct schedule_holes *holes;
    const struct board_kind *board; /* kind of boards; unused by native nodes */
    /* path of the serial port to the first originator's console; or NULL */
    const char *port;
    /* Paths of the serial ports to the other originators' consoles. NULL: the
       first originator's console reaches all. */
    const char *const *other_consoles;
    /* --allow-mixed: boards' images may differ (qemu/serial/nodes.h) */
    bool allow_mixed;
    struct noise noise;
    const char *firmware; /* file of emulated boards' image; else NULL */
    /* kernels in an image that lacks some, " search spin"; or NULL */
    const char *image_kernels;
    /* file of the image of boards that a test slows down later; or NULL */
    const char *firmware_slow;
    unsigned watchdog_s;
    bool one_by_one;  /* true: boards are not forked (qemu/board/zygote.h) */
    bool on_one_rank; /* true: this MPI rank runs all nodes */
    bool verbose;
    /* program of native nodes in a trial (qemu/job/trial.h); else NULL */
    const struct host_program *program;
    enum share_map map; /* which MPI rank runs which nodes */
    /* true: each board has a gdb socket (qemu/board/gdb.h) and no watchdog */
    bool gdb;
    const char *gdb_dir;    /* folder of the gdb sockets; NULL: the default */
    struct gdb_halts halts; /* boards that wait for a debugger */
    struct injections injections; /* faults for tests; plans do not know them */
    uint32_t survive; /* --survive: most faults that do not end the job */
    /* Memory need, bytes (qemu/job/memory_need.h): of one host with all nodes,
       and of all hosts if there are several ranks. 0: not computed. */
    uint64_t memory_need;
    uint64_t memory_hosts;
};

/* Measured speed of a kernel: a unit takes compute_ps, and each call of the
   kernel takes call_ps more. */
struct job_rate {
    uint64_t compute_ps;
    uint64_t call_ps;
    uint32_t units; /* number of units measured; 0: the rate is unknown */
};

struct job_task;

/* Returns the makespan, ps, of a farm with one originator on emulated switches,
   or 0 if unknown. A unit takes rate.compute_ps, a call of the kernel
   rate.call_ps. The originator measures before it gives out chunks. */
typedef uint64_t job_farm_end(const struct job_task *farm,
                              struct job_rate rate);

/* A request as one originator carries it out, in a job or in a trial. */
struct job_task {
    const struct request *request;
    const struct job_originator *originator; /* one of request->originator[] */
    struct job_schedule schedule;            /* schedule requested or chosen */
    uint32_t group; /* index of the originator and its group */
    /* index of each node's originator; NULL: one originator serves all nodes */
    const uint16_t *group_of_node;
    const struct schedule_holes *holes; /* that the plan goes around; or NULL */
    bool calls; /* true: orders end what nodes still do of earlier ones */
    /* memory of a node for job data, bytes; 0: 16 MB, as an emulated board
       has */
    uint64_t room_bytes;
    /* rate in earlier jobs, for the first batch; units 0: unknown */
    struct job_rate rate;
    struct watch *watch;    /* shows the progress; or NULL */
    job_farm_end *farm_end; /* computes a farm's planned end; NULL: unknown */
};

/* Returns the task of the request's first originator. */
struct job_task job_task_of(const struct request *request);

/* Returns the kernel's estimate of a unit's compute time, at least 1 ps. */
double job_task_unit_ps(const struct job_task *task);

/* Returns a range of the load's units with the bytes around it that the kernel
   reads. Member `data` is NULL. */
struct kernel_range job_task_range(const struct job_task *task,
                                   struct wire_range units);

/* Returns the memory, bytes, of a node for job data. */
uint64_t job_task_room_bytes(const struct job_task *task);

/* Returns s if --slow makes the originator 2^s times slower. */
unsigned job_task_slow_shift(const struct job_task *task);

/* Returns s if --slow makes the node 2^s times slower. */
unsigned request_slow_shift(const struct request *request, uint32_t node);

/* Adds what an injection makes dead. */
void request_add_hole(struct schedule_holes *holes,
                      const struct injection *injection);

/* Returns plan_profile; or profile, if plan_profile is NULL. */
const struct profile *request_plan_profile(const struct request *request);

#endif
