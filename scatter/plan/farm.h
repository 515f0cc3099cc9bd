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
 * - The least chunk is what the member computes in the time 2 (n c + a). A
 *   least chunk of more than three shares becomes three shares, but at least a
 *   third of the least chunk.
 * - The first chunk of a member is a quarter of the least chunk. Each later
 *   chunk is at most four times the member's chunk before.
 * - most_units bounds a chunk from above: memory must fit its units. `floor`
 *   bounds it from below: memory must fit the heads of outputs of all chunks.
 *
 *   units |         __           from a quarter of the least, times 4 each;
 *         |      __-  -__        then the share;
 *         |   __-        -_____  then the least chunk, or three shares
 *         |__-                 -__
 *         +------------------------> chunks of one member
 *
 * If a unit's time depends on its data (`varies`), all speeds stay
 * FARM_SPEED_ONE and the growth is not bounded. The least chunk is then what a
 * member computes in n c + a at the mean time of the units computed so far. It
 * is one unit until the units computed exceed half of the units left.
 *
 * In a farm of many members some members are masters. A master serves a group
 * of workers. Its speed is the sum of the speeds of its group and itself. It
 * cuts its chunks for the group by the same rules.
 */
#ifndef SCATTER_PLAN_FARM_H
#define SCATTER_PLAN_FARM_H

#include "scatter/plan/job.h"

/* Usual installments k. _DEAR: transfers take over a tenth of compute time. */
#define FARM_INSTALLMENT 4
#define FARM_INSTALLMENT_DEAR 3

struct farm {
    uint64_t compute_ps; /* time of a unit at speed FARM_SPEED_ONE */
    uint64_t call_ps;    /* time of a chunk besides the time of its units */
    uint64_t speeds;     /* sum of farm_member.speed of all members */
    uint64_t least;      /* least chunk at FARM_SPEED_ONE; 65536: one unit */
    /* Units of the chunk whose time farm_slice() divides. */
    uint32_t last_units;
    uint32_t last_speed; /* speed of the member that got last_units */
    /* With masters: units of the chunk of least time among `noted` chunks. */
    uint32_t short_units;
    uint32_t short_speed; /* speed of the member that got short_units */
    uint32_t noted;       /* chunks counted: 0 .. members - 1 */
    uint32_t members;     /* number of members */
    uint32_t left;        /* units of the load that no member was given */
    uint32_t most;        /* most units of a chunk */
    uint64_t demands_ps;  /* call_ps + members * time to serve a demand */
    uint64_t seen_ps;     /* compute time of seen_units, summed over members */
    uint32_t seen_units;  /* units that all members have computed so far */
    uint32_t floor;       /* least units of a chunk or slice; at first 0 */
    uint32_t ahead;       /* units that a master's group still expects */
    uint8_t installment;  /* the installment k */
    bool masters;   /* some members are masters, or the farm is a master's */
    bool varies;    /* a unit's time depends on its data */
    uint8_t growth; /* most times the units of the chunk before */
};

/* A node that computes: a worker, a master for its group, or the originator. */
struct farm_member {
    uint32_t speed;       /* units in farm->compute_ps, times FARM_SPEED_ONE */
    uint32_t chunk_units; /* planned units of the last chunk; 0: none */
};

#define FARM_SPEED_ONE 65536u
#define FARM_SPEED_MAX (1u << 28)

/* Sets up the farm of a job: job->nodes members of speed FARM_SPEED_ONE. */
void farm_init(struct farm *farm, const struct plan_job *job);

/* Returns a member of speed FARM_SPEED_ONE that has had no chunk. */
static inline struct farm_member farm_member(void)
{
    return (struct farm_member){.speed = FARM_SPEED_ONE};
}

/* Lifts the bound of the first chunk for a member of known speed. */
static inline void farm_known(struct farm_member *member)
{
    member->chunk_units = UINT32_MAX;
}

/* Sets a member's speed, FARM_SPEED_MAX at most. speed: 1 or more. */
static inline void farm_set_speed(struct farm *farm, struct farm_member *member,
                                  uint64_t speed)
{
    uint32_t most =
        speed < FARM_SPEED_MAX ? (uint32_t)speed : (uint32_t)FARM_SPEED_MAX;

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* Returns the time, ps, in which all members together compute one unit. */
static inline uint64_t farm_unit_ps(const struct farm *farm)
{
    return farm->compute_ps * FARM_SPEED_ONE / farm->speeds;
}

/* Notes that a member's chunk of `units` >= 1 took compute_ps. Sets the
   member's speed, unless the time of a unit varies. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Takes the member's next chunk off the load. Returns the chunk's units: 0 if
   nothing is left. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes `units`, or all that is left, off the load. Returns the units taken. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* Takes a slice off the load: units that the originator, `member`, computes
   between two demands. Returns the units of the slice: 0 if nothing is left. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/* A server's log has room for FARM_LOGGED chunks of each worker, and takes
   1 / FARM_LOG_PART of its memory at most. */
#define FARM_LOGGED 64u
#define FARM_LOG_PART 20u
#define FARM_LOG_BYTES 12u

/* Returns the number of chunks for which a server's log has room. */
static inline uint32_t farm_log_most(uint32_t workers, uint32_t memory_bytes)
{
    uint32_t chunks = workers * FARM_LOGGED;
    uint32_t most = memory_bytes / (FARM_LOG_PART * FARM_LOG_BYTES);

    return chunks < most ? chunks : most;
}

/* Returns a farm's rough time, ps, from the send of the first chunk until the
   last unit is computed. startup_ps is at most PLANNER_TIME_MAX_PS. Returns
   UINT64_MAX if the time is about 2^63 ps or more. */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
