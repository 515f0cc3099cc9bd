/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/tree.h"

#include "qemu/base/memory.h"
#include "scatter/plan/tree.h"
#include "torus/pattern.h"

#include <stdlib.h>
#include <string.h>

/*
 * Searches a scatter for a torus that is not 5^k x 5^k, or that has holes: dead
 * nodes and links (qemu/schedule/holes.h). In each phase every
 * port of every active node (one that has received) gets a circuit. No two
 * circuits of a phase share a link.
 *
 * In the first phases, receivers and active nodes repel each other, and so
 * spread evenly. Each circuit is laid again a few times, to the node that is
 * repelled least.
 *
 * The last phases begin when the active nodes have enough ports for all
 * remaining nodes. Circuits are then laid to each remaining node. A circuit may
 * displace others, which are laid again. Links for which circuits compete
 * become more expensive.
 *
 * All phases prefer short circuits. They also avoid crossings: links of an
 * earlier phase's circuit that may not be over. That circuit is certainly over
 * if it led to the sender or an ancestor of it, or if one of these sent it
 * before, through the same port. A strict search lays no crossings in first
 * phases.
 *
 * Sources: spreading by repulsion is Thomson's problem (1904); laying circuits
 * with a history of each link is PathFinder (McMurchie and Ebeling 1995).
 */

#define NONE UINT32_MAX

/* Most phases of a tree, and of one without crossings in first phases. Without
   holes, 125x124 needs 6, 1x125 needs 5. */
#define PHASES_LIMIT TREE_PHASES_MAX
#define STRICT_PHASES 12u

/* How often each circuit of a first phase is laid. */
#define SWEEPS 4u

/* Largest torus, in nodes, for whose search rounds do not overlap if there are
   no holes: circuits of phase 1 are so short that they hardly meet any of the
   round before. */
#define ONE_ROUND_NODES 961u

/* Costs of a path in a first phase, in quarters of a link: each link, and each
   crossing of a circuit that may not be over. */
#define SPREAD_LINK 4u
#define SPREAD_CROSSING 16u

/* Costs of a path in a last phase, in links: a link that another circuit holds,
   a crossing, and a crossing in a strict search. */
#define ROUTE_HELD 12u
#define ROUTE_CROSSING 6u
#define ROUTE_CROSSING_STRICT 200u

/* Circuits that a last phase may lay, for each node that it must reach. */
#define ROUTE_TRIES 12u

struct weights {
    unsigned power; /* repulsion falls with distance^(2 power) */
    uint32_t base;  /* cost of any circuit, in quarters of a link */
    bool strict;    /* true: first phases may not have crossings */
};

/* Weights that are tried, in this order. On some sizes a strict search needs
   one phase more. */
static const struct weights attempts[] = {
    {2, 8, true},  {2, 4, true},  {2, 16, true},  {1, 64, true},
    {2, 8, false}, {2, 4, false}, {2, 16, false}, {1, 64, false}};

/* Largest torus, in nodes, with a strict search. On 100x100 a strict search
   takes up to 24 s and one phase more; any other search takes 0.3 s. */
#define STRICT_NODES 5000u

#define ATTEMPTS (sizeof attempts / sizeof *attempts)

struct search {
    struct torus_size size;
    const struct schedule_holes *holes; /* or NULL */
    uint32_t nodes;
    uint32_t wanted; /* number of nodes that the tree reaches in the end */
    struct weights weights;
    unsigned phase;
    /* number of crossings so far whose circuits may be open at the same time */
    uint32_t crossings;

    /* Arrays have an entry for each node, if nothing else is said. All arrays
       of uint32_t are one allocation. */
    struct schedule_circuit *circuits; /* the circuit to each node */
    uint32_t *senders;                 /* nodes that can send in this phase */
    uint32_t sender_count;

    bool *left_out; /* dead nodes, and those that cannot be reached */
    uint32_t *next[TORUS_PORTS]; /* neighbour of each node, by port */
    uint32_t *link[TORUS_PORTS]; /* NONE: the link is dead */

