/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/serial_mesh.h"

#include "hal/circuit.h"
#include "hal/serial/errand.h"
#include "qemu/board/emulator.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "qemu/serial/mesh_holes.h"
#include "qemu/serial/mesh_map.h"
#include "qemu/serial/ps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most time from a board's start until it answers on its console, s. EMULATED_S
   is added for each board started on this machine. */
#define BOOT_S 20.0
#define EMULATED_S 2.0
/* Pause between two questions for a report, s: LOOK_PART of the time waited so
   far, at least LOOK_S, at most LOOK_MAX_S. Few questions disturb a timed job
   little. */
#define LOOK_S 0.02
#define LOOK_MAX_S 1.0
#define LOOK_PART (1.0 / 16)
/* After this time, s, all boards are asked whether they are still in the job.
   The time doubles after each question. */
#define ASK_S 4.0
/* Most time until a board knows its position after discovery, s. */
#define PLACE_S 5.0
/* Most time for a board to accept a reset, ms. */
#define RESET_MS 1500u
/* Time for which the LED of a board blinks that is beside a missing one, s. */
#define BLINK_S 600u
/* How often a failed board is checked for its death, and the pause between two
   checks, s. */
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

static uint32_t count_of(const struct serial_mesh *mesh)
{
    return mesh->task->request->originators;
}

static struct torus_coord originator_of(const struct serial_mesh *mesh,
                                        uint32_t i)
{
    return mesh->task->request->originator[i].at;
}

/* ---- starting ---- */

static int start_boards(struct serial_mesh *mesh)
{
    const struct request *request = mesh->task->request;
    uint32_t first = torus_index(request->size, originator_of(mesh, 0));
    uint8_t *consoles = memory_or_exit(calloc(torus_nodes(request->size), 1));

    consoles[first] = WIRED_SOCKET;
    mesh->wired = wired_start(
        &(struct wired_config){.qemu = emulator_program(),
                               .kind = request->board,
                               .firmware = request->firmware,
                               .size = request->size,
                               .console = consoles,
                               .noise = request->noise,
                               .cuts = request->injections.count > 0});
    free(consoles);
    if (mesh->wired == NULL) {
        return -1;
    }
    mesh->faults.wired = mesh->wired;
    mesh->console[0] = console_open(console_port_attach(
        wired_console(mesh->wired, first), "the originator's console"));
    return 0;
}

static int open_ports(struct serial_mesh *mesh)
{
    const struct request *request = mesh->task->request;
    uint32_t count = request->other_consoles != NULL ? count_of(mesh) : 1;

    for (uint32_t i = 0; i < count; ++i) {
        mesh->console[i] = console_connect(
            i == 0 ? request->port : request->other_consoles[i - 1],
            CONSOLE_PORT_RATE);
        if (mesh->console[i] == NULL) {
            return -1;
        }
    }
    return 0;
}

/* Prints which boards have died that were not to. Returns whether the first
   originator's is among them. */
static bool originator_died(struct serial_mesh *mesh)
{
    struct torus_size size = mesh->task->request->size;
    bool died = false;
    uint32_t node;

    while (mesh->wired != NULL && wired_died(mesh->wired, &node)) {
        bool first = node == torus_index(size, originator_of(mesh, 0));

        if (first || !mesh->dead->node[node]) {
            wired_explain(mesh->wired, node);
        }
        schedule_holes_add(mesh->dead, torus_coord_of(size, node), false);
        died = died || first;
    }
    return died;
}

/* Prints why a console failed: its board died, or else the console's own error.
   A board's death is seen a moment after its line has failed. */
static int print_failure(struct serial_mesh *mesh,
                         const struct console *console)
{
    for (unsigned i = 0; mesh->wired != NULL && i < DEATH_LOOKS; ++i) {
        if (originator_died(mesh)) {
            return -1;
        }
        pause_for(console, DEATH_LOOK_S);
    }
    fprintf(stderr, "quincunx: %s\n", console_why(console));
    return -1;
}

static double boot_s(const struct serial_mesh *mesh)
{
    return mesh->wired == NULL
               ? BOOT_S
               : BOOT_S + EMULATED_S * torus_nodes(mesh->task->request->size);
}

/* Waits until a console's board answers. Asks for its job memory; the mesh uses
   the smallest. */
