/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/serial_mesh.h"

#include "hal/circuit.h"
#include "hal/serial/errand.h"
#include "qemu/serial/faults.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "torus/torus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a board may take to answer on its console after its start; longer
   for each of those that start on one machine, which may be busy besides. */
#define BOOT_S 20.0
#define EMULATED_S 2.0
/* Between two looks for a report: a part of what has been waited already, so
   that a console says little while a job is timed. */
#define LOOK_S 0.02
#define LOOK_MAX_S 1.0
#define LOOK_PART (1.0 / 16)
/* After so long all boards are asked whether they are in the job yet, and again
   after twice as long each time. */
#define ASK_S 4.0
/* How long a board may take to say where it is, once the mesh has been found.
 */
#define PLACE_S 5.0
/* How long a board may take to take a reset. */
#define RESET_MS 1500u
/* How a dead board is looked for. */
#define DEATH_LOOKS 5u
#define DEATH_LOOK_S 0.1

static double now_s(const struct console *console)
{
    return host_clock_s(console_clock(console));
}

static void pause_for(const struct console *console, double pause_s)
{
    host_clock_pause(console_clock(console),
                     (uint64_t)(pause_s * HOST_CLOCK_S_NS));
}

static void pause_between(const struct console *console, double since_s)
{
    double look_s = (now_s(console) - since_s) * LOOK_PART;

    look_s = look_s < LOOK_S ? LOOK_S : look_s;
    pause_for(console, look_s < LOOK_MAX_S ? look_s : LOOK_MAX_S);
}

static int print_error(const char *what)
{
    fprintf(stderr, "quincunx: %s\n", what);
    return -1;
}

/* ---- starting ---- */

int serial_mesh_boards(struct serial_mesh *mesh)
{
    const struct serial_mesh_config *config = mesh->config;
    uint32_t nodes = torus_nodes(config->size);
    uint32_t first = torus_index(config->size, config->originator);
    uint8_t *consoles = memory_or_exit(calloc(nodes, 1));
    struct wired_config wired = config->wired;

    consoles[first] = WIRED_SOCKET;
    wired.size = config->size;
    wired.console = consoles;
    mesh->wired = wired_start(&wired);
    free(consoles);
    if (mesh->wired == NULL) {
        return -1;
    }
    mesh->console = console_open(console_port_attach(
        wired_console(mesh->wired, first), "the originator's console"));
    return 0;
}

/* Number of originators. */
static uint32_t count_of(const struct serial_mesh *mesh)
{
    const struct mesh_groups *groups = mesh->config->groups;

    return groups != NULL ? groups->count : 1u;
}

int serial_mesh_port(struct serial_mesh *mesh)
{
    const char *const *ports = mesh->config->other_consoles;

    mesh->console = console_connect(mesh->config->port, CONSOLE_PORT_RATE);
    if (mesh->console == NULL) {
        return -1;
    }
    for (uint32_t i = 1; ports != NULL && i < count_of(mesh); ++i) {
        mesh->more[i] = console_connect(ports[i - 1u], CONSOLE_PORT_RATE);
        if (mesh->more[i] == NULL) {
            return -1;
        }
    }
    return 0;
}

/* Whether a board died, which is said. */
static bool somebody_died(struct serial_mesh *mesh)
{
    uint32_t node;

    if (mesh->wired == NULL || !wired_died(mesh->wired, &node)) {
        return false;
    }
    wired_explain(mesh->wired, node);
    return true;
}

/* A console failed: since its board died, which shows a moment after its line
   has gone, or for a reason of its own. */
static int print_failure(struct serial_mesh *mesh,
                         const struct console *console)
{
    for (unsigned i = 0; mesh->wired != NULL && i < DEATH_LOOKS; ++i) {
        if (somebody_died(mesh)) {
            return -1;
        }
        pause_for(console, DEATH_LOOK_S);
    }
    return print_error(console_why(console));
}

