/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash/output.h"

#include "qemu/flash/request.h"

#include <stdbool.h>
#include <string.h>

/* The text behind `prefix`, or NULL if it does not begin with that. */
static const char *behind(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

void flash_output_end(struct flash_output *said)
{
    const char *rest;

    said->open[said->open_bytes] = '\0';
    said->open_bytes = 0;
    if (said->open[strspn(said->open, " \t")] == '\0') {
        return;
    }
    rest = behind(said->open, FLASH_STEP);
    if (rest != NULL) {
        snprintf(said->step, sizeof said->step, "%.15s", rest);
        if (strcmp(rest, FLASH_STEP_CONNECT) == 0) {
            /* The lines so far name the program's authors and settings: drop
               them. */
            said->lines = 0;
        }
        return;
    }
    rest = behind(said->open, FLASH_CHIP);
    if (rest != NULL) {
        snprintf(said->chip, sizeof said->chip, "%.95s", rest);
        return;
    }
    memcpy(said->line[said->lines % FLASH_OUTPUT_LINES], said->open,
           sizeof said->open);
    said->lines += 1;
}

void flash_output_add(struct flash_output *said, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        char one = text[i];

        if (one == '\n' || one == '\r') {
            flash_output_end(said);
        } else if (said->open_bytes + 1 < FLASH_OUTPUT_LINE_BYTES) {
            bool shown = (one >= ' ' && one <= '~') || one == '\t';

            said->open[said->open_bytes++] = shown ? one : '?';
        }
    }
}

void flash_output_print(const struct flash_output *said, FILE *out)
{
    unsigned first =
        said->lines > FLASH_OUTPUT_LINES ? said->lines - FLASH_OUTPUT_LINES : 0;

    for (unsigned i = first; i < said->lines; ++i) {
        fprintf(out, "    %s\n", said->line[i % FLASH_OUTPUT_LINES]);
    }
}
