/* SPDX-License-Identifier: Apache-2.0 */
/* A job on boards with serial ports, emulated or real. Each board has its own
   clock; probes to each node after the job measure by how much the clocks
   differ. The nodes' event logs are read over the mesh, so one console is
   enough. */

#include "hal/circuit.h"
#include "hal/events.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/job/collect.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/job/probe.h"
#include "qemu/job/serial_mesh.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "qemu/serial/ps.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE_MAX 31u
/* Most time to ask boards for their states after a job failed, ms. */
#define EXPLAIN_MS 3000u
/* Most by which one crystal runs faster than another, as a fraction. */
#define DRIFT_MAX 1e-3

/* Values that are subtracted from the boards' counters of messages: those
   before the job, and those of messages that fetched event logs. */
struct run_counts {
    struct ps_counts *before; /* counters by node; 0 if started for this job */
    struct ps_counts *after;  /* those of the last order */
    uint32_t nodes_counted_before; /* nodes whose counters before[] has */
    uint32_t log_messages;
    uint32_t log_bytes;
    uint64_t *last_ps; /* end of each node's log, by its own clock */
};

struct serial_job {
    struct job_mesh mesh;
    struct serial_mesh driver;
    struct run_counts counts;
    bool emulated; /* true: boards are emulated and run in real time */
    bool counted;  /* counts.after is of the last order */
    char *image;   /* image of boards that ran before, as text; or NULL */
};

static struct serial_job *job_of(struct job_mesh *mesh)
{
    return (struct serial_job *)mesh;
}

/* ---- logs ---- */

/* A node's clock is measured by exchanges, each a message there and back:
   EXCHANGES in a round, in at most EXCHANGE_ROUNDS rounds. They end when in
   each direction the two quickest messages differ by less than AGREE_PS. A
   delayed or damaged message is not among the quickest. */
#define EXCHANGES 3u
#define EXCHANGE_ROUNDS 12u
#define AGREE_PS 20000000

struct exchanges {
    struct torus_coord at;
    bool gone; /* true: a probe had no answer, so no more are sent */
    unsigned count;
    struct probe_row row[EXCHANGES * EXCHANGE_ROUNDS];
};

/* Times of the two quickest messages in one direction: arrival by the
   receiver's clock, less departure by the sender's. */
struct least {
    int64_t first_ps;
    int64_t next_ps;
};

/* Finds the quickest messages of one direction. The node's clock runs faster
   than the originator's by the fraction `drift`; what it gains after the first
   exchange is subtracted. */
static struct least least_of(const struct exchanges *of, bool back,
                             double drift)
{
    struct least least = {INT64_MAX, INT64_MAX};

    for (unsigned i = 0; i < of->count; ++i) {
        const struct probe_row *row = &of->row[i];
        double since_ps = (double)(int64_t)(row->t2_ps - of->row[0].t2_ps);
        int64_t ahead_ps = (int64_t)(drift * since_ps);
        int64_t took_ps = back ? (int64_t)(row->t4_ps - row->t3_ps) + ahead_ps
                               : (int64_t)(row->t2_ps - row->t1_ps) - ahead_ps;

        if (took_ps < least.first_ps) {
            least.next_ps = least.first_ps;
            least.first_ps = took_ps;
        } else if (took_ps < least.next_ps) {
            least.next_ps = took_ps;
        }
    }
    return least;
}

/* Returns whether a node is to be asked once more: it answers, and its quickest
   messages do not agree yet. */
static bool is_asked(const struct exchanges *of)
{
    bool agrees = of->count > 1;

    for (unsigned back = 0; agrees && back < 2; ++back) {
        struct least least = least_of(of, back != 0, 0);

        agrees = least.next_ps - least.first_ps < AGREE_PS;
    }
    return !agrees && !of->gone;
}

/* Returns by how much a node's clock is ahead of the originator's, ps: half the
   difference between the quickest messages of both directions. Messages have
   equal length, and the two may be of different exchanges. */
static int64_t offset_of(const struct exchanges *of, double drift)
{
    return (least_of(of, false, drift).first_ps -
            least_of(of, true, drift).first_ps) /
           2;
}

/* A node's clock compared with the originator's. Crystals differ by some
   millionths. */
struct node_clock {
    uint64_t at_ps;     /* time of the first exchange, by the node's clock */
    uint64_t offset_ps; /* node's clock less originator's, at at_ps */
    double drift; /* relative speed; above 0: the node's clock is faster */
};

