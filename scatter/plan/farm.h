/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many units a member of a farm gets as its next chunk. Members are the
 * nodes that compute: workers and the originator. Chunks are in proportion to
 * the speed that a member showed; they begin small, grow, and then fall with
 * the units that are left. Gonzalez-Velez and Cole 2010 cut chunks of
 * floor(S F_i / k + 1/2) units with F_i = v_i / sum_j v_j; the bounds and the
 * growth are this project's.
 *
 *   S      units left          v_i   speed of member i: 1 / its time for a unit
 *   n      members             c     the originator's time to serve a demand, a
 *                                    member's request for a chunk
 *   k      installment: a member's part of S is cut into k chunks
 *   a      time that a chunk takes besides the time of its units
 *
 * - A share is S v_i / (k sum_j v_j) units: a member's chunk before bounds.
 *   While a member computes a chunk, a second chunk waits in the member.
 * - The least chunk is what the member computes in the time 2 (n c + a).
 *   Demands of n members then take at most half of the originator's time, and a
 *   is at most a third of a chunk's time. A least chunk of more than three
 *   shares becomes three shares, but at least a third of the least chunk: small
 *   chunks divide the end of the load more evenly.
 * - The first chunk of a member is a quarter of the least chunk. Each later
 *   chunk is at most four times the member's chunk before, so that no member
 *   holds two large chunks before its speed is known.
 * - most_units bounds a chunk from above, because its units must fit memory.
 *   `floor` bounds a chunk from below, because memory must also fit the heads
 *   of the outputs of all chunks.
 *
 *   units |         __           from a quarter of the least, times 4 each;
 *         |      __-  -__        then the share;
 *         |   __-        -_____  then the least chunk, or three shares
 *         |__-                 -__
 *         +------------------------> chunks of one member
 *
 * If a unit's time depends on its data (`varies`), the time of a chunk does not
 * tell the time of the next chunk. All speeds then stay FARM_SPEED_ONE, the
 * growth is not bounded, and the least chunk is what a member computes in
 * n c + a at the mean time of the units computed so far. The least chunk is one
 * unit until the units computed exceed half of the units left.
 *
 * In a farm of many members some members are masters. A master serves a group
 * of workers. Its speed is the sum of the speeds of its group and itself. A
 * master cuts its chunks for the group by these rules: S is all units that the
 * group may expect.
 */
#ifndef SCATTER_PLAN_FARM_H
#define SCATTER_PLAN_FARM_H

#include "scatter/plan/job.h"

/* Usual number of chunks of a member's part of the units left; _DEAR if sending
   the load takes the ports over a tenth of the time in which all compute it. */
#define FARM_INSTALLMENT 4
#define FARM_INSTALLMENT_DEAR 3

struct farm {
    uint64_t compute_ps; /* time of a unit at speed FARM_SPEED_ONE */
    uint64_t call_ps;    /* time of a chunk besides the time of its units */
    uint64_t speeds;     /* sum of the speeds of all members */
    uint64_t least;      /* least chunk at speed FARM_SPEED_ONE: 2^-16 unit */
    /* Units of the chunk whose time farm_slice() divides: the last chunk, or
       with masters the shortest recent chunk; at first the load. */
    uint32_t last_units;
    uint32_t last_speed; /* speed of the member that got the chunk */
    /* If `masters`: units of the chunk of least time since noted was 0. */
    uint32_t short_units;
    uint32_t short_speed; /* speed of the member that got the chunk */
    uint32_t noted;       /* chunks since this search began; below `members` */
    uint32_t members;     /* number of members */
    uint32_t left;        /* units that no member has been given */
    uint32_t most;        /* most units of a chunk */
    uint64_t demands_ps;  /* time to serve a demand of each member + call_ps */
    uint64_t seen_ps;     /* compute time of seen_units, summed over members */
    uint32_t seen_units;  /* units computed so far */
    uint32_t floor; /* least units of a chunk or slice, unless `growth` or the
                       end of the load allows fewer; farm_init() sets 0 */
    uint32_t ahead; /* in a master's farm: units that the group may expect and
                       the master lacks yet; farm_init() sets 0 */
    uint8_t installment; /* chunks of a member's part of the units left */
    bool masters;   /* some members are masters, or this is a master's farm */
    bool varies;    /* a unit's time depends on its data */
    uint8_t growth; /* a chunk has at most `growth` times the units of the
                       member's chunk before */
};

/* A node that computes: a worker, a master for its group, or the originator. */
struct farm_member {
    uint32_t speed;       /* units per time: 1 .. FARM_SPEED_MAX; FARM_SPEED_ONE
                             is one unit in farm->compute_ps */
    uint32_t chunk_units; /* units of the last chunk; 0: no chunk yet */
};

#define FARM_SPEED_ONE 65536u
#define FARM_SPEED_MAX (1u << 28)

/* Sets up a farm for the job, before its first chunk and slice; the speed of
   all job->nodes members is FARM_SPEED_ONE. */
void farm_init(struct farm *farm, const struct plan_job *job);

/* Returns a member of speed FARM_SPEED_ONE that has had no chunk. */
static inline struct farm_member farm_member(void)
{
    return (struct farm_member){.speed = FARM_SPEED_ONE};
}

/* Lets the first chunk of a member be of any size, because the member's speed
   has been measured without a chunk. */
static inline void farm_known(struct farm_member *member)
{
    member->chunk_units = UINT32_MAX;
}

/* Sets a member's speed to `speed`, which is 1 or more, or to FARM_SPEED_MAX if
   `speed` is larger. */
static inline void farm_set_speed(struct farm *farm, struct farm_member *member,
                                  uint64_t speed)
{
    uint32_t most =
        speed < FARM_SPEED_MAX ? (uint32_t)speed : (uint32_t)FARM_SPEED_MAX;

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* Returns the time in which all members together compute one unit, ps: at most
   compute_ps * FARM_SPEED_ONE. */
static inline uint64_t farm_unit_ps(const struct farm *farm)
{
    return farm->compute_ps * FARM_SPEED_ONE / farm->speeds;
}

/* Sets the speed of a member whose chunk of `units`, 1 or more, took
   compute_ps. The smaller of call_ps and compute_ps / 2 is taken off compute_ps
   first. If the time of a unit varies, only seen_ps and seen_units change.
   About 160 instructions. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Takes the member's next chunk off the load. Returns the chunk's units: 0 if
   nothing is left. About 130 instructions. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes `units`, or all that is left, off the load. Returns the units taken. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* Takes a slice off the load: units that the originator, `member`, computes
   between two demands. Returns the units of the slice. The originator computes
   a slice in a quarter of the time of the last chunk, or with masters of the
   shortest recent chunk. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/* Returns a farm's rough time, ps, from the send of the first chunk until the
   last unit is computed. The time is startup_ps, at most PLANNER_TIME_MAX_PS,
   plus the compute time of the load on all nodes or the load's transfer time
   through the originator's ports, whichever is longer, plus the time to serve
   two demands of each member and of each node of one master's group. Returns
   UINT64_MAX if the longer time is about 2^63 ps or more. */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
