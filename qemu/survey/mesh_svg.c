/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a mesh: one pixel of an SVG is one here. */
#include "qemu/survey/mesh_map.h"

#define CELL 128
#define HALF 30   /* of a node's box */
#define STUB 26   /* of a cable that leads around, beyond its port */
#define REACH 92  /* how far a wrong cable bends out of its port */
#define MARGIN 76 /* around the grid, with the stubs and their words */
#define HEAD 24
#define LINE 18 /* of text */

struct point {
    int x;
    int y;
};

/* Out of a port, in the picture, where y falls. */
static const struct point direction[TORUS_PORTS] = {
    {1, 0}, {0, -1}, {-1, 0}, {0, 1}};

static struct point center(const struct mesh_map *map, struct torus_coord at)
{
    return (struct point){MARGIN + CELL / 2 + at.x * CELL,
                          HEAD + MARGIN + CELL / 2 +
                              (map->size.height - 1 - at.y) * CELL};
}

/* So far out of a port's place at the box. */
static struct point port_point(const struct mesh_map *map,
                               struct torus_coord at, unsigned port, int out)
{
    struct point middle = center(map, at);

    return (struct point){middle.x + direction[port].x * (HALF + out),
                          middle.y + direction[port].y * (HALF + out)};
}

static bool wraps(const struct mesh_map *map, struct torus_coord at,
                  unsigned port)
{
    return (port == TORUS_EAST && at.x + 1 == map->size.width) ||
           (port == TORUS_WEST && at.x == 0) ||
           (port == TORUS_NORTH && at.y + 1 == map->size.height) ||
           (port == TORUS_SOUTH && at.y == 0);
}

static const char port_letters[] = "ENWS";

/* ---- cables ---- */

/* The fault of the cable at a port that this end reports; else the other end's,
   unless that is only that its neighbour is busy. NULL: none. */
static const struct discover_fault *
fault_of(const struct mesh_map *map, struct torus_coord at, unsigned port)
{
    const struct discover_fault *fault = mesh_map_fault(map, at, port);
    const struct discover_fault *other =
        mesh_map_fault(map, torus_step(map->size, at, (enum torus_port)port, 1),
                       torus_opposite((enum torus_port)port));

    return fault == NULL && other != NULL && other->code != DISCOVER_BUSY
               ? other
               : fault;
}

/* Half a cable, from the port to where the other half begins. */
static void draw_half(FILE *out, const struct mesh_map *map,
                      struct torus_coord at, unsigned port)
{
    const struct discover_fault *fault = fault_of(map, at, port);
    bool around = wraps(map, at, port);
    struct point from = port_point(map, at, port, 0);
    struct point to =
        port_point(map, at, port, around ? STUB : CELL / 2 - HALF);

    fprintf(out, "<path class=\"%s\" d=\"M%d %dL%d %d\"/>\n",
            fault == NULL                   ? "cable"
            : fault->code == DISCOVER_NOISY ? "noisy"
                                            : "gap",
            from.x, from.y, to.x, to.y);
    if (around) {
        struct torus_coord far =
            torus_step(map->size, at, (enum torus_port)port, 1);
        struct point word = port_point(map, at, port, STUB + 14);

        fprintf(out, "<text class=\"to\" x=\"%d\" y=\"%d\">%u,%u</text>\n",
                word.x, word.y + 4, far.x, far.y);
    }
}

/* The text of a fault in a short label. */
static void label_text(char *text, size_t room,
                       const struct discover_fault *fault)
{
    switch (fault->code) {
    case DISCOVER_NOISY:
        snprintf(text, room, "%u of %u lost", fault->count, DISCOVER_TESTS);
        break;
    case DISCOVER_MISSING:
        snprintf(text, room, "missing");
        break;
    case DISCOVER_BUSY:
        snprintf(text, room, "busy");
        break;
    default:
        if (discover_leads(fault) && fault->other_port < TORUS_PORTS) {
            snprintf(text, room, "to %u,%u %c", fault->other_x, fault->other_y,
                     port_letters[fault->other_port]);
        } else {
            snprintf(text, room, "wrong");
        }
    }
}

