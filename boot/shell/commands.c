/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/shell/state.h"

#include "hal/circuit.h"
#include "hal/switch/peek.h"
#include "scatter/wire/wire.h"

#include <string.h>

bool shell_number(const char *text, uint32_t *number, uint32_t most)
{
    uint32_t value = 0;

    do {
        uint32_t digit = (uint32_t)(uint8_t)*text - '0';

        if (digit > 9 || value > (UINT32_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    } while (*++text != '\0');
    *number = value;
    return value <= most;
}

/* Reads argument `i` as a number. Result: false if it is none, or too great. */
static bool number(const struct shell *shell, unsigned i, uint32_t *value,
                   uint32_t most)
{
    return shell_number(shell->word[1 + i], value, most);
}

enum shell_code shell_code_of(struct shell *shell, int error)
{
    shell->detail = error;
    if (error == ERR_OK) {
        return SHELL_OK;
    }
    return error == ERR_PORT_BUSY ? SHELL_BUSY : SHELL_FAILED;
}

static int row_help(struct shell *shell)
{
    if (shell->cursor == shell_commands_count) {
        return ERR_EMPTY;
    }
    line_put(&shell->out, "%s", shell_commands[shell->cursor++].help);
    return ERR_OK;
}

static int row_of_node(struct shell *shell)
{
    return shell_node_row(shell->node, &shell->out,
                          (enum shell_list)shell->command->list,
                          &shell->cursor);
}

/* The argument `clear` clears the list. Without an argument rows follow. */
static enum shell_code run_clear(struct shell *shell)
{
    if (shell->words > 0) {
        if (memcmp(shell->word[1], "clear", sizeof "clear") != 0) {
            return SHELL_ARGUMENT;
        }
        shell->rows = false;
        shell_node_clear(shell->node, (enum shell_list)shell->command->list);
    }
    return SHELL_OK;
}

static enum shell_code run_fault(struct shell *shell)
{
    enum shell_code code = run_clear(shell);
    struct line_writer first;
    uint32_t cursor = 0;

    line_begin(&first);
    if (code == SHELL_OK && shell_node_row(shell->node, &first, SHELL_FAULT,
                                           &cursor) == ERR_EMPTY) {
        shell->rows = false;
        line_put(&shell->out, " record=none");
    }
    return code;
}

static enum shell_code run_mesh(struct shell *shell)
{
    uint32_t given[5] = {0, 0, 0, 0, SHELL_POLICY_OF_SIZE}; /* W H X Y POLICY */

    for (unsigned i = 0; i < shell->words; ++i) {
        if (!number(shell, i, &given[i], TORUS_SIDE_MAX)) {
            return SHELL_ARGUMENT;
        }
    }
    if (shell->words == 3 || given[2] >= given[0] || given[3] >= given[1] ||
        given[4] > SHELL_POLICY_OF_SIZE) {
        return SHELL_ARGUMENT;
    }
    if (shell_node_busy(shell->node)) {
        return SHELL_BUSY;
    }
    return shell_code_of(
        shell, shell_node_mesh(
                   shell->node,
                   (struct torus_size){(uint16_t)given[0], (uint16_t)given[1]},
                   (struct torus_coord){(uint16_t)given[2], (uint16_t)given[3]},
                   (uint8_t)given[4]));
}

static int row_mesh(struct shell *shell)
{
    shell->ending = shell->written > 0 ? SHELL_FAULTS : SHELL_OK;
    return row_of_node(shell);
}

/* Reads a leg such as "E2". Result: the text after the leg; NULL: no leg. */
static const char *read_leg(const char *at, uint8_t *port, uint16_t *hops)
{
    static const char letters[TORUS_PORTS + 1] = "enws";
    uint32_t value = 0;

    *port = 0;
    while (letters[*port] != (*at | 0x20)) {
        if (++*port == TORUS_PORTS) {
            return NULL;
        }
    }
    while (*++at >= '0' && *at <= '9' && value <= TORUS_SIDE_MAX) {
        value = value * 10 + (uint32_t)(*at - '0');
    }
    *hops = (uint16_t)value;
    return value > 0 && value <= TORUS_SIDE_MAX ? at : NULL;
}

/* Reads the second leg, at right angles to the first. Result: as read_leg(). */
static const char *read_turn(const char *at, struct torus_path *path)
{
    uint8_t second = 0;
    unsigned turn;

    at = read_leg(at, &second, &path->hops_after);
    turn = ((unsigned)second - path->port) % TORUS_PORTS;
    path->turn = turn == 1 ? TORUS_LEFT : TORUS_RIGHT;
    return turn % 2 != 0 ? at : NULL;
}

/* Reads a path in the first `legs` arguments. Result: false: no path. */
static bool read_path(const struct shell *shell, struct torus_path *path,
                      unsigned legs)
{
    const char *at = "";

    memset(path, 0, sizeof *path);
    if (legs > 0) {
        at = read_leg(shell->word[1], &path->port, &path->hops);
    }
    if (legs > 1 && at != NULL && *at == '\0') {
        at = read_turn(shell->word[2], path);
    }
    return at != NULL && *at == '\0';
}

/* Reads a path and its comma. Result: the text after them; NULL: no path. */
static const char *read_item(const char *at, struct torus_path *path)
{
    memset(path, 0, sizeof *path);
    if (*at == '.') {
        at += 1;
    } else {
        at = read_leg(at, &path->port, &path->hops);
        if (at != NULL && *at != ',' && *at != '\0') {
            at = read_turn(at, path);
        }
    }
    if (at == NULL || *at == '\0') {
        return at;
    }
    return *at == ',' && at[1] != '\0' ? at + 1 : NULL;
}

static enum shell_code run_ping(struct shell *shell)
{
    unsigned legs = shell->words - 2u;

    if (!read_path(shell, &shell->path, legs) ||
        !number(shell, legs, &shell->bytes, SHELL_PING_BYTES_MAX) ||
        !number(shell, legs + 1, &shell->wanted, UINT32_MAX)) {
        return SHELL_ARGUMENT;
    }
    shell->pending = false;
    return shell_node_busy(shell->node) ? SHELL_BUSY : SHELL_OK;
}

static int row_ping(struct shell *shell)
{
    int error = ERR_OK;

    if (shell->written == shell->wanted) {
        return ERR_EMPTY;
    }
    if (!shell->pending) {
        error = shell_node_ping(shell->node, shell->path, shell->bytes);
    }
    if (error == ERR_OK) {
        error = row_of_node(shell);
    }
    shell->pending = error == SHELL_LATER;
    return error;
}

/* Sends a peek along the path in the first `legs` arguments. `page`: page or
   command. `argument`: argument of the command. */
static enum shell_code send_peek(struct shell *shell, unsigned legs,
                                 uint32_t page, uint32_t argument)
{
    if (!read_path(shell, &shell->path, legs)) {
        return SHELL_ARGUMENT;
    }
    return shell_code_of(shell, shell_node_peek(shell->node, shell->path,
                                                (uint8_t)page, argument));
}

/* Asks for a page only: commands of peeks have shell commands of their own. */
static enum shell_code run_peek(struct shell *shell)
{
    unsigned legs = shell->words - 1u;
    uint32_t page;

    return number(shell, legs, &page, PEEK_COMMANDS - 1u)
               ? send_peek(shell, legs, page, 0)
               : SHELL_ARGUMENT;
}

static enum shell_code run_identify(struct shell *shell)
{
    unsigned legs = shell->words - 1u;
    uint32_t seconds;

    return number(shell, legs, &seconds, PEEK_IDENTIFY_S_MAX)
               ? send_peek(shell, legs, PEEK_IDENTIFY, seconds)
               : SHELL_ARGUMENT;
}

static enum shell_code run_peeks(struct shell *shell)
{
    const char *at = shell->word[2];
    struct torus_path path;
    uint32_t page;
    unsigned paths = 0;

    if (!number(shell, 0, &page, PEEK_COMMANDS - 1u)) {
        return SHELL_ARGUMENT;
    }
    do {
        at = paths < SHELL_PEEKS_MAX ? read_item(at, &path) : NULL;
        paths += 1;
    } while (at != NULL && *at != '\0');
    if (at == NULL) {
        return SHELL_ARGUMENT;
    }
    shell->wanted = page;
    shell->left = UINT32_MAX >> (SHELL_PEEKS_MAX - paths);
    shell->told_us = shell->now_us;
    memset(shell->slot, 0, sizeof shell->slot);
    return SHELL_OK;
}

static int put_peeked(struct shell *shell, unsigned index, int error,
                      const uint8_t *data, unsigned bytes)
{
    line_put(&shell->out, "at=%u ", index);
    if (error != ERR_OK) {
        line_put(&shell->out, "error=%d", error);
    } else {
        line_put(&shell->out, "data=");
        line_put_data(&shell->out, data, bytes);
    }
    shell->told_us = shell->now_us;
    return ERR_OK;
}

/* Appends the row of a peek that has ended. Result: SHELL_LATER: none ended. */
static int end_peek(struct shell *shell)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const uint8_t *data = NULL;
        unsigned bytes = 0;
        unsigned index = shell->slot[port];
        int error = index > 0
                        ? shell_node_peeked(shell->node, &data, &bytes, port)
                        : SHELL_LATER;

        if (error != SHELL_LATER) {
            shell->slot[port] = 0;
            return put_peeked(shell, index - 1u, error, data, bytes);
        }
    }
    return SHELL_LATER;
}

