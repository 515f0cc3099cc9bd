/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key property: what happens, and when, does not depend on which running
 * node the host lets speak first. Random scripts, one a node, are carried out
 * in many orders; every circuit and every delivery must be the same, to the
 * picosecond. The log of circuits is also checked against the rules of
 * qemu/fabric/fabric.h, without a second model: no link is held twice, nobody
 * waits for a free path, nobody is overtaken by who asked later, every send
 * asks as soon as its node may send it, every receive, deadline and drain ends
 * when it has to, and counters are the sums of the log. In a quarter of the
 * scripts links and nodes die: no circuit is granted over them, each refusal
 * has its reason and its time, nothing that a node did later counts, and which
 * failures a node knows with an answer is the same in every order, too.
 */
#include "test/qemu/fabric/suite.h"

#include "hal/circuit.h"
#include "qemu/fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 25u
#define OPS 24u
#define SCRIPTS 1000u
#define ORDERS 8u
#define CIRCUITS_MAX (NODES_MAX * OPS)
#define STEPS_MAX UINT32_MAX

enum op_kind {
    OP_SEND,
    OP_RECEIVE,
    OP_RECEIVE_UNTIL,
    OP_DRAIN,
    OP_END
};

struct op {
    enum op_kind kind;
    uint64_t work_ps;  /* before it */
    uint64_t later_ps; /* a send's ready time, or a deadline, from then */
    uint64_t gap_ps;
    struct torus_path path; /* port NODE_PORT_HOST: to the host */
    uint32_t bytes; /* of a message; so many are enough for a receive, or 0 */
    unsigned mask;
    uint8_t tag; /* of a message; the only one that a receive takes, or 0 */
};

#define FAULTS_MAX 16u

struct fault {
    uint64_t time_ps;
    bool cuts; /* a link; else it stops a node */
    bool whole;
    uint32_t at;
};

struct script {
    struct fabric_config config;
    struct fault fault[FAULTS_MAX];
    uint32_t faults;
    uint32_t nodes;
    uint64_t from_host_ps[NODES_MAX];
    struct op op[NODES_MAX][OPS];
};

/* What a node was told in answer to one of its ops. */
struct answer {
    uint64_t rest_ps;
    uint64_t time_ps;
    uint64_t complete_ps;
    uint64_t known_ps;
    uintptr_t cookie;
    uint32_t source;
    uint32_t bytes;
    uint32_t known; /* of the node's failures so far, those before known_ps */
    int32_t status;
    enum fabric_step step;
    uint8_t port;
    bool damaged;
};

/* What became of a send that left the mesh. */
struct left {
    uint64_t time_ps;
    enum fabric_step step;
    uint32_t source;
    uint32_t bytes;
    int32_t status;
    uint16_t hops;
};

struct result {
    struct answer answer[NODES_MAX][OPS];
    struct left left[NODES_MAX][OPS];
    uint32_t reached[NODES_MAX]; /* the op at which the node stands */
    struct circuit_record circuit[CIRCUITS_MAX];
    uint32_t circuits;
    uint64_t conflicts;
    struct node_counters counters[NODES_MAX][NODE_PORTS];
    struct fabric_found found[FAULTS_MAX];
};

/* ---- chance: xorshift64*, Vigna 2016 ---- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(draw(state) >> 33) % limit;
}

/* Few different values, so that many things happen at one time. */
static uint64_t some_time(uint64_t *state)
{
    static const uint64_t time_ps[] = {0, 0, 0, 1, 7, 10, 20, 1000};

    return time_ps[below(state, 8)];
}

static struct op make_op(uint64_t *state, const struct script *script)
{
    static const uint32_t bytes[] = {0, 1, 1, 2, 10, 300};
    uint32_t what = below(state, 16);
    uint16_t side = script->config.size.width > script->config.size.height
                        ? script->config.size.width
                        : script->config.size.height;
    struct op op = {.work_ps = some_time(state)};

    op.bytes = bytes[below(state, 6)];
    op.tag = (uint8_t)below(state, 3);
    if (what < 10) {
        op.kind = OP_SEND;
        op.later_ps = below(state, 4) == 0 ? some_time(state) : 0;
        op.gap_ps = below(state, 4) == 0 ? some_time(state) : 0;
        op.path.port =
            (uint8_t)(below(state, 16) == 0 ? NODE_PORT_HOST
                                            : below(state, TORUS_PORTS));
        op.path.turn = (uint8_t)below(state, 3);
        op.path.hops = (uint16_t)(1 + below(state, side));
        op.path.hops_after = (uint16_t)(1 + below(state, side));
    } else if (what < 15) {
        op.kind = below(state, 2) == 0 ? OP_RECEIVE_UNTIL : OP_RECEIVE;
        op.later_ps = some_time(state) * (1 + below(state, 3));
        op.mask = below(state, 3) == 0 ? 1u << below(state, TORUS_PORTS)
                                       : 1 + below(state, 31);
        op.bytes = below(state, 2) == 0 ? op.bytes : 0;
        op.tag = below(state, 4) == 0 ? op.tag : 0;
    } else {
        op.kind = OP_DRAIN;
    }
    return op;
}

static void make_faults(struct script *script, uint64_t *state)
{
    script->faults = below(state, 4) == 0 ? 1 + below(state, FAULTS_MAX) : 0;
    for (uint32_t i = 0; i < script->faults; ++i) {
        struct fault *fault = &script->fault[i];

        fault->cuts = below(state, 2) == 0;
        fault->whole = below(state, 2) == 0;
        fault->at = below(state, (1 + fault->cuts) * script->nodes);
        fault->time_ps = below(state, 6) * script->config.profile.startup_ps +
                         some_time(state) * below(state, 12);
    }
    for (uint32_t i = 0; i < script->faults; ++i) {
        for (uint32_t k = i + 1; k < script->faults; ++k) {
            if (!script->fault[i].cuts && !script->fault[k].cuts &&
                script->fault[i].at == script->fault[k].at) {
                script->fault[k].cuts = true; /* a node stops once */
            }
        }
    }
}

