/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/base/parse.h"
#include "torus/pattern.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    struct torus_size size;
    struct torus_coord originator;
    uint64_t phase;
    const char *phase_text; /* NULL: not given */
};

static const struct option_row rows[] = {
    {"torus", "SIDE", 0, OPTION_SIDE, OPTION_AT(struct options, size),
     .help = "Side of the torus: 5^k, 1 to 3125 (required)", .required = true},
    {"originator", "X,Y", 0, OPTION_COORD,
     OPTION_AT(struct options, originator),
     .help = "Node that holds the load (default 0,0)"},
    {"phase", "N", 0, OPTION_COUNT, OPTION_AT(struct options, phase),
     .help = "This phase only (default: all)",
     .text = offsetof(struct options, phase_text)}};

static void print_circuit(struct torus_size size, struct torus_coord from,
                          unsigned phase, enum torus_port port)
{
    struct torus_path path = torus_phase_path(size, phase, port);
    struct torus_coord end = torus_path_end(size, from, path);
    uint32_t hops = torus_path_hops(path);

    printf("%u\t%d,%d\t%d,%d", phase, from.x, from.y, end.x, end.y);
    for (uint32_t hop = 0; hop < hops; ++hop) {
        struct torus_coord to;

        if (hop == path.hops) {
            port = torus_after_turn(port, (enum torus_turn)path.turn);
        }
        to = torus_step(size, from, port, 1);
        printf("\t%d,%d-%d,%d", from.x, from.y, to.x, to.y);
        from = to;
    }
    putchar('\n');
}

static void print_phase(const struct options *options, unsigned phase)
{
    uint32_t nodes = torus_nodes(options->size);

    for (uint32_t index = 0; index < nodes; ++index) {
        struct torus_coord at = torus_coord_of(options->size, index);
        struct torus_role role =
            torus_role_of(options->size, options->originator, at);

        for (unsigned port = 0; port < TORUS_PORTS && role.layer < phase;
             ++port) {
            print_circuit(options->size, at, phase, (enum torus_port)port);
        }
    }
}

static int run(void *own)
{
    const struct options *options = own;
    unsigned phases = (unsigned)torus_phases(options->size);

    if (options->phase_text != NULL &&
        (options->phase == 0 || options->phase > phases)) {
        return phases == 0
                   ? usage_error("--phase '%" PRIu64
                                 "': must not be given: a torus of one node "
                                 "has no phases",
                                 options->phase)
                   : usage_error("--phase '%" PRIu64
                                 "': must be 1 to %u, a phase of this torus",
                                 options->phase, phases);
    }
    puts("# phase\tsource\tdestination\tlinks");
    for (unsigned phase = 1; phase <= phases; ++phase) {
        if (options->phase_text == NULL || options->phase == phase) {
            print_phase(options, phase);
        }
    }
    return 0;
}

const struct option_command certificate_command = {
    .name = "certificate",
    .summary = "every circuit of the scatter with its links, to be checked",
    .part = {{OPTION_TABLE(rows), 0}},
    .text =
        "List every circuit of the scatter with its links, one circuit a line: "
        "phase, source, destination, and the links from one to the other."
        "\vExample:\n"
        "  quincunx certificate --torus 25",
    .bytes = sizeof(struct options),
    .run = run};