static int print_console_error(struct serial_mesh *mesh)
{
    return print_failure(mesh, mesh->console);
}

static double boot_s(const struct serial_mesh *mesh)
{
    struct torus_size size = mesh->config->size;

    return mesh->wired == NULL ? BOOT_S
                               : BOOT_S + EMULATED_S * torus_nodes(size);
}

/* *room_bytes: for a job's data, as the board says. */
static int await_this(struct serial_mesh *mesh, struct console *console,
                      uint64_t *room_bytes)
{
    double until_s = now_s(console) + boot_s(mesh);
    struct console_reply reply;
    int error = -1;

    console_patience(console, 1000, 120000, 1);
    while (error != 0 && now_s(console) < until_s) {
        progress_show(&(struct progress_step){
            .doing = "waiting for the originator's console"});
        error = console_request(console, &reply, "ident");
        if (error == 0 && !console_number(&reply, room_bytes, "room")) {
            *room_bytes = 0;
        }
        console_reply_free(&reply);
        if (error != 0) {
            if (somebody_died(mesh)) {
                return -1;
            }
            /* An unplugged port fails at once: do not spin. */
            pause_for(console, DEATH_LOOK_S);
        }
    }
    console_patience(console, 2000, 120000, 5);
    return error == 0 ? 0 : print_failure(mesh, console);
}

static int await_console(struct serial_mesh *mesh)
{
    return await_this(mesh, mesh->console, &mesh->room_bytes);
}

/* The consoles of their own that originators have. The smallest room counts. */
static int await_more(struct serial_mesh *mesh)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < count_of(mesh); ++i) {
        uint64_t room_bytes = UINT64_MAX;

        if (mesh->more[i] != NULL) {
            error = await_this(mesh, mesh->more[i], &room_bytes);
        }
        if (room_bytes < mesh->room_bytes) {
            mesh->room_bytes = room_bytes;
        }
    }
    return error;
}

/* Why the originator did not even begin to look. */
static void explain_refusal(const struct console_reply *reply)
{
    fprintf(stderr, "quincunx: the originator does not look for its mesh: %s\n",
            reply->code);
}

/* The host of the job that the originator is in has given it up: only one may
   have the port. The others leave it when they hear the next wave. */
static int end_job(struct serial_mesh *mesh)
{
    struct console_reply reply;
    int error;

    fputs("quincunx: the originator is still in a job that was given up, and "
          "is reset\n",
          stderr);
    error = console_request(mesh->console, &reply, "reset");
    console_reply_free(&reply);
    return error == 0 ? await_console(mesh) : print_console_error(mesh);
}

/* One wave. Result: 0 if there is a reply, good or not. */
static int send_wave(struct serial_mesh *mesh, struct console_reply *reply)
{
    const struct serial_mesh_config *config = mesh->config;
    char command[64];
    int error;

    snprintf(command, sizeof command, "mesh %u %u %u %u %u", config->size.width,
             config->size.height, config->originator.x, config->originator.y,
             config->policy);
    error = console_request(mesh->console, reply, command);
    if (error == 0 && strcmp(reply->code, "busy") == 0) {
        console_reply_free(reply);
        error = end_job(mesh);
        if (error == 0) {
            error = console_request(mesh->console, reply, command);
        }
    }
    return error;
}

/* A wave; the faults that it finds, one a line, unless there is another try. */
static int discover(struct serial_mesh *mesh, bool again)
{
    const struct serial_mesh_config *config = mesh->config;
    struct console_reply reply = {0};
    int error = send_wave(mesh, &reply);

    if (error != 0) {
        print_console_error(mesh);
    } else if (!reply.ok && reply.lines < 2) {
        error = -1;
        explain_refusal(&reply);
    } else if (!reply.ok || reply.lines > 2) {
        error = again ? 1 : -1;
        if (!again) {
            fprintf(stderr, "quincunx: the mesh is not a %ux%u torus:\n",
                    config->size.width, config->size.height);
            console_faults_print(stderr, &reply, config->size);
        }
    }
    console_reply_free(&reply);
    return error;
}