static void make_script(struct script *script, uint64_t seed)
{
    static const struct torus_size sizes[] = {{5, 5}, {5, 5}, {3, 4},
                                              {6, 1}, {2, 2}, {1, 3}};
    static const uint64_t startups_ps[] = {1, 7, 1000, 5000, 0};
    static const uint8_t ports_at_once[] = {0, 4, 0, 1, 2, 3};
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    struct fabric_config *config = &script->config;

    memset(script, 0, sizeof *script);
    config->size = sizes[below(&state, 6)];
    config->profile.startup_ps = startups_ps[below(&state, 5)];
    /* Every circuit must last: one of no length has no place in order. */
    config->profile.hop_delay_ps =
        config->profile.startup_ps == 0 ? 10 : below(&state, 2) * 10;
    config->profile.transfer_ps = below(&state, 3);
    script->nodes = torus_nodes(config->size);
    make_faults(script, &state);
    config->corrupt_message = below(&state, 30);
    config->ports_at_once = ports_at_once[below(&state, 6)];
    config->store_and_forward = below(&state, 4) == 0;
    for (uint32_t node = 0; node < script->nodes; ++node) {
        script->from_host_ps[node] = below(&state, 2);
        for (uint32_t i = 0; i < OPS; ++i) {
            script->op[node][i] = make_op(&state, script);
        }
        script->op[node][OPS - 1].kind = OP_END;
    }
}

/* ---- carrying a script out ---- */

struct play {
    const struct script *script;
    struct result *result;
    struct fabric *fabric;
    uint64_t time_ps[NODES_MAX];
    bool running[NODES_MAX];
    uint64_t state;
    uint32_t steps; /* of the mesh, that are left; it ends earlier, as a rule */
};

/* Sends are named by node and op. */
static uintptr_t cookie_of(uint32_t node, uint32_t op)
{
    return (uintptr_t)node * OPS + op + 1;
}

static void speak(struct play *play, uint32_t node)
{
    uint32_t at = play->result->reached[node];
    const struct op *op = &play->script->op[node][at];
    struct fabric_message message = {.cookie = (void *)cookie_of(node, at),
                                     .path = op->path,
                                     .gap_ps = op->gap_ps,
                                     .bytes = op->bytes,
                                     .tag = op->tag,
                                     .kind = (uint8_t)at,
                                     .phase = (uint8_t)(at + 1)};
    unsigned ports = op->mask | CIRCUIT_ONLY(op->tag) | CIRCUIT_HEAD(op->bytes);
    uint64_t now_ps = play->time_ps[node] + op->work_ps;

    play->time_ps[node] = now_ps;
    play->running[node] = op->kind == OP_SEND;
    play->result->answer[node][at].rest_ps = now_ps;
    switch (op->kind) {
    case OP_SEND:
        message.ready_ps = now_ps + op->later_ps;
        fabric_send(play->fabric, node, op->path.port, &message);
        play->result->reached[node] += 1;
        break;
    case OP_RECEIVE:
        fabric_receive(play->fabric, node, now_ps, ports, FABRIC_NEVER_PS);
        break;
    case OP_RECEIVE_UNTIL:
        fabric_receive(play->fabric, node, now_ps, ports,
                       op->later_ps == 0 ? 0 : now_ps + op->later_ps);
        break;
    case OP_DRAIN:
        fabric_drain(play->fabric, node, now_ps);
        break;
    case OP_END:
        fabric_end(play->fabric, node, now_ps);
        break;
    }
}

/* The number of a node's failures before a time, of those told so far. */
static uint32_t failures_before(const struct result *result, uint32_t node,
                                uint64_t time_ps)
{
    uint32_t count = 0;

    for (uint32_t op = 0; op < OPS; ++op) {
        count += result->left[node][op].step == FABRIC_FAILED &&
                 result->left[node][op].time_ps < time_ps;
    }
    return count;
}

static void hear(struct play *play, const struct fabric_action *action,
                 enum fabric_step step)
{
    uint32_t node = action->node;
    uint32_t at = play->result->reached[node];

    if (step == FABRIC_TO_HOST || step == FABRIC_FAILED) {
        uint32_t op = (uint32_t)((uintptr_t)action->cookie - 1) % OPS;

        if (step == FABRIC_FAILED &&
            memcmp(&action->path, &play->script->op[node][op].path,
                   sizeof action->path) != 0) {
            abort();
        }
        play->result->left[node][op] = (struct left){.time_ps = action->time_ps,
                                                     .step = step,
                                                     .source = action->source,
                                                     .bytes = action->bytes,
                                                     .status = action->status,
                                                     .hops = action->hops};
        return;
    }
    play->result->answer[node][at] = (struct answer){
        .rest_ps = play->result->answer[node][at].rest_ps,
        .time_ps = action->time_ps,
        .complete_ps = action->complete_ps,
        .known_ps = action->known_ps,
        .known = failures_before(play->result, node, action->known_ps),
        .cookie = (uintptr_t)action->cookie,
        .source = action->source,
        .bytes = action->bytes,
        .status = action->status,
        .step = step,
        .port = action->port,
        .damaged = action->damaged};
    play->result->reached[node] += 1;
    play->time_ps[node] = action->time_ps > action->complete_ps
                              ? action->time_ps
                              : action->complete_ps;
    play->running[node] = true;
}