    /* held[phase][link]: receiver of the circuit that holds the link, or NONE.
       There are 2 * nodes links. held[phase] is NULL until a search comes to
       the phase. */
    uint32_t *held[PHASES_LIMIT + 1];

    uint32_t *below; /* number of descendants of each node */
    uint32_t *later[TORUS_PORTS];

    uint32_t *push; /* repulsion between two nodes, by their offset */
    uint64_t *pushed;
    uint64_t pushed_least;

    /* how often a circuit was displaced from each link; 2 * nodes entries */
    uint32_t *fights;
    uint32_t *queue; /* ring buffer of nodes to which circuits must be laid */
    uint32_t queue_head;
    uint32_t queue_count;
};

struct choice {
    uint64_t cost;
    uint32_t from;
    uint32_t to;
    struct torus_path path;
};

/* The end of the path that is looked at. */
struct reach {
    uint32_t at;
    uint64_t cost;
};

/* Returns whether the node needs no circuit (any more). */
static bool reached(const struct search *search, uint32_t node)
{
    return node == 0 || search->circuits[node].phase != 0 ||
           search->left_out[node];
}

static bool active(const struct search *search, uint32_t node)
{
    return node == 0 ||
           (unsigned)search->circuits[node].phase - 1 < search->phase - 1;
}

/* Returns the most hops through a port that do not lead around the whole
   torus. */
static uint16_t hops_max(const struct search *search, unsigned port)
{
    return (uint16_t)((port == TORUS_EAST || port == TORUS_WEST
                           ? search->size.width
                           : search->size.height) -
                      1);
}

static uint32_t path_links(const struct search *search, uint32_t links[],
                           uint32_t from, struct torus_path path)
{
    uint32_t hops = torus_path_hops(path);
    unsigned port = path.port;

    for (uint32_t hop = 0; hop < hops; ++hop) {
        if (hop == path.hops) {
            port = torus_after_turn((enum torus_port)port,
                                    (enum torus_turn)path.turn);
        }
        links[hop] = search->link[port][from];
        from = search->next[port][from];
    }
    return hops;
}

/* ---- circuits of several phases ---- */

/* Returns whether the circuit to `early`, of an earlier phase, is certainly
   over before `node` sends through `port` in this phase. */
static bool ordered(const struct search *search, uint32_t early, uint32_t node,
                    unsigned port)
{
    const struct schedule_circuit *circuit = &search->circuits[early];
    unsigned phase = search->phase;

    for (;;) {
        if (early == node ||
            (circuit->from == node && circuit->path.port == port &&
             circuit->phase < phase)) {
            return true;
        }
        if (node == 0) {
            return false;
        }
        phase = search->circuits[node].phase;
        port = search->circuits[node].path.port;
        node = search->circuits[node].from;
    }
}

static uint32_t crossings(const struct search *search, uint32_t link,
                          uint32_t node, unsigned port)
{
    uint32_t count = 0;

    for (unsigned phase = 1; phase < search->phase; ++phase) {
        uint32_t early = search->held[phase][link];

        count += early != NONE && !ordered(search, early, node, port);
    }
    return count;
}

/* Returns whether phase 1 of the next round may use the link while this phase
   still sends. */
static bool overtaken(const struct search *search, uint32_t link)
{
    bool overlap = search->nodes > ONE_ROUND_NODES || search->holes != NULL;

    return overlap && search->phase > 2 && search->held[1][link] != NONE;
}

static uint32_t path_crossings(const struct search *search, uint32_t from,
                               struct torus_path path)
{
    uint32_t links[2 * SCHEDULE_SIDE_MAX];
    uint32_t hops = path_links(search, links, from, path);
    uint32_t count = 0;

    for (uint32_t hop = 0; hop < hops; ++hop) {
        count += crossings(search, links[hop], from, path.port) +
                 overtaken(search, links[hop]);
    }
    return count;
}

