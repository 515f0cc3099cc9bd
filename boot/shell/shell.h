/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's commands. A request is one line (hal/line/line.h):
 *
 *   [@TAG] COMMAND [WORD...]
 *
 * and so is a reply, of KEY=VALUE words behind the first one:
 *
 *   ok [tag=TAG] [KEY=VALUE...]
 *   err CODE [tag=TAG] what is wrong, in words
 *   ok [tag=TAG] until=end       rows follow, then
 *   end [tag=TAG] rows=COUNT [err=CODE]
 *
 * CODE is a word of enum shell_code's list. A tag, 0 to 2^32 - 1, lets a
 * program tell to what a reply belongs; a line with a tag must have a CRC. A
 * damaged line's reply has none, since nobody knows what was in it. Nothing is
 * ever written unasked. Every command may be repeated when its reply was lost.
 *
 * No allocation, no input or output, no clock: lines come in by `reader`, leave
 * by the caller, and all that is the node's comes from boot/shell/node.h.
 */
#ifndef BOOT_SHELL_SHELL_H
#define BOOT_SHELL_SHELL_H

#include "boot/shell/state.h"

/*
 * The node, the reader and the mailbox (which is CLOSED and EMPTY on a node
 * without a host's port) stay as long as the shell does. Strings that are too
 * long for a line make the reply `err space`: no reply is ever cut off.
 */
void shell_init(struct shell *shell, struct serial_node *node,
                struct line_reader *reader, struct mailbox *mailbox);

/*
 * Goes on with what is to be written, or takes the next request; now_us may
 * wrap. Only where there is room for a line, LINE_BYTES_MAX; must not interrupt
 * itself, nor the mailbox. Result: bytes of the line in shell->out.text, which
 * the caller writes; 0: there is nothing to do until bytes come or go.
 *
 * If shell->resetting is true then, the caller resets the board once the line
 * has left it, and calls no more.
 */
unsigned shell_poll(struct shell *shell, uint32_t now_us);

#endif