/* Sends the next peek of each port that has no peek under way. Result: ERR_OK:
   a peek could not be sent, and its row was appended; SHELL_LATER: no row. */
static int begin_peeks(struct shell *shell)
{
    const char *at = shell->word[2];
    struct torus_path path;

    for (unsigned i = 0; i < SHELL_PEEKS_MAX && shell->left >> i != 0; ++i) {
        int error = ERR_PORT_BUSY;

        at = read_item(at, &path);
        if ((shell->left >> i & 1u) != 0 && shell->slot[path.port] == 0) {
            error =
                shell_node_peek(shell->node, path, (uint8_t)shell->wanted, 0);
        }
        if (error != ERR_PORT_BUSY) {
            shell->left &= ~(1u << i);
            if (error != ERR_OK) {
                return put_peeked(shell, i, error, NULL, 0);
            }
            shell->slot[path.port] = (uint8_t)(i + 1u);
        }
    }
    return SHELL_LATER;
}

static unsigned under_way(const struct shell *shell)
{
    unsigned count = 0;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        count += shell->slot[port] > 0;
    }
    return count;
}

/* Ends the command once the next request has begun to come in. Two bytes in the
   reader may still be this request's CR and LF. */
static int row_peeks(struct shell *shell)
{
    int error = end_peek(shell);

    if (error == SHELL_LATER) {
        error = begin_peeks(shell);
    }
    if (error == ERR_OK) {
        return error;
    }
    if (shell->left == 0 && under_way(shell) == 0) {
        return ERR_EMPTY;
    }
    if (shell->reader->pushed - shell->reader->taken > 2 ||
        shell->now_us - shell->told_us > SHELL_WAIT_US) {
        shell->ending = SHELL_LATE;
        return ERR_EMPTY;
    }
    if (shell->now_us - shell->since_us < SHELL_ALIVE_US) {
        return SHELL_LATER;
    }
    line_put(&shell->out, "waiting=%u", under_way(shell));
    return ERR_OK;
}