/* ---- looking for circuits ---- */

/* How first or last phases follow paths, link by link. */
struct look {
    /* Extends the path by a link through port `out`. Returns false if the link
       is forbidden or too expensive. */
    bool (*step)(const struct search *search, const struct choice *best,
                 struct reach *reach, unsigned out, unsigned port);
    /* Stores the path that ends at reach.at in *best if it costs less. */
    void (*offer)(const struct search *search, struct choice *best,
                  struct reach reach, struct torus_path path);
};

/* Looks at all paths that leave a node through a port and turn once at most. */
static void look_out(const struct search *search, struct choice *best,
                     const struct look *look, uint32_t from, unsigned port)
{
    struct reach first = {from, 0};
    struct torus_path path = {.port = (uint8_t)port};

    while (path.hops < hops_max(search, port) &&
           look->step(search, best, &first, port, port)) {
        path.hops += 1;
        path.turn = TORUS_STRAIGHT;
        path.hops_after = 0;
        look->offer(search, best, first, path);
        for (path.turn = TORUS_LEFT; path.turn <= TORUS_RIGHT; ++path.turn) {
            unsigned side = torus_after_turn((enum torus_port)port,
                                             (enum torus_turn)path.turn);
            struct reach second = first;

            path.hops_after = 0;
            while (path.hops_after < hops_max(search, side) &&
                   look->step(search, best, &second, side, port)) {
                path.hops_after += 1;
                look->offer(search, best, second, path);
            }
        }
    }
}

/* ---- laying circuits ---- */

static void hold(struct search *search, uint32_t to, uint32_t holder)
{
    const struct schedule_circuit *circuit = &search->circuits[to];
    uint32_t links[2 * SCHEDULE_SIDE_MAX];
    uint32_t hops = path_links(search, links, circuit->from, circuit->path);

    for (uint32_t hop = 0; hop < hops; ++hop) {
        search->held[search->phase][links[hop]] = holder;
    }
}

static void lay(struct search *search, const struct choice *choice)
{
    search->circuits[choice->to] = (struct schedule_circuit){
        choice->from, (uint16_t)search->phase, choice->path};
    hold(search, choice->to, choice->to);
}

static void lift(struct search *search, uint32_t to)
{
    hold(search, to, NONE);
    search->circuits[to].phase = 0;
}

/* ---- first phases ---- */

/* Adds the repulsion of a node to all others (`sign` 1), or removes it (-1). */
static void push(struct search *search, uint32_t node, int sign)
{
    uint32_t width = search->size.width;
    uint32_t height = search->size.height;
    uint32_t node_x = node % width;
    uint32_t node_y = node / width;
    uint64_t *pushed = search->pushed;
    uint64_t least = UINT64_MAX;

    for (uint32_t y = 0; y < height; ++y) {
        uint32_t away_y = y >= node_y ? y - node_y : y + height - node_y;
        const uint32_t *row = &search->push[away_y * width];

        for (uint32_t x = 0; x < width; ++x, ++pushed) {
            uint32_t away = row[x >= node_x ? x - node_x : x + width - node_x];

            *pushed = sign > 0 ? *pushed + away : *pushed - away;
            least = *pushed < least ? *pushed : least;
        }
    }
    search->pushed_least = least;
}

/* Extends a path by a free link. The path begins at best->from, through
   `port`. */
static bool spread_step(const struct search *search, const struct choice *best,
                        struct reach *reach, unsigned out, unsigned port)
{
    uint32_t link = search->link[out][reach->at];
    uint32_t crossed;

    if (link == NONE || search->held[search->phase][link] != NONE) {
        return false;
    }
    crossed = crossings(search, link, best->from, port);
    if (crossed > 0 && search->weights.strict) {
        return false;
    }
    if (search->weights.strict && overtaken(search, link)) {
        return false;
    }
    crossed += overtaken(search, link);
    reach->cost += SPREAD_LINK + SPREAD_CROSSING * crossed;
    reach->at = search->next[out][reach->at];
    return search->pushed_least * (search->weights.base + reach->cost) <
           best->cost;
}

