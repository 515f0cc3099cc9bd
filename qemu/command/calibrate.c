/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/bench/calibrate.h"
#include "qemu/bench/calibrate_print.h"
#include "qemu/command/job_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES_MAX 16u
#define NODES_MAX 1024u

struct calibrate_options {
    struct job_options mesh;
    uint32_t size[SIZES_MAX];
    unsigned sizes;            /* number of sizes; 0: none given */
    struct option_places node; /* nodes to probe; none given: all others */
    uint16_t repeat;           /* 0: not given */
    const char *output;
    FILE *people; /* stream for human-readable output */
    bool json;
};

static int set_sizes(void *own, const char *option, const char *text)
{
    struct calibrate_options *options = own;
    const char *at = text;

    for (options->sizes = 0; options->sizes < SIZES_MAX; ++options->sizes) {
        size_t length = strcspn(at, ",");
        char one[24] = "";
        uint64_t bytes = 0;

        if (length < sizeof one) {
            memcpy(one, at, length);
        }
        if (parse_size(one, &bytes) != NULL || bytes < PROBE_BYTES_MIN ||
            bytes > PROBE_BYTES_MAX) {
            break;
        }
        options->size[options->sizes] = (uint32_t)bytes;
        at += length;
        if (*at == '\0') {
            options->sizes += 1;
            return 0;
        }
        at += 1;
    }
    return parse_report(
        option, text,
        "must be at most 16 sizes of 20 to 1048576 bytes, with commas between");
}

static const struct option_row rows[] = {
    {"sizes", "B,B,...", 1, OPTION_SET, OPTION_ALL,
     .help = "Payloads of the probes and of their answers, 20 bytes to 1 MiB "
             "each (default 64,256,1KiB,4KiB; on serial ports "
             "800,1200,1700,2300,3000,4000)",
     .set = set_sizes},
    {"repeat", "N", 1, OPTION_COUNT,
     OPTION_AT(struct calibrate_options, repeat),
     .help = "Probes to each node of each size, 1 to 256 (default 2; 5 on "
             "serial ports)",
     .least = 1, .most = PROBE_ROWS_AT_ONCE},
    {"node", "X,Y", 1, OPTION_PLACES, OPTION_AT(struct calibrate_options, node),
     .help = "Probe this node; may be repeated (default: all)",
     .most = NODES_MAX},
    {"output", "FILE", 2, OPTION_OUTPUT,
     OPTION_AT(struct calibrate_options, output),
     .help = "Write the profile: for --profile with --port or "
             "--board " BOARD_SERIAL_NAMES
             ", for --plan-profile with emulated boards of mps2; -: "
             "to standard output",
     .letter = 'o', .suffixes = "txt conf cfg ini"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct calibrate_options, json),
     .help = "Print all that was measured as JSON", .prints = true}};

static bool is_originator(const struct request *request, struct torus_coord at)
{
    return at.x == request->originator[0].at.x &&
           at.y == request->originator[0].at.y;
}

static int check_nodes(const struct calibrate_options *options)
{
    const struct option_places *given = &options->mesh.originator;

    for (uint32_t i = 0; i < given->count; ++i) {
        if (given->place[i].more != NULL) {
            return parse_report("--originator", given->place[i].text,
                                "must be X,Y: calibrate has no load");
        }
    }
    for (uint32_t i = 0; i < options->node.count; ++i) {
        if (is_originator(&options->mesh.request, options->node.place[i].at)) {
            return parse_report("--node", options->node.place[i].text,
                                "must not be the originator");
        }
    }
    return 0;
}

static uint32_t choose_nodes(struct torus_coord chosen[],
                             const struct calibrate_options *options)
{
    const struct request *request = &options->mesh.request;
    uint32_t all = torus_nodes(request->size);
    uint32_t count = 0;

    for (; count < options->node.count; ++count) {
        chosen[count] = options->node.place[count].at;
    }
    if (count > 0) {
        return count;
    }
    for (uint32_t i = 0; i < all; ++i) {
        struct torus_coord at = torus_coord_of(request->size, i);

        if (!is_originator(request, at)) {
            chosen[count++] = at;
        }
    }
    return count;
}

/* Lists the probes: all nodes with the first size, then all with the second. So
   probes of one node lie apart in time, which shows how its clock drifts. If
   nodes run in real time, the whole list is repeated, so that a disturbance
   spoils one repeat of a probe. Otherwise each probe is repeated at once. */
