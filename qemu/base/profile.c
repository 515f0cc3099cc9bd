/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/profile.h"

#include "qemu/base/file.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 256
#define BLANKS " \t\r\n"

static const struct profile known[] = {
    {"t3d", 4850000, 3300, 0},
    {"lvds", 5000000, 80000, 100000},
    {"uart", 20000000, 1900000, 2000000},
    {"emulated", 1000, 1, 1},
};

#define KNOWN_COUNT (sizeof known / sizeof *known)

static const struct profile *find_known(const char *name)
{
    for (size_t i = 0; i < KNOWN_COUNT; ++i) {
        if (strcmp(name, known[i].name) == 0) {
            return &known[i];
        }
    }
    return NULL;
}

const char *profile_file(const void *options, const char *text)
{
    (void)options;
    return find_known(text) != NULL ? NULL : text;
}

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

/* State while a profile file is read. */
struct reader {
    const char *option; /* name of the option, for messages */
    const char *path;
    unsigned line;
    uint64_t value_ps[KEYS];
    /* line of the file that has the key; 0: not yet found */
    unsigned line_of[KEYS];
};

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

__attribute__((format(printf, 2, 3))) static int
line_error(const struct reader *reader, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "quincunx: %s: %s:%u: ", reader->option,
            quote_shown(reader->path), reader->line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int read_value(struct reader *reader, enum key key, const char *text)
{
    const char *shown = quote_shown(text);
    const char *allowed = parse_time_ps(text, &reader->value_ps[key]);

    if (allowed != NULL) {
        return line_error(reader, "'%.80s': %s", shown, allowed);
    }
    if (key == KEY_STARTUP && reader->value_ps[key] == 0) {
        return line_error(reader, "'%.80s': startup must be at least 1ps",
                          shown);
    }
    return reader->value_ps[key] <= keys[key].most_ps
               ? 0
               : line_error(reader, "'%.80s': %s must be at most %s", shown,
                            keys[key].name, keys[key].most);
}

static int read_setting(struct reader *reader, const char *name,
                        const char *text)
{
    for (enum key key = 0; key < KEYS; ++key) {
        if (strcmp(name, keys[key].name) != 0) {
            continue;
        }
        if (reader->line_of[key] != 0) {
            return line_error(reader,
                              "'%.80s': must be set once; line %u sets it too",
                              name, reader->line_of[key]);
        }
        reader->line_of[key] = reader->line;
        return read_value(reader, key, text);
    }
    return line_error(reader, "'%.80s': must be startup, transfer or hop_delay",
                      quote_shown(name));
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
        return line_error(reader,
                          "'%.80s': must be KEY = TIME, such as startup = 5us",
                          quote_shown(line));
    }
    *equals = '\0';
    return read_setting(reader, strip(line), strip(equals + 1));
}

static int read_lines(struct reader *reader, FILE *file)
{
    char line[LINE_BYTES];
    int status = 0;

    while (status == 0 && fgets(line, sizeof line, file) != NULL) {
        reader->line += 1;
        status = strchr(line, '\n') != NULL || feof(file)
                     ? read_line(reader, line)
                     : line_error(reader,
                                  "'%.80s': must be a line of fewer than 255 "
                                  "characters",
                                  quote_shown(line));
    }
    for (enum key key = 0; key < KEYS && status == 0; ++key) {
        if (reader->line_of[key] == 0) {
            status = line_error(reader,
                                "end of file, and no %s: must set startup, "
                                "transfer and hop_delay",
                                keys[key].name);
        }
    }
    return status;
}

int profile_set(void *field, const char *option, const char *name)
{
    struct reader reader = {.option = option, .path = name};
    struct profile *profile = field;
    FILE *file;
    int status;

    if (find_known(name) != NULL) {
        *profile = *find_known(name);
        return 0;
    }
    if (access(name, F_OK) != 0 && errno == ENOENT) {
        return usage_error("%s '%.200s': is neither a name (t3d, lvds, uart, "
                           "emulated) nor a file",
                           option, quote_shown(name));
    }
    file = text_open(name);
    if (file == NULL) {
        return EXIT_USAGE;
    }
    status = read_lines(&reader, file);
    fclose(file);
    if (status == 0) {
        snprintf(profile->name, sizeof profile->name, "%s", basename(name));
        profile->startup_ps = reader.value_ps[KEY_STARTUP];
        profile->transfer_ps = reader.value_ps[KEY_TRANSFER];
        profile->hop_delay_ps = reader.value_ps[KEY_HOP_DELAY];
    }
    return status;
}

int profile_save(const struct profile *profile, const char *path,
                 const char *comment)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    fprintf(file.stream,
            "%sstartup = %" PRIu64 "ps\ntransfer = %" PRIu64
            "ps\nhop_delay = %" PRIu64 "ps\n",
            comment, profile->startup_ps, profile->transfer_ps,
            profile->hop_delay_ps);
    return file_output_close(&file, true);
}
