/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other ranks that are made up, in place of MPI (qemu/ranks/transport.h): what
 * they send is in the file RANKS_SCRIPT, message by message: from, bytes, and
 * data. What is sent to them goes to standard output.
 */
#include "qemu/ranks/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *script;

static int begin(unsigned *rank, unsigned *ranks)
{
    *rank = (unsigned)atoi(getenv("OMPI_COMM_WORLD_RANK"));
    *ranks = (unsigned)atoi(getenv("OMPI_COMM_WORLD_SIZE"));
    script = fopen(getenv("RANKS_SCRIPT"), "rb");
    return script != NULL ? 0 : -1;
}

static void send(unsigned to, void *data, size_t bytes)
{
    (void)to;
    (void)!write(STDOUT_FILENO, data, bytes);
    free(data);
}

static void *receive(unsigned *from, size_t *bytes)
{
    uint32_t head[2];
    void *data;

    if (fread(head, sizeof head, 1, script) != 1) {
        return NULL;
    }
    *from = head[0];
    *bytes = head[1];
    data = malloc(*bytes);
    return fread(data, 1, *bytes, script) == *bytes ? data : NULL;
}

static bool sent(void)
{
    return true;
}

static void end(void)
{
    fclose(script);
}

const struct transport ranks_transport = {.version = TRANSPORT_VERSION,
                                          .begin = begin,
                                          .send = send,
                                          .receive = receive,
                                          .sent = sent,
                                          .end = end,
                                          .abort = _exit};