static uint32_t list_probes(struct probe **probes,
                            const struct calibrate_options *options)
{
    static struct torus_coord chosen[NODES_MAX];
    bool apart = options->mesh.request.mesh->probing->real_time;
    unsigned rounds = apart ? options->repeat : 1;
    uint32_t nodes = choose_nodes(chosen, options);
    uint32_t all = nodes * options->sizes * rounds;

    *probes = memory_or_exit(calloc((size_t)all + 1, sizeof **probes));
    for (uint32_t i = 0; i < all; ++i) {
        (*probes)[i] =
            (struct probe){.at = chosen[i % nodes],
                           .count = apart ? 1 : options->repeat,
                           .bytes = options->size[i / nodes % options->sizes]};
    }
    return all;
}

static int write_results(const struct calibrate_options *options,
                         const struct calibration *calibration)
{
    const struct request *request = &options->mesh.request;
    int status = calibrate_check(calibration);

    if (status == 0 && options->output != NULL) {
        status = calibrate_save(calibration, request, options->output);
    }
    if (options->json) {
        calibrate_print_json(stdout, calibration, request);
    } else {
        calibrate_print(options->people, calibration, request);
    }
    return status;
}

/* Sets options that were not given to what suits the mesh. */
static void set_defaults(struct calibrate_options *options)
{
    const struct mesh_probing *usual = options->mesh.request.mesh->probing;

    if (options->repeat == 0) {
        options->repeat = usual->repeat;
    }
    if (options->sizes == 0) {
        memcpy(options->size, usual->bytes, sizeof usual->bytes);
        while (options->sizes < MESH_PROBE_SIZES &&
               usual->bytes[options->sizes] != 0) {
            options->sizes += 1;
        }
    }
}

static int check(const struct calibrate_options *options)
{
    const struct request *request = &options->mesh.request;
    int status = job_options_check_mesh(&options->mesh);

    if (status == 0 && torus_nodes(request->size) > NODES_MAX) {
        return parse_report("--mesh", options->mesh.mesh_text,
                            "must have at most 1024 nodes for calibrate");
    }
    if (status == 0 && torus_nodes(request->size) < 4) {
        return parse_report(
            "--mesh", options->mesh.mesh_text,
            "must have nodes at two distances from the originator");
    }
    return status == 0 ? check_nodes(options) : status;
}

static int run(void *own)
{
    struct calibrate_options *options = own;
    struct calibration calibration;
    struct probe *probes;
    uint32_t count;
    int status;

    set_defaults(options);
    status = check(options);
    status = status == 0 ? job_options_find_boards(&options->mesh) : status;
    if (status != 0) {
        return status;
    }
    count = list_probes(&probes, options);
    if (probe_rows(probes, count) > CALIBRATE_ROWS_MAX) {
        status = usage_error(
            "--repeat '%u': must make at most %u probes, not %" PRIu64,
            options->repeat, CALIBRATE_ROWS_MAX, probe_rows(probes, count));
        free(probes);
        return status;
    }
    status =
        calibrate_mesh(&calibration, &options->mesh.request, probes, count);
    free(probes);
    if (status == 0) {
        status = write_results(options, &calibration);
        calibrate_free(&calibration);
    }
    return status;
}

static void begin(void *own, const char *line)
{
    (void)line;
    job_options_init(own, "calibrate");
}

static void end(void *own)
{
    job_options_free(own);
}

const struct option_command calibrate_command = {
    .name = "calibrate",
    .summary = "the costs of circuits, measured, as a profile for the plan",
    .heading = JOB_OPTION_HEADINGS,
    .part = {{OPTION_TABLE(rows), 0},
             {&job_mesh_option_table, offsetof(struct calibrate_options, mesh)},
             {&progress_option_table,
              offsetof(struct calibrate_options, mesh.progress)}},
    .text =
        "Sends probes through a mesh, fits startup, hop delay and transfer "
        "time to their round trips, and prints how far the nodes' clocks are "
        "off. The mesh has 4 to 1024 nodes."
        "\vExamples:\n"
        "  quincunx calibrate --mesh 5x5 -o mesh.profile\n"
        "  quincunx calibrate --port /dev/ttyUSB0 --mesh 5x5 -o bench.profile",
    .people = offsetof(struct calibrate_options, people),
    .bytes = sizeof(struct calibrate_options),
    .begin = begin,
    .run = run,
    .end = end};
