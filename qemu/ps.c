/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ps.h"

#include "hal/err.h"
#include "hal/peek.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES 8u
/* The console may still have the last peek under way. */
#define BUSY_TRIES 5u
#define BUSY_MS 500

enum link_state {
    LINK_UNKNOWN,
    LINK_GOOD,
    LINK_SUSPECT
};

bool ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator)
{
    uint32_t nodes = (uint32_t)size.width * size.height;

    *ps =
        (struct ps){.console = console, .size = size, .originator = originator};
    ps->node = calloc(nodes, sizeof *ps->node);
    ps->link = calloc((size_t)nodes * 2, 1);
    for (uint32_t i = 0; ps->node != NULL && i < nodes; ++i) {
        ps->node[i].at = torus_coord_of(size, i);
    }
    return ps->node != NULL && ps->link != NULL;
}

void ps_end(struct ps *ps)
{
    free(ps->node);
    free(ps->link);
}

/* ---- paths ---- */

/* A leg: rising or not; false: there is none this way. */
static bool leg(uint8_t *port, uint16_t *hops, unsigned from, unsigned to,
                unsigned side, bool up)
{
    unsigned rising = (to + side - from) % side;

    *hops = (uint16_t)(up || rising == 0 ? rising : side - rising);
    *port = (uint8_t)(*port + (up ? 0 : 2));
    return up || rising != 0;
}

/* Way `which` of 8: bit 0 the other order, bit 1 and 2 the longer ways round.
   False: no such way. */
static bool way(struct torus_path *path, const struct ps *ps,
                struct torus_coord to, unsigned which)
{
    uint8_t port[2] = {TORUS_EAST, TORUS_NORTH};
    uint16_t hops[2];
    unsigned first = which & 1u;
    unsigned second = 1u - first;
    unsigned turn;

    if (!leg(&port[0], &hops[0], ps->originator.x, to.x, ps->size.width,
             (which & 2u) == 0) ||
        !leg(&port[1], &hops[1], ps->originator.y, to.y, ps->size.height,
             (which & 4u) == 0)) {
        return false;
    }
    if (hops[0] == 0 || hops[1] == 0) {
        first = hops[0] == 0;
        *path = (struct torus_path){.port = port[first], .hops = hops[first]};
        return (which & 1u) == first;
    }
    turn = (unsigned)(port[second] - port[first]) % TORUS_PORTS;
    *path = (struct torus_path){.port = port[first],
                                .turn = turn == 1 ? TORUS_LEFT : TORUS_RIGHT,
                                .hops = hops[first],
                                .hops_after = hops[second]};
    return true;
}

/* Walks the path: what happened on it is said of its links. Result: how many
   of them are suspect. */
static unsigned walk(const struct ps *ps, struct torus_path path,
                     enum link_state became)
{
    uint32_t links[2 * TORUS_SIDE_MAX];
    size_t count = torus_path_links(ps->size, ps->originator, path, links,
                                    sizeof links / sizeof *links);
    unsigned suspect = 0;

    for (size_t i = 0; i < count; ++i) {
        uint8_t *link = &ps->link[links[i]];

        suspect += *link == LINK_SUSPECT;
        if (became == LINK_GOOD ||
            (became == LINK_SUSPECT && *link == LINK_UNKNOWN)) {
            *link = (uint8_t)became;
        }
    }
    return suspect;
}

/* The best way that is not tried yet: with the fewest suspect links, and the
   shortest of these. False: there is none left. */
static bool choose(struct torus_path *path, const struct ps *ps,
                   struct torus_coord to, unsigned *tried)
{
    uint64_t least = UINT64_MAX;
    unsigned best = CANDIDATES;

    for (unsigned i = 0; i < CANDIDATES; ++i) {
        struct torus_path other;

        if ((*tried & 1u << i) == 0 && way(&other, ps, to, i)) {
            uint64_t cost = (uint64_t)walk(ps, other, LINK_UNKNOWN) << 32 |
                            torus_path_hops(other);

            if (cost < least) {
                least = cost;
                best = i;
                *path = other;
            }
        }
    }
    *tried |= best < CANDIDATES ? 1u << best : 0;
    return best < CANDIDATES;
}