static int await_console(struct serial_mesh *mesh, struct console *console)
{
    double until_s = now_s(console) + boot_s(mesh);
    struct console_reply reply;
    uint64_t room_bytes = 0;
    int error = -1;

    console_patience(console, 1000, 120000, 1);
    while (error != 0 && now_s(console) < until_s) {
        progress_show(&(struct progress_step){
            .doing = "waiting for the originator's console"});
        error = console_request(console, &reply, "ident");
        if (error == 0) {
            (void)console_number(&reply, &room_bytes, "room");
        }
        console_reply_free(&reply);
        if (error != 0) {
            if (originator_died(mesh)) {
                return -1;
            }
            /* The line of an unplugged port fails at once, so this pauses. */
            pause_for(console, DEATH_LOOK_S);
        }
    }
    console_patience(console, 2000, 120000, 5);
    if (error != 0) {
        return print_failure(mesh, console);
    }
    if (room_bytes < mesh->room_bytes) {
        mesh->room_bytes = room_bytes;
    }
    return 0;
}

/* Resets an originator that is still in a job. That job's host has given up,
   since only one host can hold the port. Other boards leave the job at the next
   discovery. */
static int end_job(struct serial_mesh *mesh)
{
    struct console_reply reply;
    int error;

    fputs("quincunx: the originator is still in a job that was given up, and "
          "is reset\n",
          stderr);
    error = console_request(mesh->console[0], &reply, "reset");
    console_reply_free(&reply);
    return error == 0 ? await_console(mesh, mesh->console[0]) : -1;
}

static int send_wave(struct serial_mesh *mesh, struct console_reply *reply)
{
    struct torus_size size = mesh->task->request->size;
    struct torus_coord at = originator_of(mesh, 0);
    char command[64];
    int error;

    snprintf(command, sizeof command, "mesh %u %u %u %u %u", size.width,
             size.height, at.x, at.y, job_policy(mesh->task)->id);
    error = console_request(mesh->console[0], reply, command);
    if (error == 0 && strcmp(reply->code, "busy") == 0) {
        console_reply_free(reply);
        error = end_job(mesh);
        if (error == 0) {
            error = console_request(mesh->console[0], reply, command);
        }
    }
    return error;
}

static void print_faults(const struct serial_mesh *mesh,
                         const struct console_reply *reply)
{
    struct torus_size size = mesh->task->request->size;

    fprintf(stderr, "quincunx: the mesh is not a %ux%u torus:\n", size.width,
            size.height);
    mesh_faults_print(stderr, reply, size);
}

/* Starts one discovery, and replaces mesh->holes. Prints what it finds wrong,
   but missing boards and links, if `again` is false. Returns 0; 1 to try again,
   as something is wrong; -1 to give up. */
static int discover(struct serial_mesh *mesh, bool again)
{
    struct console_reply reply = {0};
    int error = send_wave(mesh, &reply);

    schedule_holes_free(mesh->holes);
    mesh->holes = schedule_holes_new(mesh->task->request->size);
    if (error != 0) {
        print_failure(mesh, mesh->console[0]);
    } else if (!reply.ok && reply.lines < 2) {
        error = -1;
        fprintf(stderr,
                "quincunx: the originator does not look for its mesh: %s\n",
                reply.code);
    } else if ((!reply.ok || reply.lines > 2) &&
               (!mesh_holes_read(mesh->holes, &reply, originator_of(mesh, 0)) ||
                !(mesh->measured || mesh_holes_measured(mesh->holes)))) {
        error = again ? 1 : -1;
        if (!again) {
            print_faults(mesh, &reply);
        }
    }
    mesh->measured = mesh->measured || error == 0;
    console_reply_free(&reply);
    return error;
}

/* Returns whether a discovery has found all boards, or all but emulated ones
   that have died, or what the one before did, which missed `before`. Whoever is
   silent once may be late. Emulated boards were started a short time ago, so
   that silent ones are until boot_s() or a death. */
static bool is_settled(const struct serial_mesh *mesh,
                       const struct schedule_holes *before, double until_s)
{
    return schedule_holes_equal(mesh->holes, mesh->dead) ||
           (before != NULL && schedule_holes_equal(mesh->holes, before) &&
            (mesh->wired == NULL || schedule_holes_any(mesh->dead) ||
             now_s(mesh->console[0]) >= until_s));
}