#define DRIFT_STEPS                                                            \
    3u /* how often the drift is computed, each time from the drift before */

/* Compares a node's clock with the originator's, by exchanges before and after
   the node's log was read. `after` NULL: the drift is unknown and counts as
   0. */
static struct node_clock clock_of(const struct exchanges *before,
                                  const struct exchanges *after)
{
    struct node_clock clock = {.at_ps = before->row[0].t2_ps};

    for (unsigned k = 0; after != NULL && k < DRIFT_STEPS; ++k) {
        double apart_ps = (double)(after->row[0].t2_ps - clock.at_ps);
        double drift = (double)(offset_of(after, clock.drift) -
                                offset_of(before, clock.drift)) /
                       (apart_ps > 1 ? apart_ps : 1);

        clock.drift = drift > -DRIFT_MAX && drift < DRIFT_MAX ? drift : 0;
    }
    clock.offset_ps = (uint64_t)offset_of(before, clock.drift);
    return clock;
}

/* Converts the times of a node's log to the originator's clock. Times before
   the start of the scatter become the start, as the measured clock is not
   exact. */
static void convert_times(struct probe_log *log, uint64_t zero_ps,
                          const struct node_clock *clock)
{
    for (uint32_t i = 0; i < log->count; ++i) {
        uint64_t time_ps = log->event[i].time_ps;
        double since_ps = (double)(int64_t)(clock->at_ps - time_ps);
        uint64_t at_ps = time_ps - clock->offset_ps +
                         (uint64_t)(int64_t)(clock->drift * since_ps);

        log->event[i].time_ps =
            (int64_t)(at_ps - zero_ps) < 0 ? zero_ps : at_ps;
    }
}

/* Empties a log that was read after an earlier batch already: a node without
   units in a batch keeps its old log. The discovery of a new job deletes
   logs. */
static void drop_old(struct probe_log *log, uint64_t *last_ps)
{
    uint64_t ends_ps = log->count > 0 ? log->event[log->count - 1].time_ps : 0;

    if (ends_ps == *last_ps) {
        log->count = 0;
    }
    *last_ps = ends_ps;
}

/* Estimates when the node received each round, which serial boards do not log:
   when all sends were queued or, without such an event, when computing
   began. */
static void guess_receipts(struct outcome_node *node)
{
    for (unsigned i = 0; i < node->intervals; ++i) {
        struct outcome_compute_interval *interval = &node->interval[i];

        interval->received_ps = interval->forwarded_ps != 0
                                    ? interval->forwarded_ps
                                    : interval->compute_start_ps;
    }
    node->received_ps = node->interval[0].received_ps;
}

static uint8_t layer_of(const struct probe_log *log)
{
    uint8_t layer = 0;

    for (uint32_t i = 0; i < log->count; ++i) {
        if (log->event[i].kind == EVENT_FORWARDED) {
            layer = (uint8_t)log->event[i].detail;
        }
    }
    return layer;
}

static void read_node(struct outcome *outcome, struct probe_log *log,
                      const struct node_clock *clock, struct run_counts *counts)
{
    uint32_t index = torus_index(outcome->request->size, log->at);
    struct outcome_node *node = &outcome->node[index];
    uint64_t zero_ps = outcome->plan.scatter_start_ps;

    node->at = log->at;
    drop_old(log, &counts->last_ps[index]);
    convert_times(log, zero_ps, clock);
    node->layer = layer_of(log);
    collect_log(node, log->event, log->count, zero_ps);
    guess_receipts(node);
}

static void count_exchange(struct run_counts *counts,
                           const struct probe_row *row)
{
    counts->log_messages += 2;
    counts->log_bytes += row->bytes + row->answer_bytes;
}

static int exchange_some(struct serial_job *job, struct exchanges of[],
                         uint32_t count)
{
    uint16_t times = job->emulated ? 1 : EXCHANGES;
    struct probe *probe = memory_or_exit(calloc(count + 1u, sizeof *probe));
    struct probe_row *rows =
        memory_or_exit(calloc((size_t)times * count + 1u, sizeof *rows));
    const struct probe_row *row = rows;
    uint32_t asked = 0;
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        if (is_asked(&of[i])) {
            probe[asked++] = (struct probe){
                .at = of[i].at, .count = times, .bytes = PROBE_BYTES_MIN};
        }
    }
    status = probe_measure(&job->mesh, rows, probe, asked);
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        unsigned asked_now = is_asked(&of[i]) ? times : 0;

        for (unsigned k = 0; k < asked_now; ++k, ++row) {
            if (probe_answered(row)) {
                count_exchange(&job->counts, row);
                of[i].row[of[i].count++] = *row;
            } else {
                of[i].gone = true;
            }
        }
    }
    free(rows);
    free(probe);
    return status;
}

