/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes of the firmware. A number never changes: hosts know its meaning.
   Old images send -6 in place of any of -14 to -22. */
#ifndef HAL_ERR_H
#define HAL_ERR_H

#include <stdbool.h>

enum err {
    ERR_OK = 0,
    ERR_NO_ROUTE = -1,  /* the path leaves the mesh or has no hops */
    ERR_PORT_BUSY = -2, /* the port's send queue is full */
    ERR_BUFFER = -3,    /* buffer too small, or outside the switch's memory */
    ERR_CORRUPT = -4,   /* CRC over header and payload does not match */
    ERR_DEAD_LINK = -5, /* a link of the path is down */
    ERR_KERNEL = -7,    /* no such kernel, or it wants too much memory */
    ERR_ARGUMENT = -8,  /* the kernel refuses its argument */
    ERR_EMPTY = -9,     /* a load of no units, or no further row */
    ERR_MEMORY = -10,   /* the load does not fit the node's memory */
    ERR_PHASES = -11,   /* no plan has the phases or rounds asked for */
    ERR_RANGE = -12,    /* an argument or a coordinate outside its range */
    ERR_POLICY = -13,   /* a job's policy is not this node's */
    /* Errors of messages. */
    ERR_VERSION = -14, /* the switch or a node's answer has another version */
    ERR_FOREIGN = -15, /* a header of another version, mesh, job or length */
    ERR_LENGTH = -16,  /* a message's length does not fit its fields */
    ERR_KIND = -17,    /* a message of a kind that is not expected here */
    ERR_FIELD = -18,   /* a field of a message is outside its range */
    ERR_PLACE = -19,   /* a message for another layer, port or round */
    ERR_IMAGE = -20,   /* the job's kernel is not in this image's table */
    ERR_PLAN = -21,    /* a plan's shares, volumes or branches disagree */
    ERR_TERMS = -22,   /* halo or result size differs from the kernel's */
    ERR_TIMEOUT = -23, /* no message came by the deadline */
    /* What a kernel did wrong; struct node_breach in hal/node.h tells more. */
    ERR_RESULT = -24, /* a result is longer than the terms say */
    ERR_OUTPUT = -25, /* an output is as long as the terms do not allow */
    ERR_MERGE = -26,  /* merge() refuses a result */
    /* Of lost nodes. */
    ERR_CALLED = -27, /* a call came: circuit_receive() */
    ERR_LOST = -28    /* units are missing, and not known which */
};

/* Whether the error is a breach, a kernel's that did not keep to its terms. */
static inline bool err_is_breach(int error)
{
    return error <= ERR_RESULT && error >= ERR_MERGE;
}

#endif