/* Lets the LED of a board blink. A board that does not hear it stays dark. */
static void blink(const struct serial_mesh *mesh, struct torus_coord at)
{
    static const char letters[] = "ENWS";
    struct torus_size size = mesh->task->request->size;
    struct torus_path path =
        torus_x_first(size, torus_away(size, originator_of(mesh, 0), at));
    enum torus_port port = (enum torus_port)path.port;
    struct console_reply reply;
    char command[64];
    int at_end = snprintf(command, sizeof command, "identify");

    if (path.hops > 0) {
        at_end += snprintf(command + at_end, sizeof command - (size_t)at_end,
                           " %c%u", letters[port], path.hops);
    }
    if (path.hops > 0 && path.turn != TORUS_STRAIGHT) {
        port = torus_after_turn(port, (enum torus_turn)path.turn);
        at_end += snprintf(command + at_end, sizeof command - (size_t)at_end,
                           " %c%u", letters[port], path.hops_after);
    }
    snprintf(command + at_end, sizeof command - (size_t)at_end, " %u", BLINK_S);
    if (console_request(mesh->console[0], &reply, command) != 0) {
        fprintf(stderr, "quincunx: board %u,%u beside it does not blink: %s\n",
                at.x, at.y, console_why(mesh->console[0]));
    }
    console_reply_free(&reply);
}

/* Tells what does not answer, and lets the LEDs of real boards beside it blink.
 */
static void show_holes(const struct serial_mesh *mesh)
{
    const struct schedule_holes *holes = mesh->holes;

    fputs("quincunx: the job goes on without what does not answer:\n", stderr);
    mesh_holes_print(stderr, holes, mesh->chip);
    for (uint32_t i = 0; mesh->wired == NULL && i < torus_nodes(holes->size);
         ++i) {
        struct torus_coord at = torus_coord_of(holes->size, i);
        bool beside = false;

        for (unsigned port = 0; !holes->node[i] && port < TORUS_PORTS; ++port) {
            beside |=
                holes->link[torus_link(holes->size, at, (enum torus_port)port)];
        }
        if (beside) {
            blink(mesh, at);
        }
    }
}

/* Repeats the discovery until the mesh is found, or twice the same without some
   boards or links. */
static int find_mesh(struct serial_mesh *mesh)
{
    const struct console *first = mesh->console[0];
    double until_s = now_s(first) + boot_s(mesh);
    struct schedule_holes *before = NULL;
    bool settled = false;
    int error;

    do {
        progress_show(
            &(struct progress_step){.doing = "boards find each other"});
        schedule_holes_free(before);
        before = mesh->holes;
        mesh->holes = NULL;
        error = discover(mesh, mesh->wired != NULL && now_s(first) < until_s);
        settled = error == 0 && is_settled(mesh, before, until_s);
    } while (!originator_died(mesh) && error >= 0 && !settled);
    schedule_holes_free(before);
    if (settled && schedule_holes_any(mesh->holes)) {
        show_holes(mesh);
    }
    return settled ? 0 : -1;
}

int serial_mesh_renew(struct serial_mesh *mesh)
{
    return find_mesh(mesh);
}

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

/* Checks that a console's board is originator `i`. A board knows its position
   soon after discovery. Returns 0, or -1 after a message. */
static int check_place(struct serial_mesh *mesh, uint32_t i)
{
    struct console *console = mesh->console[i];
    struct torus_coord at = originator_of(mesh, i);
    double until_s = now_s(console) + PLACE_S;
    uint64_t found[2] = {0};
    bool right;

    while (!(right = is_at(console, at, found)) && now_s(console) < until_s) {
        pause_for(console, DEATH_LOOK_S);
    }
    if (right) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: --port %s: is the console of board %u,%u, not of the "
            "originator %u,%u\n",
            mesh->task->request->other_consoles[i - 1u], (unsigned)found[0],
            (unsigned)found[1], at.x, at.y);
    return -1;
}

/* Drops a report that an earlier host did not fetch. Discovery has ended that
   host's job. */
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

int serial_mesh_start(struct serial_mesh *mesh, const struct job_task *task)
{
    uint32_t count;
    int error;

    *mesh =
        (struct serial_mesh){.task = task,
                             .room_bytes = UINT64_MAX,
                             .dead = schedule_holes_new(task->request->size)};
    serial_faults_open(&mesh->faults, task->request);
    count = count_of(mesh);
    mesh->console = memory_or_exit(calloc(count, sizeof *mesh->console));
    mesh->reports = memory_or_exit(calloc(count, sizeof *mesh->reports));
    error =
        task->request->mesh->has_images ? start_boards(mesh) : open_ports(mesh);
    for (uint32_t i = 0; error == 0 && i < count; ++i) {
        error = mesh->console[i] != NULL ? await_console(mesh, mesh->console[i])
                                         : 0;
    }
    error = error == 0 ? find_mesh(mesh) : error;
    (void)serial_faults_act(&mesh->faults, mesh->dead);
    for (uint32_t i = 0; error == 0 && i < count; ++i) {
        if (mesh->console[i] != NULL) {
            error = i > 0 ? check_place(mesh, i) : 0;
            drop_report(mesh->console[i]);
        }
    }
    mesh->up_wall_s = host_clock_s(host_clock());
    if (error != 0) {
        serial_mesh_stop(mesh);
    }
    return error;
}

