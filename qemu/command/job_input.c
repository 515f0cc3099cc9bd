/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a job's load, and finds its firmware image and QEMU. */
#include "qemu/board/emulator.h"
#include "qemu/board/firmware.h"
#include "qemu/fabric/backend.h"
#include "qemu/format/table.h"
#include "qemu/job/batches.h"
#include "qemu/job/memory_need.h"
#include "qemu/job/policy.h"
#include "qemu/command/job_options.h"
#include "qemu/base/crash.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include "scatter/engine/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ARG_SHOWN 255u /* most bytes shown of a refused argument */
#define ARG_TOLD 60    /* bytes of the longest hint about values of --arg */

static int check_load(const struct job_task *task)
{
    const struct format_load *load = &task->originator->load;
    const char *path = task->originator->input_name;

    if (load->units > UINT32_MAX) {
        return file_error(path, "%" PRIu64 " units; a load has at most %u",
                          load->units, UINT32_MAX);
    }
    /* Boards with serial ports tell their memory when the mesh is open; then
       job.c checks the load. */
    return !task->request->mesh->has_fabric || batches_fit(task) ? 0
                                                                 : EXIT_FAILED;
}

/* Prints the beginning of the argument, unprintable bytes as \xNN. */
static void print_arg(const struct job_options *options)
{
    uint32_t bytes = options->arg_bytes;

    fputs("quincunx: --arg '", stderr);
    for (uint32_t i = 0; i < bytes && i < ARG_SHOWN; ++i) {
        bool text = options->arg[i] >= ' ' && options->arg[i] <= '~';

        fprintf(stderr, text ? "%c" : "\\x%02x", options->arg[i]);
    }
    fprintf(stderr, "'%s: ", bytes > ARG_SHOWN ? " and so on" : "");
}

static const char *argument_of(const struct kernel *kernel)
{
    const char *argument = format_of(kernel->name)->argument;

    return argument != NULL ? argument : kernel->argument;
}

static int refuse_no_arg(const struct job_options *options)
{
    const struct kernel *kernel = options->request.kernel;
    const char *example = format_of(kernel->name)->example;
    const char *argument = argument_of(kernel);
    int first = (int)strcspn(argument, ";");

    fprintf(stderr, "quincunx: kernel %s needs --arg", kernel->name);
    if (example != NULL) {
        fprintf(stderr, ", for example --arg %s", example);
    }
    if (first <= ARG_TOLD) {
        fprintf(stderr, ": %.*s", first, argument);
    }
    fprintf(stderr, "; see `quincunx kernels %s'\n", kernel->name);
    return EXIT_USAGE;
}

static int refuse_arg(const struct job_options *options)
{
    print_arg(options);
    fprintf(stderr, "kernel %s does not accept it",
            options->request.kernel->name);
    if (options->unit_bytes > 1) {
        fprintf(stderr, " with --unit %u", options->unit_bytes);
    }
    fprintf(stderr, "; it takes %s\n", argument_of(options->request.kernel));
    return EXIT_USAGE;
}

/* Checks that a board's memory holds the kernel's longest result. Boards with
   serial ports have less memory, and check it themselves. */
static int check_result(const struct kernel *kernel,
                        const struct kernel_terms *terms)
{
    bool output = terms->output_denominator != 0;
    unsigned most =
        output ? KERNEL_RESULT_BESIDE_OUTPUT_MAX : SCATTER_RESULT_MAX;

    if (terms->result_bytes_max <= most) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: kernel %s: its result may get %u bytes "
            "(result_bytes_max); at most %u are allowed%s\n",
            kernel->name, terms->result_bytes_max, most,
            output ? " beside an output" : "");
    return -1;
}

static bool begins(struct kernel_terms *terms, const struct kernel *kernel,
                   uint32_t work[], const struct kernel_job *job)
{
    int error;

    crash_begin(kernel->name);
    crash_in("begin");
    error = kernel->begin(work, terms, job);
    crash_out();
    return error == KERNEL_OK;
}

/* Has the kernel's begin() check the argument and set the originator's terms
   (how long units and results are), before any board starts. */
static int check_arg(struct job_originator *originator,
                     const struct job_options *options)
{
    const struct kernel *kernel = options->request.kernel;
    const struct format_load *load = &originator->load;
    struct kernel_job job = {load->arg, load->arg_bytes, load->unit_bytes};
    uint32_t work[SCATTER_WORK_MAX / 4];

    if (kernel->work_bytes > sizeof work) {
        fprintf(stderr,
                "quincunx: kernel %s asks for %u bytes of work memory; at "
                "most %zu are allowed\n",
                kernel->name, kernel->work_bytes, sizeof work);
        return EXIT_FAILED;
    }
    originator->terms = (struct kernel_terms){.before_bytes = 0};
    if (load->arg_bytes > KERNEL_ARG_MAX ||
        !begins(&originator->terms, kernel, work, &job)) {
        return options->arg_bytes == 0 ? refuse_no_arg(options)
                                       : refuse_arg(options);
    }
    if (originator->terms.output_denominator != 0) {
        originator->load.output_bytes =
            kernel_output_at(&originator->terms, load->units);
    }
    return check_result(kernel, &originator->terms) == 0 ? 0 : EXIT_FAILED;
}

/* Refuses --levels 2 if the job cannot have masters, since the kernel has an
   output. */
static int check_levels(const struct job_task *task)
{
    if (task->schedule.levels != 2 || job_policy_has_masters(task)) {
        return 0;
    }
    return usage_error("--levels 2: must be 1 or auto with an output, as "
                       "kernel %s makes with this argument",
                       task->request->kernel->name);
}