/* Compares the nodes' clocks with the originator's by exchanges of two short
   messages. The transfer time of a log is not known well enough for this.
   Emulated boards need only one round of exchanges. */
static int read_clocks(struct serial_job *job, struct exchanges of[],
                       uint32_t count)
{
    unsigned rounds = job->emulated ? 1 : EXCHANGE_ROUNDS;
    int status = 0;

    for (unsigned k = 0; status == 0 && k < rounds; ++k) {
        status = exchange_some(job, of, count);
    }
    return status;
}

static void print_gone(const struct probe_log *log)
{
    fprintf(stderr,
            "quincunx: board %u,%u does not answer any more; what it did, and "
            "when, is not known\n",
            log->at.x, log->at.y);
}

/* Reads the event logs of all nodes, and compares clocks before and after. The
   originator's log is the last one and comes from its console. */
static int read_logs(struct serial_job *job, struct probe_log logs[],
                     struct node_clock clock[], uint32_t count)
{
    struct exchanges *of = memory_or_exit(calloc(2u * count + 1u, sizeof *of));
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        of[i].at = of[count + i].at = logs[i].at;
    }
    status = read_clocks(job, of, count);
    if (status == 0) {
        status = serial_mesh_trace(&job->driver, logs[count].event,
                                   &logs[count].count) == 0
                     ? probe_logs(&job->mesh, logs, count)
                     : EXIT_FAILED;
    }
    if (status == 0 && !job->emulated) {
        status = read_clocks(job, of + count, count);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        const struct exchanges *after = &of[count + i];

        if (probe_answered(&logs[i].row)) {
            count_exchange(&job->counts, &logs[i].row);
        } else {
            print_gone(&logs[i]);
            job->mesh.has_holes = true;
        }
        clock[i] = clock_of(&of[i], after->count > 0 ? after : NULL);
    }
    free(of);
    return status;
}

static bool lost_units(const struct outcome *outcome)
{
    return outcome->originator[0].missing_units > 0;
}

/* Returns whether a node can be probed. After an order that lost nodes others
   still wait for them. */
static bool is_probed(const struct outcome *outcome,
                      const struct serial_job *job, uint32_t index)
{
    struct torus_size size = outcome->request->size;
    struct torus_coord from = outcome->originator[0].at;
    struct torus_path path = torus_x_first(
        size, torus_away(size, from, torus_coord_of(size, index)));
    const struct schedule_holes *holes = job->mesh.task->holes;

    return !lost_units(outcome) && index != torus_index(size, from) &&
           !outcome->node[index].missing &&
           (!job->counted || job->counts.after[index].answers) &&
           (schedule_holes_open(holes, from, path) ||
            schedule_holes_open(holes, from, torus_path_other(size, path)));
}

/* Reads the logs of all nodes that can be probed, and of the originator behind
   them; the logs of others stay empty. */
static int read_nodes(struct outcome *outcome, struct serial_job *job)
{
    struct torus_size size = outcome->request->size;
    struct torus_coord originator = outcome->originator[0].at;
    uint32_t count = outcome->node_count;
    struct probe_log *logs = memory_or_exit(calloc(count, sizeof *logs));
    struct node_clock *clock = memory_or_exit(calloc(count, sizeof *clock));
    uint32_t probed = 0;
    uint32_t last = count;
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        if (is_probed(outcome, job, i)) {
            logs[probed++].at = torus_coord_of(size, i);
        } else if (i != torus_index(size, originator)) {
            logs[--last].at = torus_coord_of(size, i);
        }
    }
    logs[probed].at = originator;
    status = read_logs(job, logs, clock, probed);
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        read_node(outcome, &logs[i], &clock[i], &job->counts);
    }
    free(clock);
    free(logs);
    return status;
}

/* Asks the originator, which plans and so uses most, how much stack it used.
   Leaves 0 without a reply. */
