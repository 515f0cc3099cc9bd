/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/postmortem.h"

#include "hal/err.h"
#include "hal/events.h"
#include "hal/names.h"
#include "hal/switch/peek.h"
#include "qemu/board/addresses.h"
#include "qemu/fabric/windows.h"

#include <assert.h>

#define CONSOLE_SHOWN 160u

static_assert(NODE_STATES == 9, "PEEK_STATE_NAMES has a name for each");

static const char *const event_names[EVENT_KINDS] = {
    [EVENT_NONE] = "none",
    [EVENT_SCATTER_START] = "scatter started",
    [EVENT_FORWARDED] = "part received and forwarded",
    [EVENT_COMPUTE_START] = "computing started",
    [EVENT_COMPUTE_END] = "computing ended",
    [EVENT_RESULT_MERGED] = "result merged",
    [EVENT_RESULT_QUEUED] = "result queued",
    [EVENT_DONE] = "done",
};

const char *postmortem_error(int error)
{
    switch ((enum err)error) {
    case ERR_OK:
        return "no error";
    case ERR_NO_ROUTE:
        return "no route";
    case ERR_PORT_BUSY:
        return "port busy";
    case ERR_BUFFER:
        return "a message is longer than the room that is left for it";
    case ERR_CORRUPT:
        return "message corrupt";
    case ERR_DEAD_LINK:
        return "dead link";
    case ERR_KERNEL:
        return "no such kernel (`make KERNELS=\"...\"' puts it into an image), "
               "or its terms ask for more than there is (results: 16384 bytes, "
               "6144 on boards with serial ports)";
    case ERR_ARGUMENT:
        return "the kernel refuses its argument";
    case ERR_EMPTY:
        return "empty load";
    case ERR_MEMORY:
        return "the load does not fit the node's memory";
    case ERR_PHASES:
        return "more phases than are feasible";
    case ERR_RANGE:
        return "a number outside its range";
    case ERR_POLICY:
        return "the job's policy is not the one that the node has";
    case ERR_VERSION:
        return "another firmware version";
    case ERR_FOREIGN:
        return "a message of another mesh, job or version";
    case ERR_LENGTH:
        return "a message is shorter or longer than it says";
    case ERR_KIND:
        return "a message of a kind that is not expected";
    case ERR_FIELD:
        return "a field of a message is outside its range";
    case ERR_PLACE:
        return "a part for another place in the pattern";
    case ERR_IMAGE:
        return "the job's kernel is not in this node's image";
    case ERR_PLAN:
        return "shares, volumes or branches do not add up";
    case ERR_TIMEOUT:
        return "no message came in time";
    case ERR_CALLED:
        return "a call ended the job";
    case ERR_LOST:
        return "units are missing, and it is not known which";
    case ERR_TERMS:
        return "a result, an output or a halo is not as the kernel's terms say";
    case ERR_RESULT:
        return "the kernel's result is longer than its terms say";
    case ERR_OUTPUT:
        return "the kernel's output is not as long as its terms say";
    case ERR_MERGE:
        return "the kernel's merge() refused a result";
    }
    return "unknown error";
}

const char *postmortem_hint(int error)
{
    switch (error) {
    case ERR_CORRUPT:
    case ERR_DEAD_LINK:
        return "`quincunx links' shows every link's errors";
    case ERR_VERSION:
        return "image and host command are of different builds: build both, "
               "and write the image to all boards";
    case ERR_FOREIGN:
    case ERR_KIND:
        return "a message of an earlier job, or of a board with another image: "
               "`quincunx reset', then `quincunx nodes'";
    case ERR_PLACE:
        return "boards disagree about where they are: `quincunx mesh' checks "
               "the cables, `quincunx ps' shows where each board is";
    case ERR_POLICY:
    case ERR_LENGTH:
    case ERR_FIELD:
    case ERR_IMAGE:
    case ERR_PLAN:
        return "boards have different images: `quincunx nodes' compares them";
    case ERR_TIMEOUT:
        return "no message came in time";
    case ERR_TERMS:
        return "the image has another version of the kernel";
    default:
        return NULL;
    }
}

void postmortem_print_hint(FILE *out, const char *before, int error)
{
    const char *hint = postmortem_hint(error);

    if (hint != NULL) {
        fprintf(out, "%shint: %s\n", before, hint);
    }
}

