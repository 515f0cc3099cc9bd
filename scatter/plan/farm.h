/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many units a member of a farm gets as its next chunk. Members are the
 * nodes that compute: workers and the originator. Chunks are in proportion to
 * the speed that a member showed; they begin small, grow, and then fall with
 * what is left of the load. Gonzalez-Velez and Cole 2010 cut chunks of
 * floor(S F_i / k + 1/2) units with F_i = v_i / sum_j v_j; the bounds and the
 * growth are this project's.
 *
 *   S      units left          v_i   speed of member i: 1 / its time for a unit
 *   n      members             c     the originator's time to serve a demand
 *   k      installment: how many chunks a member's part of S is cut into
 *   a      time of a chunk besides its units
 *
 * - The installment's chunk is S v_i / (k sum_j v_j) units. Every member holds
 *   a second chunk in stock while it computes, and k counts both.
 * - The least chunk has the units of the time 2 (n c + a): demands of n members
 *   then keep the originator busy for half of its time, and a is at most a
 *   third of a chunk's time. A least chunk of more than three
 *   installment's chunks is cut to three of these, but not below a third of
 *   itself: the end of the load is shared out better in small chunks.
 * - The first chunk of a member is a quarter of the least one, and each chunk
 *   is at most four times the chunk before, so that no member holds two large
 *   chunks before its speed is known.
 * - most_units bounds a chunk from above, so that its units fit memory, and
 *   `floor` from below, so that the head of each chunk's output does.
 *
 *   units |         __           from a quarter of the least, times 4 each;
 *         |      __-  -__        then the installment's;
 *         |   __-        -_____  then the least, or three installments
 *         |__-                 -__
 *         +------------------------> chunks of one member
 *
 * Where a unit's time depends on its data (`varies`), the time of a chunk does
 * not tell that of the next: all speeds stay FARM_SPEED_ONE, the growth is not
 * bounded, and the least chunk has the units of n c + a by the mean time of
 * units computed so far. It is one unit until the units computed exceed half of
 * those left, because the first units may all be cheap.
 *
 * In a farm of many members some are masters: a master serves a group of
 * workers. Its speed is the sum of the speeds of its group and itself, and it
 * cuts its chunks for the group by these rules, where S counts all units that
 * the group may expect.
 */
#ifndef SCATTER_PLAN_FARM_H
#define SCATTER_PLAN_FARM_H

#include "scatter/plan/job.h"

/* Values of k if the job's installment is 0. DEAR: the transfer of the load
   takes more than a tenth of its compute time. */
#define FARM_INSTALLMENT 4
#define FARM_INSTALLMENT_DEAR 3

struct farm {
    uint64_t compute_ps; /* time of a unit at speed FARM_SPEED_ONE */
    uint64_t call_ps;    /* a */
    uint64_t speeds;     /* sum of the speeds of all members */
    uint64_t least;      /* least chunk at speed FARM_SPEED_ONE, in 1 /
                            FARM_SPEED_ONE unit */
    /* The chunk whose time farm_slice() divides; before the first chunk the
       whole load. */
    uint32_t last_units;
    uint32_t last_speed; /* speed of the chunk's member */
    /* With masters: the shortest chunk, in time, of the last `noted` chunks. */
    uint32_t short_units;
    uint32_t short_speed; /* speed of the chunk's member */
    uint32_t noted;       /* 0 .. members - 1 */
    uint32_t members;     /* n */
    uint32_t left;        /* units that no member has been given */
    uint32_t most;        /* units of a chunk at most */
    uint64_t demands_ps;  /* n c + a */
    uint64_t seen_ps;     /* compute time of seen_units, summed over members */
    uint32_t seen_units;  /* units computed so far */
    uint32_t floor;       /* units of a chunk or slice at least, except a
                             member's first chunks and the end of the load;
                             farm_init() sets 0 */
    uint32_t ahead;       /* in a master's farm: units of S that the master has
                             not received yet; farm_init() sets 0 */
    uint8_t installment;  /* k */
    bool masters;         /* members are masters, or this is a master's farm */
    bool varies;          /* a unit's time depends on its data */
    uint8_t growth;       /* a chunk has at most `growth` times the units of the
                             member's chunk before */
};

/* A node that computes: a worker, a master for its group, or the originator. */
struct farm_member {
    uint32_t speed; /* 1 .. FARM_SPEED_MAX; FARM_SPEED_ONE if a unit takes
                       the member farm->compute_ps */
    uint32_t
        chunk_units; /* units of the last chunk; 0 before the first chunk */
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
   compute_ps. Of this time call_ps, or half of the time if call_ps is more, is
   not counted for the units. If the time of a unit varies, the function adds to
   seen_ps and seen_units only. About 160 instructions. */
void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps);

/* Takes the member's next chunk off the load. Returns the chunk's units: 0 if
   nothing is left. About 130 instructions. */
uint32_t farm_next(struct farm *farm, struct farm_member *member);

/* Takes `units`, or all that is left, off the load. Returns the units taken. */
uint32_t farm_take(struct farm *farm, uint64_t units);

/* Takes the originator's next slice off the load and returns its units. The
   originator, `member`, serves demands between slices. A slice lasts a quarter
   of the time of the last chunk, or with masters of the shortest recent chunk:
   the chunk's member sends its next demand after this time. */
uint32_t farm_slice(struct farm *farm, const struct farm_member *member);

/*
 * Returns a farm's rough time, ps, from the first chunk's send to the last unit
 * computed. It is the sum of startup_ps, at most PLANNER_TIME_MAX_PS; of the
 * compute time of the load on all nodes or the load's time through the
 * originator's ports, whichever is longer; and of two demands of each member
 * and of each node of one master's group. UINT64_MAX if the sum exceeds 2^63.
 */
uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps);

#endif
