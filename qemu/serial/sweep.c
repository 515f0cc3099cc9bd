/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/sweep.h"

#include "hal/err.h"
#include "hal/line/line.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAYS 8u
#define BATCH_MAX 32u    /* most nodes in a request: SHELL_PEEKS_MAX */
#define BATCH_BYTES 160u /* bytes of a request for its paths */
#define BUSY_MAX 4u      /* how often a node with a busy link is asked again */
#define BUSY_MS 100      /* pause before a busy path is tried again, ms */
#define VAIN_MAX 3u /* requests in turn without an answer that end a sweep */
#define RISK_MAX UINT8_MAX

enum link_state {
    LINK_UNKNOWN,
    LINK_GOOD,
    LINK_SUSPECT, /* a path over the link has failed */
    LINK_DEAD
};

struct batch {
    uint32_t node[BATCH_MAX];
    unsigned count;
    unsigned load[TORUS_PORTS]; /* number of paths through each port */
    bool again; /* true: a node was busy and must be asked again */
    char text[BATCH_BYTES];
    size_t length;
};

void sweep_begin(struct sweep *sweep, struct console *console,
                 struct torus_size size, struct torus_coord originator)
{
    *sweep = (struct sweep){
        .console = console, .size = size, .originator = originator};
    sweep->node =
        memory_or_exit(calloc(torus_nodes(size), sizeof *sweep->node));
    sweep->link = memory_or_exit(calloc((size_t)torus_nodes(size) * 2, 1));
    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        sweep->node[i].at = torus_coord_of(size, i);
    }
}

void sweep_end(struct sweep *sweep)
{
    free(sweep->node);
    free(sweep->link);
}

unsigned sweep_distance(const struct sweep *sweep, struct torus_coord at)
{
    return torus_hops(sweep->size,
                      torus_away(sweep->size, sweep->originator, at));
}

/* ---- paths ---- */

/* Computes one of 8 paths to a node; bits of `which`: 0: y first, 1: to the
   west, 2: to the south. For the originator only path 1 exists, of 0 hops.
   Returns false if there is no such path. */
static bool way(struct torus_path *path, const struct sweep *sweep,
                struct torus_coord to, unsigned which)
{
    struct torus_coord away = torus_away(sweep->size, sweep->originator, to);
    enum torus_port x = (which & 2u) == 0 ? TORUS_EAST : TORUS_WEST;
    enum torus_port y = (which & 4u) == 0 ? TORUS_NORTH : TORUS_SOUTH;

    if ((away.x == 0 && x == TORUS_WEST) || (away.y == 0 && y == TORUS_SOUTH)) {
        return false;
    }
    *path = (which & 1u) == 0 ? torus_way(sweep->size, away, x, y)
                              : torus_way(sweep->size, away, y, x);
    return path->hops > 0 || (which == 1 && away.x == 0);
}

/* The links of a path, and how many are in which state. */
struct walk {
    uint32_t link[2 * TORUS_SIDE_MAX];
    size_t links;
    unsigned suspect;
    unsigned unknown; /* links not known to be good, without the last */
    bool dead;        /* true: a link of the path is dead */
};

static void walk(struct walk *walk, const struct sweep *sweep,
                 struct torus_path path)
{
    walk->links = torus_path_links(sweep->size, sweep->originator, path,
                                   walk->link, 2 * TORUS_SIDE_MAX);
    walk->suspect = 0;
    walk->unknown = 0;
    walk->dead = false;
    for (size_t i = 0; i < walk->links; ++i) {
        uint8_t state = sweep->link[walk->link[i]];

        walk->dead |= state == LINK_DEAD;
        walk->suspect += state == LINK_SUSPECT;
        walk->unknown += state != LINK_GOOD && i + 1 < walk->links;
    }
}

/* Writes a path as "E2 N1", with `between` between its two directions. Path to
   the originator: "." if `between` is "", else "". Returns the length. */
