/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes of the whole firmware: 0 is success, errors are negative. */
#ifndef HAL_ERR_H
#define HAL_ERR_H

enum err {
    ERR_OK = 0,
    ERR_NO_ROUTE = -1,  /* the path leaves the mesh or has no hops */
    ERR_PORT_BUSY = -2, /* the port's send queue is full */
    ERR_BUFFER = -3,    /* buffer too small, or outside the DMA window */
    ERR_CORRUPT = -4,   /* CRC over header and payload does not match */
    ERR_DEAD_LINK = -5, /* a link of the path is down */
    ERR_PROTOCOL = -6,  /* wrong version, mesh, job, kind or length */
    ERR_KERNEL = -7,    /* no such kernel, or it wants too much memory */
    ERR_ARGUMENT = -8,  /* the kernel refuses its argument */
    ERR_EMPTY = -9,     /* a load of no units */
    ERR_MEMORY = -10,   /* the load does not fit the node's memory */
    ERR_PHASES = -11,   /* more phases than are feasible */
    ERR_RANGE = -12,    /* a number outside its stated range */
    ERR_ABSENT = -13    /* this image was built without it */
};

#endif
