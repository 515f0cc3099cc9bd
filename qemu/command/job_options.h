/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of commands that run jobs, INPUT included: `run` and `compare`
 * have them as tables. Functions with a result give 0 or
 * an exit status, after a message on stderr.
 */
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
    struct job_originator one; /* the request's, unless there are several */
    const char *command;       /* for messages: "run" */
    const char *mesh_text;     /* values as given, NULL: not given */
    const char *board_text;
    const char *boot_text;
    const char *phases_text;
    const char *gdb_text;
    struct option_texts port;        /* the request has them */
    struct option_texts input;       /* one.input_name stands for all */
    struct option_places originator; /* the request has them */
    uint32_t files;                  /* of originators */
    struct option_places slow;       /* the request has their slow_shift */
    struct option_places halt;       /* the request has them */
    char *input_names;               /* of several, for messages */
    struct format_notes notes;       /* on the files; loads point here */
    bool native;                     /* as --on says */
    struct profile plan_profile; /* request.plan_profile points here if given */
    struct inject_options inject;
    struct job_originator *several; /* freed by job_options_free() */
    enum progress_kind progress;
    bool schedule_given; /* else several originators have the star */
    bool force;          /* whatever memory there is */
    bool all_schedules;  /* the command runs each, whatever --schedule */
    uint32_t unit_bytes; /* 0: not given */
    uint8_t arg[JOB_OPTIONS_ARG_MAX + 1];
    uint32_t arg_bytes;
    char firmware[PATH_MAX];
    char firmware_slow[PATH_MAX];
    char kernels[ELF_NAMES_BYTES]; /* of the image */
    uint8_t *slow_shift; /* freed by job_options_free(), as loads are */
};

/* The seconds of --watchdog in a command line that is not parsed yet: the
   default's where it has none, or one that parsing will refuse. */
unsigned job_options_watchdog(int argc, char **argv);

/* Options of a job, and those of every command that starts a mesh; with both,
   --progress goes to struct job_options, too. */
extern const struct option_table job_option_table;
extern const struct option_table job_mesh_option_table;

/* Headings of their groups, and of --progress. */
#define JOB_OPTION_HEADINGS                                                    \
    {                                                                          \
        [1] = "The job and its mesh:", [2] = "Results:",                       \
        [3] = "Boards, faults and debugging:", [8] = "Progress:"               \
    }

/* INPUTs of the struct job_options with which the command's struct begins, and
   whether the kernel, unless it is missing, too, takes one that was not given:
   of struct option_command. */
extern const struct option_row job_option_input;
bool job_options_lacks_input(const void *options);

/* Sets the defaults. `command` outlives the options. */
void job_options_init(struct job_options *options, const char *command);

/* The mesh of emulated boards of this kind. */
const struct mesh_ops *job_options_mesh_of(const struct board_kind *board);

/* Checks that the options parsed suit each other, and completes the request. */
NODISCARD int job_options_check(struct job_options *options);

/* The same of the mesh's options alone: whether its nodes can do what they ask
   for. */
NODISCARD int job_options_check_mesh(const struct job_options *options);

/* Looks for the firmware and QEMU if nodes run in QEMU, and for the memory that
   the nodes need. */
NODISCARD int job_options_find_boards(struct job_options *options);

/* Reads the load, lets the kernel's begin() check the argument, and calls
   job_options_find_boards(). */
NODISCARD int job_options_open(struct job_options *options);

void job_options_free(struct job_options *options);

#endif