/* A console that does not accept the reset within RESET_MS was silent before,
   too. */
void serial_mesh_give_up(struct serial_mesh *mesh)
{
    struct console *first = mesh->console[0];
    struct console_reply reply;
    int error;

    if (mesh->wired != NULL) {
        return;
    }
    console_limit(first, RESET_MS);
    error = console_request(first, &reply, "reset");
    console_limit(first, 0);
    if (error == 0 && await_console(mesh, first) == 0 &&
        discover(mesh, false) == 0) {
        mesh_holes_print(stderr, mesh->holes, mesh->chip);
    }
    console_reply_free(&reply);
}

/* ---- orders ---- */

/* State of a question that is repeated to one board until the watchdog
   expires. */
struct asking {
    struct console *console;
    double since_s;
    /* Time, s after since_s, at which all boards are asked whether they are
       still in the job; 0: never. */
    double ask_s;
    const char *late; /* message that is printed if the watchdog expires */
};

/* Returns whether a board has left the job, and prints which. Other boards
   would wait for it for minutes. */
static bool somebody_left(const struct serial_mesh *mesh)
{
    const struct ps_node *node;
    struct ps ps;

    ps_begin(&ps, mesh->console[0], mesh->task->request->size,
             originator_of(mesh, 0));
    node = ps_find_left(&ps);
    if (node != NULL) {
        fprintf(stderr, "quincunx: node %u,%u has left the job: %s\n",
                node->asked.at.x, node->asked.at.y,
                node->placed ? postmortem_error(node->error)
                             : "it has been reset");
    }
    ps_end(&ps);
    return node != NULL;
}

static double waited_s(const struct asking *asking)
{
    return now_s(asking->console) - asking->since_s;
}

/* Pauses before a question is repeated. Returns whether to repeat it. If not,
   prints the reason. */
static bool ask_again(struct serial_mesh *mesh, struct asking *asking)
{
    double due_s = serial_faults_act(&mesh->faults, mesh->dead);
    double pause_s;

    if (originator_died(mesh)) {
        return false;
    }
    if (asking->ask_s > 0 && waited_s(asking) >= asking->ask_s) {
        asking->ask_s *= 2;
        if (somebody_left(mesh)) {
            return false;
        }
    }
    pause_s = waited_s(asking) * LOOK_PART;
    pause_s = pause_s < LOOK_S ? LOOK_S : pause_s;
    pause_s = pause_s < LOOK_MAX_S ? pause_s : LOOK_MAX_S;
    pause_for(asking->console, pause_s < due_s ? pause_s : due_s);
    if (waited_s(asking) >= mesh->task->request->watchdog_s) {
        fprintf(stderr, "quincunx: %s\n", asking->late);
        return false;
    }
    return true;
}

/* Prints why an originator's console fails during a job. */
static int lose_console(struct serial_mesh *mesh, const struct console *console)
{
    (void)print_failure(mesh, console);
    if (count_of(mesh) == 1) {
        struct torus_coord at = originator_of(mesh, 0);

        fprintf(stderr,
                "  hint: nobody takes the place of the originator %u,%u: no "
                "other console is connected; --port and --originator name "
                "another\n",
                at.x, at.y);
    }
    return -1;
}

/* Gives an order to a console's board, with `count` errands behind it: orders
   that it passes on to other originators. The board accepts it after the end of
   its last job. */