static int path_text(char *text, size_t room, struct torus_path path,
                     const char *between)
{
    static const char letters[] = "ENWS";
    char first = letters[path.port & 3u];
    unsigned second = torus_after_turn((enum torus_port)path.port,
                                       (enum torus_turn)path.turn);

    if (path.hops == 0) {
        return snprintf(text, room, "%s", between[0] == '\0' ? "." : "");
    }
    if (path.turn == TORUS_STRAIGHT) {
        return snprintf(text, room, "%c%u", first, path.hops);
    }
    return snprintf(text, room, "%c%u%s%c%u", first, path.hops, between,
                    letters[second & 3u], path.hops_after);
}

/* Chooses the best path to a node that was not tried yet: with the fewest
   suspect links; then with the fewest unknown links, not counting the last one;
   then the shortest; then the one through the port with the fewest paths.
   Returns its number of unknown links, at most RISK_MAX, or -1 if no path is
   left. */
static int choose(unsigned *which, struct torus_path *path,
                  const struct sweep *sweep, const struct sweep_node *node,
                  const struct batch *batch)
{
    uint64_t least = UINT64_MAX;
    int risk = -1;

    for (unsigned i = 0; i < WAYS; ++i) {
        struct torus_path other;
        struct walk links;
        uint64_t cost;

        if ((node->tried & 1u << i) != 0 || !way(&other, sweep, node->at, i)) {
            continue;
        }
        walk(&links, sweep, other);
        cost = (uint64_t)links.suspect << 48 | (uint64_t)links.unknown << 32 |
               (uint64_t)links.links << 16 | batch->load[other.port];
        if (!links.dead && cost < least) {
            least = cost;
            risk = links.unknown < RISK_MAX ? (int)links.unknown : RISK_MAX;
            *which = i;
            *path = other;
        }
    }
    return risk;
}

static void mark(struct sweep *sweep, struct torus_path path,
                 enum link_state became)
{
    struct walk links;

    walk(&links, sweep, path);
    for (size_t i = 0; i < links.links; ++i) {
        uint8_t *link = &sweep->link[links.link[i]];

        if (became == LINK_GOOD || *link == LINK_UNKNOWN ||
            links.unknown == 0) {
            *link = (uint8_t)became;
        }
    }
}

/* Notes which link made a path fail. If all links but the last were good, the
   last one is dead. If all were good, the mesh has changed, and all of its
   links are suspect. */
static void blame(struct sweep *sweep, struct torus_path path)
{
    struct walk links;

    walk(&links, sweep, path);
    if (links.links > 0 && links.unknown == 0 &&
        sweep->link[links.link[links.links - 1]] != LINK_GOOD) {
        sweep->link[links.link[links.links - 1]] = LINK_DEAD;
    } else {
        mark(sweep, path, LINK_SUSPECT);
    }
}

/* Gives up a node. If a path to it failed, the links around it count as dead,
   because it may not pass messages on either. */
static void give_up(struct sweep *sweep, struct sweep_node *node)
{
    node->asked = true;
    node->gone = node->failed || node->paths == 0;
    if (node->why[0] == '\0') {
        node->why = node->paths == 0 ? "no way left to it" : "no answer";
    }
    if (!node->failed) {
        return;
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        sweep->link[torus_link(sweep->size, node->at, (enum torus_port)port)] =
            LINK_DEAD;
    }
}

static void end_failed(struct sweep *sweep, struct sweep_node *node, int error)
{
    if (error == ERR_PORT_BUSY && node->busy < BUSY_MAX) {
        node->busy += 1;
        node->paths -= 1;
        node->tried = 0;
        node->why = "busy";
        return;
    }
    node->why = error == ERR_PORT_BUSY   ? "busy"
                : error == ERR_DEAD_LINK ? "dead link"
                : error == ERR_VERSION   ? "another version"
                                         : "no answer";
    if (error == ERR_DEAD_LINK) {
        node->failed = true;
        blame(sweep, node->last);
    }
}

