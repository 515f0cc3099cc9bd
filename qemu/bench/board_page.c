/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/board_page.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/report/page_server.h"
#include "qemu/report/page.h"
#include "qemu/report/json.h"
#include "qemu/base/memory.h"
#include "qemu/serial/links.h"

#include <stdlib.h>
#include <time.h>

#define FORGIVE_MS 30000u
#define TIME_BYTES 32u
#define STOP_S 3.0
#define LAST_S 20.0 /* longest wait for ps_read(), s: dead boards take 14 */

struct board_page {
    struct page_server *server; /* NULL: the page is a file and not live */
    struct torus_size size;
    struct torus_coord originator;
    struct console *console; /* NULL: no board was asked yet */
    bool well;               /* what board_page_well() returns; atomic */
    /* The boards' last answers. While a live page asks boards, only the
       server's thread may use them. */
    struct ps ps;
    struct links links;
    /* Host time when boards that had not answered were last asked again, ms. */
    uint64_t forgiven_ms;
};

static json_t *mesh_json(const struct board_page *page)
{
    return report_mesh_json(page->size, page->originator, "boards");
}

/* ---- a reading ---- */

static void ask(struct board_page *page)
{
    uint64_t now_ms = host_clock_ms(console_clock(page->console));
    bool well;

    if (now_ms - page->forgiven_ms > FORGIVE_MS) {
        sweep_forgive(&page->ps.nodes.sweep);
        page->forgiven_ms = now_ms;
    }
    well = ps_read(&page->ps);
    if (!page->ps.silent) {
        page->ps.silent = links_read(&page->links) < 0;
    }
    __atomic_store_n(&page->well, well && !page->ps.silent, __ATOMIC_RELAXED);
}

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

static json_t *reading_json(const struct board_page *page)
{
    json_t *nodes = ps_json(&page->ps);

    add_words(nodes);
    return json_pack("{s:b, s:o, s:o}", "silent", page->ps.silent, "nodes",
                     nodes, "links", links_json(&page->links, true));
}

/* Writes the local time of this host, with its UTC offset. */
static void time_text(char text[TIME_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;

    text[0] = '\0';
    if (localtime_r(&now, &parts) != NULL) {
        (void)strftime(text, TIME_BYTES, "%Y-%m-%d %H:%M:%S %z", &parts);
    }
}

/* ---- life ---- */

struct board_page *board_page_new(struct torus_size size,
                                  struct torus_coord originator)
{
    struct board_page *page = memory_or_exit(calloc(1, sizeof *page));

    page->size = size;
    page->originator = originator;
    page->well = true;
    return page;
}

struct board_page *board_page_serve(uint16_t port, struct torus_size size,
                                    struct torus_coord originator)
{
    struct board_page *page = board_page_new(size, originator);
    json_t *begin =
        json_pack("{s:s, s:o}", "live", "mesh", "mesh", mesh_json(page));

    page->server = page_server_open(port, begin);
    json_decref(begin);
    if (page->server == NULL) {
        free(page);
        page = NULL;
    }
    return page;
}

static json_t *read_state(void *context)
{
    struct board_page *page = context;

    ask(page);
    return reading_json(page);
}

int board_page_ask(struct board_page *page, struct console *console)
{
    /* Between two sweeps of all boards the links belong to jobs. */
    const struct page_source source = {.event = "mesh",
                                       .read = read_state,
                                       .context = page,
                                       .clock = CLOCK_MONOTONIC,
                                       .ratio = 3,
                                       .least_s = 2,
                                       .most_s = 10};

    page->console = console;
    ps_begin(&page->ps, console, page->size, page->originator);
    links_begin(&page->links, &page->ps.nodes.sweep);
    page->forgiven_ms = host_clock_ms(console_clock(console));
    return page->server != NULL ? page_server_start(page->server, &source) : 0;
}

struct ps *board_page_read(struct board_page *page)
{
    if (page->server != NULL && !page_server_stop(page->server, LAST_S)) {
        return NULL;
    }
    ask(page);
    return &page->ps;
}

bool board_page_well(struct board_page *page)
{
    return __atomic_load_n(&page->well, __ATOMIC_RELAXED);
}

int board_page_write(struct board_page *page, const char *path)
{
    char at[TIME_BYTES];
    json_t *json;
    int error;

    time_text(at);
    json = json_pack("{s:o, s:s, s:o}", "boards", reading_json(page), "at", at,
                     "mesh", mesh_json(page));
    error = page_write(json, path);
    json_decref(json);
    return error;
}

void board_page_close(struct board_page *page)
{
    if (page == NULL) {
        return;
    }
    if (page->server != NULL) {
        bool stopped = page_server_stop(page->server, STOP_S);

        page_server_end(page->server, NULL);
        if (!stopped) {
            return; /* the server's thread still uses the page */
        }
        page_server_close(page->server);
    }
    if (page->console != NULL) {
        ps_end(&page->ps);
        links_end(&page->links);
        console_close(page->console);
    }
    free(page);
}
