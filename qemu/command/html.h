/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_HTML_H
#define QEMU_COMMAND_HTML_H

#include "hal/nodiscard.h"

/* `quincunx html REPORT.json [-o PAGE.html]`: the page of a report. Result: an
   exit status. */
NODISCARD int html_command(int argc, char **argv);

#endif