/* The lowest, the highest or any running node; NODES_MAX: there is none. */
static uint32_t choose(struct play *play, unsigned order)
{
    uint32_t nodes = play->script->nodes;
    uint32_t first = order < 2 ? 0 : below(&play->state, nodes);

    for (uint32_t i = 0; i < nodes; ++i) {
        uint32_t node = (first + i) % nodes;

        node = order == 1 ? nodes - 1 - node : node;
        if (play->running[node]) {
            return node;
        }
    }
    return NODES_MAX;
}

/*
 * Orders 0 to 2: the mesh goes as far as it can, then one node speaks until it
 * rests. Order 3: all nodes that run speak before the mesh goes on. Others:
 * single ops and single steps of the mesh, at random.
 */
static void carry_out(struct play *play, unsigned order)
{
    struct fabric_action action;
    enum fabric_step step = FABRIC_WAIT;

    while (play->steps-- > 0) {
        uint32_t node;

        if (order < 4 || below(&play->state, order) != 0) {
            step = fabric_next(play->fabric, &action);
            if (step == FABRIC_STUCK) {
                return;
            }
            if (step != FABRIC_WAIT) {
                hear(play, &action, step);
                continue;
            }
        }
        node = choose(play, order);
        while (node < NODES_MAX) {
            speak(play, node);
            if (!play->running[node] && order == 3) {
                node = choose(play, order);
            } else if (!play->running[node] || order > 3) {
                break;
            }
        }
    }
}

static void run_script(struct result *result, const struct script *script,
                       unsigned order, uint64_t seed, uint32_t steps)
{
    struct play play = {.script = script,
                        .result = result,
                        .fabric = fabric_new(&script->config),
                        .state = seed * 0xD1342543DE82EF95u + order + 1,
                        .steps = steps};
    const struct circuit_record *circuit;

    memset(result, 0, sizeof *result);
    if (play.fabric == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < script->faults; ++i) {
        const struct fault *fault = &script->fault[i];
        struct fabric_found *found = &result->found[i];

        found->first_ps = FABRIC_NEVER_PS;
        if (fault->cuts) {
            fabric_cut(play.fabric, fault->at, fault->time_ps, found);
        } else {
            fabric_stop(play.fabric, fault->at, fault->time_ps, fault->whole,
                        found);
        }
    }
    for (uint32_t node = 0; node < script->nodes; ++node) {
        play.running[node] = true;
        if (script->from_host_ps[node] != 0) {
            fabric_from_host(play.fabric, node, 0, 1, 0, NULL);
        }
    }
    carry_out(&play, order);
    circuit = fabric_circuits(play.fabric, &result->circuits);
    if (result->circuits > CIRCUITS_MAX) {
        abort();
    }
    if (result->circuits > 0) {
        memcpy(result->circuit, circuit,
               result->circuits * sizeof *result->circuit);
    }
    result->conflicts = fabric_conflicts(play.fabric);
    for (uint32_t node = 0; node < script->nodes; ++node) {
        for (unsigned port = 0; port < NODE_PORTS; ++port) {
            result->counters[node][port] =
                *fabric_counters(play.fabric, node, port);
        }
    }
    fabric_free(play.fabric);
}

/* ---- the same in every order ---- */

static bool same_circuit(const struct circuit_record *a,
                         const struct circuit_record *b)
{
    return a->source == b->source && a->destination == b->destination &&
           a->port == b->port && a->arrival == b->arrival &&
           a->kind == b->kind && a->hops == b->hops && a->bytes == b->bytes &&
           a->request_ps == b->request_ps && a->grant_ps == b->grant_ps &&
           a->end_ps == b->end_ps;
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
    return a->rest_ps == b->rest_ps && a->time_ps == b->time_ps &&
           a->complete_ps == b->complete_ps && a->known_ps == b->known_ps &&
           a->known == b->known && a->cookie == b->cookie &&
           a->source == b->source && a->bytes == b->bytes &&
           a->status == b->status && a->step == b->step && a->port == b->port &&
           a->damaged == b->damaged;
}

/* Says where two results differ first; NULL if they do not. */
static const char *difference(const struct result *a, const struct result *b)
{
    static char text[96];

    for (uint32_t i = 0; i < a->circuits && i < b->circuits; ++i) {
        if (!same_circuit(&a->circuit[i], &b->circuit[i])) {
            snprintf(text, sizeof text, "circuit %u", i);
            return text;
        }
    }
    for (uint32_t node = 0; node < NODES_MAX; ++node) {
        for (uint32_t op = 0; op < OPS; ++op) {
            if (!same_answer(&a->answer[node][op], &b->answer[node][op]) ||
                a->left[node][op].time_ps != b->left[node][op].time_ps ||
                a->left[node][op].step != b->left[node][op].step ||
                a->left[node][op].hops != b->left[node][op].hops) {
                snprintf(text, sizeof text, "node %u, op %u", node, op);
                return text;
            }
        }
    }
    if (a->circuits != b->circuits || a->conflicts != b->conflicts ||
        memcmp(a->reached, b->reached, sizeof a->reached) != 0 ||
        memcmp(a->found, b->found, sizeof a->found) != 0 ||
        memcmp(a->counters, b->counters, sizeof a->counters) != 0) {
        return "the totals";
    }
    return NULL;
}

/* ---- the rules ---- */

struct log {
    const struct script *script;
    const struct result *result;
    /* Refused sends that waited before that, and for how long. */
    uint32_t waits[NODES_MAX][NODE_PORTS];
    uint64_t waited_ps[NODES_MAX][NODE_PORTS];
    uint64_t links[CIRCUITS_MAX]; /* sets: there are no more than 50 */
};