static enum shell_code code_of_mailbox(struct shell *shell, int error,
                                       uint32_t capacity_bytes)
{
    enum shell_code code = shell_code_of(shell, error);

    if (error == ERR_RANGE) {
        shell->detail = (int32_t)shell->mailbox->filled_bytes;
        code = SHELL_GAP;
    }
    if (error == ERR_BUFFER) {
        shell->detail = (int32_t)capacity_bytes;
        code = SHELL_SPACE;
    }
    return code;
}

static enum shell_code run_run(struct shell *shell)
{
    struct mailbox *mailbox = shell->mailbox;
    uint32_t bytes;
    uint32_t kind;
    uint32_t job;
    int error;

    if (!number(shell, 0, &bytes, INT32_MAX) ||
        !number(shell, 1, &kind, UINT8_MAX) ||
        !number(shell, 2, &job, UINT16_MAX)) {
        return SHELL_ARGUMENT;
    }
    if (kind == WIRE_ORDER && job == CIRCUIT_ANY_JOB) {
        return SHELL_ARGUMENT; /* 0 is no job's number */
    }
    error = mailbox_announce(mailbox, bytes, (uint8_t)kind, (uint16_t)job);
    line_put(&shell->out, " room=%u next=%u", mailbox->capacity_bytes,
             mailbox->filled_bytes);
    return code_of_mailbox(shell, error, mailbox->capacity_bytes);
}

static enum shell_code run_put(struct shell *shell)
{
    struct mailbox *mailbox = shell->mailbox;
    const char *text = shell->word[2];
    uint8_t data[LINE_DATA_MAX];
    uint32_t offset;
    int bytes;
    int error;

    bytes = line_base64_read(data, sizeof data, text, (unsigned)strlen(text));
    if (bytes < 0 || !number(shell, 0, &offset, UINT32_MAX)) {
        return SHELL_ARGUMENT;
    }
    error = mailbox_put(mailbox, offset, data, (uint32_t)bytes);
    line_put(&shell->out, " next=%u", mailbox->filled_bytes);
    return code_of_mailbox(shell, error, mailbox->announced_bytes);
}

