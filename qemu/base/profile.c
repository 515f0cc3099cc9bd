/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/profile.h"

#include "qemu/base/file.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 256
#define PROFILE_MESSAGE_BYTES 512u
#define FILE_BYTES                                                             \
    65536u /* of a profile, at most: what is behind is not read */
#define BLANKS " \t\r\n"

static const struct profile known[] = {
    {"t3d", 4850000, 3300, 0},
    {"lvds", 5000000, 80000, 100000},
    {"uart", 20000000, 1900000, 2000000},
    {"emulated", 1000, 1, 1},
};

#define KNOWN_COUNT (sizeof known / sizeof *known)

const char *profile_known(size_t index)
{
    return index < KNOWN_COUNT ? known[index].name : NULL;
}

enum key {
    KEY_STARTUP,
    KEY_TRANSFER,
    KEY_HOP_DELAY,
    KEYS
};

static const struct {
    const char *name;
    uint64_t most_ps;
    const char *most;
} keys[KEYS] = {
    {"startup", 100000000000000, "100s"},
    {"transfer", 200000000000, "200ms"},
    {"hop_delay", 10000000000, "10ms"},
};

/* One file being read. */
struct reader {
    const char *path;
    unsigned line;
    char *message;
    uint64_t value_ps[KEYS];
    unsigned line_of[KEYS]; /* where the key stands; 0: nowhere yet */
};

/* Cuts the blanks off both ends, in place. */
static char *strip(char *text)
{
    size_t length;

    text += strspn(text, BLANKS);
    length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL) {
        length -= 1;
    }
    text[length] = '\0';
    return text;
}

static int line_error(struct reader *reader, const char *text, const char *why)
{
    snprintf(reader->message, PROFILE_MESSAGE_BYTES, "%s:%u: '%.80s': %s",
             quote_shown(reader->path), reader->line, quote_shown(text), why);
    return -1;
}

static int read_value(struct reader *reader, enum key key, const char *text)
{
    const char *allowed = parse_time_ps(text, &reader->value_ps[key]);

    if (allowed != NULL) {
        return line_error(reader, text, allowed);
    }
    if (key == KEY_STARTUP && reader->value_ps[key] == 0) {
        return line_error(reader, text, "startup must be at least 1ps");
    }
    if (reader->value_ps[key] > keys[key].most_ps) {
        char why[64];

        snprintf(why, sizeof why, "%s must be at most %s", keys[key].name,
                 keys[key].most);
        return line_error(reader, text, why);
    }
    return 0;
}

static int read_setting(struct reader *reader, const char *name,
                        const char *text)
{
    for (enum key key = 0; key < KEYS; ++key) {
        if (strcmp(name, keys[key].name) != 0) {
            continue;
        }
        if (reader->line_of[key] != 0) {
            char why[64];

            snprintf(why, sizeof why, "must be set once; line %u sets it too",
                     reader->line_of[key]);
            return line_error(reader, name, why);
        }
        reader->line_of[key] = reader->line;
        return read_value(reader, key, text);
    }
    return line_error(reader, name, "must be startup, transfer or hop_delay");
}

static int read_line(struct reader *reader, char *line)
{
    char *equals;

    line[strcspn(line, "#")] = '\0';
    line = strip(line);
    if (*line == '\0') {
        return 0;
    }
    equals = strchr(line, '=');
    if (equals == NULL) {
        return line_error(reader, line,
                          "must be KEY = TIME, such as "
                          "startup = 5us");
    }
    *equals = '\0';
    return read_setting(reader, strip(line), strip(equals + 1));
}

static int read_lines(struct reader *reader, FILE *file)
{
    char line[LINE_BYTES];

    while (fgets(line, sizeof line, file) != NULL) {
        reader->line += 1;
        if (strchr(line, '\n') == NULL && !feof(file)) {
            return line_error(reader, line,
                              "must be a line of fewer than 255 characters");
        }
        if (read_line(reader, line) != 0) {
            return -1;
        }
    }
    for (enum key key = 0; key < KEYS; ++key) {
        if (reader->line_of[key] == 0) {
            snprintf(reader->message, PROFILE_MESSAGE_BYTES,
                     "%s:%u: end of file, and no %s: must set startup, "
                     "transfer and hop_delay",
                     quote_shown(reader->path), reader->line, keys[key].name);
            return -1;
        }
    }
    return 0;
}

static int read_file(struct profile *profile, char *message, FILE *file,
                     const char *path)
{
    struct reader reader = {.path = path, .message = message};
    const char *slash = strrchr(path, '/');

    if (read_lines(&reader, file) != 0) {
        return -1;
    }
    snprintf(profile->name, sizeof profile->name, "%.*s",
             (int)sizeof profile->name - 1, slash == NULL ? path : slash + 1);
    profile->startup_ps = reader.value_ps[KEY_STARTUP];
    profile->transfer_ps = reader.value_ps[KEY_TRANSFER];
    profile->hop_delay_ps = reader.value_ps[KEY_HOP_DELAY];
    return 0;
}

/* Fills the profile. Result: 0; -1 with one line in `message` that says what is
   wrong where, or "" where that is said already. */
static int load(struct profile *profile, char message[PROFILE_MESSAGE_BYTES],
                const char *name)
{
    FILE *file;
    int result;

    for (size_t i = 0; i < KNOWN_COUNT; ++i) {
        if (strcmp(name, known[i].name) == 0) {
            *profile = known[i];
            return 0;
        }
    }
    message[0] = '\0';
    if (access(name, F_OK) != 0 && errno == ENOENT) {
        snprintf(message, PROFILE_MESSAGE_BYTES,
                 "'%.200s': is neither a name (t3d, lvds, uart, emulated) nor "
                 "a file",
                 quote_shown(name));
        return -1;
    }
    file = text_open(name);
    if (file == NULL) {
        return -1;
    }
    result = read_file(profile, message, file, name);
    fclose(file);
    return result;
}

int profile_set(void *field, const char *option, const char *name)
{
    char message[PROFILE_MESSAGE_BYTES];

    if (load(field, message, name) == 0) {
        return 0;
    }
    if (message[0] != '\0') {
        /* A message on a line of the file begins with its name, without
           quotes. */
        fprintf(stderr, "quincunx: %s%s %s\n", option,
                message[0] == '\'' ? "" : ":", message);
    }
    return EXIT_USAGE;
}

/* Each line of the comment as one of the file's. */
static void print_comment(FILE *file, const char *comment)
{
    for (const char *line = comment; *line != '\0';) {
        size_t length = strcspn(line, "\n");

        fprintf(file, "# %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

int profile_save(const struct profile *profile, const char *path,
                 const char *comment)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    print_comment(file.stream, comment);
    fprintf(file.stream,
            "startup = %" PRIu64 "ps\ntransfer = %" PRIu64
            "ps\nhop_delay = %" PRIu64 "ps\n",
            profile->startup_ps, profile->transfer_ps, profile->hop_delay_ps);
    return file_output_close(&file, true);
}