/* Emulated boards are wired right: who does not answer will, or has died. */
static int find_mesh(struct serial_mesh *mesh)
{
    double until_s = now_s(mesh->console) + boot_s(mesh);
    int error;

    do {
        progress_show(
            &(struct progress_step){.doing = "boards find each other"});
        error = discover(mesh,
                         mesh->wired != NULL && now_s(mesh->console) < until_s);
    } while (error > 0 && !somebody_died(mesh));
    return error == 0 ? 0 : -1;
}

/* A report that nobody fetched: who gave the order has gone. */
static void drop_report(struct console *console)
{
    uint8_t *data;
    uint32_t bytes;
    uint8_t kind;
    uint16_t job;

    if (console_receive(console, &data, &bytes, &kind, &job) == 0) {
        free(data);
    }
}

/* Whether the board of a console sits there, by its own word. */
static bool is_at(struct console *console, struct torus_coord at,
                  uint64_t found[2])
{
    struct console_reply reply;
    bool known = console_request(console, &reply, "ident") == 0 &&
                 console_number(&reply, &found[0], "x") &&
                 console_number(&reply, &found[1], "y");

    console_reply_free(&reply);
    return known && found[0] == at.x && found[1] == at.y;
}

/* Checks which originator's console is whose: a board knows its place soon
   after the mesh has been found. Result: 0; -1 after a message. */
static int check_places(struct serial_mesh *mesh)
{
    const struct mesh_groups *groups = mesh->config->groups;
    bool own = mesh->config->other_consoles != NULL;

    for (uint32_t i = 1; own && i < groups->count; ++i) {
        struct torus_coord at = groups->originator[i];
        double until_s = now_s(mesh->more[i]) + PLACE_S;
        uint64_t found[2] = {0};
        bool right;

        while (!(right = is_at(mesh->more[i], at, found)) &&
               now_s(mesh->more[i]) < until_s) {
            pause_for(mesh->more[i], DEATH_LOOK_S);
        }
        if (!right) {
            fprintf(stderr,
                    "quincunx: --port %s: is the console of board %u,%u, not "
                    "of the originator %u,%u\n",
                    mesh->config->other_consoles[i - 1u], (unsigned)found[0],
                    (unsigned)found[1], at.x, at.y);
            return -1;
        }
        drop_report(mesh->more[i]);
    }
    return 0;
}

int serial_mesh_start(struct serial_mesh *mesh,
                      const struct serial_mesh_config *config,
                      serial_mesh_way *way)
{
    int error;

    *mesh = (struct serial_mesh){.config = config};
    mesh->more = memory_or_exit(calloc(count_of(mesh), sizeof *mesh->more));
    error = way(mesh);
    if (error == 0) {
        error = await_console(mesh);
    }
    if (error == 0) {
        error = await_more(mesh);
    }
    if (error == 0) {
        error = find_mesh(mesh);
    }
    if (error == 0) {
        drop_report(mesh->console); /* no job goes on after a new wave */
        error = check_places(mesh);
    }
    mesh->up_wall_s = mesh_wall_s();
    if (error != 0) {
        serial_mesh_stop(mesh);
    }
    return error;
}

/* ---- orders ---- */

/* The order's bytes as one message, and its length, with room for `more` bytes
   behind them; NULL after a message on stderr, if the load cannot be read. */
static uint8_t *join(const struct mesh_order *order, uint32_t *bytes,
                     uint32_t more)
{
    uint8_t *message;

    *bytes = order->head_bytes + order->load_bytes;
    message = memory_or_exit(malloc(*bytes + more + 1u));
    memcpy(message, order->head, order->head_bytes);
    if (order->load_bytes > 0 &&
        file_piece_copy(message + order->head_bytes, &order->load,
                        order->load_bytes) != 0) {
        free(message);
        return NULL;
    }
    return message;
}

