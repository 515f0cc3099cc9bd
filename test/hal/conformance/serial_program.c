/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives with an end on boards with serial ports, whose time is real: what
 * the program of 2x1 nodes does, in place of the engine, is written down and
 * judged by test/hal/test_serial_conformance.py. Node 0,0 leads: it asks 1,0,
 * to its east, for messages that leave later, and receives them with deadlines.
 *
 * An observation, in the leader's report to the host, is 16 bytes: u16 stage,
 * i16 enum err, u32 0, i64 ps from the deadline to the end of the receive; or
 * where a payload came, in place of the 0 whether it is intact.
 */
#include "hal/circuit.h"
#include "scatter/engine/node.h"
#include "test/unit/ignore.h"

#define OBSERVATION_BYTES 16u
#define JOB 5u
#define REPORT 9u
#define PS_PER_US 1000000ull
/* An emulated board's second is 20 of the host's. */
#define SOON_US 3000u
#define LATER_US 60000u
#define LATE_US 1000000u /* whatever the host does meanwhile */
#define BYTES 700u       /* three frames */
#define ROOM 1024u

#define ANY_PORT ((1u << TORUS_PORTS) - 1u)

/* Kinds, none that hal/serial/errand.h has. */
enum kind {
    ASK = 1, /* u32 bytes, u32 us until it leaves, u8 kind */
    ONE,
    OTHER,
    NONE
};

enum stage {
    STAGE_NOTHING,     /* nothing comes by a deadline */
    STAGE_NOTHING_NOW, /* nor is there anything now */
    STAGE_EARLY,       /* the message leaves behind the deadline */
    STAGE_COMES,       /* it comes by a later one */
    STAGE_ONCE,        /* and not a second time */
    STAGE_OTHER_KIND,  /* one of another kind is on its way, .. */
    STAGE_KIND,        /* .. and stays for a receive that takes it */
    STAGE_PASSED,      /* nobody receives, so it does not come .. */
    STAGE_LATER,       /* .. but later it does */
    STAGE_AHEAD,       /* one received ahead is there, the deadline passed */
    STAGE_AHEAD_GONE,  /* it was the only one */
    STAGES
};

static uint8_t *in(const struct circuit *circuit)
{
    return circuit->memory;
}

static uint8_t *out(const struct circuit *circuit)
{
    return circuit->memory + ROOM;
}

static uint8_t *log_of(const struct circuit *circuit)
{
    return circuit->memory + 2 * ROOM;
}

static uint8_t byte_of(uint32_t i)
{
    return (uint8_t)(i * 7u + (i >> 8) + 3u);
}

static uint64_t now_ps(const struct circuit *circuit)
{
    return clock_now_ps(circuit->clock);
}

static int send(struct circuit *circuit, struct torus_path path, uint8_t kind,
                uint32_t bytes)
{
    const struct circuit_message message = {
        .path = path, .kind = kind, .shared = {out(circuit), bytes}};

    return circuit_send(circuit, 1u << path.port, &message);
}

/* ---- node 0,0 ---- */

struct leader {
    struct circuit *circuit;
    uint32_t log_bytes;
};

static void note(struct leader *leader, enum stage stage, int status,
                 bool intact, uint64_t from_deadline_ps)
{
    uint8_t *at = log_of(leader->circuit) + leader->log_bytes;

    bytes_store_u16(at, (uint16_t)stage);
    bytes_store_u16(at + 2, (uint16_t)status);
    bytes_store_u32(at + 4, intact);
    bytes_store_u64(at + 8, from_deadline_ps);
    leader->log_bytes += OBSERVATION_BYTES;
}

static bool is_intact(const struct circuit_delivery *delivery)
{
    bool intact = delivery->bytes == BYTES;

    for (uint32_t i = 0; i < BYTES; ++i) {
        intact = intact && delivery->payload[i] == byte_of(i);
    }
    return intact;
}

static uint64_t in_us(const struct leader *leader, uint32_t us)
{
    return now_ps(leader->circuit) + us * PS_PER_US;
}

/* One receive of this kind, 0: of any, until then. Result: its status. */
static int stage(struct leader *leader, enum stage which, unsigned kind,
                 uint64_t deadline_ps)
{
    struct circuit *circuit = leader->circuit;
    struct circuit_delivery delivery = {.bytes = 0};
    int status =
        circuit_receive_until(circuit, &delivery, ANY_PORT | CIRCUIT_ONLY(kind),
                              in(circuit), ROOM, deadline_ps);

    note(leader, which, status, status == ERR_OK && is_intact(&delivery),
         now_ps(circuit) - deadline_ps);
    return status;
}