static int give(struct serial_mesh *mesh, struct console *console,
                const struct mesh_order *order, const uint8_t *errands,
                uint32_t count)
{
    struct asking asking = {.console = console,
                            .since_s = now_s(console),
                            .late = "the originator takes no order"};
    uint32_t bytes = order->head_bytes + order->load_bytes;
    uint32_t more = count * SERIAL_ERRAND_BYTES;
    uint8_t *message = memory_or_exit(malloc(bytes + more + 1u));
    int error = 0;

    memcpy(message, order->head, order->head_bytes);
    if (order->load_bytes > 0) {
        error = file_piece_copy(message + order->head_bytes, &order->load,
                                order->load_bytes);
    }
    if (count > 0) {
        memcpy(message + bytes, errands, more);
    }
    if (error == 0) {
        do {
            error = console_send(console, message, bytes + more,
                                 count > 0 ? SERIAL_ERRAND : order->kind,
                                 order->job);
        } while (error == 1 && ask_again(mesh, &asking));
        error = error < 0 ? lose_console(mesh, console) : error;
    }
    if (error == 0 && order->kind == WIRE_ORDER) {
        serial_faults_start(&mesh->faults);
        (void)serial_faults_act(&mesh->faults, mesh->dead);
    }
    free(message);
    return error;
}

/* Waits for a message from a console's board. Stores it behind a circuit
   header, which messages over circuits have. */
static int receive_report(struct serial_mesh *mesh, struct console *console,
                          struct mesh_report *report)
{
    struct asking asking = {.console = console,
                            .since_s = now_s(console),
                            .ask_s = ASK_S,
                            .late = "no report came in time"};
    uint8_t *data = NULL;
    uint32_t bytes = 0;
    uint8_t kind;
    uint16_t job;
    int error;

    do {
        progress_show(&(struct progress_step){.doing = "boards compute"});
        error = console_receive(console, &data, &bytes, &kind, &job);
    } while (error == 1 && ask_again(mesh, &asking));
    serial_faults_pause(&mesh->faults);
    if (error != 0) {
        return error < 0 ? lose_console(mesh, console) : -1;
    }
    free(report->data);
    report->bytes = CIRCUIT_HEADER_BYTES + bytes;
    report->data = memory_or_exit(calloc(report->bytes, 1));
    report->data[CIRCUIT_AT_KIND] = kind;
    memcpy(report->data + CIRCUIT_HEADER_BYTES, data, bytes);
    free(data);
    return 0;
}

int serial_mesh_run(struct serial_mesh *mesh, const struct mesh_order *order)
{
    int error = give(mesh, mesh->console[0], order, NULL, 0);

    return error == 0 ? receive_report(mesh, mesh->console[0], &mesh->report)
                      : -1;
}

/* ---- several originators ---- */

static void store_errand(uint8_t *out, const struct serial_mesh *mesh,
                         uint32_t i, enum serial_errand errand, uint8_t kind)
{
    struct torus_coord away =
        torus_away(mesh->task->request->size, originator_of(mesh, 0),
                   originator_of(mesh, i));

    serial_errand_store(out, torus_direct(mesh->task->request->size, away),
                        errand, kind);
}

static int give_errand(struct serial_mesh *mesh, uint32_t i,
                       enum serial_errand errand, uint8_t kind, uint16_t job)
{
    uint8_t bytes[SERIAL_ERRAND_BYTES];

    store_errand(bytes, mesh, i, errand, kind);
    return give(mesh, mesh->console[0],
                &(struct mesh_order){.kind = SERIAL_ERRAND,
                                     .job = job,
                                     .head = bytes,
                                     .head_bytes = sizeof bytes},
                NULL, 0);
}

static int print_unreached(const struct serial_mesh *mesh, uint32_t i,
                           const char *what, int error)
{
    struct torus_coord at = originator_of(mesh, i);

    fprintf(stderr, "quincunx: the originator at %u,%u %s: %s\n", at.x, at.y,
            what, postmortem_error(error));
    postmortem_print_hint(stderr, "quincunx: ", error);
    return -1;
}

static int print_silent(const struct serial_mesh *mesh, uint32_t i,
                        const char *what, const char *how)
{
    struct torus_coord at = originator_of(mesh, i);

    fprintf(stderr, "quincunx: the %s of the originator at %u,%u %s\n", what,
            at.x, at.y, how);
    return -1;
}

/* Reads the first originator's answer to errands. *done is set to how many
   succeeded. Returns the error of the next one, or ERR_LENGTH if the answer is
   malformed. */
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

/* Sends an order to another originator than the first, over the mesh. If that
   one has its own console, the order goes there, and an errand tells it to
   begin. */