static void read_stack(struct outcome *outcome, struct console *console)
{
    uint32_t first =
        torus_index(outcome->request->size, outcome->originator[0].at);
    struct outcome_node *node = &outcome->node[first];
    struct console_reply reply;
    int error = console_request(console, &reply, "ps");

    if (error == 0) {
        (void)console_number(&reply, &node->stack_used_bytes,
                             "stack_used_bytes");
        (void)console_number(&reply, &node->stack_bytes, "stack_bytes");
    }
    console_reply_free(&reply);
}

/* Prints the nodes' states to show which node made a job fail. A real board
   answers at once or is dead. */
static void print_nodes(const struct serial_job *job)
{
    const struct job_task *task = job->mesh.task;
    struct ps ps;

    if (!job->emulated) {
        console_limit(job->driver.console[0], EXPLAIN_MS);
    }
    ps_begin(&ps, job->driver.console[0], task->request->size,
             task->originator->at);
    (void)ps_read(&ps);
    ps_explain(&ps, task->request->firmware);
    console_limit(job->driver.console[0], 0);
    ps_print(stderr, &ps);
    ps_end(&ps);
}

/* Notes which chip is where, so that a message can name one that dies. */
static void note_chips(struct serial_mesh *driver, const struct nodes *nodes)
{
    uint32_t count = torus_nodes(driver->task->request->size);

    driver->chip = memory_or_exit(calloc(count, sizeof *driver->chip));
    for (uint32_t i = 0; i < count; ++i) {
        if (nodes->identity[i].known) {
            driver->chip[i] = nodes->identity[i].chip;
        }
    }
}

/* Checks that all nodes have the originator's image and a working crystal,
   unless --allow-mixed. Notes whether the boards are emulated, and their chips.
   Ignores nodes that do not answer. Returns 0, or an exit status after a
   message. */
static int check_nodes(struct serial_job *job)
{
    const struct job_task *task = job->mesh.task;
    struct nodes nodes;
    unsigned unfit = 0;

    nodes_begin(&nodes, job->driver.console[0], task->request->size,
                task->originator->at);
    if (nodes_read(&nodes) >= 0) {
        const struct identity *first = nodes_first(&nodes);

        note_chips(&job->driver, &nodes);
        job->image = nodes_image(&nodes, NULL);
        job->mesh.image_crc = first->image_crc;
        unfit = nodes_print_unfit(stderr, &nodes);
        job->emulated = first->known && identity_is_emulated(first);
    }
    nodes_end(&nodes);
    if (unfit > 0 && !task->request->allow_mixed) {
        fprintf(stderr,
                "quincunx: %u of %u nodes do not go with the originator; "
                "--allow-mixed runs all the same\n",
                unfit, torus_nodes(task->request->size));
        return EXIT_FAILED;
    }
    return 0;
}

static uint32_t read_counts(struct ps_counts counts[],
                            const struct serial_job *job)
{
    const struct job_task *task = job->mesh.task;

    return ps_count(counts, job->driver.console[0], task->request->size,
                    task->originator->at);
}

/* Returns how far a counter has come. A board that was reset begins anew. */
static uint32_t since(uint32_t after, uint32_t before)
{
    return after < before ? after : after - before;
}

/* Sums the nodes' counters, less their values before the job. */
static void sum_traffic(struct outcome *outcome, const struct ps_counts after[],
                        const struct run_counts *counts)
{
    struct ps_counts sum = {.messages = 0};

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct ps_counts *before = &counts->before[i];
        struct outcome_node *node = &outcome->node[i];

        node->retries = since(after[i].retries, before->retries);
        node->retransmissions =
            since(after[i].retransmitted, before->retransmitted);
        sum.messages += since(after[i].messages, before->messages);
        sum.bytes += since(after[i].bytes, before->bytes);
        sum.retries += node->retries;
        sum.retransmitted += node->retransmissions;
    }
    outcome->messages = sum.messages - counts->log_messages;
    outcome->payload_bytes = sum.bytes - counts->log_bytes -
                             outcome->messages * CIRCUIT_HEADER_BYTES;
    outcome->retries = sum.retries;
    outcome->retransmissions = sum.retransmitted;
}

static void print_uncounted(uint32_t counted, uint32_t nodes, const char *when)
{
    if (counted < nodes) {
        fprintf(stderr,
                "quincunx: only %u of %u nodes reported their counters%s\n",
                counted, nodes, when);
    }
}

