/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/shell/shell.h"

#include "hal/check.h"
#include "hal/err.h"

#include <string.h>

#define CHECK_FILE CHECK_SHELL

static_assert(SHELL_LONG + 1 == (int)LINE_LONG &&
                  SHELL_HALF + 1 == (int)LINE_HALF,
              "a code is the line's status less 1");

/* Each code's word, a NUL, and the text of its reply; %d is shell->detail. */
static const char codes[SHELL_CODES][16] = {
    [SHELL_LONG] = "long\0 line",       [SHELL_CRC] = "crc\0 wrong",
    [SHELL_CONTROL] = "control\0 byte", [SHELL_DAMAGED] = "damaged\0 line",
    [SHELL_HALF] = "half\0 line",       [SHELL_COMMAND] = "command\0 ?",
    [SHELL_ARGUMENT] = "argument\0 ?",  [SHELL_BUSY] = "busy\0 now",
    [SHELL_GAP] = "gap\0 next=%d",      [SHELL_SPACE] = "space\0 room=%d",
    [SHELL_LATE] = "late\0 result",     [SHELL_FAILED] = "node\0 error=%d",
    [SHELL_FAULTS] = "faults\0 found",
};

static void begin(struct shell *shell, const char *word, enum shell_code code)
{
    line_begin(&shell->out);
    line_put(&shell->out, "%s%s", word, codes[code]);
    if (shell->tagged) {
        line_put(&shell->out, " tag=%u", shell->tag);
    }
}

static void put_meaning(struct shell *shell, enum shell_code code)
{
    line_put(&shell->out, codes[code] + strlen(codes[code]) + 1, shell->detail);
}

static void put_error(struct shell *shell, enum shell_code code)
{
    shell->rows = false;
    begin(shell, "err ", code);
    put_meaning(shell, code);
}

static void put_end(struct shell *shell)
{
    enum shell_code code = (enum shell_code)shell->ending;

    shell->rows = false;
    begin(shell, "end", SHELL_OK);
    line_put(&shell->out, " rows=%u", shell->written);
    if (code != SHELL_OK) {
        line_put(&shell->out, " err=%s", codes[code]);
        put_meaning(shell, code);
    }
}

/* Ends the line. `err space` replaces a line that was too long. */
static unsigned end_line(struct shell *shell)
{
    if (shell->out.cut) {
        shell->rows = false;
        begin(shell, "err ", SHELL_SPACE);
    }
    return line_end(&shell->out);
}

/* Splits a text. Result: number of words; SHELL_WORDS at most are stored. */
static unsigned split(struct shell *shell, char *text)
{
    unsigned count = 0;

    for (char before = ' '; *text != '\0'; ++text) {
        char now = *text;

        if (now == ' ') {
            *text = '\0';
        } else if (before == ' ') {
            if (count < SHELL_WORDS) {
                shell->word[count] = text;
            }
            count += 1;
        }
        before = now;
    }
    return count;
}

static const struct shell_command *find(const char *name)
{
    size_t bytes = strlen(name);

    for (unsigned i = 0; i < shell_commands_count; ++i) {
        const struct shell_command *command = &shell_commands[i];

        if (command->name_bytes == bytes &&
            memcmp(command->help, name, bytes) == 0) {
            return command;
        }
    }
    return NULL;
}

static enum shell_code carry_out(struct shell *shell, unsigned words)
{
    const struct shell_command *command =
        words == 0 ? NULL : find(shell->word[0]);

    if (command == NULL) {
        return SHELL_COMMAND;
    }
    words -= 1;
    if (words < command->words_min || words > command->words_max) {
        return SHELL_ARGUMENT;
    }
    shell->words = (uint8_t)words;
    shell->command = command;
    shell->cursor = 0;
    shell->written = 0;
    shell->detail = 0;
    shell->ending = SHELL_OK;
    shell->rows = command->row != NULL;
    begin(shell, "ok", SHELL_OK);
    return command->run == NULL ? SHELL_OK : command->run(shell);
}

/* Carries out a request, and begins its reply. */
static void answer(struct shell *shell, char *text)
{
    unsigned words = split(shell, text);
    enum shell_code code;
    uint32_t tag;

    shell->tagged = words > 0 && shell->word[0][0] == '@' &&
                    shell_number(shell->word[0] + 1, &tag, UINT32_MAX);
    shell->repeated = shell->tagged && shell->again && tag == shell->tag;
    if (shell->tagged) {
        shell->tag = tag;
        shell->again = true;
        words -= 1;
        memmove(shell->word, shell->word + 1,
                sizeof shell->word - sizeof shell->word[0]);
    }
    code = carry_out(shell, words);
    if (code != SHELL_OK) {
        put_error(shell, code);
    } else if (shell->rows) {
        line_put(&shell->out, " until=end");
    }
}

/* Makes the next row or the line `end`. Result: its length, or 0: none yet. */
static unsigned go_on(struct shell *shell)
{
    int error;

    line_begin(&shell->out);
    error = shell->command->row(shell);
    if (error == SHELL_LATER &&
        shell->now_us - shell->since_us < SHELL_WAIT_US) {
        return 0;
    }
    shell->since_us = shell->now_us;
    if (error == ERR_OK) {
        shell->written += 1;
        return end_line(shell);
    }
    if (error != ERR_EMPTY) {
        shell->ending =
            (uint8_t)(error == SHELL_LATER ? SHELL_LATE
                                           : shell_code_of(shell, error));
    }
    put_end(shell);
    return end_line(shell);
}

void shell_init(struct shell *shell, struct serial_node *node,
                struct line_reader *reader, struct mailbox *mailbox)
{
    *shell = (struct shell){.node = node, .reader = reader, .mailbox = mailbox};
}

unsigned shell_poll(struct shell *shell, uint32_t now_us)
{
    enum line_status status;

    ASSERT(!shell->resetting);
    shell->now_us = now_us;
    if (shell->rows) {
        return go_on(shell);
    }
    status = line_take(shell->reader, now_us);
    if (status == LINE_NONE) {
        return 0;
    }
    shell->since_us = now_us;
    if (status == LINE_TEXT) {
        answer(shell, shell->reader->text);
    } else {
        shell->tagged = false;
        put_error(shell, (enum shell_code)(status - 1));
    }
    return end_line(shell);
}