/* Beside the cable, nearer to its port, so that the labels of both ends do not
   meet. */
static void draw_label(FILE *out, const struct mesh_map *map,
                       struct torus_coord at, unsigned port)
{
    const struct discover_fault *fault = mesh_map_fault(map, at, port);
    struct point where = port_point(map, at, port, 14);
    bool level = direction[port].y == 0;
    char text[32];

    if (fault == NULL) {
        return;
    }
    label_text(text, sizeof text, fault);
    fprintf(out,
            "<text class=\"wrong\" x=\"%d\" y=\"%d\" "
            "text-anchor=\"%s\">%s</text>\n",
            where.x + (level ? 0 : 6),
            where.y + (level ? (port == TORUS_EAST ? -6 : 16) : 4),
            level ? "middle" : "start", text);
}

/* Of both ends that tell of the same cable, one draws it. */
static bool draws(const struct mesh_map *map,
                  const struct discover_fault *fault)
{
    struct torus_coord at = {fault->x, fault->y};
    struct torus_coord to = {fault->other_x, fault->other_y};
    const struct discover_fault *back =
        mesh_map_fault(map, to, fault->other_port);
    bool both = back != NULL && discover_leads(back) && back->other_x == at.x &&
                back->other_y == at.y && back->other_port == fault->port;

    return !both ||
           torus_index(map->size, at) * TORUS_PORTS + fault->port <=
               torus_index(map->size, to) * TORUS_PORTS + fault->other_port;
}

/* A cable that leads where it should not. */
static void draw_wrong(FILE *out, const struct mesh_map *map,
                       const struct discover_fault *fault)
{
    struct torus_coord at = {fault->x, fault->y};
    struct torus_coord to = {fault->other_x, fault->other_y};
    struct point a = port_point(map, at, fault->port, 0);
    struct point b = port_point(map, to, fault->other_port, 0);
    struct point out_a = port_point(map, at, fault->port, REACH);
    struct point out_b = port_point(map, to, fault->other_port, REACH);

    fprintf(out, "<path class=\"miswired\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
            a.x, a.y, out_a.x, out_a.y, out_b.x, out_b.y, b.x, b.y);
}

static bool is_cable(const struct mesh_map *map,
                     const struct discover_fault *fault)
{
    return fault->port < TORUS_PORTS && discover_leads(fault) &&
           fault->other_port < TORUS_PORTS && fault->x < map->size.width &&
           fault->y < map->size.height && fault->other_x < map->size.width &&
           fault->other_y < map->size.height;
}

/* ---- nodes ---- */

static const char *node_class(const struct mesh_map *map, uint32_t index)
{
    struct torus_coord at = torus_coord_of(map->size, index);
    uint32_t first = torus_index(map->size, map->originator);

    if (mesh_map_is_missing(map, at) ||
        (map->identity != NULL && !map->identity[index].known)) {
        return "absent";
    }
    if (mesh_map_fault(map, at, TORUS_PORTS) != NULL ||
        (map->identity != NULL && map->identity[index].unfit[0] != '\0')) {
        return "odd";
    }
    return index == first ? "first" : "node";
}

static void draw_node(FILE *out, const struct mesh_map *map, uint32_t index)
{
    struct torus_coord at = torus_coord_of(map->size, index);
    struct point middle = center(map, at);

    fprintf(out,
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "rx=\"6\"/>\n"
            "<text class=\"place\" x=\"%d\" y=\"%d\">%u,%u</text>\n",
            node_class(map, index), middle.x - HALF, middle.y - HALF, 2 * HALF,
            2 * HALF, middle.x, middle.y + 5, at.x, at.y);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct point letter = port_point(map, at, port, -9);

        fprintf(out, "<text class=\"port\" x=\"%d\" y=\"%d\">%c</text>\n",
                letter.x, letter.y + 3, port_letters[port]);
    }
}

/* ---- the picture ---- */