static enum shell_code run_report(struct shell *shell)
{
    const struct mailbox *mailbox = shell->mailbox;

    if (mailbox->out == MAILBOX_OFFERED) {
        line_put(&shell->out, " state=ready bytes=%u kind=%u job=%u",
                 mailbox->out_bytes, mailbox->out_kind, mailbox->out_job);
    } else {
        line_put(&shell->out, " state=%s",
                 shell_node_busy(shell->node) ? "running" : "none");
    }
    return SHELL_OK;
}

static enum shell_code run_get(struct shell *shell)
{
    const struct mailbox *mailbox = shell->mailbox;
    uint8_t data[LINE_DATA_MAX];
    uint32_t offset;
    uint32_t bytes;
    int count;

    if (!number(shell, 0, &offset, UINT32_MAX) ||
        !number(shell, 1, &bytes, LINE_DATA_MAX)) {
        return SHELL_ARGUMENT;
    }
    count = mailbox_get(mailbox, data, offset, bytes);
    if (count < 0) {
        return code_of_mailbox(shell, count, mailbox->out_bytes);
    }
    line_put(&shell->out, " at=%u data=", offset);
    line_put_data(&shell->out, data, (unsigned)count);
    return SHELL_OK;
}

static enum shell_code run_done(struct shell *shell)
{
    /* A repeated `done` must not end the offer of the next message. */
    if (!shell->repeated) {
        mailbox_done(shell->mailbox);
    }
    return SHELL_OK;
}

static enum shell_code run_clock(struct shell *shell)
{
    line_put(&shell->out, " ");
    return shell_code_of(shell, row_of_node(shell));
}

static enum shell_code run_inject(struct shell *shell)
{
    return shell_node_inject(shell->node, shell->word[1]) ? SHELL_OK
                                                          : SHELL_ARGUMENT;
}

/* Resets this node, or the node at the end of a path. */
static enum shell_code run_reset(struct shell *shell)
{
    if (shell->words > 0) {
        return send_peek(shell, shell->words, PEEK_RESET, PEEK_RESET_MAGIC);
    }
    shell->rows = false;
    shell->resetting = true;
    return SHELL_OK;
}

const struct shell_command shell_commands[] = {
    {"help", NULL, row_help, 4, 0, 0, 0},
    {"ident", NULL, row_of_node, 5, 0, 0, SHELL_IDENT},
    {"ps", NULL, row_of_node, 2, 0, 0, SHELL_PS},
    {"links", NULL, row_of_node, 5, 0, 0, SHELL_LINKS},
    {"counters [clear]", run_clear, row_of_node, 8, 0, 1, SHELL_COUNTERS},
    {"mesh W H [X Y [POLICY]]", run_mesh, row_mesh, 4, 2, 5, SHELL_MESH},
    {"ping E2 [N1] BYTES COUNT", run_ping, row_ping, 4, 3, 4, SHELL_PING},
    {"peek [E2 [N1]] PAGE", run_peek, row_of_node, 4, 1, 3, SHELL_PEEK},
    {"peeks PAGE .,E2,W1S3,..", run_peeks, row_peeks, 5, 2, 2, 0},
    {"identify [E2 [N1]] SECONDS", run_identify, row_of_node, 8, 1, 3,
     SHELL_PEEK},
    {"run BYTES KIND JOB", run_run, NULL, 3, 3, 3, 0},
    {"put OFFSET BASE64", run_put, NULL, 3, 2, 2, 0},
    {"report", run_report, NULL, 6, 0, 0, 0},
    {"get OFFSET BYTES", run_get, NULL, 3, 2, 2, 0},
    {"done", run_done, NULL, 4, 0, 0, 0},
    {"clock", run_clock, NULL, 5, 0, 0, SHELL_CLOCK},
    {"trace", NULL, row_of_node, 5, 0, 0, SHELL_TRACE},
    {"fault [clear]", run_fault, row_of_node, 5, 0, 1, SHELL_FAULT},
    {"inject fault|hang|die|assert|none", run_inject, NULL, 6, 1, 1, 0},
    {"reset [E2 [N1]]", run_reset, row_of_node, 5, 0, 2, SHELL_PEEK},
};

const unsigned shell_commands_count =
    sizeof shell_commands / sizeof *shell_commands;
