/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a worker of a farm gets when it asks: chunks in proportion to the
 * speed that it showed, small at first, then growing, then falling with what is
 * left of the load.
 *
 * With S units left, member i of speed v_i = 1 / t_i, where a unit takes it
 * t_i, is given the chunk
 *
 *     S v_i / (k sum_j v_j)
 *
 * at least what takes it 2 (n c + a): so n members that ask this often keep an
 * originator, of which every demand takes c, busy for half of its time, and
 * lose a third of theirs to a, what a chunk takes beside its units; but no more
 * than three times the installment's chunk, down to a third of the least one:
 * little is left then, and small chunks share it out better. The first
 * chunk is a quarter of the least one, and each at most four times the one
 * before: nobody holds two large chunks before its speed is known. Every member
 * holds one chunk in stock beside the one that it computes, and the installment
 * k counts both. Memory and the heads of outputs may bound chunks, too.
 *
 * Where units vary with their data, what a member took does not tell what it
 * will take: speeds stay, no chunk is bounded by the one before, and the least
 * one takes n c by the mean of all units that were computed. It is one unit
 * till these are half of those left: the first ones may all be cheap.
 *
 * Where members are many, some of them are masters: a master is a member that
 * is as fast as its group, the workers that it serves and itself. It cuts what
 * it gets by the same rule; S is then what its group may expect, of which it
 * has a part in stock.
 *
 * Source: a farm that measures and adapts, chunk = floor(S / k F_i + 1/2) with
 * F_i = v_i / sum_j v_j; the bounds and the growth are this project's.
 */
#ifndef SCATTER_PLAN_FARM_H
#define SCATTER_PLAN_FARM_H

#include "scatter/plan/job.h"

#define FARM_INSTALLMENT 4      /* if nobody says; .. */
#define FARM_INSTALLMENT_DEAR 3 /* .. where the transfer takes long */

struct farm {
    uint64_t compute_ps;  /* a unit's, at FARM_SPEED_ONE */
    uint64_t call_ps;     /* as of the job */
    uint64_t speeds;      /* of all members */
    uint64_t least;       /* of FARM_SPEED_ONE-ths of a unit: the least chunk at
                             FARM_SPEED_ONE */
    uint32_t last_units;  /* of the chunk by which slices go, for .. */
    uint32_t last_speed;  /* .. a member of this speed; before the first one the
                             whole load at FARM_SPEED_ONE */
    uint32_t short_units; /* with masters: the shortest chunk since .. */
    uint32_t short_speed;
    uint32_t noted;      /* .. so many chunks: fewer than .. */
    uint32_t members;    /* .. n */
    uint32_t left;       /* units that nobody has */
    uint32_t most;       /* units of a chunk at most */
    uint64_t demands_ps; /* n c + a */
    uint64_t seen_ps;    /* what members took for .. */
    uint32_t seen_units; /* .. so many units */
    uint32_t floor;      /* the same at least, but for a member's first ones and
                            the last one, and of a slice; 0 unless it is set
                            after farm_init() */
    uint32_t ahead;      /* units that are expected, beside those left; not 0
                            in a master's farm, which sets it */
    uint8_t installment;
    bool masters;   /* among members, or it is a master's: see farm_slice() */
    bool varies;    /* as of the job */
    uint8_t growth; /* a chunk is at most so many times the one before */
};

/* A node that computes; the originator is one. */
struct farm_member {
    uint32_t speed;       /* of FARM_SPEED_ONE, from 1 to FARM_SPEED_MAX */
    uint32_t chunk_units; /* the last one's; 0: none yet */
};

#define FARM_SPEED_ONE 65536u
#define FARM_SPEED_MAX (1u << 28)

/* Before the first chunk: all members are as fast as compute_ps says. */
void farm_init(struct farm *farm, const struct plan_job *job);

/* A member that has no chunk yet. */
static inline struct farm_member farm_member(void)
{
    return (struct farm_member){.speed = FARM_SPEED_ONE};
}

/* Before the first chunk of a member whose speed has been measured: it need not
   be a small one. */
static inline void farm_known(struct farm_member *member)
{
    member->chunk_units = UINT32_MAX;
}

/* Sets the speed of a member that is known to be faster or slower than one of
   FARM_SPEED_ONE; more than FARM_SPEED_MAX is that. */
static inline void farm_set_speed(struct farm *farm, struct farm_member *member,
                                  uint64_t speed)
{
    uint32_t most =
        speed < FARM_SPEED_MAX ? (uint32_t)speed : (uint32_t)FARM_SPEED_MAX;

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* What a unit takes all members together: at most compute_ps *
   FARM_SPEED_ONE. */
static inline uint64_t farm_unit_ps(const struct farm *farm)
{
    return farm->compute_ps * FARM_SPEED_ONE / farm->speeds;
}

/* The member took so long for so many units, from 1: sets its speed. What a
   chunk takes besides is taken off, as far as it is not more than half. About
   160 instructions. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Units of the member's next chunk, which are taken off the load; 0 if nothing
   is left. About 130 instructions. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes so many units off the load, as far as it has them; how many. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* The same for the originator, which computes slices and serves demands in
   between: a slice takes it a quarter of the time that the last chunk takes its
   worker, which will ask within that. With masters, whose chunks take other
   times than those of workers, it is a quarter of the shortest of the last n to
   2 n chunks. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/* Roughly how long a farm takes, from the first chunk's send to the last unit
   computed: all of the load at once by all members, or over the originator's
   ports if that is longer, and what demands and the last chunks cost. Up to
   2^63 ps; startup_ps is at most PLANNER_TIME_MAX_PS. */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