static const char style[] =
    "<style>\n"
    "text{font-family:sans-serif;font-size:14px;fill:#222}\n"
    ".title{font-size:18px;font-weight:bold}\n"
    ".place{text-anchor:middle;font-weight:bold}\n"
    ".port,.to{text-anchor:middle;font-size:10px;fill:#777}\n"
    ".wrong,.fault{fill:#c00000}\n"
    ".wrong{font-size:11px;stroke:#fff;stroke-width:3;paint-order:stroke}\n"
    "path{fill:none}\n"
    ".cable{stroke:#4a6a8a;stroke-width:3}\n"
    ".noisy{stroke:#c00000;stroke-width:3}\n"
    ".gap{stroke:#c00000;stroke-width:2;stroke-dasharray:3 4}\n"
    ".miswired{stroke:#c00000;stroke-width:3;stroke-opacity:.8}\n"
    "rect{stroke:#4a6a8a;stroke-width:2;fill:#eef3f8}\n"
    ".first{fill:#cfe0f0;stroke-width:4}\n"
    ".odd{stroke:#c00000;stroke-width:3}\n"
    ".absent{stroke:#c00000;stroke-dasharray:4 4;fill:#fff}\n"
    ".page{stroke:none;fill:#fff}\n"
    "</style>\n";

/* Lines of text below the grid: faults, then nodes that are unfit or silent. */
static unsigned list(FILE *out, const struct mesh_map *map, int top)
{
    uint32_t count = torus_nodes(map->size);
    unsigned lines = 0;
    char text[FAULT_TEXT_BYTES];

    for (uint32_t i = 0; i < map->faults; ++i, ++lines) {
        if (out != NULL) {
            (void)fault_text(text, map->size, &map->fault[i]);
            fprintf(out, "<text class=\"fault\" x=\"20\" y=\"%d\">%s</text>\n",
                    top + (int)lines * LINE, text);
        }
    }
    for (uint32_t i = 0; map->identity != NULL && i < count; ++i) {
        const struct identity *its = &map->identity[i];
        struct torus_coord at = torus_coord_of(map->size, i);

        if (its->known && its->unfit[0] == '\0') {
            continue;
        }
        if (out != NULL) {
            fprintf(out,
                    "<text class=\"fault\" x=\"20\" y=\"%d\">(%u,%u) %s"
                    "</text>\n",
                    top + (int)lines * LINE, at.x, at.y,
                    its->known ? its->unfit : "does not answer");
        }
        lines += 1;
    }
    return lines;
}

/* Over the nodes: they may have to pass some. */
static void draw_wrong_cables(FILE *out, const struct mesh_map *map)
{
    for (uint32_t i = 0; i < map->faults; ++i) {
        if (is_cable(map, &map->fault[i]) && draws(map, &map->fault[i])) {
            draw_wrong(out, map, &map->fault[i]);
        }
    }
}

static void draw_cables(FILE *out, const struct mesh_map *map)
{
    uint32_t ports = torus_nodes(map->size) * TORUS_PORTS;

    for (uint32_t i = 0; i < ports; ++i) {
        draw_half(out, map, torus_coord_of(map->size, i / TORUS_PORTS),
                  i % TORUS_PORTS);
    }
}

void mesh_map_svg(FILE *out, const struct mesh_map *map)
{
    uint32_t count = torus_nodes(map->size);
    int below = HEAD + 2 * MARGIN + map->size.height * CELL;
    int width = 2 * MARGIN + map->size.width * CELL;
    int height = below + (int)list(NULL, map, 0) * LINE + 10;

    width = width > 560 ? width : 560; /* of the words */
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\">\n%s"
            "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n"
            "<text class=\"title\" x=\"20\" y=\"32\">%ux%u torus, originator "
            "%u,%u: %s</text>\n",
            width, height, width, height, style, width, height, map->size.width,
            map->size.height, map->originator.x, map->originator.y,
            map->faults == 0 ? "all cables are right" : "not as it should be");
    draw_cables(out, map);
    for (uint32_t i = 0; i < count; ++i) {
        draw_node(out, map, i);
    }
    draw_wrong_cables(out, map);
    for (uint32_t i = 0; i < count * TORUS_PORTS; ++i) {
        draw_label(out, map, torus_coord_of(map->size, i / TORUS_PORTS),
                   i % TORUS_PORTS);
    }
    (void)list(out, map, below);
    fputs("</svg>\n", out);
}
