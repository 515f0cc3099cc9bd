/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many units a worker of a farm gets when it asks: chunks in proportion to
 * the speed that the worker showed, small at first, then growing, then falling
 * with what is left of the load.
 *
 * With S units left, member i of speed v_i = 1 / t_i, where t_i is its time for
 * a unit, gets the chunk
 *
 *     S v_i / (k sum_j v_j)
 *
 * and at least the units of 2 (n c + a): then n members that ask this often
 * keep an originator, whose time for a demand is c, busy for half of its time,
 * and lose a third of theirs to a, the time of a chunk besides its units. But a
 * chunk is at most three times the installment's, down to a third of the least
 * one: little is left then, and small chunks share it out better. The first
 * chunk is a quarter of the least one, and each at most four times the one
 * before: nobody holds two large chunks before its speed is known. Every member
 * holds one chunk in stock beside the one that it computes, and the installment
 * k counts both. Memory and the heads of outputs may bound chunks, too.
 *
 *   units |         __           from a quarter of the least, times 4 each;
 *         |      __-  -__        then the installment's;
 *         |   __-        -_____  then the least, or three installments
 *         |__-                 -__
 *         +------------------------> chunks of one member
 *
 * Where a unit's time depends on its data, a member's time for one chunk does
 * not tell its time for the next: speeds stay, no chunk is bounded by the one
 * before, and the least one takes n c by the mean of all units that were
 * computed. The least one is one unit until these are half of those left: the
 * first units may all be cheap.
 *
 * Where members are many, some of them are masters: a master is a member as
 * fast as its group, which is the workers that it serves and itself. It cuts
 * its own chunks by the same rule; S then counts the units that its group may
 * expect, of which it has a part in stock.
 *
 * Source: a farm that measures and adapts, chunk = floor(S / k F_i + 1/2) with
 * F_i = v_i / sum_j v_j; the bounds and the growth are this project's.
 */
#ifndef SCATTER_PLAN_FARM_H
#define SCATTER_PLAN_FARM_H

#include "scatter/plan/job.h"

#define FARM_INSTALLMENT 4      /* k, where the job leaves that open */
#define FARM_INSTALLMENT_DEAR 3 /* k, where the transfer takes long, too */

struct farm {
    uint64_t compute_ps; /* of a unit, at FARM_SPEED_ONE */
    uint64_t call_ps;    /* a: as of the job */
    uint64_t speeds;     /* the sum of all members' */
    uint64_t least;      /* the least chunk at FARM_SPEED_ONE, in
                            FARM_SPEED_ONE-ths of a unit */
    /* Slices go by this chunk; before the first one it is the whole load. */
    uint32_t last_units;
    uint32_t last_speed; /* of the member that has the chunk */
    /* With masters: the shortest chunk of the last `noted` ones. */
    uint32_t short_units;
    uint32_t short_speed;
    uint32_t noted;      /* fewer than `members` */
    uint32_t members;    /* n */
    uint32_t left;       /* units that nobody has */
    uint32_t most;       /* units of a chunk at most */
    uint64_t demands_ps; /* n c + a */
    uint64_t seen_ps;    /* members' time for seen_units */
    uint32_t seen_units; /* computed so far */
    uint32_t floor;      /* units of a chunk or slice at least, but for a
                            member's first ones and the last one; farm_init()
                            sets 0 */
    uint32_t ahead;      /* of a master's farm: units that it expects beside
                            those left; farm_init() sets 0 */
    uint8_t installment; /* k */
    bool masters;        /* some members are, or the farm is a master's */
    bool varies;         /* as of the job */
    uint8_t growth;      /* a chunk is at most so many times the one before */
};

/* A node that computes; the originator is one. */
struct farm_member {
    uint32_t speed;       /* of FARM_SPEED_ONE, from 1 to FARM_SPEED_MAX */
    uint32_t chunk_units; /* the last chunk's; 0: it has had none */
};

#define FARM_SPEED_ONE 65536u
#define FARM_SPEED_MAX (1u << 28)

/* Sets up a farm before its first chunk: all members have FARM_SPEED_ONE. */
void farm_init(struct farm *farm, const struct plan_job *job);

/* A member that has no chunk yet. */
static inline struct farm_member farm_member(void)
{
    return (struct farm_member){.speed = FARM_SPEED_ONE};
}

/* Says of a member without a chunk that its speed has been measured: its first
   chunk need not be small. */
static inline void farm_known(struct farm_member *member)
{
    member->chunk_units = UINT32_MAX;
}

/* Sets a member's speed, FARM_SPEED_MAX at most. */
static inline void farm_set_speed(struct farm *farm, struct farm_member *member,
                                  uint64_t speed)
{
    uint32_t most =
        speed < FARM_SPEED_MAX ? (uint32_t)speed : (uint32_t)FARM_SPEED_MAX;

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* All members' time for a unit, if they share it: at most compute_ps *
   FARM_SPEED_ONE. */
static inline uint64_t farm_unit_ps(const struct farm *farm)
{
    return farm->compute_ps * FARM_SPEED_ONE / farm->speeds;
}

/* Sets the speed of a member that computed `units`, from 1, in compute_ps. Of
   that time call_ps is taken off, but no more than half. About 160
   instructions. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Takes the member's next chunk off the load. Result: its units; 0 if nothing
   is left. About 130 instructions. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes `units` off the load, or all that is left. Result: the units taken. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* Takes the originator's next slice off the load; between slices the originator
   serves demands. A slice lasts a quarter of the time that the last chunk takes
   its worker, which will ask within that. With masters, whose chunks take other
   times than those of workers, a slice lasts a quarter of the shortest of the
   last n to 2 n chunks. Result: the slice's units. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/* A farm's time, roughly, from the first chunk's send to the last unit
   computed: startup_ps, at most PLANNER_TIME_MAX_PS; the load at once by all
   members, or through the originator's ports if that is longer; demands and the
   last chunks. Up to 2^63 ps, else UINT64_MAX. */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
