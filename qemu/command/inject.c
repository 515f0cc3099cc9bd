/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/inject.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

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

/* Parses KIND@X,Y[@TIME]. Returns NULL, or an error text "must be ...". */
static const char *parse(struct injection *injection, const char *text)
{
    static const char kinds[] =
        "must be slow2@X,Y, slow4@X,Y or slow8@X,Y, each also with @TIME, or "
        "fault@X,Y, hang@X,Y, die@X,Y or assert@X,Y, or die@X,Y@0";
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
    allowed = parse_coord(word, &injection->at);
    if (allowed != NULL || *rest == '\0') {
        return allowed;
    }
    injection->before =
        injection->fault == NODE_INJECT_DIE && strcmp(rest, "@0") == 0;
    return injection->fault == NODE_INJECT_NONE || injection->before
               ? parse_from(rest + 1, &injection->slow_from_ps)
               : kinds;
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

static bool is_at(const struct injection *injection, struct torus_coord at)
{
    return injection->at.x == at.x && injection->at.y == at.y;
}

static bool is_second(const struct inject_options *options, uint32_t i)
{
    for (uint32_t j = 0; j < i; ++j) {
        if (is_at(&options->injection[j], options->injection[i].at)) {
            return true;
        }
    }
    return false;
}

/* Returns why injection `i` cannot be used with the other options; or NULL. */
static const char *check(const struct inject_options *options, uint32_t i,
                         const struct request *request)
{
    const struct injection *injection = &options->injection[i];

    if (!request->mesh->has_images && injection->fault != NODE_INJECT_NONE &&
        injection->fault != NODE_INJECT_ASSERT && !injection->before) {
        return "must be assert@X,Y, die@X,Y@0 or a slowdown with --on native: "
               "the others are for boards";
    }
    for (uint32_t i = 0; i < request->originators && injection->before; ++i) {
        if (is_at(injection, request->originator[i].at)) {
            return "must not be at an originator, which plans without the node";
        }
    }
    if (is_second(options, i)) {
        return "must be the only one at its node";
    }
    if (injection->fault == NODE_INJECT_NONE && request->slow_shift != NULL &&
        request->slow_shift[torus_index(request->size, injection->at)] != 0) {
        return "must be at a node without --slow";
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
        if (options->injection[i].before) {
            holes = holes != NULL ? holes : schedule_holes_new(size);
            schedule_holes_add(holes, options->injection[i].at, false);
        }
    }
    return holes;
}

bool inject_options_any_later(const struct inject_options *options)
{
    for (uint32_t i = 0; i < options->count; ++i) {
        if (options->injection[i].slow_from_ps > 0) {
            return true;
        }
    }
    return false;
}