static void spread_offer(const struct search *search, struct choice *best,
                         struct reach reach, struct torus_path path)
{
    uint64_t cost =
        search->pushed[reach.at] * (search->weights.base + reach.cost);

    if (!reached(search, reach.at) && cost < best->cost) {
        *best = (struct choice){cost, best->from, reach.at, path};
    }
}

/* Chooses the path of the circuit that leaves a node through a port; chooses
   again if the circuit has one. */
static void spread_port(struct search *search, uint32_t from, unsigned port)
{
    static const struct look spread = {spread_step, spread_offer};
    struct choice best = {.cost = UINT64_MAX, .from = from};
    uint32_t link = search->link[port][from];
    uint32_t holder = link != NONE ? search->held[search->phase][link] : NONE;

    if (holder != NONE) {
        if (search->circuits[holder].from != from ||
            search->circuits[holder].path.port != port) {
            return;
        }
        lift(search, holder);
        push(search, holder, -1);
    }
    look_out(search, &best, &spread, from, port);
    if (best.cost != UINT64_MAX) {
        lay(search, &best);
        push(search, best.to, 1);
    }
}

static void spread_phase(struct search *search)
{
    for (unsigned sweep = 0; sweep < SWEEPS; ++sweep) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            for (uint32_t i = 0; i < search->sender_count; ++i) {
                spread_port(search, search->senders[i], port);
            }
        }
    }
}

/* ---- last phases ---- */

static void enqueue(struct search *search, uint32_t node)
{
    uint32_t tail = search->queue_head + search->queue_count;

    search->queue[tail % search->nodes] = node;
    search->queue_count += 1;
}

static uint32_t dequeue(struct search *search)
{
    uint32_t node = search->queue[search->queue_head];

    search->queue_head = (search->queue_head + 1) % search->nodes;
    search->queue_count -= 1;
    return node;
}

static bool route_step(const struct search *search, const struct choice *best,
                       struct reach *reach, unsigned out, unsigned port)
{
    uint32_t link = search->link[out][reach->at];

    (void)port;
    if (link == NONE) {
        return false;
    }
    reach->cost += 1;
    if (search->held[search->phase][link] != NONE) {
        reach->cost += ROUTE_HELD + search->fights[link];
    }
    reach->at = search->next[out][reach->at];
    return reach->cost < best->cost;
}

/* Here `back` leads from the receiver to a node that may send to it. */
static void route_offer(const struct search *search, struct choice *best,
                        struct reach reach, struct torus_path back)
{
    uint32_t crossing =
        search->weights.strict ? ROUTE_CROSSING_STRICT : ROUTE_CROSSING;
    struct torus_path path;
    uint64_t cost;

    if (!active(search, reach.at)) {
        return;
    }
    path = torus_path_reverse(back);
    cost = reach.cost + crossing * path_crossings(search, reach.at, path);
    if (cost < best->cost) {
        *best = (struct choice){cost, reach.at, best->to, path};
    }
}

/* Removes the circuits that hold links of the chosen path. Their receivers are
   queued to get new ones. */
static void push_aside(struct search *search, const struct choice *choice)
{
    uint32_t links[2 * SCHEDULE_SIDE_MAX];
    uint32_t hops = path_links(search, links, choice->from, choice->path);

    for (uint32_t hop = 0; hop < hops; ++hop) {
        uint32_t holder = search->held[search->phase][links[hop]];

        if (holder != NONE) {
            search->fights[links[hop]] += 1;
            lift(search, holder);
            enqueue(search, holder);
        }
    }
}

/* Lays circuits to as many nodes as possible. Nodes that stay in the queue get
   none. */