/* Reads the counters of all nodes but those that the plan left out. */
static void set_traffic(struct outcome *outcome, struct serial_job *job)
{
    struct run_counts *counts = &job->counts;
    uint32_t before = counts->nodes_counted_before;
    uint32_t nodes = outcome->node_count;
    uint32_t counted;

    for (uint32_t i = 0; i < nodes; ++i) {
        counts->after[i].skip = outcome->node[i].missing;
    }
    counted = read_counts(counts->after, job);
    print_uncounted(counted, nodes, "");
    print_uncounted(before, nodes, " before the job");
    /* Sums before and after the job must cover all nodes. */
    if (before == nodes && (counted == nodes || job->mesh.ops->has_images)) {
        sum_traffic(outcome, counts->after, counts);
        outcome->counts_nodes = counted == nodes;
    }
    /* Waves count what comes behind. */
    memcpy(counts->before, counts->after, nodes * sizeof *counts->before);
    counts->log_messages = 0;
    counts->log_bytes = 0;
}

/* ---- Ctrl-C ---- */

static void tell_interrupt(int signal_number)
{
    static const char text[] =
        "quincunx: interrupted; boards may still be in the job, which the next "
        "run ends\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

    (void)written;
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* ---- starting ---- */

static void close_mesh(struct job_mesh *mesh)
{
    struct serial_job *job = job_of(mesh);

    progress_end();
    if (!mesh->task->request->mesh->has_images) {
        (void)signal(SIGINT, SIG_DFL);
    }
    serial_mesh_stop(&job->driver);
    free(job->counts.before);
    free(job->counts.after);
    free(job->counts.last_ps);
    free(job->image);
    free(job);
}

static int open_mesh(struct job_mesh **mesh, const struct job_task *task,
                     bool probed)
{
    struct serial_job *job = memory_or_exit(calloc(1, sizeof *job));
    struct run_counts *counts = &job->counts;
    uint32_t nodes = torus_nodes(task->request->size);
    bool fresh =
        task->request->mesh->has_images; /* boards were started for this job */
    int status = 0;

    counts->last_ps = memory_or_exit(calloc(nodes, sizeof *counts->last_ps));
    counts->before = memory_or_exit(calloc(nodes, sizeof *counts->before));
    counts->after = memory_or_exit(calloc(nodes, sizeof *counts->after));
    job->emulated = fresh;
    job->mesh = (struct job_mesh){.ops = task->request->mesh,
                                  .task = task,
                                  .board = task->request->board->place.board};
    if (!fresh) {
        (void)signal(SIGINT, tell_interrupt);
    }
    if (serial_mesh_start(&job->driver, task) != 0) {
        status = EXIT_FAILED;
    } else if (!probed && !fresh) {
        status = check_nodes(job);
    }
    job->mesh.has_holes =
        status == 0 && (schedule_holes_any(job->driver.holes) ||
                        schedule_holes_any(job->driver.dead));
    if (job->mesh.has_holes && (probed || task->request->originators > 1)) {
        fprintf(stderr, "quincunx: only a job of one originator goes on "
                        "without them\n");
        status = EXIT_FAILED;
    }
    if (status != 0) {
        close_mesh(&job->mesh);
        return status;
    }
    /* boards just started have counters of 0 */
    counts->nodes_counted_before =
        fresh || probed ? nodes : read_counts(counts->before, job);
    job->mesh.room_bytes = job->driver.room_bytes;
    job->mesh.up_wall_s = job->driver.up_wall_s;
    *mesh = &job->mesh;
    return 0;
}

/* ---- orders ---- */

/* Offsets of all times in a report, which are by its originator's clock. */
static const uint16_t report_times[] = {
    offsetof(struct wire_report, scatter_start_ps),
    offsetof(struct wire_report, gather_done_ps),
    offsetof(struct wire_report, ordered_ps)};

/* Converts the times of a report to the first originator's clock, which differs
   by offset_ps. */
static void convert_report(const struct mesh_report *report, uint64_t offset_ps)
{
    uint8_t *payload = report->data + CIRCUIT_HEADER_BYTES;

    if (report->bytes < CIRCUIT_HEADER_BYTES + WIRE_REPORT_BYTES) {
        return; /* whoever reads the report prints an error */
    }
    for (unsigned i = 0; i < sizeof report_times / sizeof *report_times; ++i) {
        uint8_t *at = payload + report_times[i];

        bytes_store_u64(at, bytes_load_u64(at) - offset_ps);
    }
}

static int convert_reports(struct serial_job *job)
{
    const struct request *request = job->mesh.task->request;
    int status = 0;

    for (uint32_t i = 1; status == 0 && i < request->originators; ++i) {
        struct exchanges of = {.at = request->originator[i].at};

        status = exchange_some(job, &of, 1);
        if (status == 0) {
            convert_report(&job->driver.reports[i],
                           (uint64_t)offset_of(&of, 0));
        }
    }
    return status;
}

/* Sends an order. If the boards do not carry it out, resets real boards. */
static int send_order(struct job_mesh *mesh, const struct mesh_order order[])
{
    struct serial_job *job = job_of(mesh);
    bool several =
        order->kind == WIRE_ORDER && mesh->task->group_of_node != NULL;
    int error = several ? serial_mesh_run_several(&job->driver, order)
                        : serial_mesh_run(&job->driver, order);

    if (error == 0) {
        error = several ? convert_reports(job) : 0;
        mesh->report = several ? job->driver.reports : &job->driver.report;
        return error;
    }
    if (order->kind == WIRE_ORDER) {
        print_nodes(job);
    }
    serial_mesh_give_up(&job->driver);
    return EXIT_FAILED;
}

static void explain(struct job_mesh *mesh, int error)
{
    if (error == ERR_PORT_BUSY || err_is_breach(error) ||
        postmortem_hint(error) != NULL) {
        print_nodes(job_of(mesh));
    }
}

static int collect(struct job_mesh *mesh, struct outcome *outcome,
                   const struct wire_order *order)
{
    struct serial_job *job = job_of(mesh);

    outcome->image = job->image; /* set by the first batch only */
    job->image = NULL;
    outcome->host_times = outcome->host_times || job->emulated;
    job->counted = (order->flags & WIRE_MORE) == 0 && !lost_units(outcome);
    if (job->counted) {
        set_traffic(outcome, job);
    }
    if (read_nodes(outcome, job) != 0) {
        print_nodes(job);
        return EXIT_FAILED;
    }
    read_stack(outcome, job->driver.console[0]);
    return 0;
}

static int renew(struct job_mesh *mesh, struct schedule_holes *holes)
{
    struct serial_mesh *driver = &job_of(mesh)->driver;

    if (serial_mesh_renew(driver) != 0) {
        return EXIT_FAILED;
    }
    schedule_holes_join(holes, driver->holes);
    mesh->has_holes = schedule_holes_any(driver->holes);
    return 0;
}

/* What died is known by the last discovery, whoever asks. */
static void read_faults(const struct job_mesh *mesh, struct faults *faults,
                        bool asks)
{
    const struct serial_mesh *driver =
        &((const struct serial_job *)mesh)->driver;

    (void)asks;
    serial_faults_read(&driver->faults, faults, driver->holes);
}

/* Payloads of probes, bytes. Serial frames make the time of a message rise in
   steps of 20 us, so the payloads lie at different points of a step. Messages
   of a few frames are left out: they are up to 80 us faster than longer ones
   suggest. Probes are sent without delay, because a waiting board is late by up
   to a tick of its timer. The time of the boards' software counts as
   startup. */
static const struct mesh_probing probing = {
    .bytes = {800, 1200, 1700, 2300, 3000, 4000},
    .repeat = 5,
    .rows = PROBE_SERIAL_ROWS,
    .real_time = true,
};

const struct mesh_ops serial_job_qemu = {
    .nodes = "boards",
    .on = "qemu",
    .has_images = true,
    .has_cables = true,
    .side_max = SIDE_MAX,
    .probing = &probing,
    .open = open_mesh,
    .order = send_order,
    .explain = explain,
    .collect = collect,
    .read_faults = read_faults,
    .renew = renew,
    .close = close_mesh,
};

const struct mesh_ops serial_job_port = {
    .nodes = "boards",
    .on = "boards",
    .side_max = SIDE_MAX,
    .probing = &probing,
    .open = open_mesh,
    .order = send_order,
    .explain = explain,
    .collect = collect,
    .read_faults = read_faults,
    .renew = renew,
    .close = close_mesh,
};
