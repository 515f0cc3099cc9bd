/* SPDX-License-Identifier: Apache-2.0 */
/* What a job needs from outside: its load, the firmware, QEMU. */
#include "qemu/run_options.h"

#include "scatter/scatter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_FAILED 1

static int file_error(const char *path, const char *reason)
{
    fprintf(stderr, "quincunx: %s: %s\n", path, reason);
    return EXIT_FAILED;
}

/* The load, the tree if it travels along one, and the output fit a node. */
static uint32_t load_max(const struct run_options *options)
{
    const struct run_config *config = &options->config;
    const struct kernel_terms *terms = &options->terms;
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    uint64_t most = SCATTER_LOAD_MAX(BACKEND_WINDOW_BYTES);

    if (run_needs_tree(config)) {
        most -= TREE_BRANCH_BYTES * nodes + tree_work_bytes(nodes) + 8;
    }
    if (terms->output_denominator != 0) {
        most = (most - 32) * terms->output_denominator /
               ((uint64_t)terms->output_denominator + terms->output_numerator);
    }
    return (uint32_t)most;
}

static int check_load(const struct run_options *options, const struct stat *is)
{
    const char *path = options->config.input_name;
    uint32_t unit_bytes = options->config.unit_bytes;
    uint32_t most = load_max(options);

    if (S_ISDIR(is->st_mode)) {
        return file_error(path, strerror(EISDIR));
    }
    if (!S_ISREG(is->st_mode)) {
        return file_error(path, "must be a regular file");
    }
    if (is->st_size == 0) {
        return file_error(path, "is empty; a load has at least one byte");
    }
    if ((uint64_t)is->st_size > most) {
        fprintf(stderr,
                "quincunx: %s: %lld bytes; a node's memory takes a load of "
                "at most %u\n",
                path, (long long)is->st_size, most);
        return EXIT_FAILED;
    }
    if (is->st_size % unit_bytes != 0) {
        fprintf(stderr,
                "quincunx: --unit %u: %s has %lld bytes; must be a multiple\n",
                unit_bytes, path, (long long)is->st_size);
        return EXIT_FAILED;
    }
    return 0;
}

/* Reads the whole input. */
static int read_load(struct run_options *options)
{
    struct run_config *config = &options->config;
    const char *path = config->input_name;
    /* A pipe without a writer must be refused, not waited for. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    struct stat is;
    int status;

    if (file == NULL) {
        return file_error(path, strerror(errno));
    }
    status = fstat(descriptor, &is) == 0 ? check_load(options, &is)
                                         : file_error(path, strerror(errno));
    if (status == 0) {
        config->load_bytes = (uint32_t)is.st_size;
        options->load = malloc(config->load_bytes);
        if (options->load == NULL || fread(options->load, 1, config->load_bytes,
                                           file) != config->load_bytes) {
            status = file_error(path, "could not be read to its end");
        }
    }
    fclose(file);
    config->load = options->load;
    return status;
}

/* build/quincunx -> build/mps2_an385/firmware.elf */
static int find_firmware(struct run_options *options)
{
    char self[PATH_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (options->firmware[0] == '\0' && length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
        *slash = '\0';
        snprintf(options->firmware, sizeof options->firmware,
                 "%s/mps2_an385/firmware.elf", self);
    }
    options->config.firmware = options->firmware;
    if (access(options->firmware, R_OK) != 0) {
        return file_error(options->firmware,
                          "no firmware image; `make` builds it");
    }
    return 0;
}

/* Whether a program of this name is on the PATH. */
static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static int check_qemu(void)
{
    if (!on_path("qemu-system-arm")) {
        fprintf(stderr, "quincunx: qemu-system-arm is not on the PATH; on "
                        "Debian: apt-get install qemu-system-arm, or use "
                        "--on native\n");
        return EXIT_FAILED;
    }
    return 0;
}

int run_options_find_boards(struct run_options *options)
{
    int status = 0;

    if (!options->config.native) {
        status = find_firmware(options);
        status = status == 0 ? check_qemu() : status;
    }
    return status;
}

int run_options_open(struct run_options *options)
{
    int status = read_load(options);

    return status == 0 ? run_options_find_boards(options) : status;
}
