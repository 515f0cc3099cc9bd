/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the picture of a mesh. Lengths are in pixels. */
#include "qemu/serial/mesh_map.h"

#define CELL 128
#define HALF 30   /* half the width of a node's box */
#define STUB 26   /* length of the stub of a cable around the edge */
#define REACH 92  /* distance of a wrong cable's bend from its port */
#define MARGIN 76 /* border around the grid, for stubs and texts */
#define HEAD 24
#define LINE 18 /* height of a line of text */

struct point {
    int x;
    int y;
};

/* Direction of each port on the picture, where y points down. */
static const struct point direction[TORUS_PORTS] = {
    {1, 0}, {0, -1}, {-1, 0}, {0, 1}};

/* Returns the point that lies `out` pixels outside a port; -HALF: the node's
   centre. */
static struct point port_point(const struct mesh_map *map,
                               struct torus_coord at, unsigned port, int out)
{
    int row = map->size.height - 1 - at.y;

    return (struct point){MARGIN + CELL / 2 + at.x * CELL +
                              direction[port].x * (HALF + out),
                          HEAD + MARGIN + CELL / 2 + row * CELL +
                              direction[port].y * (HALF + out)};
}

static const char port_letters[] = "ENWS";

/* ---- cables ---- */

/* Returns the fault that a cable's end at this port reports, or else the fault
   of its other end, unless that only reports this node as busy. Returns NULL if
   there is none. */
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

/* Draws half of a cable, from a port to the middle. */
static void draw_half(FILE *out, const struct mesh_map *map,
                      struct torus_coord at, unsigned port)
{
    const struct discover_fault *fault = fault_of(map, at, port);
    struct torus_coord to = torus_step(map->size, at, (enum torus_port)port, 1);
    bool around =
        (to.x - at.x) * direction[port].x <= (to.y - at.y) * direction[port].y;
    struct point begin = port_point(map, at, port, 0);
    struct point end =
        port_point(map, at, port, around ? STUB : CELL / 2 - HALF);

    fprintf(out, "<path class=\"%s\" d=\"M%d %dL%d %d\"/>\n",
            fault == NULL                   ? "cable"
            : fault->code == DISCOVER_NOISY ? "noisy"
                                            : "gap",
            begin.x, begin.y, end.x, end.y);
    if (around) {
        struct point word = port_point(map, at, port, STUB + 14);

        fprintf(out, "<text class=\"to\" x=\"%d\" y=\"%d\">%u,%u</text>\n",
                word.x, word.y + 4, to.x, to.y);
    }
}

static bool is_cable(const struct discover_fault *fault)
{
    return discover_leads(fault) && fault->port < TORUS_PORTS &&
           fault->other_port < TORUS_PORTS;
}

/* Writes the fault of a port beside it, where it does not overlap the text of
   the cable's other end. */
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
    if (fault->code == DISCOVER_NOISY) {
        snprintf(text, sizeof text, "%u of %u lost", fault->count,
                 DISCOVER_TESTS);
    } else if (is_cable(fault)) {
        snprintf(text, sizeof text, "to %u,%u %c", fault->other_x,
                 fault->other_y, port_letters[fault->other_port]);
    } else {
        snprintf(text, sizeof text, "%s",
                 fault->code == DISCOVER_MISSING ? "missing"
                 : fault->code == DISCOVER_BUSY  ? "busy"
                                                 : "wrong");
    }
    fprintf(out,
            "<text class=\"wrong\" x=\"%d\" y=\"%d\" "
            "text-anchor=\"%s\">%s</text>\n",
            where.x + (level ? 0 : 6),
            where.y + (level ? (port == TORUS_EAST ? -6 : 16) : 4),
            level ? "middle" : "start", text);
}

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

/* ---- nodes ---- */

static const char *complaint(const struct mesh_map *map, uint32_t index)
{
    const struct identity *its =
        map->identity != NULL ? &map->identity[index] : NULL;

    if (its == NULL || (its->known && its->unfit[0] == '\0')) {
        return NULL;
    }
    return its->known ? its->unfit : "does not answer";
}

static const char *node_class(const struct mesh_map *map, uint32_t index)
{
    struct torus_coord at = torus_coord_of(map->size, index);
    uint32_t first = torus_index(map->size, map->originator);

    if (mesh_map_is_missing(map, at) ||
        (map->identity != NULL && !map->identity[index].known)) {
        return "absent";
    }
    if (mesh_map_fault(map, at, TORUS_PORTS) != NULL ||
        complaint(map, index) != NULL) {
        return "odd";
    }
    return index == first ? "first" : "node";
}

static void draw_node(FILE *out, const struct mesh_map *map, uint32_t index)
{
    struct torus_coord at = torus_coord_of(map->size, index);
    struct point middle = port_point(map, at, TORUS_EAST, -HALF);

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

static void list(FILE *out, const struct mesh_map *map, int y)
{
    char text[FAULT_TEXT_BYTES];

    for (uint32_t i = 0; i < map->faults; ++i, y += LINE) {
        (void)fault_text(text, map->size, &map->fault[i]);
        fprintf(out, "<text class=\"fault\" x=\"20\" y=\"%d\">%s</text>\n", y,
                text);
    }
    for (uint32_t i = 0; i < torus_nodes(map->size); ++i) {
        struct torus_coord at = torus_coord_of(map->size, i);

        if (complaint(map, i) != NULL) {
            fprintf(out,
                    "<text class=\"fault\" x=\"20\" y=\"%d\">(%u,%u) %s"
                    "</text>\n",
                    y, at.x, at.y, complaint(map, i));
            y += LINE;
        }
    }
}

static void draw_grid(FILE *out, const struct mesh_map *map)
{
    uint32_t ports = torus_nodes(map->size) * TORUS_PORTS;

    for (uint32_t i = 0; i < ports; ++i) {
        draw_half(out, map, torus_coord_of(map->size, i / TORUS_PORTS),
                  i % TORUS_PORTS);
    }
    for (uint32_t i = 0; i < ports / TORUS_PORTS; ++i) {
        draw_node(out, map, i);
    }
    for (uint32_t i = 0; i < map->faults; ++i) {
        if (is_cable(&map->fault[i])) {
            draw_wrong(out, map, &map->fault[i]);
        }
    }
    for (uint32_t i = 0; i < ports; ++i) {
        draw_label(out, map, torus_coord_of(map->size, i / TORUS_PORTS),
                   i % TORUS_PORTS);
    }
}

void mesh_map_svg(FILE *out, const struct mesh_map *map)
{
    int below = HEAD + 2 * MARGIN + map->size.height * CELL;
    int width = 2 * MARGIN + map->size.width * CELL;
    int height = below + (int)map->faults * LINE + 10;

    for (uint32_t i = 0; i < torus_nodes(map->size); ++i) {
        height += complaint(map, i) != NULL ? LINE : 0;
    }
    width = width > 560 ? width : 560; /* least width, for the texts below */
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\">\n%s"
            "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n"
            "<text class=\"title\" x=\"20\" y=\"32\">%ux%u torus, originator "
            "%u,%u: %s</text>\n",
            width, height, width, height, style, width, height, map->size.width,
            map->size.height, map->originator.x, map->originator.y,
            map->faults == 0 ? "all cables are right" : "not as it should be");
    draw_grid(out, map);
    list(out, map, below);
    fputs("</svg>\n", out);
}
