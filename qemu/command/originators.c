/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/originators.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 32u

/* ---- parsing ---- */

/* X,Y before the equals sign. NULL, or what is allowed. */
static const char *parse_place(struct torus_coord *at, const char *text,
                               const char *equals)
{
    size_t length = (size_t)(equals - text);
    char word[WORD_BYTES];

    if (length >= sizeof word || equals[1] == '\0') {
        return "must be X,Y or X,Y=FILE, such as 0,0=words.txt";
    }
    memcpy(word, text, length);
    word[length] = '\0';
    return parse_coord(word, at);
}

static void append(struct originators_options *options,
                   const struct job_originator *one, const char *text)
{
    size_t count = options->count + 1u;

    options->given =
        memory_or_exit(realloc(options->given, count * sizeof *options->given));
    options->text =
        memory_or_exit(realloc(options->text, count * sizeof *options->text));
    options->given[options->count] = *one;
    options->text[options->count] = text;
    options->count += 1;
}

int originators_options_add(struct originators_options *options,
                            struct torus_coord *originator, const char *text)
{
    const char *equals = options->allowed ? strchr(text, '=') : NULL;
    struct job_originator one = {.load = {.units = 0}};
    const char *allowed;

    if (equals == NULL) {
        options->plain = text;
        return parse_report("--originator", text,
                            parse_coord(text, originator));
    }
    allowed = parse_place(&one.at, text, equals);
    if (allowed != NULL) {
        return parse_report("--originator", text, allowed);
    }
    one.input_name = equals + 1;
    append(options, &one, text);
    return 0;
}

/* ---- checking ---- */

/* Whether one of the originators before number `index` is at its place. */
static bool is_second(const struct originators_options *options, uint32_t index)
{
    struct torus_coord at = options->given[index].at;

    for (uint32_t i = 0; i < index; ++i) {
        if (options->given[i].at.x == at.x && options->given[i].at.y == at.y) {
            return true;
        }
    }
    return false;
}

/* Result: 0, or EXIT_USAGE after a message. */
static int check_places(const struct originators_options *options,
                        struct torus_size size)
{
    for (uint32_t i = 0; i < options->count; ++i) {
        if (parse_report_outside("--originator", options->given[i].at, size) !=
            0) {
            return EXIT_USAGE;
        }
        if (is_second(options, i)) {
            return parse_report("--originator", options->text[i],
                                "must be the only one at its node");
        }
    }
    return 0;
}

/* What several originators cannot be given with; NULL: nothing. */
static const char *refused_with(const struct request *request)
{
    if (!schedule_has_groups(request->schedule.kind)) {
        return "several originators must have --schedule star (default) or "
               "farm";
    }
    if (request->batch_units > 0) {
        return "several originators must be given without --batch: each load "
               "goes at once";
    }
    return NULL;
}

static int check_several(const struct originators_options *options,
                         struct request *request)
{
    uint32_t nodes = torus_nodes(request->size);
    const char *refused = refused_with(request);
    const char *last = options->text[options->count - 1];

    if (options->count > nodes) {
        return usage_error("--originator '%s': is number %u; a mesh of %ux%u "
                           "must have 1 to %u",
                           quote_shown(last), options->count,
                           request->size.width, request->size.height, nodes);
    }
    if (refused != NULL) {
        return parse_report("--originator", last, refused);
    }
    return check_places(options, request->size);
}

int originators_options_check(struct originators_options *options,
                              struct request *request)
{
    int status = 0;

    if (options->count == 0) {
        return 0;
    }
    if (options->plain != NULL) {
        return parse_report(
            "--originator", options->plain,
            "must be X,Y=FILE, as the others are, or the only one");
    }
    if (request->originator[0].input_name != NULL) {
        return parse_report("INPUT", request->originator[0].input_name,
                            "must not be given with --originator X,Y=FILE");
    }
    if (options->count > 1) {
        status = check_several(options, request);
        request->originators = options->count;
        request->originator = options->given;
    }
    request->originator[0].at = options->given[0].at;
    request->originator[0].input_name = options->given[0].input_name;
    return status;
}

void originators_options_free(struct originators_options *options)
{
    for (uint32_t i = 0; i < options->count; ++i) {
        format_free(&options->given[i].load);
    }
    free(options->given);
    free(options->text);
}
