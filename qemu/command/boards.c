/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/board/emulator.h"
#include "qemu/board/firmware.h"
#include "qemu/board/gdb.h"
#include "qemu/serial/client.h"
#include "qemu/job/memory_need.h"
#include "qemu/bench/board_page.h"
#include "qemu/command/job_options.h"
#include "qemu/ranks/ranks.h"
#include "qemu/base/amount.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"
#include "qemu/base/stay.h"
#include "qemu/serial/wired_boards.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE_MAX 31u
#define FAULTS_MAX 64u
#define IMAGES_MAX 16u

static const char *const mistake_options[] = {[WIRED_CUT] = "--cut",
                                              [WIRED_SWAP] = "--swap",
                                              [WIRED_DOUBLE] = "--double"};

struct own_options {
    struct wired_config wired;
    struct wired_fault fault[FAULTS_MAX];
    struct option_places console;
    struct option_places image;
    char image_file[IMAGES_MAX][PATH_MAX];     /* paths given by --image */
    const char *image_of[SIDE_MAX * SIDE_MAX]; /* path of each node's image */
    uint8_t how[SIDE_MAX * SIDE_MAX]; /* enum wired_console of each node */
    char firmware[PATH_MAX];
    const char *gdb; /* NULL: not given */
    const char *gdb_dir;
    const struct board_kind *board;
    bool keep;
    bool force;
    const char *page;    /* file, or NULL */
    const char *serve;   /* the value of --serve; NULL: no page is served */
    uint16_t serve_port; /* 0: any free port */
    uint32_t asked; /* node whose console the page of --serve or --html uses */
    FILE *people;   /* stream for readable output */
};

/* ---- setters: 0, or EXIT_USAGE after a message ---- */

static int add_fault(void *own, const char *option, const char *text)
{
    struct own_options *options = own;
    struct wired_fault *fault = &options->fault[options->wired.faults];
    const char *colon = strchr(text, ':');
    size_t first = colon != NULL ? (size_t)(colon - text) : strlen(text);
    bool swap = strcmp(option, mistake_options[WIRED_SWAP]) == 0;
    const char *allowed = NULL;

    if (options->wired.faults == FAULTS_MAX) {
        return parse_report(option, text, "64 faults are enough");
    }
    if (swap != (colon != NULL)) {
        allowed = swap ? "must be X,Y,PORT:X,Y,PORT" : "must be X,Y,PORT";
    }
    fault->mistake = swap ? WIRED_SWAP
                     : strcmp(option, mistake_options[WIRED_CUT]) == 0
                         ? WIRED_CUT
                         : WIRED_DOUBLE;
    if (allowed == NULL) {
        allowed = parse_port(text, first, &fault->a.at, &fault->a.port);
    }
    if (allowed == NULL && colon != NULL) {
        allowed = parse_port(colon + 1, strlen(colon + 1), &fault->b.at,
                             &fault->b.port);
    }
    options->wired.faults += 1;
    return parse_report(option, text, allowed);
}

static const struct option_row rows[] = {
    {"mesh", "WxH", 1, OPTION_MESH, OPTION_AT(struct own_options, wired.size),
     .help = "Size of the torus: 1x1 to 31x31 (required)", .most = SIDE_MAX,
     .allowed = "must be 1x1 to 31x31", .required = true},
    {"board", "BOARD", 1, OPTION_CHOICE, OPTION_AT(struct own_options, board),
     .help = "Kind of board: " BOARD_SERIAL_NAMES, .choice = board_emulated,
     .set = board_set},
    {"firmware", "FILE", 1, OPTION_PATH,
     OPTION_AT(struct own_options, firmware),
     .help = "Image for the boards (default: beside this program)"},
    {"image", "X,Y=FILE", 1, OPTION_PLACES,
     OPTION_AT(struct own_options, image),
     .help = "Another image for this board; may be repeated",
     .most = IMAGES_MAX},
    {"console", "X,Y|all", 1, OPTION_PLACES,
     OPTION_AT(struct own_options, console),
     .help =
         "A terminal for this board's console (default 0,0); may be repeated",
     .most = SIDE_MAX * SIDE_MAX, .word = "all"},
    {"gdb", "DIR", 1, OPTION_TEXT, OPTION_AT(struct own_options, gdb_dir),
     .help = "A socket DIR/X-Y for each board, for `make gdb NODE=X,Y' "
             "(default DIR: gdb beside this program)",
     .optional = true, .text = offsetof(struct own_options, gdb)},
    {"keep", NULL, 1, OPTION_FLAG, OPTION_AT(struct own_options, keep),
     .help = "Stay when a board dies"},
    {"force", NULL, 1, OPTION_FLAG, OPTION_AT(struct own_options, force),
     .help = "Start boards that need more memory than is left"},
    {"html", "FILE", 1, OPTION_OUTPUT, OPTION_AT(struct own_options, page),
     .help = "File for a page of the mesh as it is when it is told to end: a "
             "map, and every board's state, last job and link errors; the "
             "boards are asked over a console that no --console gives away",
     .suffixes = "html htm xhtml"},
    {"damage", "P/Q", 2, OPTION_SET,
     OPTION_AT(struct own_options, wired.noise.damage),
     .help = "Change bytes of links with this probability", .set = noise_set},
    {"lose", "P/Q", 2, OPTION_SET,
     OPTION_AT(struct own_options, wired.noise.loss),
     .help = "Lose bytes of links with this probability", .set = noise_set},
    {"seed", "N", 2, OPTION_COUNT,
     OPTION_AT(struct own_options, wired.noise.seed),
     .help = "Chooses the bytes that are changed or lost (default 1)"},
    {"cut", "X,Y,PORT", 2, OPTION_SET, OPTION_ALL,
     .help = "No cable at this port: east, north, west, south",
     .set = add_fault},
    {"swap", "X,Y,PORT:X,Y,PORT", 2, OPTION_SET, OPTION_ALL,
     .help = "The plugs in these two ports exchanged", .set = add_fault},
    {"double", "X,Y,PORT", 2, OPTION_SET, OPTION_ALL,
     .help = "The next port counterclockwise leads to the same board",
     .set = add_fault},
    {"serve", "PORT", 1, OPTION_COUNT,
     OPTION_AT(struct own_options, serve_port),
     .help = "Show a page, at 127.0.0.1 on this port (default: one that is "
             "free), with every board's state, last job and link errors, over "
             "the same console",
     .optional = true, .text = offsetof(struct own_options, serve),
     OPTION_TCP_PORT},
};