/* The set of links that a node's send goes over. */
static uint64_t links_of(const struct script *script, uint32_t node,
                         const struct op *op)
{
    struct torus_size size = script->config.size;
    uint32_t link[16];
    size_t count =
        torus_path_links(size, torus_coord_of(size, node), op->path, link, 16);
    uint64_t links = 0;

    for (size_t i = 0; i < count; ++i) {
        links |= 1ull << link[i];
    }
    return links;
}

/* When a node stops; UINT64_MAX: never. */
static uint64_t stop_ps(const struct script *script, uint32_t node)
{
    for (uint32_t i = 0; i < script->faults; ++i) {
        const struct fault *fault = &script->fault[i];

        if (!fault->cuts && fault->at == node) {
            return fault->time_ps;
        }
    }
    return UINT64_MAX;
}

/* The fault that killed a link first of those until a time: it was cut, or is
   one of a dead node's; NULL: the link lives. */
static const struct fault *killer(const struct script *script, uint32_t link,
                                  uint64_t time_ps)
{
    struct torus_size size = script->config.size;
    const struct fault *first = NULL;

    for (uint32_t i = 0; i < script->faults; ++i) {
        const struct fault *fault = &script->fault[i];
        bool its = fault->cuts && fault->at == link;

        for (unsigned port = 0; !fault->cuts && port < TORUS_PORTS; ++port) {
            its |=
                fault->whole &&
                torus_link(size, torus_coord_of(size, fault->at), port) == link;
        }
        if (its && time_ps >= fault->time_ps &&
            (first == NULL || fault->time_ps < first->time_ps)) {
            first = fault;
        }
    }
    return first;
}

/* The number of links of a send's path before the first that is dead at a time;
   of all of them, if none is. */
static uint32_t live_hops(const struct script *script, uint32_t node,
                          const struct op *op, uint64_t time_ps)
{
    struct torus_size size = script->config.size;
    uint32_t link[16];
    size_t count =
        torus_path_links(size, torus_coord_of(size, node), op->path, link, 16);
    uint32_t hops = 0;

    while (hops < count && killer(script, link[hops], time_ps) == NULL) {
        hops += 1;
    }
    return hops;
}

/* Whether a circuit is written down as what was sent. */
static bool is_as_sent(const struct script *script,
                       const struct circuit_record *circuit)
{
    const struct op *op = &script->op[circuit->source][circuit->kind];
    struct torus_size size = script->config.size;
    struct torus_coord from = torus_coord_of(size, circuit->source);

    return circuit->destination ==
               torus_index(size, torus_path_end(size, from, op->path)) &&
           circuit->arrival == torus_path_arrival(op->path) &&
           circuit->hops == torus_path_hops(op->path) &&
           circuit->port == op->path.port && circuit->bytes == op->bytes &&
           circuit->phase == circuit->kind + 1;
}

/* A circuit before `limit` that holds one of the links at `time_ps`. */
static const struct circuit_record *
holder(const struct log *log, uint64_t links, uint64_t time_ps, uint32_t limit)
{
    for (uint32_t i = 0; i < limit; ++i) {
        const struct circuit_record *circuit = &log->result->circuit[i];

        if ((log->links[i] & links) != 0 && circuit->grant_ps <= time_ps &&
            time_ps < circuit->end_ps) {
            return circuit;
        }
    }
    return NULL;
}

/* Whether a node's sends go one after the other, whatever their port. */
static bool in_order(const struct fabric_config *config)
{
    return config->ports_at_once > 0 && config->ports_at_once < TORUS_PORTS;
}

/* How many deadlines of its node at that very time came before the send. */
static unsigned deadlines_before(const struct result *result,
                                 const struct circuit_record *circuit)
{
    unsigned count = 0;

    for (uint32_t op = 0; op < circuit->kind; ++op) {
        const struct answer *answer = &result->answer[circuit->source][op];

        count += answer->step == FABRIC_TIMED_OUT &&
                 answer->time_ps == circuit->request_ps;
    }
    return count;
}

static bool asked_before(const struct log *log, const struct circuit_record *a,
                         const struct circuit_record *b)
{
    unsigned a_after = deadlines_before(log->result, a);
    unsigned b_after = deadlines_before(log->result, b);

    if (a->request_ps != b->request_ps) {
        return a->request_ps < b->request_ps;
    }
    if ((a_after > 0) != (b_after > 0)) {
        return b_after > 0;
    }
    if (a->source != b->source) {
        return a->source < b->source;
    }
    if (a_after != b_after) {
        return a_after < b_after;
    }
    return in_order(&log->script->config) ? a->kind < b->kind
                                          : a->port < b->port;
}

static uint64_t model_ps(const struct fabric_config *config,
                         const struct op *op)
{
    uint64_t hops = torus_path_hops(op->path);
    uint64_t startup_ps = config->profile.startup_ps;
    uint64_t transfer_ps = config->profile.transfer_ps * op->bytes;

    return config->store_and_forward
               ? hops *
                     (startup_ps + config->profile.hop_delay_ps + transfer_ps)
               : startup_ps + hops * config->profile.hop_delay_ps + transfer_ps;
}