static int delegate(struct serial_mesh *mesh, uint32_t i,
                    const struct mesh_order *order)
{
    struct console *own = mesh->console[i];
    uint8_t errand[SERIAL_ERRAND_BYTES];
    uint32_t done;
    int error;

    store_errand(errand, mesh, i, SERIAL_ERRAND_ORDER, order->kind);
    error = own != NULL ? give_errand(mesh, i, SERIAL_ERRAND_ORDER, order->kind,
                                      order->job)
                        : give(mesh, mesh->console[0], order, errand, 1);
    if (error != 0 ||
        receive_report(mesh, mesh->console[0], &mesh->report) != 0) {
        return print_silent(mesh, i, "order", "was not passed on");
    }
    error = read_answer(&mesh->report, &done);
    if (error != ERR_OK) {
        return print_unreached(mesh, i, "cannot be given its order", error);
    }
    return own != NULL ? give(mesh, own, order, NULL, 0) : 0;
}

/* Gives the first originator its order; then all originators begin. Receives
   its report, or an error if another originator does not begin. */
static int lead(struct serial_mesh *mesh, const struct mesh_order *order)
{
    struct mesh_report *report = &mesh->reports[0];
    uint32_t count = count_of(mesh);
    uint8_t *errands = memory_or_exit(malloc(count * SERIAL_ERRAND_BYTES));
    uint32_t done;
    int error;

    serial_errand_store(errands, (struct torus_path){.hops = 0},
                        SERIAL_ERRAND_LEAD, order->kind);
    for (uint32_t i = 1; i < count; ++i) {
        store_errand(errands + i * SERIAL_ERRAND_BYTES, mesh, count - i,
                     SERIAL_ERRAND_START, 0);
    }
    error = give(mesh, mesh->console[0], order, errands, count);
    free(errands);
    error = error == 0 ? receive_report(mesh, mesh->console[0], report) : error;
    if (error != 0 || report->data[CIRCUIT_AT_KIND] != SERIAL_ERRAND) {
        return error;
    }
    error = read_answer(report, &done);
    return print_unreached(mesh, done + 1u < count ? done + 1u : 0,
                           "cannot be told to begin", error);
}

static int receive_other(struct serial_mesh *mesh, uint32_t i)
{
    struct mesh_report *report = &mesh->reports[i];
    struct console *own = mesh->console[i];
    uint32_t done;
    int error =
        own == NULL ? give_errand(mesh, i, SERIAL_ERRAND_FETCH, 0, 0) : 0;

    if (error != 0 || receive_report(mesh, own != NULL ? own : mesh->console[0],
                                     report) != 0) {
        return print_silent(mesh, i, "report", "is missing");
    }
    if (report->data[CIRCUIT_AT_KIND] == SERIAL_ERRAND) {
        error = read_answer(report, &done);
        return print_unreached(mesh, i, "sends no report", error);
    }
    return 0;
}

int serial_mesh_run_several(struct serial_mesh *mesh,
                            const struct mesh_order order[])
{
    uint32_t count = count_of(mesh);
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < count; ++i) {
        error = delegate(mesh, i, &order[i]);
    }
    error = error == 0 ? lead(mesh, &order[0]) : error;
    for (uint32_t i = 1; error == 0 && i < count; ++i) {
        error = receive_other(mesh, i);
    }
    return error;
}

/* ---- the end ---- */

static bool read_event(struct node_event *event, const char *line)
{
    *event = (struct node_event){0};
    return sscanf(line,
                  "ps=%" SCNu64 " kind=%" SCNu16 " detail=%" SCNu16
                  " value=%" SCNu32,
                  &event->time_ps, &event->kind, &event->detail,
                  &event->value) == 4;
}

int serial_mesh_trace(struct serial_mesh *mesh,
                      struct node_event events[NODE_EVENTS], uint32_t *count)
{
    struct console_reply reply;
    int error = console_request(mesh->console[0], &reply, "trace");

    *count = 0;
    for (uint32_t i = 1; error == 0 && i < reply.lines && *count < NODE_EVENTS;
         ++i) {
        *count += read_event(&events[*count], reply.line[i]);
    }
    console_reply_free(&reply);
    return error == 0 ? 0 : print_failure(mesh, mesh->console[0]);
}

void serial_mesh_stop(struct serial_mesh *mesh)
{
    for (uint32_t i = 0; mesh->task != NULL && i < count_of(mesh); ++i) {
        console_close(mesh->console[i]);
        free(mesh->reports[i].data);
    }
    wired_stop(mesh->wired);
    schedule_holes_free(mesh->holes);
    schedule_holes_free(mesh->dead);
    serial_faults_close(&mesh->faults);
    free(mesh->chip);
    free(mesh->console);
    free(mesh->reports);
    free(mesh->report.data);
    *mesh = (struct serial_mesh){.task = NULL};
}