static void route_phase(struct search *search)
{
    static const struct look route = {route_step, route_offer};
    uint32_t tries;

    search->queue_head = 0;
    search->queue_count = 0;
    for (uint32_t node = 1; node < search->nodes; ++node) {
        if (!reached(search, node)) {
            enqueue(search, node);
        }
    }
    memset(search->fights, 0, 2 * search->nodes * sizeof *search->fights);
    for (tries = ROUTE_TRIES * (search->queue_count + ROUTE_TRIES);
         tries > 0 && search->queue_count > 0; --tries) {
        struct choice best = {.cost = UINT64_MAX, .to = dequeue(search)};

        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            look_out(search, &best, &route, best.to, port);
        }
        /* Around holes, a node may have no path but from a node of this
           phase. */
        if (best.cost != UINT64_MAX) {
            push_aside(search, &best);
            lay(search, &best);
        }
    }
}

/* ---- all phases ---- */

static void map(struct search *search)
{
    for (uint32_t node = 0; node < search->nodes; ++node) {
        struct torus_coord at = torus_coord_of(search->size, node);

        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            enum torus_port out = (enum torus_port)port;
            uint32_t link = torus_link(search->size, at, out);
            bool dead = search->holes != NULL && search->holes->link[link];

            search->next[port][node] =
                torus_index(search->size, torus_step(search->size, at, out, 1));
            search->link[port][node] = dead ? NONE : link;
        }
    }
}

static void set_push(struct search *search, unsigned power)
{
    uint32_t width = search->size.width;
    uint32_t height = search->size.height;

    search->push[0] = 0;
    for (uint32_t i = 1; i < search->nodes; ++i) {
        uint32_t x = i % width;
        uint32_t y = i / width;
        uint32_t square;

        x = 2 * x > width ? width - x : x;
        y = 2 * y > height ? height - y : y;
        square = x * x + y * y;
        search->push[i] = (1u << 28) / (power == 1 ? square : square * square);
    }
}

static void start(struct search *search, const struct weights *weights)
{
    search->weights = *weights;
    search->crossings = 0;
    set_push(search, weights->power);
    memset(search->circuits, 0, search->nodes * sizeof *search->circuits);
    memset(search->pushed, 0, search->nodes * sizeof *search->pushed);
    push(search, 0, 1);
    search->senders[0] = 0;
    search->sender_count = 1;
}

static void end_phase(struct search *search)
{
    for (uint32_t node = 1; node < search->nodes; ++node) {
        const struct schedule_circuit *circuit = &search->circuits[node];

        if (circuit->phase == search->phase) {
            search->crossings +=
                path_crossings(search, circuit->from, circuit->path);
            search->senders[search->sender_count++] = node;
        }
    }
}

/* Returns the fewest phases that any tree of so many nodes can have. */
static unsigned least_phases(const struct search *search)
{
    unsigned phases = 0;

    for (uint32_t active = 1; active < search->wanted;
         active *= 1 + schedule_ports(search->size)) {
        phases += 1;
    }
    return phases;
}

/* Lays the circuits of a phase. Returns whether there was one. */
static bool run_phase(struct search *search)
{
    uint32_t senders = search->sender_count;
    uint32_t **held = &search->held[search->phase];
    size_t bytes = 2 * (size_t)search->nodes * sizeof **held;

    if (*held == NULL) {
        *held = memory_or_exit(malloc(bytes));
    }
    memset(*held, 0xff, bytes);
    if (search->wanted - senders > schedule_ports(search->size) * senders) {
        spread_phase(search);
    } else {
        route_phase(search);
    }
    end_phase(search);
    return search->sender_count > senders;
}

/* Searches a tree of at most `most` phases. Returns whether there is one. */
static bool run(struct search *search, const struct weights *weights,
                unsigned most)
{
    start(search, weights);
    search->phase = 1;
    while (search->sender_count < search->wanted && search->phase <= most &&
           run_phase(search)) {
        search->phase += 1;
    }
    return search->sender_count == search->wanted;
}