/* Asks the other node for a message that leaves later. */
static void ask(const struct leader *leader, uint8_t kind, uint32_t later_us)
{
    static const struct torus_path east = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
    uint8_t *at = out(leader->circuit);

    bytes_store_u32(at, BYTES);
    bytes_store_u32(at + 4, later_us);
    at[8] = kind;
    ignore(send(leader->circuit, east, ASK, 9));
    ignore(circuit_drain(leader->circuit));
}

static void wait(const struct leader *leader, uint32_t us)
{
    uint64_t until_ps = in_us(leader, us);

    while (now_ps(leader->circuit) < until_ps) {
    }
}

static void lead_deadlines(struct leader *leader)
{
    ignore(stage(leader, STAGE_NOTHING, 0, in_us(leader, SOON_US)));
    ignore(stage(leader, STAGE_NOTHING_NOW, 0, 0));
    ask(leader, ONE, LATER_US);
    ignore(stage(leader, STAGE_EARLY, 0, in_us(leader, SOON_US)));
    ignore(stage(leader, STAGE_COMES, 0, in_us(leader, LATE_US)));
    ignore(stage(leader, STAGE_ONCE, 0, in_us(leader, SOON_US)));
    ask(leader, OTHER, 0);
    ignore(stage(leader, STAGE_OTHER_KIND, ONE, in_us(leader, 3 * SOON_US)));
    ignore(stage(leader, STAGE_KIND, OTHER, in_us(leader, LATE_US)));
}

/* The same again and again, until the message is there; only the last counts.
   Nothing waits meanwhile, so nothing comes but what is received ahead. */
static void stage_till_there(struct leader *leader, enum stage which,
                             unsigned kind)
{
    uint32_t before = leader->log_bytes;
    uint64_t until_ps = in_us(leader, LATE_US);

    do {
        leader->log_bytes = before;
    } while (stage(leader, which, kind, 0) != ERR_OK &&
             now_ps(leader->circuit) < until_ps);
}

/* Computing, as far as the circuits know. */
static void lead_ahead(struct leader *leader)
{
    struct circuit *circuit = leader->circuit;

    ask(leader, ONE, 0);
    wait(leader, 3 * SOON_US);
    ignore(stage(leader, STAGE_PASSED, ONE, 0));
    ignore(stage(leader, STAGE_LATER, ONE, in_us(leader, LATE_US)));
    ignore(circuit_receive_ahead(circuit, ANY_PORT | CIRCUIT_ONLY(ONE),
                                 in(circuit), ROOM));
    ask(leader, ONE, 0);
    stage_till_there(leader, STAGE_AHEAD, ONE);
    ignore(stage(leader, STAGE_AHEAD_GONE, ONE, 0));
}

static int lead(struct circuit *circuit)
{
    struct leader leader = {.circuit = circuit};
    struct circuit_delivery delivery;
    struct circuit_message report = {.kind = REPORT};
    int error = circuit_receive(circuit, &delivery, 1u << CIRCUIT_HOST,
                                in(circuit), ROOM);

    if (error != ERR_OK) {
        return error;
    }
    circuit->job = JOB;
    lead_deadlines(&leader);
    lead_ahead(&leader);
    report.head = (struct circuit_segment){log_of(circuit), leader.log_bytes};
    return circuit_send(circuit, 1u << CIRCUIT_HOST, &report);
}

/* ---- node 1,0 ---- */

/* Carries out what it is asked for, until the mesh is told anew. */
static int follow(struct circuit *circuit)
{
    struct circuit_delivery delivery;
    int error;

    for (uint32_t i = 0; i < BYTES; ++i) {
        out(circuit)[i] = byte_of(i);
    }
    while ((error = circuit_receive(circuit, &delivery,
                                    ANY_PORT | CIRCUIT_ONLY(ASK), in(circuit),
                                    ROOM)) == ERR_OK) {
        const uint8_t *asked = delivery.payload;
        struct torus_path back = {delivery.port, TORUS_STRAIGHT, 1, 0};
        uint64_t leaves_ps =
            now_ps(circuit) + bytes_load_u32(asked + 4) * PS_PER_US;

        circuit->job = delivery.job;
        /* A receive of what never comes is a wait, too. */
        ignore(circuit_receive_until(
            circuit, &delivery, ANY_PORT | CIRCUIT_ONLY(NONE),
            circuit->memory + 2 * ROOM, ROOM, leaves_ps));
        ignore(send(circuit, back, asked[8], bytes_load_u32(asked)));
        ignore(circuit_drain(circuit));
    }
    return error;
}

/* ---- in place of the engine ---- */

int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs)
{
    (void)kernels;
    (void)kernel_count;
    (void)costs;
    scatter->circuit = circuit;
    return ERR_OK;
}

int scatter_run(struct scatter *scatter)
{
    struct circuit *circuit = scatter->circuit;
    const struct node_identity *identity = &circuit->node->identity;

    return identity->x == 0 && identity->y == 0 ? lead(circuit)
                                                : follow(circuit);
}
