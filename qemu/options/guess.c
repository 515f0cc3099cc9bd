/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/guess.h"

#include "qemu/options/help.h"
#include "qemu/support/edits.h"
#include "qemu/support/quote.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is looked for in a parser and its children. */
struct look {
    const char *name; /* of a long option, or "" */
    int key;          /* of a short one, or 0 */
    const struct argp_option *found;
    struct edits_nearest nearest; /* to the name */
};

static void compare(struct look *look, const struct argp_option *option)
{
    size_t length = strlen(look->name);

    if (look->key != 0 && option->key == look->key) {
        look->found = option;
    }
    if (length == 0 || option->name == NULL) {
        return;
    }
    if (strncmp(option->name, look->name, length) == 0 &&
        (look->found == NULL || option->name[length] == '\0')) {
        look->found = option;
    }
    edits_offer(&look->nearest, option->name);
}

/* Children have children of their own, a few deep. */
static void look_through(struct look *look, const struct argp *argp)
{
    const struct argp_option *option = argp->options;
    const struct argp_child *child = argp->children;

    for (; option != NULL &&
           (option->name != NULL || option->key != 0 || option->doc != NULL);
         ++option) {
        compare(look, option);
    }
    for (; child != NULL && child->argp != NULL; ++child) {
        look_through(look, child->argp);
    }
}

/* Whether the word is, by its beginning, an option that argp itself has. */
static bool is_of_argp(const char *name)
{
    return strncmp("help", name, strlen(name)) == 0 ||
           strncmp("usage", name, strlen(name)) == 0;
}

static bool takes_next(const struct look *look)
{
    return look->found != NULL && look->found->arg != NULL &&
           (look->found->flags & OPTION_ARG_OPTIONAL) == 0;
}

/* Looks at one word. Result: how many words are the option's, or 0 after a
   message. */
static int look_at(const struct argp *argp, char **argv, const char *word)
{
    char name[EDITS_NAME_BYTES + 1] = "";
    struct look look = {.name = name, .nearest.word = name};
    size_t length = 0;

    if (strncmp(word, "--", 2) == 0) {
        length = strcspn(word + 2, "=");
        if (length > EDITS_NAME_BYTES) {
            return 1;
        }
        memcpy(name, word + 2, length);
    } else if (word[0] == '-' && word[1] != '\0' && word[2] == '\0') {
        look.key = word[1];
    } else {
        return 1;
    }
    look_through(&look, argp);
    if (look.key == 0 && look.found == NULL && look.nearest.name != NULL &&
        !is_of_argp(name)) {
        fprintf(stderr,
                "%s: unrecognized option '--%s'; did you mean '--%s'?\n",
                argv[0], quote_shown(name), look.nearest.name);
        return 0;
    }
    return takes_next(&look) && word[length + 2] == '\0' ? 2 : 1;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "-?") == 0 || strcmp(word, "-h") == 0 ||
           strcmp(word, "--help") == 0;
}

error_t guess_parse(const struct argp *argp, unsigned flags, int argc,
                    char **argv, void *input)
{
    int words = 1;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i += words) {
        if (asks_for_help(argv[i])) {
            help_print(argp, argv[0]);
            exit(0);
        }
        if ((flags & ARGP_IN_ORDER) != 0 && argv[i][0] != '-') {
            break;
        }
        words = look_at(argp, argv, argv[i]);
        if (words == 0) {
            return EINVAL;
        }
    }
    return argp_parse(argp, argc, argv, flags, NULL, input);
}
