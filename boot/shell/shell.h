/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's commands. A request is one line (hal/line/line.h):
 *
 *   [@TAG] COMMAND [WORD...]
 *
 * A reply is one line, too, or several:
 *
 *   ok [tag=TAG] [KEY=VALUE...]
 *   err CODE [tag=TAG] what is wrong, in words
 *   ok [tag=TAG] until=end       rows follow, then
 *   end [tag=TAG] rows=COUNT [err=CODE]
 *
 * CODE is the word of an enum shell_code. A tag, 0 to 2^32 - 1, lets a program
 * match replies to requests; a line with a tag must have a CRC. The reply to a
 * damaged line has no tag, since the tag may be damaged, too. The shell writes
 * only replies. A program may repeat any command whose reply was lost.
 */
#ifndef BOOT_SHELL_SHELL_H
#define BOOT_SHELL_SHELL_H

#include "boot/shell/state.h"

/* Sets the shell up. Node, reader and mailbox outlive the shell. */
void shell_init(struct shell *shell, struct serial_node *node,
                struct line_reader *reader, struct mailbox *mailbox);

/* Makes the next line of a reply, or takes the next request. now_us: time,
   which may wrap. Precondition: the console has room for LINE_BYTES_MAX bytes.
   Must not interrupt itself or a function of the mailbox. Result: length of the
   line in shell->out.text; 0: no line. If shell->resetting is true afterwards,
   the caller sends the line, then resets the board. */
unsigned shell_poll(struct shell *shell, uint32_t now_us);

#endif
