/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What arrives at a node's console: the first byte says how many bytes come at
 * a time; 1 stands for the right CRC of the line so far, 2 for a pause.
 */
#include "test/fuzz/targets.h"

#include "boot/shell/shell.h"
#include "hal/err.h"
#include "hal/switch/peek.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 300u
#define LINES_MAX 200000u
#define PAUSE_US 3000000u

/* ---- what arrives ---- */

struct feed {
    const uint8_t *in;
    uint32_t bytes;
    uint32_t at;
    uint32_t now_us;
    char line[LINE_BYTES_MAX]; /* since the last end of a line */
    uint32_t line_bytes;
};

static void push(struct feed *feed, struct line_reader *reader, uint8_t byte)
{
    if (byte == '\n' || byte == '\r') {
        feed->line_bytes = 0;
    } else if (feed->line_bytes < LINE_BYTES_MAX) {
        feed->line[feed->line_bytes++] = (char)byte;
    }
    line_push(reader, byte);
}

static void push_crc(struct feed *feed, struct line_reader *reader)
{
    static const char digits[] = "0123456789ABCDEF";
    uint16_t crc = line_crc(0xFFFF, feed->line, feed->line_bytes);

    push(feed, reader, '*');
    for (int shift = 12; shift >= 0; shift -= 4) {
        push(feed, reader, (uint8_t)digits[crc >> shift & 15]);
    }
}

/* The next bytes that arrive together; false: there are no more. */
static bool arrive(struct feed *feed, struct line_reader *reader)
{
    uint32_t end = feed->at + feed->in[0] * 8u + 1;

    if (feed->at >= feed->bytes) {
        return false;
    }
    for (; feed->at < feed->bytes && feed->at < end; ++feed->at) {
        uint8_t byte = feed->in[feed->at];

        if (byte == 1) {
            push_crc(feed, reader);
        } else if (byte == 2) {
            feed->now_us += PAUSE_US;
        } else {
            push(feed, reader, byte);
        }
    }
    feed->now_us += 100;
    return true;
}

/* ---- commands ---- */

struct serial_node {
    uint64_t state; /* of what is made up */
    uint32_t lines;
    bool rows; /* after `until=end` */
    struct line_reader check;
};

static uint32_t any(struct serial_node *node)
{
    return (uint32_t)fuzz_random(&node->state);
}

/* Every line must be what the other side accepts, and in its place. */
static void check(struct serial_node *node, const char *text, unsigned bytes)
{
    const char *got = node->check.text;
    enum line_status status;
    bool first;

    fuzz_check(bytes <= LINE_BYTES_MAX, "a reply that is too long");
    for (unsigned i = 0; i < bytes; ++i) {
        line_push(&node->check, (uint8_t)text[i]);
    }
    status = line_take(&node->check, 0);
    fuzz_check(status == LINE_TEXT && node->check.mark > 0,
               "a reply that is none");
    first = strncmp(got, "ok", 2) == 0 || strncmp(got, "err ", 4) == 0;
    fuzz_check(strncmp(got, "err ", 4) == 0 || first != node->rows,
               "a row out of its place");
    node->rows =
        first ? strstr(got, "until=end") != NULL : strncmp(got, "end", 3) != 0;
    node->lines += 1;
}

bool shell_node_busy(struct serial_node *node)
{
    return any(node) % 4 == 0;
}

/* 0, later or an error. */
static int answer(struct serial_node *node)
{
    static const int answers[4] = {ERR_OK, SHELL_LATER, ERR_OK, ERR_EMPTY};

    return any(node) % 16 == 0 ? -(int)(any(node) % 13)
                               : answers[any(node) % 4];
}

int shell_node_row(struct serial_node *node, struct line_writer *out,
                   enum shell_list list, uint32_t *cursor)
{
    static const char words[4][24] = {"", "word", "a*b c\n\x80", "longer-one"};
    int error = answer(node);

    fuzz_check(list <= SHELL_PEEK, "no such list");
    for (unsigned i = any(node) % 32; error == ERR_OK && i < 32; ++i) {
        line_put(out, "%s=%u ", words[any(node) % 4], (*cursor)++);
    }
    return error;
}

void shell_node_clear(struct serial_node *node, enum shell_list list)
{
    (void)node;
    fuzz_check(list == SHELL_COUNTERS || list == SHELL_FAULT, "no such list");
}