/* ---- the options together ---- */

static int check_faults(const struct own_options *options)
{
    struct torus_size size = options->wired.size;
    int status = 0;

    for (unsigned i = 0; i < options->wired.faults && status == 0; ++i) {
        const struct wired_fault *fault = &options->fault[i];
        const char *option = mistake_options[fault->mistake];

        status = parse_report_outside(option, fault->a.at, size);
        if (status == 0 && fault->mistake == WIRED_SWAP) {
            status = parse_report_outside(option, fault->b.at, size);
        }
    }
    return status;
}

static void choose_consoles(struct own_options *options)
{
    struct torus_size size = options->wired.size;

    memset(options->how, options->console.word ? WIRED_TTY : WIRED_KEEP,
           sizeof options->how);
    for (uint32_t i = 0; i < options->console.count; ++i) {
        options->how[torus_index(size, options->console.place[i].at)] =
            WIRED_TTY;
    }
    if (options->console.count == 0) {
        options->how[0] = WIRED_TTY;
    }
    options->wired.console = options->how;
    options->wired.fault = options->fault;
}

static bool has_page(const struct own_options *options)
{
    return options->serve != NULL || options->page != NULL;
}

/* Keeps the console of the last node without --console for the page of --serve
   or --html. Returns 0, or an exit status after a message. */
static int choose_asked(struct own_options *options)
{
    uint32_t node = torus_nodes(options->wired.size);

    if (!has_page(options)) {
        return 0;
    }
    while (node > 0 && options->how[node - 1] == WIRED_TTY) {
        node -= 1;
    }
    if (node == 0) {
        return usage_error(
            "boards: %s: asks the boards over one console, and all are given "
            "away; must be more boards, or fewer --console",
            options->serve != NULL ? "--serve" : "--html");
    }
    options->asked = node - 1;
    options->how[options->asked] = WIRED_SOCKET;
    return 0;
}

static int find_images(struct own_options *options)
{
    int status = firmware_find(options->firmware, options->board);

    options->wired.firmware = options->firmware;
    options->wired.image = options->image_of;
    for (uint32_t i = 0; i < options->image.count && status == 0; ++i) {
        const struct option_place *image = &options->image.place[i];
        char *file = options->image_file[i];

        snprintf(file, PATH_MAX, "%s", image->more);
        options->image_of[torus_index(options->wired.size, image->at)] = file;
        status = firmware_find(file, options->board);
    }
    return status;
}

static int check_memory(const struct own_options *options)
{
    struct request request = {.size = options->wired.size,
                              .board = options->board,
                              .mesh = job_options_mesh_of(options->board)};

    return memory_need_check(&request, options->force);
}

static int check(struct own_options *options)
{
    int status;

    if (ranks_count() > 1) {
        return usage_error(
            "boards: such a mesh is of one host: start it without mpirun");
    }
    status = check_faults(options);
    if (status == 0) {
        choose_consoles(options);
        status = choose_asked(options);
        status = status == 0 ? find_images(options) : status;
        options->wired.qemu = emulator_program();
        options->wired.kind = options->board;
        status = status == 0 ? emulator_check(options->board, "") : status;
        status = status == 0 ? check_memory(options) : status;
    }
    return status;
}

/* ---- staying ---- */

static bool explain_deaths(struct wired *wired)
{
    uint32_t node;
    bool any = false;

    while (wired_died(wired, &node)) {
        wired_explain(wired, node);
        any = true;
    }
    return any;
}

/* Waits for a signal, the end of standard input, or a board's death. Returns
   the reason as text, or NULL if a board has died. */
