/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/fault_text.h"

#include <stdio.h>

/* Writes a place such as "(3,1) east"; without the port if its number is
   invalid. */
static int put_place(char *out, size_t room, unsigned x, unsigned y,
                     unsigned port)
{
    return snprintf(out, room, "(%u,%u)%s%s", x, y,
                    port < TORUS_PORTS ? " " : "",
                    port < TORUS_PORTS ? torus_port_names[port] : "");
}

static int put_ends(char *out, size_t room, struct torus_size size,
                    const struct discover_fault *fault)
{
    enum torus_port port = (enum torus_port)(fault->port % TORUS_PORTS);
    struct torus_coord right =
        torus_step(size, (struct torus_coord){fault->x, fault->y}, port, 1);
    char leads[32];
    char should[32];

    put_place(leads, sizeof leads, fault->other_x, fault->other_y,
              fault->other_port);
    put_place(should, sizeof should, right.x, right.y, torus_opposite(port));
    return snprintf(out, room, "leads to %s%s, not to %s", leads,
                    fault->code == DISCOVER_DOUBLED ? ", as another port does"
                                                    : "",
                    should);
}

static int put_fault(char *out, size_t room, struct torus_size size,
                     const struct discover_fault *fault)
{
    bool wide = fault->port == TORUS_EAST;

    switch (fault->code) {
    case DISCOVER_MISSING:
        return snprintf(out, room, "nobody answers");
    case DISCOVER_MISWIRED:
    case DISCOVER_DOUBLED:
        return put_ends(out, room, size, fault);
    case DISCOVER_NOISY:
        return snprintf(out, room, "test frames lost: %u", fault->count);
    case DISCOVER_BUSY:
        return snprintf(out, room, "the neighbour is busy");
    case DISCOVER_STRAP:
        return snprintf(out, room, "the strap says (%u,%u)", fault->other_x,
                        fault->other_y);
    case DISCOVER_SIZE:
        return snprintf(out, room, "the mesh is %u nodes %s, not %u",
                        fault->count, wide ? "wide" : "high",
                        wide ? size.width : size.height);
    case DISCOVER_TWISTED:
        return snprintf(out, room,
                        "rows or columns are swapped: going round leads %u "
                        "aside",
                        fault->count);
    default:
        return snprintf(out, room, "unknown fault");
    }
}

unsigned fault_text(char out[FAULT_TEXT_BYTES], struct torus_size size,
                    const struct discover_fault *fault)
{
    int bytes =
        put_place(out, FAULT_TEXT_BYTES, fault->x, fault->y, fault->port);

    bytes += snprintf(out + bytes, FAULT_TEXT_BYTES - (size_t)bytes, ": ");
    bytes +=
        put_fault(out + bytes, FAULT_TEXT_BYTES - (size_t)bytes, size, fault);
    return (unsigned)bytes;
}