/* A message to the node of a console, which waits for one soon after it has
   ended the last one. */
static int give(struct serial_mesh *mesh, struct console *console,
                const uint8_t *message, uint32_t bytes, uint8_t kind,
                uint16_t job)
{
    double since_s = now_s(console);
    double until_s = since_s + mesh->config->watchdog_s;
    int error = 1;

    while (error == 1 && now_s(console) < until_s) {
        error = console_send(console, message, bytes, kind, job);
        if (error == 1) {
            if (somebody_died(mesh)) {
                return -1;
            }
            pause_between(console, since_s);
        }
    }
    if (error > 0) {
        return print_error("the originator takes no order");
    }
    return error == 0 ? 0 : print_failure(mesh, console);
}

static int give_order(struct serial_mesh *mesh, struct console *console,
                      const struct mesh_order *order)
{
    uint32_t bytes;
    uint8_t *message = join(order, &bytes, 0);
    int error = message == NULL ? -1
                                : give(mesh, console, message, bytes,
                                       order->kind, order->job);

    free(message);
    return error;
}

/* A console that does not answer at once has told nothing before, either. */
void serial_mesh_give_up(struct serial_mesh *mesh)
{
    struct console_reply reply;
    int error;

    if (mesh->wired != NULL) {
        return;
    }
    console_limit(mesh->console, RESET_MS);
    error = console_request(mesh->console, &reply, "reset");
    console_limit(mesh->console, 0);
    if (error == 0 && await_console(mesh) == 0) {
        (void)discover(mesh, false);
    }
    console_reply_free(&reply);
}

/* Whether a board left the job, which is said. *ask_s is when it is to be asked
   for next, from `since_s` on. */
static bool somebody_left(const struct serial_mesh *mesh, double *ask_s,
                          double since_s)
{
    const struct serial_mesh_config *config = mesh->config;

    if (config->has_left == NULL || now_s(mesh->console) - since_s < *ask_s) {
        return false;
    }
    *ask_s *= 2;
    return config->has_left(config->context);
}

/* A message of the node of a console, behind room for a header as it would come
   over circuits. */
static int receive_report(struct serial_mesh *mesh, struct console *console,
                          struct mesh_report *report)
{
    double since_s = now_s(console);
    double until_s = since_s + mesh->config->watchdog_s;
    double ask_s = ASK_S;
    uint8_t *data = NULL;
    uint32_t bytes = 0;
    uint8_t kind;
    uint16_t job;
    int error = 1;

    while (error == 1 && now_s(console) < until_s) {
        progress_show(&(struct progress_step){.doing = "boards compute"});
        error = console_receive(console, &data, &bytes, &kind, &job);
        if (error == 1) {
            if (somebody_died(mesh) || somebody_left(mesh, &ask_s, since_s)) {
                return -1;
            }
            pause_between(console, since_s);
        }
    }
    if (error > 0) {
        return print_error("no report came in time");
    }
    if (error < 0) {
        return print_failure(mesh, console);
    }
    free(report->data);
    report->bytes = CIRCUIT_HEADER_BYTES + bytes;
    report->data = memory_or_exit(malloc(report->bytes));
    memset(report->data, 0, CIRCUIT_HEADER_BYTES);
    report->data[CIRCUIT_AT_KIND] = kind;
    memcpy(report->data + CIRCUIT_HEADER_BYTES, data, bytes);
    free(data);
    return 0;
}

enum mesh_end serial_mesh_run(struct serial_mesh *mesh,
                              const struct mesh_order *order)
{
    return give_order(mesh, mesh->console, order) == 0 &&
                   receive_report(mesh, mesh->console, &mesh->report) == 0
               ? MESH_DONE
               : MESH_FAILED;
}

/* ---- several originators ---- */