/* "E2 N1 " */
static void path_text(char text[PS_PATH_BYTES], struct torus_path path)
{
    static const char letters[] = "ENWS";

    if (path.turn == TORUS_STRAIGHT) {
        snprintf(text, PS_PATH_BYTES, "%c%u ", letters[path.port & 3u],
                 path.hops);
    } else {
        snprintf(text, PS_PATH_BYTES, "%c%u %c%u ", letters[path.port & 3u],
                 path.hops,
                 letters[torus_after_turn((enum torus_port)path.port,
                                          (enum torus_turn)path.turn) &
                         3u],
                 path.hops_after);
    }
}

/* ---- one peek ---- */

/* Result: 0, 1 (no answer, with the reason), -1 (the console is silent). */
static int peek(struct ps *ps, struct console_reply *reply, const char *path,
                enum peek_page page, char why[PS_WORD_BYTES])
{
    char command[64];

    snprintf(command, sizeof command, "peek %s%u", path, (unsigned)page);
    for (unsigned i = 0; i < BUSY_TRIES; ++i) {
        if (i > 0) {
            console_reply_free(reply);
            (void)poll(NULL, 0, BUSY_MS);
        }
        if (console_ask(ps->console, reply, command) != 0) {
            snprintf(ps->why, sizeof ps->why, "the console is silent");
            return -1;
        }
        if (reply->ok) {
            return 0;
        }
        if (strcmp(reply->code, "busy") != 0) {
            break;
        }
    }
    /* The switch's word for it: no set-up was answered. */
    snprintf(why, PS_WORD_BYTES, "%.*s", (int)PS_WORD_BYTES - 1,
             strcmp(reply->code, "node") == 0 ? "dead link" : reply->code);
    return 1;
}

/* Over as many paths as it takes. Result: as above. */
static int reach(struct ps *ps, struct console_reply *reply,
                 struct ps_node *node, enum peek_page page)
{
    unsigned tried = 0;
    int status = 1;

    if (node->at.x == ps->originator.x && node->at.y == ps->originator.y) {
        return peek(ps, reply, "", page, node->why);
    }
    for (unsigned i = 0; i < PS_PATHS && status > 0; ++i) {
        struct torus_path path;

        memset(node->path[i], 0, sizeof node->path[i]);
        if (!choose(&path, ps, node->at, &tried)) {
            return 1;
        }
        if (i > 0) {
            console_reply_free(reply);
        }
        path_text(node->path[i], path);
        status = peek(ps, reply, node->path[i], page, node->why);
        if (status == 0 || (status > 0 && strcmp(node->why, "busy") != 0)) {
            (void)walk(ps, path, status == 0 ? LINK_GOOD : LINK_SUSPECT);
        }
    }
    return status;
}

/* ---- all nodes ---- */

static uint64_t number(const struct console_reply *reply, const char *key)
{
    uint64_t value = 0;

    (void)console_number(reply, &value, key);
    return value;
}

static void word(char out[PS_WORD_BYTES], const struct console_reply *reply,
                 const char *key)
{
    char value[CONSOLE_WORD_BYTES] = "";

    (void)console_value(reply, value, key);
    snprintf(out, PS_WORD_BYTES, "%.*s", (int)PS_WORD_BYTES - 1, value);
}

static int error_in(const struct console_reply *reply, const char *key)
{
    char value[PS_WORD_BYTES];

    word(value, reply, key);
    return atoi(value);
}

