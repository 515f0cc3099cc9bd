/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a mesh as people read them. */
#include "hal/discover/discover.h"

struct line {
    char *out; /* room for DISCOVER_TEXT_BYTES */
    unsigned bytes;
};

static void put(struct line *line, const char *text)
{
    while (*text != '\0' && line->bytes < DISCOVER_TEXT_BYTES - 1) {
        line->out[line->bytes] = *text;
        line->bytes += 1;
        text += 1;
    }
}

static void put_number(struct line *line, unsigned number)
{
    char digits[4] = {(char)('0' + number / 100 % 10),
                      (char)('0' + number / 10 % 10), (char)('0' + number % 10),
                      '\0'};

    put(line, digits + (number < 100) + (number < 10));
}

static void put_place(struct line *line, unsigned x, unsigned y, unsigned port)
{
    put(line, "(");
    put_number(line, x);
    put(line, ",");
    put_number(line, y);
    put(line, ")");
    if (port < TORUS_PORTS) {
        put(line, " ");
        put(line, torus_port_names[port]);
    }
}

/* Writes the port that a cable leads to, and the one that it should lead to. */
static void put_ends(struct line *line, struct torus_size size,
                     const struct discover_fault *fault)
{
    enum torus_port port = (enum torus_port)(fault->port % TORUS_PORTS);
    struct torus_coord right =
        torus_step(size, (struct torus_coord){fault->x, fault->y}, port, 1);

    put(line, " leads to ");
    put_place(line, fault->other_x, fault->other_y, fault->other_port);
    if (fault->code == DISCOVER_DOUBLED) {
        put(line, ", as another port does");
    }
    put(line, ", not to ");
    put_place(line, right.x, right.y, torus_opposite(port));
}

static void put_size(struct line *line, struct torus_size size,
                     const struct discover_fault *fault)
{
    bool wide = fault->port == TORUS_EAST;

    put(line, " the mesh is ");
    put_number(line, fault->count);
    put(line, wide ? " nodes wide, not " : " nodes high, not ");
    put_number(line, wide ? size.width : size.height);
}

static void put_fault(struct line *line, struct torus_size size,
                      const struct discover_fault *fault)
{
    switch (fault->code) {
    case DISCOVER_MISSING:
        put(line, " nobody answers");
        break;
    case DISCOVER_MISWIRED:
    case DISCOVER_DOUBLED:
        put_ends(line, size, fault);
        break;
    case DISCOVER_NOISY:
        put(line, " test frames lost: ");
        put_number(line, fault->count);
        break;
    case DISCOVER_BUSY:
        put(line, " the neighbour is busy");
        break;
    case DISCOVER_STRAP:
        put(line, " the strap says ");
        put_place(line, fault->other_x, fault->other_y, TORUS_PORTS);
        break;
    case DISCOVER_SIZE:
        put_size(line, size, fault);
        break;
    case DISCOVER_TWISTED:
        put(line, " rows or columns are swapped: going round leads ");
        put_number(line, fault->count);
        put(line, " aside");
        break;
    default:
        put(line, " unknown fault");
        break;
    }
}

unsigned discover_text(char out[DISCOVER_TEXT_BYTES], struct torus_size size,
                       const struct discover_fault *fault)
{
    struct line line = {out, 0};

    put_place(&line, fault->x, fault->y, fault->port);
    put(&line, ":");
    put_fault(&line, size, fault);
    out[line.bytes] = '\0';
    return line.bytes;
}