/* ---- requests ---- */

static bool add(struct batch *batch, struct sweep_node *node, uint32_t index,
                struct torus_path path, unsigned which)
{
    char item[SWEEP_PATH_BYTES];
    int bytes = path_text(item, sizeof item, path, "");

    if (batch->count == BATCH_MAX ||
        batch->length + (size_t)bytes + 2 > BATCH_BYTES) {
        return false;
    }
    batch->length += (size_t)snprintf(batch->text + batch->length,
                                      BATCH_BYTES - batch->length, "%s%s",
                                      batch->count > 0 ? "," : "", item);
    batch->node[batch->count++] = index;
    batch->load[path.port] += 1;
    batch->again |= node->busy > 0;
    path_text(node->path[node->paths], SWEEP_PATH_BYTES, path, " ");
    node->last = path;
    node->paths += 1;
    node->tried |= (uint8_t)(1u << which);
    return true;
}

/* Fills a request with nodes whose best path has at most `risk` unknown links
   (choose()). Returns the least number of unknown links among the other nodes;
   RISK_MAX + 1 if there are none. */
static int fill(struct batch *batch, struct sweep *sweep, int risk)
{
    int least = RISK_MAX + 1;

    for (unsigned far = 0; far <= torus_hops_most(sweep->size); ++far) {
        for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
            struct sweep_node *node = &sweep->node[i];
            struct torus_path path;
            unsigned which;
            int its = -1;

            if (node->asked || sweep_distance(sweep, node->at) != far) {
                continue;
            }
            if (node->paths < SWEEP_PATHS) {
                its = choose(&which, &path, sweep, node, batch);
            }
            if (its < 0) {
                give_up(sweep, node);
            } else if (its > risk || !add(batch, node, i, path, which)) {
                least = its < least ? its : least;
            }
        }
    }
    return least;
}

/* Parses a row of a reply: "at=3 data=...", with *error = ERR_OK and the bytes
   in `page`; or "at=3 error=-5". Returns false if the row is neither. */
static bool read_row(unsigned *at, int *error, uint8_t *page, unsigned *bytes,
                     const char *line)
{
    int behind = 0;
    int count;

    *error = ERR_OK;
    if (sscanf(line, "at=%u error=%d", at, error) == 2) {
        return true;
    }
    if (sscanf(line, "at=%u data=%n", at, &behind) != 1 || behind == 0) {
        return false;
    }
    count = line_base64_read(page, SWITCH_STATUS_BYTES, line + behind,
                             (unsigned)strlen(line + behind));
    *bytes = count > 0 ? (unsigned)count : 0;
    return count >= 0;
}

/* What nodes are asked for, and the function that takes their answers. */
struct question {
    enum peek_page page;
    unsigned bytes; /* least number of bytes of an answer */
    sweep_use *use;
    void *context;
};

static void parse_row(struct sweep *sweep, const struct question *question,
                      const struct batch *batch, const char *line)
{
    uint8_t page[SWITCH_STATUS_BYTES] = {0};
    struct sweep_node *node;
    unsigned bytes = 0;
    unsigned at;
    int error;

    if (!read_row(&at, &error, page, &bytes, line) || at >= batch->count) {
        return;
    }
    node = &sweep->node[batch->node[at]];
    if (error == ERR_OK &&
        (bytes < question->bytes || page[0] != PEEK_VERSION)) {
        error = ERR_VERSION;
        /* the node's answer does not depend on the path */
        node->paths = SWEEP_PATHS;
    }
    if (error != ERR_OK) {
        end_failed(sweep, node, error);
        return;
    }
    mark(sweep, node->last, LINK_GOOD);
    node->asked = true;
    node->answers = true;
    question->use(question->context, batch->node[at], page);
}

/* Sends a request to the originator's console. Returns the number of rows of
   its reply, or -1 if no good reply came. */
