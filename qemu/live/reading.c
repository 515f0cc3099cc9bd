/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/reading.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/page/page.h"
#include "qemu/support/memory.h"

#include <time.h>

#define FORGIVE_MS 30000u
#define TIME_BYTES 32u

void reading_begin(struct reading *reading, struct console *console,
                   struct torus_size size, struct torus_coord originator)
{
    ps_begin(&reading->ps, console, size, originator);
    links_begin(&reading->links, console, size, originator);
    reading->forgiven_ms = host_clock_ms(console_clock(console));
}

void reading_end(struct reading *reading)
{
    ps_end(&reading->ps);
    links_end(&reading->links);
}

static bool is_silent(const struct reading *reading)
{
    return reading->ps.why[0] != '\0';
}

bool reading_take(struct reading *reading)
{
    uint64_t now_ms = host_clock_ms(console_clock(reading->ps.sweep.console));
    bool well;

    if (now_ms - reading->forgiven_ms > FORGIVE_MS) {
        sweep_forgive(&reading->ps.sweep);
        reading->forgiven_ms = now_ms;
    }
    well = ps_read(&reading->ps);
    if (is_silent(reading)) {
        return false;
    }
    sweep_learn(&reading->links.sweep, &reading->ps.sweep);
    if (links_read(&reading->links) < 0) {
        snprintf(reading->ps.why, sizeof reading->ps.why, "%s",
                 "the console is silent");
        return false;
    }
    return well;
}

/* Errors in words, beside their numbers. */
static void add_words(json_t *nodes)
{
    json_t *node;
    size_t i;

    json_array_foreach(nodes, i, node)
    {
        int error = (int)json_integer_value(json_object_get(node, "error"));

        if (error != 0) {
            json_object_set_new(node, "error_text",
                                json_string(postmortem_error(error)));
        }
    }
}

json_t *reading_json(const struct reading *reading)
{
    json_t *nodes = ps_json(&reading->ps);

    add_words(nodes);
    return memory_or_exit(json_pack("{s:b, s:o, s:o}", "silent",
                                    is_silent(reading), "nodes", nodes, "links",
                                    links_json(&reading->links, true)));
}

/* The host's local time, with its offset. */
static void time_text(char text[TIME_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;

    text[0] = '\0';
    if (localtime_r(&now, &parts) != NULL) {
        (void)strftime(text, TIME_BYTES, "%Y-%m-%d %H:%M:%S %z", &parts);
    }
}

int reading_write(const struct reading *reading, const char *path)
{
    const struct sweep *sweep = &reading->ps.sweep;
    char at[TIME_BYTES];
    json_t *page;
    int error;

    time_text(at);
    page = memory_or_exit(
        json_pack("{s:o, s:s, s:{s:i, s:i, s:[i, i], s:s}}", "boards",
                  reading_json(reading), "at", at, "mesh", "width",
                  sweep->size.width, "height", sweep->size.height, "originator",
                  sweep->originator.x, sweep->originator.y, "on", "boards"));
    error = page_write(page, path);
    json_decref(page);
    return error;
}
