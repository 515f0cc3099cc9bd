/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/inject.h"

#include "qemu/fabric/windows.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 32u

/* Copies `text` up to the character `end`, or all of it, to `word`. Returns the
   rest, which begins with `end` or is empty; or NULL if the word is too
   long. */
static const char *copy_word(char word[WORD_BYTES], const char *text, char end)
{
    size_t length = strcspn(text, (const char[]){end, '\0'});

    if (length >= WORD_BYTES) {
        return NULL;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length;
}

static const char *parse_from(const char *text, uint64_t *time_ps)
{
    const char *allowed = parse_time_ps(text, time_ps);

    return allowed == NULL && *time_ps > INJECTION_FROM_MAX_PS
               ? "must be a time of at most 100s"
               : allowed;
}

/* Parses the X,Y,OFFSET.BIT of a flip, as parse() does. */
static const char *parse_flip(const char *text, struct injection *injection)
{
    static const char allowed[] =
        "must be X,Y,OFFSET.BIT with an OFFSET behind the registers, up to "
        "0xffffff, and BIT 0 to 7";
    char where[WORD_BYTES];
    const char *comma = strrchr(text, ',');
    char *end;
    unsigned long offset;

    if (comma == NULL || !isdigit((unsigned char)comma[1])) {
        return allowed;
    }
    offset = strtoul(comma + 1, &end, 0);
    if (*end != '.' || end[1] < '0' || end[1] > '7' || end[2] != '\0' ||
        !window_has((uint32_t)offset, 1) || offset > UINT32_MAX) {
        return allowed;
    }
    injection->offset = (uint32_t)offset;
    injection->bit = (uint8_t)(end[1] - '0');
    memcpy(where, text, (size_t)(comma - text));
    where[comma - text] = '\0';
    return parse_coord(where, &injection->at);
}

/* Parses KIND@X,Y[@TIME], cut@X,Y,PORT[@TIME] or flip@X,Y,OFFSET.BIT@TIME.
   Returns NULL, or an error
   text "must be ...". */
static const char *parse(struct injection *injection, const char *text)
{
    static const char kinds[] =
        "must be slow2@X,Y, slow4@X,Y, slow8@X,Y, fault@X,Y, hang@X,Y, "
        "assert@X,Y, die@X,Y or cut@X,Y,PORT, each also with @TIME; or "
        "flip@X,Y,OFFSET.BIT@TIME";
    char word[WORD_BYTES];
    const char *rest = copy_word(word, text, '@');
    const struct injection *kind = rest == NULL ? NULL : injection_kind(word);
    const char *allowed;

    if (kind == NULL || *rest == '\0') {
        return kinds;
    }
    *injection = *kind;
    rest = copy_word(word, rest + 1, '@');
    if (rest == NULL) {
        return kinds;
    }
    allowed =
        injection->what == INJECTION_CUT
            ? parse_port(word, strlen(word), &injection->at, &injection->port)
        : injection->what == INJECTION_FLIP ? parse_flip(word, injection)
                                            : parse_coord(word, &injection->at);
    if (allowed != NULL || *rest == '\0') {
        return allowed == NULL && injection->what == INJECTION_FLIP ? kinds
                                                                    : allowed;
    }
    injection->timed = true;
    return parse_from(rest + 1, &injection->from_ps);
}

int inject_options_add(void *field, const char *option, const char *text)
{
    struct inject_options *options = field;
    uint32_t count = options->count;

    if (count == INJECTION_MAX) {
        return parse_report(option, text, "may be given 1024 times");
    }
    options->text[count] = text;
    options->count += 1;
    return parse_report(option, text, parse(&options->injection[count], text));
}

/* Returns whether two injections are at the same link, or both at the same
   node. */
static bool is_at(const struct injection *a, const struct injection *b,
                  struct torus_size size)
{
    bool cuts = a->what == INJECTION_CUT;

    if (a != b && (a->what == INJECTION_FLIP || b->what == INJECTION_FLIP)) {
        return false;
    }
    if (cuts != (b->what == INJECTION_CUT)) {
        return false;
    }
    return cuts ? torus_link(size, a->at, a->port) ==
                      torus_link(size, b->at, b->port)
                : torus_index(size, a->at) == torus_index(size, b->at);
}

static bool is_second(const struct inject_options *options, uint32_t i,
                      struct torus_size size)
{
    uint32_t j = 0;

    while (!is_at(&options->injection[j], &options->injection[i], size)) {
        j += 1;
    }
    return j < i;
}

/* Returns whether injections 0 to `i` stop all nodes before the job. */
static bool stops_all(const struct inject_options *options, uint32_t i,
                      struct torus_size size)
{
    uint32_t nodes = 0;

    for (uint32_t j = 0; j <= i; ++j) {
        nodes += injection_stops(&options->injection[j]) &&
                 injection_is_before(&options->injection[j]);
    }
    return nodes == torus_nodes(size);
}

/* Returns why injection `i` cannot be used with the other options; or NULL. */
static const char *check(const struct inject_options *options, uint32_t i,
                         const struct request *request)
{
    const struct injection *injection = &options->injection[i];
    bool slow = injection->what == INJECTION_SLOW;

    if (request->mesh->has_cables && injection->what != INJECTION_CUT &&
        (!injection_stops(injection) ||
         (injection->fault != NODE_INJECT_DIE &&
          injection->fault != NODE_INJECT_HANG))) {
        return "must be die or hang with a @TIME, or cut, with "
               "--board " BOARD_SERIAL_NAMES;
    }
    if (!request->mesh->has_images && !injection->timed &&
        (injection->fault == NODE_INJECT_FAULT ||
         injection->fault == NODE_INJECT_HANG ||
         injection->fault == NODE_INJECT_DIE)) {
        return "must have a @TIME with --on native: only a board does so in "
               "the job";
    }
    for (uint32_t k = 0; request->originators > 1 && k < request->originators;
         ++k) {
        if (injection_stops(injection) && injection_is_before(injection) &&
            torus_index(request->size, injection->at) ==
                torus_index(request->size, request->originator[k].at)) {
            return "must not be at one of several originators before the job: "
                   "another node must be named for its load";
        }
    }
    if (is_second(options, i, request->size)) {
        return injection->what == INJECTION_CUT
                   ? "must be the only one at its link, whose other end may "
                     "have been named"
                   : "must be the only one at its node";
    }
    if (slow && request->slow_shift != NULL &&
        request->slow_shift[torus_index(request->size, injection->at)] != 0) {
        return "must be at a node without --slow";
    }
    if (stops_all(options, i, request->size)) {
        return "must leave a node that lives";
    }
    return NULL;
}

int inject_options_check(const struct inject_options *options,
                         const struct request *request)
{
    for (uint32_t i = 0; i < options->count; ++i) {
        if (parse_report_outside("--inject", options->injection[i].at,
                                 request->size) != 0 ||
            parse_report("--inject", options->text[i],
                         check(options, i, request)) != 0) {
            return EXIT_USAGE;
        }
    }
    return 0;
}

struct schedule_holes *
inject_options_holes(const struct inject_options *options,
                     struct torus_size size)
{
    struct schedule_holes *holes = NULL;

    for (uint32_t i = 0; i < options->count; ++i) {
        if (injection_is_before(&options->injection[i])) {
            holes = holes != NULL ? holes : schedule_holes_new(size);
            request_add_hole(holes, &options->injection[i]);
        }
    }
    return holes;
}

bool inject_options_any_later(const struct inject_options *options)
{
    for (uint32_t i = 0; i < options->count; ++i) {
        if (options->injection[i].what == INJECTION_SLOW &&
            options->injection[i].from_ps > 0) {
            return true;
        }
    }
    return false;
}