static const char *broken_times(const struct log *log, uint32_t i)
{
    const struct fabric_config *config = &log->script->config;
    const struct circuit_record *circuit = &log->result->circuit[i];
    const struct op *op = &log->script->op[circuit->source][circuit->kind];
    uint64_t time_ps = circuit->request_ps;

    if (!is_as_sent(log->script, circuit)) {
        return "a circuit is another one than was sent";
    }
    if (live_hops(log->script, circuit->source, op, circuit->grant_ps) <
        circuit->hops) {
        return "a circuit goes over a dead link";
    }
    if (log->result->answer[circuit->source][circuit->kind].rest_ps +
            op->later_ps >=
        stop_ps(log->script, circuit->source)) {
        return "a send of a node that has stopped goes out";
    }
    if (circuit->end_ps - circuit->grant_ps != model_ps(config, op)) {
        return "a circuit is held for another time than the model's";
    }
    if (i > 0 && circuit->grant_ps < log->result->circuit[i - 1].grant_ps) {
        return "the log is out of order";
    }
    while (time_ps < circuit->grant_ps) {
        const struct circuit_record *by =
            holder(log, log->links[i], time_ps, log->result->circuits);

        if (by == NULL || by == circuit) {
            return "a circuit waits though its path is free";
        }
        time_ps = by->end_ps;
    }
    return time_ps > circuit->grant_ps ? "granted before the release" : NULL;
}

static const char *broken_pair(const struct log *log, uint32_t first,
                               uint32_t second)
{
    const struct circuit_record *a = &log->result->circuit[first];
    const struct circuit_record *b = &log->result->circuit[second];

    if ((log->links[first] & log->links[second]) == 0) {
        return NULL;
    }
    if (a->grant_ps < b->end_ps && b->grant_ps < a->end_ps) {
        return "a link is held twice";
    }
    /* The second was granted later, so it must have asked later, or found a
       link held when the first was granted. */
    if (asked_before(log, b, a) &&
        holder(log, log->links[second], a->grant_ps, first) == NULL) {
        return "a circuit is overtaken";
    }
    return NULL;
}

/* When a send of a node asked, began and was over; of one to the host all at
   once. A refused one began when its set-up did. False: there is no trace. */
struct traced {
    uint64_t request_ps;
    uint64_t begin_ps;
    uint64_t end_ps;
};

/* How long a set-up takes that is refused behind so many links. */
static uint64_t refusal_ps(const struct fabric_config *config,
                           const struct op *op, uint64_t hops)
{
    uint64_t startup_ps = config->profile.startup_ps;
    uint64_t hop_ps = config->profile.hop_delay_ps;

    return config->store_and_forward
               ? (hops + 1) * (startup_ps + hop_ps +
                               config->profile.transfer_ps * op->bytes)
               : startup_ps + (hops + 1) * hop_ps;
}

static bool trace(struct traced *traced, const struct log *log, uint32_t node,
                  uint32_t op)
{
    const struct result *result = log->result;
    const struct left *left = &result->left[node][op];
    uint64_t begin_ps = left->time_ps;

    for (uint32_t i = 0; i < result->circuits; ++i) {
        const struct circuit_record *circuit = &result->circuit[i];

        if (circuit->source == node && circuit->kind == op) {
            *traced = (struct traced){circuit->request_ps, circuit->grant_ps,
                                      circuit->end_ps};
            return left->step == FABRIC_WAIT;
        }
    }
    if (left->step == FABRIC_FAILED &&
        log->script->op[node][op].path.port != NODE_PORT_HOST) {
        begin_ps -= refusal_ps(&log->script->config, &log->script->op[node][op],
                               left->hops);
    }
    *traced = (struct traced){begin_ps, begin_ps, left->time_ps};
    return left->step != FABRIC_WAIT;
}

/* Whether a send may be refused at this time: its node had stopped, or a link
   is dead. */
static bool may_fail(const struct script *script, uint32_t node,
                     const struct op *op, uint64_t ready_ps, uint64_t time_ps,
                     uint32_t *hops)
{
    *hops = 0;
    if (ready_ps >= stop_ps(script, node)) {
        return true;
    }
    if (op->path.port == NODE_PORT_HOST) {
        return false;
    }
    *hops = live_hops(script, node, op, time_ps);
    return *hops < torus_path_hops(op->path);
}

/* Whether faults were found when the first send failed at each, and lost one
   when the last did. */
static bool found_rightly(const struct log *log)
{
    const struct script *script = log->script;
    struct fabric_found found[FAULTS_MAX] = {{0}};

    for (uint32_t i = 0; i < script->faults; ++i) {
        found[i].first_ps = FABRIC_NEVER_PS;
    }
    for (uint32_t node = 0; node < script->nodes; ++node) {
        for (uint32_t at = 0; at < OPS; ++at) {
            const struct left *left = &log->result->left[node][at];
            const struct op *op = &script->op[node][at];
            struct traced traced;
            uint32_t link[16];
            struct fabric_found *its;

            if (left->step != FABRIC_FAILED ||
                op->path.port == NODE_PORT_HOST ||
                left->time_ps >= stop_ps(script, node)) {
                continue;
            }
            (void)trace(&traced, log, node, at);
            (void)torus_path_links(script->config.size,
                                   torus_coord_of(script->config.size, node),
                                   op->path, link, 16);
            its = &found[killer(script, link[left->hops], traced.begin_ps) -
                         script->fault];
            its->first_ps =
                left->time_ps < its->first_ps ? left->time_ps : its->first_ps;
            its->lost_ps =
                left->time_ps > its->lost_ps ? left->time_ps : its->lost_ps;
        }
    }
    return memcmp(found, log->result->found, sizeof found) == 0;
}

/* What left the mesh did so with reason, and is told as what was sent. */
static bool left_rightly(const struct log *log, const struct traced *traced,
                         uint32_t node, uint32_t at)
{
    const struct op *op = &log->script->op[node][at];
    const struct left *left = &log->result->left[node][at];
    uint64_t ready_ps = log->result->answer[node][at].rest_ps + op->later_ps;
    bool to_host = op->path.port == NODE_PORT_HOST;
    uint32_t hops;

    if (may_fail(log->script, node, op, ready_ps, traced->begin_ps, &hops)) {
        return left->step == FABRIC_FAILED && left->hops == hops &&
               left->status == ERR_DEAD_LINK && left->source == node &&
               left->bytes == op->bytes;
    }
    return to_host ? left->step == FABRIC_TO_HOST && left->status == ERR_OK &&
                         left->source == node && left->bytes == op->bytes
                   : left->step == FABRIC_WAIT;
}

