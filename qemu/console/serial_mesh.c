/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/console/serial_mesh.h"

#include "hal/circuit.h"
#include "qemu/console/faults.h"
#include "qemu/support/memory.h"
#include "scatter/wire/wire.h"

#include <poll.h>
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
/* How a dead board is looked for. */
#define DEATH_LOOKS 5u
#define DEATH_LOOK_MS 100

static void pause_between(double since_s)
{
    double look_s = (mesh_wall_s() - since_s) * LOOK_PART;

    look_s = look_s < LOOK_S ? LOOK_S : look_s;
    look_s = look_s < LOOK_MAX_S ? look_s : LOOK_MAX_S;
    (void)poll(NULL, 0, (int)(look_s * 1000));
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

int serial_mesh_port(struct serial_mesh *mesh)
{
    mesh->console = console_connect(mesh->config->port, CONSOLE_PORT_RATE);
    return mesh->console != NULL ? 0 : -1;
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

/* The console failed: since its board died, which shows a moment after its line
   has gone, or for a reason of its own. */
static int print_console_error(struct serial_mesh *mesh)
{
    for (unsigned i = 0; mesh->wired != NULL && i < DEATH_LOOKS; ++i) {
        if (somebody_died(mesh)) {
            return -1;
        }
        (void)poll(NULL, 0, DEATH_LOOK_MS);
    }
    return print_error(console_why(mesh->console));
}

static double boot_s(const struct serial_mesh *mesh)
{
    struct torus_size size = mesh->config->size;

    return mesh->wired == NULL ? BOOT_S
                               : BOOT_S + EMULATED_S * torus_nodes(size);
}

static int await_console(struct serial_mesh *mesh)
{
    double until_s = mesh_wall_s() + boot_s(mesh);
    struct console_reply reply;
    int error = -1;

    console_patience(mesh->console, 1000, 120000, 1);
    while (error != 0 && mesh_wall_s() < until_s) {
        error = console_request(mesh->console, &reply, "ident");
        if (error == 0 && !console_number(&reply, &mesh->room_bytes, "room")) {
            mesh->room_bytes = 0;
        }
        console_reply_free(&reply);
        if (error != 0) {
            if (somebody_died(mesh)) {
                return -1;
            }
            (void)poll(NULL, 0, DEATH_LOOK_MS); /* a port that has gone */
        }
    }
    console_patience(mesh->console, 2000, 120000, 5);
    return error == 0 ? 0 : print_console_error(mesh);
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
    double until_s = mesh_wall_s() + boot_s(mesh);
    int error;

    do {
        error = discover(mesh, mesh->wired != NULL && mesh_wall_s() < until_s);
    } while (error > 0 && !somebody_died(mesh));
    return error == 0 ? 0 : -1;
}

/* A report that nobody fetched: who gave the order has gone. */
static void drop_report(struct serial_mesh *mesh)
{
    uint8_t *data;
    uint32_t bytes;
    uint8_t kind;
    uint16_t job;

    if (console_receive(mesh->console, &data, &bytes, &kind, &job) == 0) {
        free(data);
    }
}

int serial_mesh_start(struct serial_mesh *mesh,
                      const struct serial_mesh_config *config,
                      serial_mesh_way *way)
{
    int error;

    *mesh = (struct serial_mesh){.config = config};
    error = way(mesh);
    if (error == 0) {
        error = await_console(mesh);
    }
    if (error == 0) {
        error = find_mesh(mesh);
    }
    if (error == 0) {
        drop_report(mesh); /* no job goes on after a new wave */
    }
    mesh->up_wall_s = mesh_wall_s();
    if (error != 0) {
        serial_mesh_stop(mesh);
    }
    return error;
}

/* ---- orders ---- */

/* The order's bytes as one message, and its length; NULL after a message on
   stderr, if the load cannot be read. */
static uint8_t *join(const struct mesh_order *order, uint32_t *bytes)
{
    uint8_t *message;

    *bytes = order->head_bytes + order->load_bytes;
    message = memory_or_exit(malloc(*bytes + 1u));
    memcpy(message, order->head, order->head_bytes);
    if (order->load_bytes > 0 &&
        file_piece_copy(message + order->head_bytes, &order->load,
                        order->load_bytes) != 0) {
        free(message);
        return NULL;
    }
    return message;
}

/* The originator waits for an order soon after it has ended the last one. */
static int give(struct serial_mesh *mesh, const struct mesh_order *order)
{
    double since_s = mesh_wall_s();
    double until_s = since_s + mesh->config->watchdog_s;
    uint32_t bytes;
    uint8_t *message = join(order, &bytes);
    int error = 1;

    if (message == NULL) {
        return -1;
    }
    while (error == 1 && mesh_wall_s() < until_s) {
        error = console_send(mesh->console, message, bytes, order->kind,
                             order->job);
        if (error == 1) {
            pause_between(since_s);
        }
    }
    free(message);
    if (error > 0) {
        return print_error("the originator takes no order");
    }
    return error == 0 ? 0 : print_console_error(mesh);
}

void serial_mesh_give_up(struct serial_mesh *mesh)
{
    struct console_reply reply;

    if (mesh->wired != NULL) {
        return;
    }
    if (console_request(mesh->console, &reply, "reset") == 0 &&
        await_console(mesh) == 0) {
        (void)discover(mesh, false);
    }
    console_reply_free(&reply);
}

/* The report, behind room for a header as it would come over circuits. */
static int receive_report(struct serial_mesh *mesh)
{
    double since_s = mesh_wall_s();
    double until_s = since_s + mesh->config->watchdog_s;
    struct mesh_report *report = &mesh->report;
    uint8_t *data = NULL;
    uint32_t bytes = 0;
    uint8_t kind;
    uint16_t job;
    int error = 1;

    while (error == 1 && mesh_wall_s() < until_s) {
        error = console_receive(mesh->console, &data, &bytes, &kind, &job);
        if (error == 1) {
            if (somebody_died(mesh)) {
                return -1;
            }
            pause_between(since_s);
        }
    }
    if (error > 0) {
        return print_error("no report came in time");
    }
    if (error < 0) {
        return print_console_error(mesh);
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
    return give(mesh, order) == 0 && receive_report(mesh) == 0 ? MESH_DONE
                                                               : MESH_FAILED;
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
    console_close(mesh->console);
    wired_stop(mesh->wired);
    free(mesh->report.data);
    *mesh = (struct serial_mesh){.config = NULL};
}
