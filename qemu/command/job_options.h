/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that run jobs, with INPUT. `run` and `compare` share
   these tables. Functions of type int return 0, or an exit status after a
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
    /* the originator, if there is only one */
    struct job_originator one;
    const char *command; /* name of the command, for messages: "run" */
    /* Values of --mesh, --board, --boot, --phases; NULL: not given. */
    const char *mesh_text;
    const char *board_text;
    const char *boot_text;
    const char *phases_text;
    const char *gdb_text;
    struct option_texts port;  /* values of --port; the request has them, too */
    struct option_texts input; /* names of all INPUTs */
    /* values of --originator; the request has them, too */
    struct option_places originator;
    uint32_t files; /* number of originators that have a file of their own */
    /* values of --slow; .slow_shift has them for each node */
    struct option_places slow;
    struct option_places halt; /* values of --halt; the request has them, too */
    char *input_names; /* "a.txt and 2 more"; NULL: there is one INPUT */
    /* Notes on how the input files were read. Each load's .notes points
       here. */
    struct format_notes notes;
    bool native; /* true: --on native */
    /* Profile of --plan-profile; request.plan_profile points here. */
    struct profile plan_profile;
    struct inject_options inject;
    struct job_originator *several; /* freed by job_options_free() */
    enum progress_kind progress;
    bool schedule_given; /* false: several originators get schedule star */
    bool force;          /* true: nodes start even if memory is lacking */
    /* true: the command runs all schedules and ignores --schedule */
    bool all_schedules;
    uint32_t unit_bytes; /* value of --unit; 0: not given */
    uint8_t arg[JOB_OPTIONS_ARG_MAX + 1];
    uint32_t arg_bytes;
    char firmware[PATH_MAX];
    char firmware_slow[PATH_MAX];
    char kernels[ELF_NAMES_BYTES]; /* names of the kernels in the image */
    /* slow_shift of each node, for the request; or NULL; job_options_free()
       frees it */
    uint8_t *slow_shift;
    struct schedule_holes *holes;  /* for the request, likewise */
    struct torus_coord *preferred; /* likewise */
};

/* Returns the seconds of --watchdog, from a command line that is not yet
   parsed. Returns the default if the option is missing or wrong. */
unsigned job_options_watchdog(int argc, char **argv);

/* Options of a job; and options of all commands that start a mesh. */
extern const struct option_table job_option_table;
extern const struct option_table job_mesh_option_table;

/* Headings of the groups of these options and of progress, for the help. */
#define JOB_OPTION_HEADINGS                                                    \
    {                                                                          \
        [1] = "The job and its mesh:", [2] = "Results:",                       \
        [3] = "Boards, faults and debugging:", [8] = "Progress:"               \
    }

/* .word and .lacks() of a command that takes INPUTs. Its struct begins with a
   struct job_options. lacks() returns true if the kernel needs a load, but
   neither INPUT nor a file of --originator is given. */
extern const struct option_row job_option_input;
bool job_options_lacks_input(const void *options);

/* Sets the defaults. The string `command` must outlive the options. */
void job_options_init(struct job_options *options, const char *command);

/* Returns the kind of mesh that runs emulated boards of this kind. */
const struct mesh_ops *job_options_mesh_of(const struct board_kind *board);

/* Checks that the options can be used with each other, and completes the
   request. */
NODISCARD int job_options_check(struct job_options *options);

/* Checks that the mesh supports the options given for it. */
NODISCARD int job_options_check_mesh(const struct job_options *options);

/* Finds QEMU and the boards' image, if nodes run in QEMU. Checks that this
   machine has enough memory for all nodes. */
NODISCARD int job_options_find_boards(struct job_options *options);

/* Reads the load, has the kernel's begin() check the argument, and calls
   job_options_find_boards(). */
NODISCARD int job_options_open(struct job_options *options);

/* Checks that no output is a file that --arg led job_options_open() to. The
   command's struct begins with `options`. */
NODISCARD int job_options_check_read(struct job_options *options,
                                     const struct option_command *command);

void job_options_free(struct job_options *options);

#endif