bool postmortem_print_breach(FILE *out, const char *before,
                             const struct node_breach *breach, int error,
                             const char *kernel)
{
    bool short_of = breach->bytes < breach->promised;

    if (!err_is_breach(error) || kernel == NULL) {
        return false;
    }
    fprintf(out, "%skernel %s, %u unit%s from unit %u on: ", before, kernel,
            breach->units, breach->units == 1 ? "" : "s", breach->first_unit);
    if (error == ERR_MERGE) {
        fprintf(out, "merge() refused a result of %u bytes", breach->bytes);
    } else {
        fprintf(out, "%s has %u bytes",
                error == ERR_RESULT ? "a result" : "the output", breach->bytes);
        if (breach->promised > 0) {
            fprintf(out, "; the terms %s %u%s",
                    error == ERR_RESULT ? "allow at most" : "say",
                    breach->promised,
                    short_of ? ": units were not computed" : "");
        }
    }
    fputc('\n', out);
    return true;
}

/* Returns whether a stack has overflowed: stacks lie at the lowest addresses of
   RAM or core-coupled memory, and the pointer is just below. */
static bool is_below_memory(uint32_t sp)
{
    return sp >> 16 == 0x1fff || sp >> 16 == 0x0fff;
}

static void print_fault(FILE *out, const struct node_fault *fault)
{
    fprintf(out,
            "  fault record: exception %u at pc %08x, lr %08x, sp %08x, "
            "xpsr %08x\n"
            "    r0 %08x r1 %08x r2 %08x r3 %08x r12 %08x\n"
            "    CFSR %08x HFSR %08x MMFAR %08x BFAR %08x\n",
            fault->exception, fault->pc, fault->lr, fault->sp, fault->xpsr,
            fault->r[0], fault->r[1], fault->r[2], fault->r[3], fault->r12,
            fault->cfsr, fault->hfsr, fault->mmfar, fault->bfar);
    if (is_below_memory(fault->sp)) {
        fputs("    the stack has overflowed: sp is below the memory\n", out);
    }
}

static void print_where(FILE *out, const struct node_fault *fault,
                        const char *firmware)
{
    char pc_at[ADDRESSES_TEXT_BYTES];
    char lr_at[ADDRESSES_TEXT_BYTES];

    if (!addresses_find(pc_at, lr_at, fault->pc, fault->lr, firmware)) {
        fprintf(out, "    not looked up: " ADDRESSES_MISSING "\n");
        return;
    }
    if (pc_at[0] != '\0') {
        fprintf(out, "    pc: %s\n", pc_at);
    }
    if (lr_at[0] != '\0') {
        fprintf(out, "    lr: %s\n", lr_at);
    }
}

static void print_console(FILE *out, const struct window *window)
{
    uint32_t end = window_read_u32(&window->log.console_written);
    uint32_t at = end > CONSOLE_SHOWN ? end - CONSOLE_SHOWN : 0;

    if (at == end) {
        return;
    }
    fprintf(out, "  console: ");
    for (; at != end; ++at) {
        char c = window->log.console[at % NODE_CONSOLE_BYTES];

        if (c == '\n') {
            fputs(" | ", out);
        } else {
            fputc(c >= ' ' && c <= '~' ? c : '?', out);
        }
    }
    fputc('\n', out);
}

bool postmortem_gave_up(const struct window *window)
{
    const struct node_status *status = &window->node.status;

    return status->state == NODE_STATE_FAILED ||
           (status->error != ERR_OK && status->error != ERR_TIMEOUT &&
            status->error != ERR_LOST);
}

void postmortem_print(FILE *out, const struct window *window,
                      const struct postmortem_program *program)
{
    uint32_t events = window_read_u32(&window->log.events_written);
    struct node_status status;

    window_read(&status, &window->node.status, sizeof status);
    fprintf(out, "  state: %s",
            status.state < NODE_STATES
                ? names_at(PEEK_STATE_NAMES, status.state)
                : "?");
    if (status.error != ERR_OK) {
        fprintf(out, " (%s)", postmortem_error(status.error));
    }
    if (events > 0 && events <= NODE_EVENTS) {
        struct node_event last;

        window_read(&last, &window->log.event[events - 1], sizeof last);
        fprintf(out, "; last event: %s at %.3f us",
                last.kind < EVENT_KINDS ? event_names[last.kind] : "?",
                (double)last.time_ps * 1e-6);
    }
    fputc('\n', out);
    if (status.error != ERR_OK) {
        postmortem_print_hint(out, "  ", status.error);
        (void)postmortem_print_breach(out, "  ", &status.breach, status.error,
                                      program->kernel);
    }
    /* A native node's failed assertion has no exception and no registers. */
    if (status.fault.valid && status.fault.exception != 0) {
        print_fault(out, &status.fault);
        if (program->firmware != NULL) {
            print_where(out, &status.fault, program->firmware);
        }
    }
    print_console(out, window);
}
