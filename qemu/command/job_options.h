/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands that run jobs, INPUT included. `run` and `compare` share
   these tables. Functions that return an int give 0, or an exit status after a
   message on stderr. */
#ifndef QEMU_COMMAND_JOB_OPTIONS_H
#define QEMU_COMMAND_JOB_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/board/elf.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/command/inject.h"
#include "qemu/base/option.h"
#include "qemu/base/progress.h"

#include <limits.h>

#define JOB_OPTIONS_ARG_MAX 4095u

struct job_options {
    struct request request;
    /* the only originator, unless there are several */
    struct job_originator one;
    const char *command; /* name of the command, for messages: "run" */
    /* values of --mesh, --board, --boot, --phases, --gdb; NULL: not given */
    const char *mesh_text;
    const char *board_text;
    const char *boot_text;
    const char *phases_text;
    const char *gdb_text;
    struct option_texts port;  /* values of --port, copied to the request */
    struct option_texts input; /* file names of all INPUTs */
    /* values of --originator, copied to the request */
    struct option_places originator;
    uint32_t files; /* number of originators that have a file */
    /* values of --slow; .slow_shift has them by node */
    struct option_places slow;
    struct option_places halt; /* values of --halt, copied to the request */
    char *input_names;         /* "a.txt and 2 more"; NULL: not several */
    /* notes on the input files; each load's .notes points here */
    struct format_notes notes;
    bool native; /* --on native */
    /* request.plan_profile points here if --plan-profile is given */
    struct profile plan_profile;
    struct inject_options inject;
    struct job_originator *several; /* freed by job_options_free() */
    enum progress_kind progress;
    bool schedule_given; /* false: with several originators, star is taken */
    bool force;          /* nodes start even if memory is lacking */
    /* the command runs all schedules and ignores --schedule */
    bool all_schedules;
    uint32_t unit_bytes; /* 0: not given */
    uint8_t arg[JOB_OPTIONS_ARG_MAX + 1];
    uint32_t arg_bytes;
    char firmware[PATH_MAX];
    char firmware_slow[PATH_MAX];
    char kernels[ELF_NAMES_BYTES]; /* names of the image's kernels */
    /* the request's slow_shift, or NULL; freed by job_options_free() */
    uint8_t *slow_shift;
};

/* Returns the seconds of --watchdog from an unparsed command line. Returns the
   default if the option is missing or wrong. */
unsigned job_options_watchdog(int argc, char **argv);

/* Options of a job, and options of every command that starts a mesh. */
extern const struct option_table job_option_table;
extern const struct option_table job_mesh_option_table;

/* Headings of the option groups of jobs and progress. */
#define JOB_OPTION_HEADINGS                                                    \
    {                                                                          \
        [1] = "The job and its mesh:", [2] = "Results:",                       \
        [3] = "Boards, faults and debugging:", [8] = "Progress:"               \
    }

/* The .word and lacks() of a command with INPUTs, whose struct begins with a
   struct job_options. lacks() returns true if neither INPUT nor a file of
   --originator is given, unless the kernel needs none. */
extern const struct option_row job_option_input;
bool job_options_lacks_input(const void *options);

/* Sets the defaults. The text `command` must outlive the options. */
void job_options_init(struct job_options *options, const char *command);

/* Returns the mesh operations for emulated boards of a kind. */
const struct mesh_ops *job_options_mesh_of(const struct board_kind *board);

/* Checks that the parsed options suit each other, and completes the request. */
NODISCARD int job_options_check(struct job_options *options);

/* Checks that the nodes of the mesh support the options of the mesh. */
NODISCARD int job_options_check_mesh(const struct job_options *options);

/* Finds the firmware and QEMU if nodes run in QEMU. Checks that the machine has
   enough memory for the nodes. */
NODISCARD int job_options_find_boards(struct job_options *options);

/* Reads the load, lets the kernel's begin() check the argument, and calls
   job_options_find_boards(). */
NODISCARD int job_options_open(struct job_options *options);

void job_options_free(struct job_options *options);

#endif