int shell_node_mesh(struct serial_node *node, struct torus_size size,
                    struct torus_coord at, uint8_t policy)
{
    (void)policy; /* any: who starts discovery knows them */
    fuzz_check(size.width >= 1 && size.width <= TORUS_SIDE_MAX &&
                   size.height >= 1 && size.height <= TORUS_SIDE_MAX &&
                   at.x < size.width && at.y < size.height,
               "a mesh that is none");
    return any(node) % 8 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

static void check_path(struct torus_path path)
{
    fuzz_check(torus_path_valid(
                   (struct torus_size){TORUS_SIDE_MAX, TORUS_SIDE_MAX}, path),
               "a path that is none");
}

int shell_node_ping(struct serial_node *node, struct torus_path path,
                    uint32_t bytes)
{
    check_path(path);
    fuzz_check(bytes <= SHELL_PING_BYTES_MAX, "a ping that is too long");
    return any(node) % 64 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

int shell_node_peek(struct serial_node *node, struct torus_path path,
                    uint8_t page, uint32_t argument)
{
    fuzz_check(page < PEEK_COMMANDS ||
                   (page == PEEK_IDENTIFY && argument <= PEEK_IDENTIFY_S_MAX) ||
                   (page == PEEK_RESET && argument == PEEK_RESET_MAGIC),
               "a command that is none");
    if (path.hops > 0) {
        check_path(path);
    }
    return any(node) % 64 == 0 ? ERR_NO_ROUTE : ERR_OK;
}

int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                      unsigned *bytes, unsigned port)
{
    static const uint8_t page[64];

    fuzz_check(port < TORUS_PORTS, "a port that does not exist");
    *data = page;
    *bytes = any(node) % (sizeof page + 1);
    return answer(node);
}

bool shell_node_inject(struct serial_node *node, const char *name)
{
    return any(node) % 2 == 0 && strlen(name) > 0;
}

/* The node's side of the mailbox, now and then. */
static void use_mailbox(struct serial_node *node, struct mailbox *mailbox,
                        uint8_t *buffer)
{
    const struct circuit_segment out[3] = {{buffer, CAPACITY}, {buffer, 7}};

    fuzz_check(mailbox->filled_bytes <= mailbox->announced_bytes &&
                   mailbox->announced_bytes <= CAPACITY,
               "a message beyond its buffer");
    switch (any(node) % 8) {
    case 0:
        mailbox_open(mailbox, buffer, CAPACITY);
        break;
    case 1:
        mailbox_offer(mailbox, out, 1, 2);
        break;
    default:
        break;
    }
}

/* Until there is nothing to do; that there is no room passes, and so does a
   reset. */
static void poll_all(struct shell *shell, struct feed *feed)
{
    struct serial_node *node = shell->node;
    unsigned idle = 0;

    while (idle < 8 && node->lines < LINES_MAX) {
        unsigned bytes = 0;

        if (shell->resetting) {
            shell->resetting = any(node) % 4 > 0;
        } else if (any(node) % 8 > 0) {
            bytes = shell_poll(shell, feed->now_us);
        }
        idle += 1;
        if (bytes > 0) {
            check(node, shell->out.text, bytes);
            idle = 0;
        }
        feed->now_us += 10000;
    }
    fuzz_check(node->lines <= LINES_MAX, "replies without end");
}

void console_try(const struct fuzz_target *target, const uint8_t *in,
                 uint32_t bytes)
{
    struct feed feed = {.in = in, .bytes = bytes, .at = 1};
    struct line_reader *reader = malloc(sizeof *reader);
    uint8_t *buffer = calloc(1, CAPACITY);
    struct serial_node node = {.state = fuzz_hash(in, bytes)};
    struct mailbox mailbox;
    struct shell shell;

    (void)target;
    line_init(reader, 2 * PAUSE_US);
    line_init(&node.check, PAUSE_US);
    mailbox_init(&mailbox);
    shell_init(&shell, &node, reader, &mailbox);
    mailbox_open(&mailbox, buffer, CAPACITY);
    while (bytes > 0 && arrive(&feed, reader)) {
        poll_all(&shell, &feed);
        use_mailbox(&node, &mailbox, buffer);
    }
    free(buffer);
    free(reader);
}

/* ---- first inputs ---- */

void console_seed(const struct fuzz_target *target)
{
    static const char *const seeds[] = {
        "\4help\nident\r\n@7 ps\1\nlinks\ncounters\n",
        "\1@1 mesh 5 5 1 2\1\nmesh 3 4\nping E2 N1 100 3\nping w3 1 2\n",
        "\2run 100 1 2\nput 0 QUJDRA==\n@5 put 4 QUI=\1\nput 9 QUJD\ndone\n",
        "\2run 301 1 2\nrun 5 1 2\nput 0 QUJDRA==\nput 4 QUJDRA==\n",
        "\5peeks 2 .,E1,n2W3,S9\n@8 identify E1 N2 9\1\nreset w2\n"
        "peeks 0 E1,E2,E3,E4\n@6 peek E2 S1 127\1\n",
        "\2report\nget 0 96\nget 96 96\nget 300 9\n@9 done\1\n@9 done\1\n",
        "\1fault\ntrace\nclock\ncounters clear\n"
        "fault clear\nreset\nide\2\2nt\n*1234\n",
        "\377x*0000\n@2 ident\n\n \n@3\1\n@4294967295 fault\1\r"};

    (void)target;
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        fuzz_add((const uint8_t *)seeds[i], (uint32_t)strlen(seeds[i]));
    }
}