static int read_batch(struct sweep *sweep, const struct question *question,
                      const struct batch *batch)
{
    char command[LINE_TEXT_MAX + 1];
    struct console_reply reply;
    int rows = -1;

    if (batch->again) {
        host_clock_pause(console_clock(sweep->console),
                         BUSY_MS * HOST_CLOCK_MS_NS);
    }
    snprintf(command, sizeof command, "peeks %u %s", (unsigned)question->page,
             batch->text);
    if (console_request(sweep->console, &reply, command) == 0 &&
        reply.lines > 0) {
        for (uint32_t i = 1; i < reply.lines; ++i) {
            parse_row(sweep, question, batch, reply.line[i]);
        }
        rows = (int)reply.lines - 1;
        if (!reply.ok && strcmp(reply.code, "command") == 0) {
            console_fail(sweep->console, "the board's image knows no `peeks': "
                                         "it is older than this program");
            rows = -1;
        }
    }
    console_reply_free(&reply);
    return rows;
}

void sweep_forgive(struct sweep *sweep)
{
    memset(sweep->link, LINK_UNKNOWN, (size_t)torus_nodes(sweep->size) * 2);
    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        sweep->node[i].gone = false;
        sweep->node[i].failed = false;
    }
}

const char *sweep_path(const struct sweep_node *node)
{
    unsigned last = 0;

    while (last + 1 < SWEEP_PATHS && node->path[last + 1][0] != '\0') {
        last += 1;
    }
    return node->path[last];
}

static void start(struct sweep *sweep)
{
    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        struct sweep_node *node = &sweep->node[i];

        node->answers = false;
        node->asked = node->gone || node->skip;
        if (!node->gone) {
            memset(node->path, 0, sizeof node->path);
            node->why = "";
            node->tried = 0;
            node->paths = 0;
            node->busy = 0;
        }
    }
}

int sweep_read(struct sweep *sweep, enum peek_page page, unsigned bytes,
               sweep_use *use, void *context)
{
    const struct question question = {page, bytes, use, context};
    unsigned vain = 0;
    int missing = 0;

    start(sweep);
    while (vain < VAIN_MAX) {
        struct batch batch = {.count = 0};
        int risk = fill(&batch, sweep, 0);
        int rows;

        if (batch.count == 0 && risk <= RISK_MAX) {
            (void)fill(&batch, sweep, risk);
        }
        if (batch.count == 0) {
            break;
        }
        rows = read_batch(sweep, &question, &batch);
        if (rows < 0) {
            return -1;
        }
        vain = rows > 0 ? 0 : vain + 1;
    }
    for (uint32_t i = 0; i < torus_nodes(sweep->size); ++i) {
        missing += !sweep->node[i].answers && !sweep->node[i].skip;
    }
    return missing;
}

const char *sweep_why(const struct sweep_node *node)
{
    return node->asked ? node->why : "not asked";
}

void sweep_explain(char text[SWEEP_TEXT_BYTES], const struct sweep_node *node)
{
    size_t at = (size_t)snprintf(text, SWEEP_TEXT_BYTES, "%s", sweep_why(node));

    for (unsigned i = 0; i < SWEEP_PATHS && node->path[i][0] != '\0'; ++i) {
        at += (size_t)snprintf(text + at, SWEEP_TEXT_BYTES - at, "%s %s",
                               i > 0 ? "," : "; tried", node->path[i]);
    }
}

void sweep_add_json(json_t *json, const struct sweep_node *node, bool answers)
{
    json_t *paths = json_array();

    for (unsigned i = 0; i < SWEEP_PATHS && node->path[i][0] != '\0'; ++i) {
        json_array_append_new(paths, json_string(node->path[i]));
    }
    json_object_set_new(json, "paths", paths);
    if (!answers) {
        json_object_set_new(json, "why", json_string(sweep_why(node)));
    }
}