/* An errand about originator `i`. */
static void store_errand(uint8_t *out, const struct serial_mesh *mesh,
                         uint32_t i, enum serial_errand errand, uint8_t kind)
{
    struct torus_size size = mesh->config->size;
    struct torus_coord away = torus_away(size, mesh->config->originator,
                                         mesh->config->groups->originator[i]);

    serial_errand_store(out, torus_direct(size, away), errand, kind);
}

/* Names the originator that something failed at. */
static int print_unreached(const struct serial_mesh *mesh, uint32_t i,
                           const char *what, int error)
{
    struct torus_coord at = mesh->config->groups->originator[i];

    fprintf(stderr, "quincunx: the originator at %u,%u %s: %s\n", at.x, at.y,
            what, postmortem_error(error));
    postmortem_print_hint(stderr, "quincunx: ", error);
    return -1;
}

/* Names it behind a message that says what did not come. */
static int print_silent(const struct serial_mesh *mesh, uint32_t i,
                        const char *what, const char *how)
{
    struct torus_coord at = mesh->config->groups->originator[i];

    fprintf(stderr, "quincunx: the %s of the originator at %u,%u %s\n", what,
            at.x, at.y, how);
    return -1;
}

/* The error that the first originator's node answers to errands, of which it
   did `done` before; not one if the answer is malformed. */
static int read_answer(const struct mesh_report *report, uint32_t *done)
{
    const uint8_t *answer = report->data + CIRCUIT_HEADER_BYTES;

    *done = 0;
    if (report->bytes != CIRCUIT_HEADER_BYTES + SERIAL_ANSWER_BYTES) {
        return ERR_LENGTH;
    }
    *done = bytes_load_u32(answer + 4);
    return (int32_t)bytes_load_u32(answer);
}

/* Sends an originator behind the first its order over the mesh; or, if it has a
   console of its own, tells it to take the order from there. */
static int delegate(struct serial_mesh *mesh, uint32_t i,
                    const struct mesh_order *order)
{
    struct console *own = mesh->more[i];
    uint32_t bytes = 0;
    uint8_t *message = own != NULL ? memory_or_exit(malloc(SERIAL_ERRAND_BYTES))
                                   : join(order, &bytes, SERIAL_ERRAND_BYTES);
    uint32_t done;
    int error = message == NULL ? -1 : 0;

    if (error == 0) {
        store_errand(message + bytes, mesh, i, SERIAL_ERRAND_ORDER,
                     order->kind);
        error = give(mesh, mesh->console, message, bytes + SERIAL_ERRAND_BYTES,
                     SERIAL_ERRAND, order->job);
    }
    free(message);
    if (error == 0) {
        error = receive_report(mesh, mesh->console, &mesh->report);
    }
    if (error != 0) {
        return print_silent(mesh, i, "order", "was not passed on");
    }
    error = read_answer(&mesh->report, &done);
    if (error != ERR_OK) {
        return print_unreached(mesh, i, "cannot be given its order", error);
    }
    return own != NULL ? give_order(mesh, own, order) : 0;
}

/* The first originator's order, with which all begin. */
static int lead(struct serial_mesh *mesh, const struct mesh_order *order)
{
    uint32_t count = count_of(mesh);
    uint32_t bytes;
    uint8_t *message = join(order, &bytes, count * SERIAL_ERRAND_BYTES);
    int error;

    if (message == NULL) {
        return -1;
    }
    serial_errand_store(message + bytes, (struct torus_path){.hops = 0},
                        SERIAL_ERRAND_LEAD, order->kind);
    for (uint32_t i = count - 1u; i > 0; --i) {
        bytes += SERIAL_ERRAND_BYTES;
        store_errand(message + bytes, mesh, i, SERIAL_ERRAND_START, 0);
    }
    error = give(mesh, mesh->console, message, bytes + SERIAL_ERRAND_BYTES,
                 SERIAL_ERRAND, order->job);
    free(message);
    return error;
}

