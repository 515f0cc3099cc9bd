/* SPDX-License-Identifier: Apache-2.0 */
/* The `quincunx` command: finds the subcommand. */
#include "qemu/command/boards.h"
#include "qemu/command/calibrate.h"
#include "qemu/command/certificate.h"
#include "qemu/command/compare.h"
#include "qemu/command/console.h"
#include "qemu/command/figures.h"
#include "qemu/command/flash.h"
#include "qemu/command/flash_map.h"
#include "qemu/command/identify.h"
#include "qemu/command/links.h"
#include "qemu/command/mesh.h"
#include "qemu/command/model.h"
#include "qemu/command/nodes.h"
#include "qemu/command/plan.h"
#include "qemu/command/ps.h"
#include "qemu/command/reset.h"
#include "qemu/command/run.h"
#include "qemu/command/simulate.h"
#include "qemu/command/sizes.h"
#include "qemu/support/exit_status.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef QUINCUNX_VERSION
#define QUINCUNX_VERSION "unknown"
#endif

struct subcommand {
    const char *name;
    const char *full_name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

static const struct subcommand subcommands[] = {
    {"plan", "quincunx plan", plan_command,
     "the share of every layer, and when all nodes finish"},
    {"run", "quincunx run", run_command,
     "one job on a mesh of emulated boards or native nodes"},
    {"boards", "quincunx boards", boards_command,
     "a mesh of emulated STM32F405 boards that stays up, to talk to"},
    {"compare", "quincunx compare", compare_command,
     "one load with every schedule, side by side"},
    {"calibrate", "quincunx calibrate", calibrate_command,
     "the costs of circuits, measured, as a profile for the plan"},
    {"certificate", "quincunx certificate", certificate_command,
     "every circuit of the scatter with its links, to be checked"},
    {"simulate", "quincunx simulate", simulate_command,
     "the whole scatter node by node, up to 5^10 nodes, checked"},
    {"sizes", "quincunx sizes", sizes_command,
     "how well the load scatters on tori of other sizes"},
    {"model", "quincunx model", model_command,
     "stars, farms, several masters: the platforms of the literature"},
    {"figures", "quincunx figures", figures_command,
     "the paper's figures, from the model"},
    {"flash", "quincunx flash", flash_command,
     "a firmware image into real boards, by probe, serial port or USB"},
    {"flash-map", "quincunx flash-map", flash_list_command,
     "the probes, serial adapters and DFU devices that are plugged in"},
    {"console", "quincunx console", console_command,
     "one command for a board on a serial port, and its reply"},
    {"ps", "quincunx ps", ps_command,
     "the state of every node of a mesh of boards, even if it hangs"},
    {"mesh", "quincunx mesh", mesh_command,
     "boards find each other; wrong cables are named and drawn"},
    {"nodes", "quincunx nodes", nodes_command,
     "every node's number, image, clock, supply, temperature"},
    {"links", "quincunx links", links_command,
     "every port's counters: bytes, damage, losses; once or repeatedly"},
    {"identify", "quincunx identify", identify_command,
     "lets a board's LED blink, so that it can be found"},
    {"reset", "quincunx reset", reset_command,
     "restarts boards over the mesh, even if they hang"},
    {"kernels", "quincunx kernels", run_kernels_command,
     "the kernels and their arguments"},
};

#define SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static void usage(FILE *out)
{
    fprintf(out, "Usage: quincunx SUBCOMMAND [OPTION...]\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; ++i) {
        fprintf(out, "  %-12s %s\n", subcommands[i].name,
                subcommands[i].summary);
    }
    fprintf(out,
            "\n`quincunx SUBCOMMAND --help' tells its options. "
            "Emulated boards run in the\nqemu-system-arm that the environment "
            "variable QUINCUNX_QEMU names (a path, or a\nname on the PATH); "
            "without it in the first one on the PATH.\n");
}

/* The exit status, unless what was printed did not get out. */
static int finish(int status)
{
    bool written = fflush(stdout) == 0 && ferror(stdout) == 0;

    if (!written) {
        perror("quincunx: standard output");
    }
    return written || status != 0 ? status : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    static char full_name[64];

    argp_err_exit_status = EXIT_USAGE; /* of all subcommands */
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        usage(stdout);
        return finish(0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("quincunx %s\n", QUINCUNX_VERSION);
        return finish(0);
    }
    for (size_t i = 0; i < SUBCOMMANDS; ++i) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            snprintf(full_name, sizeof full_name, "%s",
                     subcommands[i].full_name);
            argv[1] = full_name;
            return finish(subcommands[i].run(argc - 1, argv + 1));
        }
    }
    fprintf(stderr, "quincunx: '%s': no such subcommand\n", argv[1]);
    usage(stderr);
    return EXIT_USAGE;
}
