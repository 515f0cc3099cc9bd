/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a board with a window (hal/window/window.h): runs one job. */
#include "boot/costs.h"
#include "hal/board.h"
#include "hal/circuit.h"
#include "hal/events.h"
#include "hal/window/window.h"
#include "kernels/kernel.h"
#include "scatter/engine/scatter.h"

#include <string.h>

static void say(struct window *window, const char *text)
{
    events_write(&window->log, text, strlen(text));
}

void node_main(struct window *window)
{
    struct clock clock = {0};
    struct circuit circuit;
    struct scatter scatter;
    int error = circuit_open(&circuit, window, &clock);

    say(window, "quincunx node up\n");
    if (error == ERR_OK) {
        error = scatter_init(&scatter, &circuit, kernel_table,
                             kernel_table_count, &boot_costs);
    }
    if (error == ERR_OK) {
        error = scatter_run(&scatter);
    }
    window->node.status.error = error;
    window->node.status.state =
        error == ERR_OK ? NODE_STATE_DONE : NODE_STATE_FAILED;
    say(window, error == ERR_OK ? "done\n" : "failed\n");
    circuit_close(&circuit);
    board_halt(window);
}