/* Whether a send that was due, and was refused later, had to wait: its path was
   alive and held, and it was refused when some circuit was released. Notes how
   long it waited. */
static bool waited_rightly(struct log *log, const struct traced *traced,
                           uint32_t node, uint32_t at, uint64_t due_ps)
{
    const struct op *op = &log->script->op[node][at];
    uint64_t ready_ps = log->result->answer[node][at].rest_ps + op->later_ps;
    uint32_t hops;
    bool released = false;

    if (op->path.port == NODE_PORT_HOST || traced->begin_ps < due_ps ||
        may_fail(log->script, node, op, ready_ps, due_ps, &hops)) {
        return false;
    }
    for (uint32_t i = 0; i < log->result->circuits; ++i) {
        released |= log->result->circuit[i].end_ps == traced->begin_ps;
    }
    log->waits[node][op->path.port] += 1;
    log->waited_ps[node][op->path.port] += traced->begin_ps - due_ps;
    return released && holder(log, links_of(log->script, node, op), due_ps,
                              log->result->circuits) != NULL;
}

/* The first time from `time_ps` on at which fewer than `limit` of them hold a
   circuit. They have all begun by then, so that the number only falls. */
static uint64_t when_fewer(const struct traced *traced, uint32_t count,
                           uint32_t limit, uint64_t time_ps)
{
    for (;;) {
        uint64_t next_ps = UINT64_MAX;
        uint32_t held = 0;

        for (uint32_t i = 0; i < count; ++i) {
            if (traced[i].end_ps > time_ps) {
                held += 1;
                next_ps =
                    traced[i].end_ps < next_ps ? traced[i].end_ps : next_ps;
            }
        }
        if (held < limit) {
            return time_ps;
        }
        time_ps = next_ps;
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether every send of a node asked in the very moment that it had to. */
static const char *broken_sends(struct log *log, uint32_t node)
{
    const struct script *script = log->script;
    const struct result *result = log->result;
    const struct fabric_config *config = &script->config;
    struct traced on_torus[OPS]; /* so far */
    struct traced last[NODE_PORTS] = {0};
    bool used[NODE_PORTS] = {false};
    uint32_t count = 0;

    for (uint32_t at = 0; at < result->reached[node]; ++at) {
        const struct op *op = &script->op[node][at];
        unsigned port = op->path.port;
        struct traced *now = &on_torus[count];
        uint64_t due_ps = result->answer[node][at].rest_ps + op->later_ps;

        if (op->kind != OP_SEND) {
            continue;
        }
        if (!trace(now, log, node, at)) {
            return "a send is lost, or goes twice";
        }
        if (!left_rightly(log, now, node, at)) {
            return "a send leaves the mesh, or does not";
        }
        if (used[port]) {
            due_ps = later(due_ps, last[port].end_ps + op->gap_ps);
        }
        if (in_order(config) && port != NODE_PORT_HOST && count > 0) {
            due_ps = later(due_ps, on_torus[count - 1].begin_ps);
            due_ps = when_fewer(on_torus, count, config->ports_at_once, due_ps);
        }
        if (now->request_ps != due_ps &&
            (result->left[node][at].step != FABRIC_FAILED ||
             !waited_rightly(log, now, node, at, due_ps))) {
            return "a send asks at another time than it should";
        }
        used[port] = true;
        last[port] = *now;
        count += port != NODE_PORT_HOST;
    }
    return NULL;
}

/* Whether the node's answer before `op` had the message of this cookie. */
static bool was_taken(const struct result *result, uint32_t node, uint32_t op,
                      uintptr_t cookie)
{
    for (uint32_t before = 0; before < op; ++before) {
        if (result->answer[node][before].step == FABRIC_DELIVER &&
            result->answer[node][before].cookie == cookie) {
            return true;
        }
    }
    return false;
}

/* Whether a circuit's message is one that the receive may take. */
static bool is_wanted(const struct log *log, uint32_t node, uint32_t op,
                      const struct circuit_record *circuit)
{
    const struct op *receive = &log->script->op[node][op];
    const struct op *send = &log->script->op[circuit->source][circuit->kind];

    return circuit->destination == node &&
           (receive->mask >> circuit->arrival & 1u) != 0 &&
           (receive->tag == 0 || receive->tag == send->tag) &&
           !was_taken(log->result, node, op,
                      cookie_of(circuit->source, circuit->kind));
}

/* Whether a message came by this time that the receive, in vain, waits for. */
static bool is_overlooked(const struct log *log, uint32_t node, uint32_t op,
                          uint64_t last_ps)
{
    const struct op *receive = &log->script->op[node][op];
    uint64_t stopped_ps = stop_ps(log->script, node);

    if (log->result->answer[node][op].rest_ps >= stopped_ps) {
        return false;
    }
    if ((receive->mask >> NODE_PORT_HOST & 1u) != 0 && receive->tag == 0 &&
        log->script->from_host_ps[node] != 0 &&
        !was_taken(log->result, node, op, 0)) {
        return true;
    }
    for (uint32_t i = 0; i < log->result->circuits; ++i) {
        const struct circuit_record *circuit = &log->result->circuit[i];

        if (circuit->end_ps <= last_ps && circuit->end_ps < stopped_ps &&
            is_wanted(log, node, op, circuit)) {
            return true;
        }
    }
    return false;
}

/* A receive with a deadline ends by then; in vain, if nothing came by then. One
   without waits for ever, if nothing comes. */
static const char *broken_deadline(const struct log *log, uint32_t node,
                                   uint32_t op)
{
    const struct answer *answer = &log->result->answer[node][op];
    const struct op *receive = &log->script->op[node][op];
    bool until = receive->kind == OP_RECEIVE_UNTIL;
    uint64_t last_ps = until ? answer->rest_ps + receive->later_ps : UINT64_MAX;

    if (answer->step == FABRIC_DELIVER) {
        return answer->complete_ps > last_ps ? "a message after a deadline"
                                             : NULL;
    }
    if (answer->step == FABRIC_TIMED_OUT &&
        (!until || answer->time_ps != last_ps ||
         answer->status != ERR_TIMEOUT)) {
        return "a receive ends at another time than its deadline";
    }
    if ((until || receive->kind == OP_RECEIVE) &&
        op <= log->result->reached[node] &&
        is_overlooked(log, node, op, last_ps)) {
        return "a message that came is overlooked";
    }
    return NULL;
}

/* Goes on when the message is there, or so much of it as is enough, if it can
   come in through one port only. */
static uint64_t goes_on_ps(const struct log *log, const struct op *receive,
                           const struct circuit_record *got)
{
    bool single = (receive->mask & (receive->mask - 1)) == 0;

    if (!single || receive->bytes == 0 || receive->bytes >= got->bytes) {
        return got->end_ps;
    }
    return got->end_ps - log->script->config.profile.transfer_ps *
                             (got->bytes - receive->bytes);
}

/* Whether a node was told the right thing, the earliest first. */
static const char *broken_answer(const struct log *log, uint32_t node,
                                 uint32_t op)
{
    const struct answer *answer = &log->result->answer[node][op];
    const struct op *receive = &log->script->op[node][op];
    const struct circuit_record *got = NULL;

    if (answer->step != FABRIC_DELIVER || answer->port == NODE_PORT_HOST) {
        return NULL;
    }
    for (uint32_t i = 0; i < log->result->circuits; ++i) {
        const struct circuit_record *circuit = &log->result->circuit[i];

        if (cookie_of(circuit->source, circuit->kind) == answer->cookie) {
            got = circuit;
            if (answer->damaged !=
                (i + 1 == log->script->config.corrupt_message)) {
                return "another message is damaged";
            }
        }
    }
    if (got == NULL || !is_wanted(log, node, op, got) ||
        got->arrival != answer->port || got->source != answer->source ||
        got->grant_ps != answer->known_ps || got->bytes != answer->bytes ||
        answer->status != ERR_OK) {
        return "a message came to the wrong place";
    }
    if (answer->complete_ps != later(got->end_ps, answer->rest_ps) ||
        answer->time_ps !=
            later(goes_on_ps(log, receive, got), answer->rest_ps)) {
        return "a receive completes at another time than its message's";
    }
    for (uint32_t i = 0; i < log->result->circuits; ++i) {
        const struct circuit_record *circuit = &log->result->circuit[i];

        if (circuit->end_ps < got->end_ps &&
            is_wanted(log, node, op, circuit)) {
            return "a later message is handed over first";
        }
    }
    return NULL;
}

/* A node that has stopped is told nothing; others know all failures of before
   their answer. */
static const char *broken_knowledge(const struct log *log, uint32_t node,
                                    uint32_t op)
{
    const struct answer *answer = &log->result->answer[node][op];
    uint64_t stopped_ps = stop_ps(log->script, node);
    uint64_t since_ps = answer->known_ps;

    if (answer->step == FABRIC_WAIT) {
        return NULL;
    }
    if (answer->rest_ps >= stopped_ps || answer->complete_ps >= stopped_ps ||
        answer->time_ps >= stopped_ps) {
        return "a node that has stopped gets an answer";
    }
    if (answer->step == FABRIC_TIMED_OUT) {
        since_ps = answer->time_ps + 1;
    }
    if (answer->known != failures_before(log->result, node, since_ps) &&
        answer->step != FABRIC_DRAINED) {
        return "a node does not know of a failure";
    }
    return NULL;
}

/* A drain ends with the last send, and tells of those that were lost since the
   one before. */
static const char *broken_drain(const struct log *log, uint32_t node,
                                uint32_t at)
{
    const struct answer *answer = &log->result->answer[node][at];
    uint64_t end_ps = answer->rest_ps;
    uint32_t failures = 0;
    int32_t status = ERR_OK;

    if (log->script->op[node][at].kind != OP_DRAIN ||
        at > log->result->reached[node]) {
        return answer->step == FABRIC_DRAINED ? "a drain of none" : NULL;
    }
    for (uint32_t op = 0; op < at; ++op) {
        struct traced traced;

        if (log->script->op[node][op].kind == OP_DRAIN) {
            status = ERR_OK;
        }
        if (log->script->op[node][op].kind == OP_SEND &&
            trace(&traced, log, node, op)) {
            bool failed = log->result->left[node][op].step == FABRIC_FAILED;

            end_ps = later(end_ps, traced.end_ps);
            status = failed ? ERR_DEAD_LINK : status;
            failures += failed;
        }
    }
    if (end_ps >= stop_ps(log->script, node)) {
        return answer->step == FABRIC_WAIT ? NULL : "a stopped node's drain";
    }
    return answer->step != FABRIC_DRAINED || answer->time_ps != end_ps ||
                   answer->status != status || answer->known != failures
               ? "a drain ends at another time, or with another word"
               : NULL;
}

static const char *broken_counters(const struct log *log)
{
    const struct script *script = log->script;
    const struct result *result = log->result;
    struct node_counters want[NODES_MAX][NODE_PORTS] = {0};
    uint64_t conflicts = 0;

    for (uint32_t i = 0; i < result->circuits; ++i) {
        const struct circuit_record *circuit = &result->circuit[i];
        struct node_counters *from = &want[circuit->source][circuit->port];
        struct node_counters *to =
            &want[circuit->destination][circuit->arrival];
        bool waited = circuit->grant_ps > circuit->request_ps;

        from->sent_messages += 1;
        from->sent_bytes += circuit->bytes;
        from->busy_ps += circuit->end_ps - circuit->grant_ps;
        from->stalls += waited;
        from->stall_ps += circuit->grant_ps - circuit->request_ps;
        to->received_messages += 1;
        to->received_bytes += circuit->bytes;
        conflicts += waited;
    }
    for (uint32_t node = 0; node < script->nodes; ++node) {
        for (uint32_t op = 0; op < OPS; ++op) {
            unsigned port = script->op[node][op].path.port;

            want[node][port].errors +=
                port != NODE_PORT_HOST &&
                result->left[node][op].step == FABRIC_FAILED;
        }
        for (unsigned port = 0; port < NODE_PORTS; ++port) {
            want[node][port].stalls += log->waits[node][port];
            want[node][port].stall_ps += log->waited_ps[node][port];
            conflicts += log->waits[node][port];
        }
    }
    return conflicts != result->conflicts ||
                   memcmp(want, result->counters, sizeof want) != 0
               ? "counters are not the sums of the log"
               : NULL;
}

/* Says which rule is broken; NULL: none. */
static const char *broken_rule(const struct script *script,
                               const struct result *result)
{
    struct log log = {.script = script, .result = result};
    const char *broken = NULL;

    for (uint32_t i = 0; i < result->circuits; ++i) {
        uint32_t source = result->circuit[i].source;

        log.links[i] = links_of(script, source,
                                &script->op[source][result->circuit[i].kind]);
    }
    for (uint32_t i = 0; i < result->circuits && broken == NULL; ++i) {
        broken = broken_times(&log, i);
        for (uint32_t k = i + 1; k < result->circuits && broken == NULL; ++k) {
            broken = broken_pair(&log, i, k);
        }
    }
    for (uint32_t node = 0; node < script->nodes && broken == NULL; ++node) {
        broken = broken_sends(&log, node);
        for (uint32_t op = 0; op < OPS && broken == NULL; ++op) {
            broken = broken_answer(&log, node, op);
            broken = broken ? broken : broken_deadline(&log, node, op);
            broken = broken ? broken : broken_drain(&log, node, op);
            broken = broken ? broken : broken_knowledge(&log, node, op);
        }
    }
    if (broken == NULL && !found_rightly(&log)) {
        broken = "a fault was found by nobody, or too late";
    }
    return broken != NULL ? broken : broken_counters(&log);
}

/* ---- the tests ---- */

/* The first of SCRIPTS seeds; QUINCUNX_SEED chooses another beginning. */
static uint64_t first_seed(struct unit *unit)
{
    const char *text = getenv("QUINCUNX_SEED");
    uint64_t seed = text == NULL ? 1 : strtoull(text, NULL, 0);
    char line[64];

    snprintf(line, sizeof line, "# QUINCUNX_SEED=%llu\n",
             (unsigned long long)seed);
    unit->put(unit->context, line);
    return seed;
}

static void complain(struct unit *unit, uint64_t seed, unsigned order,
                     const char *what)
{
    char text[160];

    snprintf(text, sizeof text, "# QUINCUNX_SEED=%llu, order %u: %s\n",
             (unsigned long long)seed, order, what);
    if (unit->checks_failed < UNIT_DIAGNOSTICS_MAX) {
        unit->put(unit->context, text);
    }
}

static void same_in_every_order(struct unit *unit)
{
    struct script *script = malloc(sizeof *script);
    struct result *want = malloc(sizeof *want);
    struct result *got = malloc(sizeof *got);
    uint64_t seed = first_seed(unit);

    if (script == NULL || want == NULL || got == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < SCRIPTS; i += unit->stride, ++seed) {
        make_script(script, seed);
        run_script(want, script, 0, seed, STEPS_MAX);
        for (unsigned order = 1; order < ORDERS; ++order) {
            const char *where;

            run_script(got, script, order, seed, STEPS_MAX);
            where = difference(want, got);
            if (where != NULL) {
                complain(unit, seed, order, where);
            }
            CHECK(unit, where == NULL);
        }
    }
    free(script);
    free(want);
    free(got);
}

static void rules_are_kept(struct unit *unit)
{
    struct script *script = malloc(sizeof *script);
    struct result *result = malloc(sizeof *result);
    uint64_t conflicts = 0;
    uint64_t circuits = 0;
    uint64_t seed = first_seed(unit);

    if (script == NULL || result == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < SCRIPTS; i += unit->stride, ++seed) {
        const char *broken;

        make_script(script, seed);
        /* Freed in any state, as the address sanitizer sees. */
        run_script(result, script, 4 + (unsigned)(seed % 4), seed, i % 200);
        run_script(result, script, (unsigned)(seed % ORDERS), seed, STEPS_MAX);
        broken = broken_rule(script, result);
        if (broken != NULL) {
            complain(unit, seed, (unsigned)(seed % ORDERS), broken);
        }
        CHECK(unit, broken == NULL);
        conflicts += result->conflicts;
        circuits += result->circuits;
    }
    /* The scripts must be of the kind that this test is about. */
    CHECK(unit, circuits > 20u * SCRIPTS / unit->stride);
    CHECK(unit, conflicts > 5u * SCRIPTS / unit->stride);
    free(script);
    free(result);
}

void test_order(struct unit *unit)
{
    UNIT_RUN(unit, same_in_every_order);
    UNIT_RUN(unit, rules_are_kept);
}