static uint32_t mirror_node(struct torus_size size, uint32_t node)
{
    return node % size.width * size.height + node / size.width;
}

static struct torus_path mirror_path(struct torus_path path)
{
    path.port ^= 1u;
    if (path.turn != TORUS_STRAIGHT) {
        path.turn = path.turn == TORUS_LEFT ? TORUS_RIGHT : TORUS_LEFT;
    }
    return path;
}

static void copy(struct schedule_circuit circuits[],
                 const struct search *search, bool mirror)
{
    for (uint32_t node = 1; node < search->nodes; ++node) {
        struct schedule_circuit circuit = search->circuits[node];
        uint32_t to = node;

        if (mirror) {
            to = mirror_node(search->size, node);
            circuit.from = mirror_node(search->size, circuit.from);
            circuit.path = mirror_path(circuit.path);
        }
        circuits[to] = circuit;
    }
}

/* Returns how long all nodes wait, as a sum, in transfers of one equal share. A
   circuit to a subtree delays this subtree, and all later circuits through the
   port. */
static uint64_t delay_of(struct search *search)
{
    uint64_t delay = 0;

    memset(search->below, 0, search->nodes * sizeof *search->below);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        memset(search->later[port], 0,
               search->nodes * sizeof *search->later[port]);
    }
    for (uint32_t i = search->sender_count; i-- > 1;) {
        uint32_t node = search->senders[i];
        const struct schedule_circuit *circuit = &search->circuits[node];
        uint32_t nodes = 1 + search->below[node];
        uint32_t *later = &search->later[circuit->path.port][circuit->from];

        *later += nodes;
        delay += (uint64_t)nodes * *later;
        search->below[circuit->from] += nodes;
    }
    return delay;
}

/* How good a tree is. Members are compared one after the other; less is
   better. */
struct worth {
    unsigned phases;
    uint32_t crossings;
    uint64_t delay;
};

/* Returns whether the tree is better than *best. If so, stores its worth
   there. */
static bool better(struct search *search, struct worth *best)
{
    struct worth own = {search->phase - 1, search->crossings, delay_of(search)};
    bool wins = own.delay < best->delay;

    if (own.phases != best->phases) {
        wins = own.phases < best->phases;
    } else if (own.crossings != best->crossings) {
        wins = own.crossings < best->crossings;
    }
    if (wins) {
        *best = own;
    }
    return wins;
}

/* Number of uint32_t of all arrays together, for each node. */
#define WORDS_EACH (6u + 3u * TORUS_PORTS)

static void place(struct search *search, uint32_t *words)
{
    size_t nodes = search->nodes;

    search->senders = words;
    search->below = words + nodes;
    search->push = words + 2 * nodes;
    search->queue = words + 3 * nodes;
    search->fights = words + 4 * nodes;
    words += 6 * nodes;
    for (unsigned i = 0; i < TORUS_PORTS; ++i, words += 3 * nodes) {
        search->next[i] = words;
        search->link[i] = words + nodes;
        search->later[i] = words + 2 * nodes;
    }
}

static bool reach_step(const struct search *search, const struct choice *best,
                       struct reach *reach, unsigned out, unsigned port)
{
    bool open = search->link[out][reach->at] != NONE;

    (void)best;
    (void)port;
    reach->at = search->next[out][reach->at];
    return open;
}

static void reach_offer(const struct search *search, struct choice *best,
                        struct reach reach, struct torus_path path)
{
    (void)path;
    if (search->left_out[reach.at] && !search->holes->node[reach.at]) {
        search->left_out[reach.at] = false;
        search->queue[best->to++] = reach.at;
    }
}

/* Sets which nodes the tree leaves out around holes. The queue gets those that
   it reaches, each before those to which it can be a relay. */