static int set_units(struct job_originator *originator,
                     const struct job_options *options)
{
    struct format_load *load = &originator->load;
    uint32_t unit_bytes = options->unit_bytes;

    if (unit_bytes == 0 || load->units == 0) {
        return 0;
    }
    if (load->unit_bytes != 1) {
        return usage_error("--unit %u: is for loads of single bytes; kernel "
                           "%s's units have %u",
                           unit_bytes, options->request.kernel->name,
                           load->unit_bytes);
    }
    if (load->units % unit_bytes != 0) {
        fprintf(stderr,
                "quincunx: --unit %u: %s has %" PRIu64
                " bytes; must be a multiple\n",
                unit_bytes, file_name(originator->input_name), load->units);
        return EXIT_FAILED;
    }
    load->units /= unit_bytes;
    load->unit_bytes = unit_bytes;
    return 0;
}

static int check_inputs(const struct job_options *options)
{
    for (uint32_t i = 0; i < options->input.count; ++i) {
        const char *path = options->input.text[i];
        struct stat is;

        if (strcmp(path, "-") != 0 && stat(path, &is) != 0) {
            fprintf(stderr, "quincunx: INPUT '%s': %s\n", quote_shown(path),
                    strerror(errno));
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* Reads and checks an originator's load. What to read, such as .wants_output,
   is copied from options->one.load. */
static int read_load(struct job_originator *originator,
                     const struct job_options *options)
{
    const struct format *format = format_of(options->request.kernel->name);
    struct job_task task = job_task_of(&options->request);
    int status;

    task.originator = originator;
    originator->load = options->one.load;
    originator->load.kernel = options->request.kernel;
    if (options->arg_bytes == 0 && format->example != NULL) {
        return refuse_no_arg(options);
    }
    status = options->input.count > 1
                 ? format->read_several(&originator->load, options->input.text,
                                        options->input.count, options->arg,
                                        options->arg_bytes)
                 : format->read(&originator->load, originator->input_name,
                                options->arg, options->arg_bytes);

    status = status == 0 ? set_units(originator, options) : status;
    status = status == 0 ? check_arg(originator, options) : status;
    status = status == 0 ? check_levels(&task) : status;
    return status == 0 ? check_load(&task) : status;
}

/* Checks that the image has the kernel, if it tells its kernels. If it lacks
   some of this program's kernels, the request gets the names of those it
   has. */
static int check_kernels(struct job_options *options)
{
    struct request *request = &options->request;
    unsigned count =
        firmware_kernels(options->kernels, options->firmware, request->board);

    if (count > 0 && count < kernel_table_count) {
        request->image_kernels = options->kernels;
    }
    return count > 0
               ? firmware_check_kernel(options->kernels, options->firmware,
                                       request->board, request->kernel->name)
               : 0;
}

int job_options_find_boards(struct job_options *options)
{
    struct request *request = &options->request;
    const char *otherwise =
        request->mesh->has_fabric ? ", or use --on native" : "";
    int status;

    if (!request->mesh->has_images) {
        return memory_need_check(request, options->force);
    }
    request->firmware = options->firmware;
    status = firmware_find(options->firmware, request->board);
    if (status == 0 && inject_options_any_later(&options->inject)) {
        request->firmware_slow = options->firmware_slow;
        status = firmware_find_slow(options->firmware_slow, options->firmware,
                                    request->board);
    }
    if (status == 0 && request->kernel != NULL) {
        status = check_kernels(options);
    }
    status = status == 0 ? emulator_check(request->board, otherwise) : status;
    return status == 0 ? memory_need_check(request, options->force) : status;
}

/* Refuses an originator's file that cannot be read or is empty. A pipe is not
   checked, since it can be read only once. */
static int check_file(const struct option_place *given)
{
    const char *path = given->more;
    struct stat is;
    FILE *file;
    uint64_t bytes = 0;
    int status;

    if (path == NULL || (stat(path, &is) == 0 && S_ISFIFO(is.st_mode))) {
        return 0;
    }
    status = file_open(&file, &bytes, path);
    if (status != 0) {
        return status;
    }
    fclose(file);
    if (bytes > 0) {
        return 0;
    }
    return parse_report("--originator", given->text,
                        "must have a FILE of 1 byte or more");
}

static int check_units(const struct job_options *options, uint32_t index)
{
    struct job_task task = job_task_of(&options->request);
    uint64_t units = options->request.originator[index].load.units;
    uint64_t most;

    task.originator = &options->request.originator[index];
    most = batches_memory_units(&task);
    if (units <= most) {
        return 0;
    }
    return usage_error(
        "--originator '%s': has %" PRIu64 " units; must have 1 to %" PRIu64
        ", as a board's memory takes",
        quote_shown(options->originator.place[index].text), units, most);
}

static int read_loads(struct job_options *options)
{
    const struct request *request = &options->request;
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < request->originators; ++i) {
        status = read_load(&request->originator[i], options);
        if (status == 0 && request->originators > 1) {
            status = check_units(options, i);
        }
    }
    return status;
}

int job_options_check_read(struct job_options *options,
                           const struct option_command *command)
{
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < options->notes.files; ++i) {
        status = option_check_read(command, options, "--arg",
                                   options->notes.file[i]);
    }
    return status;
}

int job_options_open(struct job_options *options)
{
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < options->originator.count; ++i) {
        status = check_file(&options->originator.place[i]);
    }
    status = status == 0 ? check_inputs(options) : status;
    status = status == 0 ? read_loads(options) : status;
    return status == 0 ? job_options_find_boards(options) : status;
}