static void take(struct ps_node *node, const struct console_reply *reply)
{
    node->answers = true;
    word(node->state, reply, "state");
    word(node->waypoint, reply, "waypoint");
    word(node->kernel, reply, "kernel");
    word(node->from, reply, "from");
    word(node->sending, reply, "sending");
    word(node->last, reply, "last");
    word(node->port, reply, "port");
    word(node->pc, reply, "pc");
    word(node->lr, reply, "lr");
    word(node->cfsr, reply, "cfsr");
    node->placed = number(reply, "placed") != 0;
    node->job = number(reply, "job") != 0;
    node->error = error_in(reply, "error");
    node->last_error = error_in(reply, "last_error");
    node->x = number(reply, "x");
    node->y = number(reply, "y");
    node->round = number(reply, "round");
    node->kind = number(reply, "kind");
    node->last_bytes = number(reply, "bytes");
    node->uptime_ms = number(reply, "uptime_ms");
    node->still_ms = number(reply, "still_ms");
    node->stack_used_bytes = number(reply, "stack_used_bytes");
    node->jobs = number(reply, "jobs");
    node->faults = number(reply, "faults");
    node->exception = number(reply, "exception");
}

/* A fault of before is forgiven once a job was done after it. */
static bool judge(const struct ps *ps, const struct ps_node *node)
{
    const struct ps_node *first =
        &ps->node[torus_index(ps->size, ps->originator)];

    return node->answers && node->placed == first->placed &&
           (!node->placed ||
            (node->x == node->at.x && node->y == node->at.y)) &&
           node->error == ERR_OK && !node->job &&
           (node->faults == 0 || node->jobs > 0);
}

static unsigned nearer(unsigned a, unsigned b, unsigned side)
{
    unsigned rising = (a + side - b) % side;

    return rising < side - rising ? rising : side - rising;
}

static unsigned distance(const struct ps *ps, struct torus_coord at)
{
    return nearer(at.x, ps->originator.x, ps->size.width) +
           nearer(at.y, ps->originator.y, ps->size.height);
}

/* Peeks at each node, near ones first, and uses what it says. Result: how many
   did not answer; -1: the console is silent. */
static int for_each(struct ps *ps, enum peek_page page,
                    void (*use)(void *context, struct ps_node *node,
                                const struct console_reply *reply),
                    void *context)
{
    uint32_t nodes = (uint32_t)ps->size.width * ps->size.height;
    unsigned farthest = (ps->size.width + ps->size.height) / 2u;
    int missing = 0;

    for (unsigned far = 0; far <= farthest; ++far) {
        for (uint32_t i = 0; i < nodes; ++i) {
            struct ps_node *node = &ps->node[i];
            struct console_reply reply = {0};
            int status;

            if (distance(ps, node->at) != far) {
                continue;
            }
            status = reach(ps, &reply, node, page);
            node->asked = status >= 0;
            if (status == 0) {
                use(context, node, &reply);
            }
            console_reply_free(&reply);
            if (status < 0) {
                return -1;
            }
            missing += status;
        }
    }
    return missing;
}

static void use_state(void *context, struct ps_node *node,
                      const struct console_reply *reply)
{
    (void)context;
    take(node, reply);
}

bool ps_ask(struct ps *ps)
{
    uint32_t nodes = (uint32_t)ps->size.width * ps->size.height;
    bool all = true;

    ps->why[0] = '\0';
    (void)for_each(ps, PEEK_STATE, use_state, NULL);
    for (uint32_t i = 0; i < nodes; ++i) {
        ps->node[i].well = judge(ps, &ps->node[i]);
        all = all && ps->node[i].well;
    }
    return all;
}

static void use_counts(void *context, struct ps_node *node,
                       const struct console_reply *reply)
{
    struct ps_counts *counts = context;

    (void)node;
    counts->nodes += 1;
    counts->messages += number(reply, "sent_messages");
    counts->bytes += number(reply, "sent_bytes");
    counts->refused += number(reply, "refused");
    counts->retries += number(reply, "retries");
    counts->retransmitted += number(reply, "retransmitted");
    counts->damaged += number(reply, "damaged");
    counts->dead += number(reply, "dead");
}

int ps_count(struct ps *ps, struct ps_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    return for_each(ps, PEEK_COUNTS, use_counts, counts) == 0 ? 0 : -1;
}