static void leave_out(struct search *search)
{
    static const struct look reach = {reach_step, reach_offer};
    struct choice found = {.to = 1};
    uint32_t living = search->nodes;

    for (uint32_t node = 0; node < search->nodes; ++node) {
        search->left_out[node] = node != 0;
        living -= search->holes->node[node];
    }
    search->queue[0] = 0;
    for (uint32_t i = 0; i < found.to && found.to < living; ++i) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            look_out(search, &found, &reach, search->queue[i], port);
        }
    }
    search->wanted = found.to;
}

/* Runs one search for each row of attempts[], and takes the tree with the
   fewest phases; of these, the one with the fewest crossings (the head of this
   file), then the one whose circuits wait for the shortest time. Returns
   whether there is a tree. */
static bool attempt(struct schedule_circuit circuits[], struct search *search,
                    bool mirror)
{
    struct worth best = {UINT32_MAX, 0, 0};

    for (size_t i = 0; i < ATTEMPTS; ++i) {
        unsigned most = attempts[i].strict ? STRICT_PHASES : PHASES_LIMIT;

        if (attempts[i].strict && search->nodes > STRICT_NODES) {
            continue;
        }
        if (!attempts[i].strict && best.crossings == 0 &&
            best.phases == least_phases(search)) {
            break;
        }
        most = most < best.phases ? most : best.phases;
        if (run(search, &attempts[i], most) && better(search, &best)) {
            copy(circuits, search, mirror);
        }
    }
    return best.phases != UINT32_MAX;
}

/* Sets circuits[1 .. width * height - 1]; node 0 is the originator, and lives.
   A torus of HxW without holes gets the mirror image of WxH. Returns whether
   there is a tree. Memory: 100 bytes a node, and 8 more for each phase. Cost:
   below 0.1 s for 31x31, 1 s for 125x25, 6 s for 124x125. */
static bool spread(struct schedule_circuit circuits[], struct torus_size size,
                   const struct schedule_holes *holes)
{
    bool mirror = holes == NULL && size.width > size.height;
    struct search search = {
        .size = mirror ? (struct torus_size){size.height, size.width} : size,
        .holes = holes,
        .nodes = torus_nodes(size),
        .wanted = torus_nodes(size)};
    uint32_t *words =
        memory_or_exit(malloc(WORDS_EACH * search.nodes * sizeof *words));
    bool found;

    place(&search, words);
    search.circuits =
        memory_or_exit(malloc(search.nodes * sizeof *search.circuits));
    search.pushed =
        memory_or_exit(malloc(search.nodes * sizeof *search.pushed));
    search.left_out = memory_or_exit(calloc(search.nodes, 1));
    map(&search);
    if (holes != NULL) {
        leave_out(&search);
    }
    found = attempt(circuits, &search, mirror);
    for (unsigned phase = 0; phase <= PHASES_LIMIT; ++phase) {
        free(search.held[phase]);
    }
    free(search.left_out);
    free(search.pushed);
    free(search.circuits);
    free(words);
    return found;
}

/* ---- the tree ---- */

static void follow_pattern(struct schedule_circuit circuits[],
                           struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);

    for (uint32_t i = 1; i < nodes; ++i) {
        struct torus_role role = torus_role_of(size, (struct torus_coord){0, 0},
                                               torus_coord_of(size, i));

        circuits[i] = (struct schedule_circuit){
            torus_index(size, role.parent), role.layer,
            torus_phase_path(size, role.layer, (enum torus_port)role.port)};
    }
}

static bool fits(struct torus_size size)
{
    return size.width <= SCHEDULE_SIDE_MAX && size.height <= SCHEDULE_SIDE_MAX;
}

bool schedule_scatter(struct schedule_circuit circuits[],
                      struct torus_size size)
{
    if (torus_phases(size) >= 0) {
        follow_pattern(circuits, size);
        return true;
    }
    return fits(size) && spread(circuits, size, NULL);
}

bool schedule_scatter_around(struct schedule_circuit circuits[],
                             const struct schedule_holes *holes)
{
    return fits(holes->size) && !holes->node[0] &&
           spread(circuits, holes->size, holes);
}
