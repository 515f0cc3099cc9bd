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

/* Usual installment k. _DEAR is the usual k if the load's transfer through the
   originator's ports takes over a tenth of its compute time on all nodes. */
#define FARM_INSTALLMENT 4
#define FARM_INSTALLMENT_DEAR 3

struct farm {
    uint64_t compute_ps; /* time of a unit at speed FARM_SPEED_ONE */
    uint64_t call_ps;    /* time of a chunk besides the time of its units */
    uint64_t speeds;     /* sum of farm_member.speed of all members */
    uint64_t least;      /* least chunk at FARM_SPEED_ONE; 65536: one unit */
    /* Units of the chunk whose time farm_slice() divides: the last chunk; with
       masters a recent chunk of least time; before any chunk, the load. */
    uint32_t last_units;
    uint32_t last_speed; /* speed of the member that got last_units */
    /* With masters: units of the chunk of least time in this search. */
    uint32_t short_units;
    uint32_t short_speed; /* speed of the member that got short_units */
    uint32_t noted;       /* chunks in this search: 0 .. members - 1 */
    uint32_t members;     /* number of members */
    uint32_t left;        /* units of the load that no member was given */
    uint32_t most;        /* most units of a chunk */
    uint64_t demands_ps;  /* call_ps + members * time to serve a demand */
    uint64_t seen_ps;     /* compute time of seen_units, summed over members */
    uint32_t seen_units;  /* units that all members have computed so far */
    uint32_t floor; /* least units of a chunk or slice, unless `growth`, `most`
                       or `left` allows fewer; farm_init() sets 0 */
    uint32_t ahead; /* in a master's farm: units that the group may expect but
                       the master has not received; in others 0 */
    uint8_t installment; /* chunks into which a member's part is cut: k above */
    bool masters;   /* some members are masters, or the farm is a master's */
    bool varies;    /* a unit's time depends on its data */
    uint8_t growth; /* a chunk has at most `growth` times the units of the
                       member's chunk before */
};

/* A node that computes: a worker, a master for its group, or the originator. */
struct farm_member {
    uint32_t speed;       /* units per time, 1 .. FARM_SPEED_MAX: FARM_SPEED_ONE
                             stands for one unit per farm->compute_ps */
    uint32_t chunk_units; /* planned units of the last chunk; 0: no chunk yet */
};

#define FARM_SPEED_ONE 65536u
#define FARM_SPEED_MAX (1u << 28)

/* Sets up the farm of a job: job->nodes members, each of speed FARM_SPEED_ONE.
   Must be called before the farm's first chunk and slice. */
void farm_init(struct farm *farm, const struct plan_job *job);

/* Returns a member of speed FARM_SPEED_ONE that has had no chunk. */
static inline struct farm_member farm_member(void)
{
    return (struct farm_member){.speed = FARM_SPEED_ONE};
}

/* Frees a member's first chunk from the bound of a quarter of the least chunk:
   for a member whose speed has been measured before. */
static inline void farm_known(struct farm_member *member)
{
    member->chunk_units = UINT32_MAX;
}

/* Sets a member's speed to `speed` >= 1, or to FARM_SPEED_MAX if `speed` is
   larger, and corrects farm->speeds. */
static inline void farm_set_speed(struct farm *farm, struct farm_member *member,
                                  uint64_t speed)
{
    uint32_t most =
        speed < FARM_SPEED_MAX ? (uint32_t)speed : (uint32_t)FARM_SPEED_MAX;

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* Returns the time, ps, in which all members together compute one unit. The
   slowest farm, with `speeds` 1, takes compute_ps * FARM_SPEED_ONE. */
static inline uint64_t farm_unit_ps(const struct farm *farm)
{
    return farm->compute_ps * FARM_SPEED_ONE / farm->speeds;
}

/* Sets the speed of a member whose chunk of `units` >= 1 took compute_ps, and
   adds the chunk to seen_ps and seen_units. First farm->call_ps is taken off
   compute_ps, or compute_ps / 2 if that is less. If the time of a unit varies,
   the speed stays. About 160 instructions. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Takes the member's next chunk off the load. Returns the chunk's units: 0 if
   nothing is left. About 130 instructions. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes `units`, or all that is left, off the load. Returns the units taken. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* Takes a slice off the load: units that the originator, `member`, computes
   between two demands. Returns the units of the slice: 0 if nothing is left.
   The originator computes a slice in a quarter of the time that the chunk of
   last_units takes its member. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/* Returns a farm's rough time, ps, from the send of the first chunk until the
   last unit is computed. Three times are added: startup_ps, which is at most
   PLANNER_TIME_MAX_PS; the time to serve two demands of each member and of each
   node of one master's group; and the load's compute time on all nodes or its
   transfer time through the originator's ports, whichever is longer. Returns
   UINT64_MAX if this longer time is about 2^63 ps or more. */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