static const char *wait_for_end(struct wired *wired, struct stay *stay,
                                bool keep)
{
    for (;;) {
        const char *why = stay_wait(stay, wired_fd(wired));

        if (why != NULL || (explain_deaths(wired) && !keep)) {
            return why;
        }
    }
}

static void print_consoles(FILE *out, const struct wired_config *config,
                           const struct wired *wired)
{
    uint32_t nodes = torus_nodes(config->size);

    for (uint32_t i = 0; i < nodes; ++i) {
        struct torus_coord at = torus_coord_of(config->size, i);

        if (config->console[i] == WIRED_TTY) {
            fprintf(out, "console %u,%u %s\n", at.x, at.y, wired_tty(wired, i));
        }
    }
}

static void stop(FILE *out, const struct wired_config *config,
                 struct wired *wired, const char *why)
{
    struct noise_counts damage = wired_damage(wired);

    wired_stop(wired);
    if (noise_any(&config->noise)) {
        fprintf(out,
                "damage: %" PRIu64 " bytes on links, %" PRIu64
                " changed, %" PRIu64 " lost\n",
                damage.bytes, damage.changed, damage.dropped);
    }
    fprintf(out, "%s; ", why != NULL ? why : "a board died");
    amount_things(out, torus_nodes(config->size), "board");
    fputs(" ended\n", out);
}

static int ask_boards(struct board_page *page, const struct wired *wired,
                      uint32_t node)
{
    int fd = dup(wired_console(wired, node));

    if (fd < 0) {
        perror("quincunx: the page's console");
        return -1;
    }
    return board_page_ask(
        page, console_open(console_port_attach(fd, "the page's console")));
}

static int write_page(const struct own_options *options,
                      struct board_page *page)
{
    if (options->page == NULL) {
        return 0;
    }
    fputs("asking all boards how they are, for the page\n", stderr);
    if (board_page_read(page) == NULL) {
        return file_error(options->page,
                          "is not written: boards do not answer");
    }
    return board_page_write(page, options->page);
}

static int run_mesh(struct own_options *options, struct stay *stay,
                    struct board_page *page)
{
    bool one = torus_nodes(options->wired.size) == 1;
    struct wired *wired = wired_start(&options->wired);
    FILE *out = options->people;
    const char *why;
    int failed;

    if (wired == NULL) {
        return EXIT_FAILED;
    }
    if (page != NULL && ask_boards(page, wired, options->asked) != 0) {
        wired_stop(wired);
        return EXIT_FAILED;
    }
    print_consoles(out, &options->wired, wired);
    amount_things(out, torus_nodes(options->wired.size), "board");
    fprintf(out, " run%s; Ctrl-C ends %s\n", one ? "s" : "",
            one ? "it" : "them");
    fflush(out);
    why = wait_for_end(wired, stay, options->keep);
    failed = write_page(options, page);
    stop(out, &options->wired, wired, why);
    return why != NULL && failed == 0 ? 0 : EXIT_FAILED;
}

static int run_with_page(struct own_options *options, struct stay *stay)
{
    struct torus_size size = options->wired.size;
    struct torus_coord asked = torus_coord_of(size, options->asked);
    struct board_page *page = NULL;
    int status;

    if (options->serve != NULL) {
        page = board_page_serve(options->serve_port, size, asked);
        if (page == NULL) {
            return EXIT_FAILED;
        }
    } else if (options->page != NULL) {
        page = board_page_new(size, asked);
    }
    status = run_mesh(options, stay, page);
    board_page_close(page);
    return status;
}

static int run(void *own)
{
    struct own_options *options = own;
    struct gdb_sockets *sockets = NULL;
    struct stay stay;
    int status = check(options);

    if (status != 0) {
        return status;
    }
    if (stay_begin(&stay, STDIN_FILENO) != 0) {
        return EXIT_FAILED;
    }
    if (options->gdb != NULL) {
        sockets = gdb_open(options->gdb_dir, options->firmware,
                           options->wired.size, (struct gdb_halts){.count = 0});
        if (sockets == NULL) {
            stay_end(&stay);
            return EXIT_FAILED;
        }
        options->wired.gdb = gdb_doors(sockets);
        fprintf(options->people, "gdb %s\n", gdb_dir(sockets));
    }
    status = run_with_page(options, &stay);
    gdb_close(sockets);
    stay_end(&stay);
    return status;
}

static void begin(void *own, const char *line)
{
    struct own_options *options = own;

    (void)line;
    options->wired.noise = noise_none();
    options->board = board_default(BOARD_SERIAL);
}

const struct option_command boards_command = {
    .name = "boards",
    .summary = "a mesh of emulated STM32F405 boards that stays up, to talk to",
    .heading = {[1] = "The mesh:", [2] = "Faults of the wiring, for tests:"},
    .part = {{OPTION_TABLE(rows), 0}},
    .text = "Starts a mesh of emulated boards, QEMU's netduinoplus2 wired UART "
            "to UART, prints where their consoles are, and stays until Ctrl-C, "
            "SIGTERM or the end of standard input."
            "\vExample:\n"
            "  quincunx boards --mesh 3x3",
    .people = offsetof(struct own_options, people),
    .bytes = sizeof(struct own_options),
    .begin = begin,
    .run = run};