/* The first originator's report: or its answer, as another does not begin. */
static int receive_first(struct serial_mesh *mesh)
{
    struct mesh_report *report = &mesh->reports[0];
    uint32_t done;
    int error = receive_report(mesh, mesh->console, report);

    if (error != 0 || report->data[CIRCUIT_AT_KIND] != SERIAL_ERRAND) {
        return error;
    }
    error = read_answer(report, &done);
    return print_unreached(mesh, done + 1u < count_of(mesh) ? done + 1u : 0,
                           "cannot be told to begin", error);
}

static int receive_other(struct serial_mesh *mesh, uint32_t i)
{
    struct mesh_report *report = &mesh->reports[i];
    struct console *own = mesh->more[i];
    uint8_t errand[SERIAL_ERRAND_BYTES];
    uint32_t done;
    int error = 0;

    if (own == NULL) {
        store_errand(errand, mesh, i, SERIAL_ERRAND_FETCH, 0);
        error =
            give(mesh, mesh->console, errand, sizeof errand, SERIAL_ERRAND, 0);
    }
    if (error == 0) {
        error = receive_report(mesh, own != NULL ? own : mesh->console, report);
    }
    if (error != 0) {
        return print_silent(mesh, i, "report", "is missing");
    }
    if (report->data[CIRCUIT_AT_KIND] == SERIAL_ERRAND) {
        error = read_answer(report, &done);
        return print_unreached(mesh, i, "sends no report", error);
    }
    return 0;
}

static void free_reports(struct serial_mesh *mesh)
{
    for (uint32_t i = 0; mesh->reports != NULL && i < count_of(mesh); ++i) {
        free(mesh->reports[i].data);
    }
    free(mesh->reports);
    mesh->reports = NULL;
}

enum mesh_end serial_mesh_run_several(struct serial_mesh *mesh,
                                      const struct mesh_order order[])
{
    uint32_t count = count_of(mesh);
    int error = 0;

    free_reports(mesh);
    mesh->reports = memory_or_exit(calloc(count, sizeof *mesh->reports));
    for (uint32_t i = 1; error == 0 && i < count; ++i) {
        error = delegate(mesh, i, &order[i]);
    }
    if (error == 0) {
        error = lead(mesh, &order[0]);
    }
    if (error == 0) {
        error = receive_first(mesh);
    }
    for (uint32_t i = 1; error == 0 && i < count; ++i) {
        error = receive_other(mesh, i);
    }
    return error == 0 ? MESH_DONE : MESH_FAILED;
}

/* "ps=T kind=K detail=D value=V" */
static bool read_event(struct node_event *event, const char *line)
{
    unsigned long long time_ps;
    unsigned kind;
    unsigned detail;
    unsigned value;

    if (sscanf(line, "ps=%llu kind=%u detail=%u value=%u", &time_ps, &kind,
               &detail, &value) != 4) {
        return false;
    }
    *event = (struct node_event){.time_ps = time_ps,
                                 .kind = (uint16_t)kind,
                                 .detail = (uint16_t)detail,
                                 .value = value};
    return true;
}

int serial_mesh_trace(struct serial_mesh *mesh,
                      struct node_event events[NODE_EVENTS], uint32_t *count)
{
    struct console_reply reply;
    int error = console_request(mesh->console, &reply, "trace");

    *count = 0;
    for (uint32_t i = 1; error == 0 && i < reply.lines && *count < NODE_EVENTS;
         ++i) {
        *count += read_event(&events[*count], reply.line[i]);
    }
    console_reply_free(&reply);
    return error == 0 ? 0 : print_console_error(mesh);
}

void serial_mesh_stop(struct serial_mesh *mesh)
{
    for (uint32_t i = 1; mesh->more != NULL && i < count_of(mesh); ++i) {
        console_close(mesh->more[i]);
    }
    free(mesh->more);
    console_close(mesh->console);
    wired_stop(mesh->wired);
    free(mesh->report.data);
    free_reports(mesh);
    *mesh = (struct serial_mesh){.config = NULL};
}
