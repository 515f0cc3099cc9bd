/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash.h"

#include "hal/bytes.h"
#include "qemu/bench/flash_loader.h"
#include "qemu/bench/openocd.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 2000   /* time from SIGTERM to SIGKILL, ms */
#define PROGRESS_MS 500 /* time between displays of progress, ms */

#define FOLDER "/tmp/quincunx-flash-XXXXXX"

static const char *const tools[FLASH_WAYS] = {"OpenOCD", "stm32flash",
                                              "dfu-util"};

/* Most lines of a program's output that are stored. */
#define OUTPUT_LINES 8u
#define OUTPUT_LINE_BYTES 200u /* with NUL; longer lines are cut */

struct output {
    char step[16];                              /* empty: none */
    char chip[96];                              /* empty: unknown */
    char line[OUTPUT_LINES][OUTPUT_LINE_BYTES]; /* ring buffer */
    unsigned lines;
    char open[OUTPUT_LINE_BYTES];
    size_t open_bytes;
};

enum ending {
    ENDING_NO,
    ENDING_TIMEOUT,
    ENDING_INTERRUPTED
};

struct worker {
    const struct flash_board *board; /* NULL: unused */
    pid_t pid;
    int log; /* file with the program's output */
    int64_t started_ms;
    int64_t deadline_ms; /* time of the next signal, SIGTERM or SIGKILL */
    enum ending ending;
    struct output said;
    char folder[sizeof FOLDER]; /* path of a temporary folder; "": none */
};

struct flash {
    const struct flash_config *config;
    const struct flash_board *board;
    unsigned boards;
    unsigned begun, done, failed, interrupted;
    int signals; /* signalfd */
    bool is_told_to_end;
    struct worker worker[FLASH_JOBS_MAX];
};

/* Makes poll() report signals by a descriptor: SIGCHLD, and those that end the
   command, unless ignored. So none is missed just before a wait. */
static void catch_signals(struct flash *flash)
{
    struct sigaction action;
    sigset_t caught;

    process_ending_signals(&caught);
    for (int number = 1; number < NSIG; ++number) {
        if (sigismember(&caught, number) == 1 &&
            sigaction(number, NULL, &action) == 0 &&
            action.sa_handler == SIG_IGN) {
            sigdelset(&caught, number);
        }
    }
    sigaddset(&caught, SIGCHLD);
    sigprocmask(SIG_BLOCK, &caught, NULL);
    flash->signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void read_signals(struct flash *flash)
{
    struct signalfd_siginfo taken;

    while (read(flash->signals, &taken, sizeof taken) == sizeof taken) {
        flash->is_told_to_end |= taken.ssi_signo != SIGCHLD;
    }
}

static int64_t now_ms(void)
{
    return (int64_t)host_clock_ms(host_clock());
}

/* ---- output ---- */

static const char *behind(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Ends a line of output: notes the step or chip that it names, or stores it. */
static void output_end(struct output *said)
{
    const char *rest;

    said->open[said->open_bytes] = '\0';
    said->open_bytes = 0;
    if (said->open[strspn(said->open, " \t")] == '\0') {
        return;
    }
    rest = behind(said->open, FLASH_STEP);
    if (rest != NULL) {
        snprintf(said->step, sizeof said->step, "%.15s", rest);
        if (strcmp(rest, FLASH_STEP_CONNECT) == 0) {
            /* Lines before the first step tell the program's authors and
               settings. */
            said->lines = 0;
        }
        return;
    }
    rest = behind(said->open, FLASH_CHIP);
    if (rest != NULL) {
        snprintf(said->chip, sizeof said->chip, "%.95s", rest);
        return;
    }
    memcpy(said->line[said->lines % OUTPUT_LINES], said->open,
           sizeof said->open);
    said->lines += 1;
}

/* Unprintable bytes become '?'. */
static void output_add(struct output *said, int one)
{
    if (one == '\n' || one == '\r') {
        output_end(said);
    } else if (said->open_bytes + 1 < OUTPUT_LINE_BYTES) {
        bool shown = (one >= ' ' && one <= '~') || one == '\t';

        said->open[said->open_bytes++] = shown ? (char)one : '?';
    }
}

static void output_read(struct output *said, int log)
{
    FILE *text = memory_or_exit(fdopen(log, "r"));

    rewind(text);
    for (int one; (one = fgetc(text)) != EOF;) {
        output_add(said, one);
    }
    output_end(said);
    fclose(text);
}

static void output_print(const struct output *said, FILE *out)
{
    unsigned first =
        said->lines > OUTPUT_LINES ? said->lines - OUTPUT_LINES : 0;

    for (unsigned i = first; i < said->lines; ++i) {
        fprintf(out, "    %s\n", said->line[i % OUTPUT_LINES]);
    }
}

/* ---- starting ---- */

static void print_name(FILE *out, const struct flash *flash,
                       const struct flash_board *board)
{
    flash_board_print(out, board, flash->config->map_name);
}

/* Writes the board's image into an unnamed file, in the format that OpenOCD or
   the boot loader's tool reads. It is written from memory, where it was
   checked: its file may have changed since. Returns a descriptor, or -1 with
   errno. */
static int write_image(const struct flash_config *config,
                       const struct flash_board *board)
{
    const uint16_t numbers[] = {board->at.x, board->at.y, config->size.width,
                                config->size.height};
    uint8_t place[sizeof numbers];
    int image = process_memory();
    bool elf = board->way == FLASH_PROBE;
    bool made =
        image >= 0 && process_memory_write(
                          image, elf ? config->image : config->flash,
                          elf ? config->image_bytes : config->flash_bytes, 0);

    if (made && config->place_offset != 0) {
        for (unsigned i = 0; i < 4; ++i) {
            bytes_store_u16(place + 2 * i, numbers[i]);
        }
        made = process_memory_write(image, place, sizeof place,
                                    elf ? config->place_offset
                                        : config->chip->identity_offset +
                                              FLASH_IDENTITY_PLACE);
    }
    if (image >= 0 && !made) {
        close(image);
        image = -1;
    }
    return image;
}

static pid_t start_child(const struct flash *flash, struct worker *worker)
{
    struct flash_request request = {.config = flash->config,
                                    .board = worker->board,
                                    .folder = worker->folder};
    int image = write_image(flash->config, worker->board);
    struct process_config process = {
        .context = &request, .fd = &image, .fds = 1, .log = process_log()};
    char *word[FLASH_OPENOCD_WORDS];
    char *line = NULL;
    pid_t pid = -1;

    worker->log = process.log;
    if (image >= 0 && process.log >= 0) {
        if (worker->board->way == FLASH_PROBE) {
            line = flash_openocd_line(word, &request);
            process.argv = word;
        } else {
            process.work = flash_loader;
        }
        pid = process_start(&process);
        free(line);
    }
    process_close(image);
    return pid;
}

static bool create_folder(struct worker *worker)
{
    if (worker->board->way != FLASH_DFU) {
        return true;
    }
    memcpy(worker->folder, FOLDER, sizeof FOLDER);
    if (mkdtemp(worker->folder) == NULL) {
        worker->folder[0] = '\0';
        return false;
    }
    return true;
}

static void remove_folder(struct worker *worker)
{
    char file[sizeof FOLDER + sizeof "/" FLASH_LOADER_FILE];

    if (worker->folder[0] != '\0') {
        snprintf(file, sizeof file, "%s/" FLASH_LOADER_FILE, worker->folder);
        unlink(file);
        rmdir(worker->folder);
        worker->folder[0] = '\0';
    }
}

static int start(struct flash *flash, struct worker *worker,
                 const struct flash_board *board)
{
    *worker =
        (struct worker){.board = board, .log = -1, .started_ms = now_ms()};
    worker->pid = create_folder(worker) ? start_child(flash, worker) : -1;
    if (worker->pid < 0) {
        process_close(worker->log);
        remove_folder(worker);
        worker->board = NULL;
        return -1;
    }
    worker->deadline_ms =
        worker->started_ms + (int64_t)flash->config->timeout_s * 1000;
    return 0;
}

static void start_some(struct flash *flash)
{
    for (unsigned i = 0; i < flash->config->jobs; ++i) {
        if (flash->failed > 0 || flash->is_told_to_end ||
            flash->begun == flash->boards) {
            return;
        }
        if (flash->worker[i].board != NULL) {
            continue;
        }
        if (start(flash, &flash->worker[i], &flash->board[flash->begun]) != 0) {
            fputs("quincunx: ", stderr);
            print_name(stderr, flash, &flash->board[flash->begun]);
            fprintf(stderr, ": starting it: %s\n", strerror(errno));
            flash->failed += 1;
            return;
        }
        flash->begun += 1;
    }
}

/* ---- messages ---- */

static const char *trouble(const struct flash_config *config,
                           enum flash_way way, const char *step)
{
    static const char *const connect[FLASH_WAYS] = {
        "the probe or the board behind it does not answer",
        "no ROM boot loader answers there (BOOT0 high, BOOT1 low, then reset)",
        "no ROM boot loader is there (BOOT0 high, BOOT1 low, then reset)"};
    static const struct {
        const char *step;
        const char *trouble;
    } known[] = {
        {FLASH_STEP_IDENTITY,
         "not known to be the right board; nothing was written"},
        {FLASH_STEP_PROGRAM, "programming failed"},
        {FLASH_STEP_VERIFY, "its flash does not read back as written"},
        {FLASH_STEP_RESET, "programmed and verified, but not started"},
    };

    if (step[0] == '\0') {
        return "its program did not come to the board";
    }
    if (strcmp(step, FLASH_STEP_CONNECT) == 0 && way == FLASH_PROBE &&
        config->sees_usb) {
        return "the board behind the probe does not answer: has it power, and "
               "all of SWDIO, SWCLK and GND? (holding its reset down helps "
               "where its program turns them off)";
    }
    if (strcmp(step, FLASH_STEP_CONNECT) == 0) {
        return connect[way];
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strcmp(known[i].step, step) == 0) {
            return known[i].trouble;
        }
    }
    return "its program did not end as it should";
}

/* Returns whether the flash may hold neither the old image nor the new one. */
static bool half_written(const struct worker *worker)
{
    return strcmp(worker->said.step, FLASH_STEP_PROGRAM) == 0 ||
           strcmp(worker->said.step, FLASH_STEP_VERIFY) == 0;
}

static void print_status(FILE *out, const struct flash *flash,
                         const struct worker *worker, const siginfo_t *info)
{
    const char *tool = tools[worker->board->way];

    if (worker->ending == ENDING_TIMEOUT) {
        fprintf(out, "%s did not end within %u s", tool,
                flash->config->timeout_s);
    } else if (info->si_code == CLD_EXITED &&
               worker->board->way != FLASH_PROBE) {
        /* The last lines of flash_loader() say more than its exit status. */
        fprintf(out, "through %s", tool);
    } else if (info->si_code == CLD_EXITED) {
        fprintf(out, "%s's exit status %d", tool, info->si_status);
    } else {
        fprintf(out, "%s ended by signal %d", tool, info->si_status);
    }
}

static void print_failure(const struct flash *flash,
                          const struct worker *worker, const siginfo_t *info)
{
    fputs("quincunx: ", stderr);
    print_name(stderr, flash, worker->board);
    if (worker->ending == ENDING_INTERRUPTED) {
        fprintf(stderr, ": interrupted%s\n",
                half_written(worker) ? "; half written: flash it again" : "");
        return;
    }
    fprintf(stderr, ": %s (",
            trouble(flash->config, worker->board->way, worker->said.step));
    print_status(stderr, flash, worker, info);
    fprintf(stderr, ")%s%s%s\n",
            half_written(worker) ? "; half written: flash it again" : "",
            worker->said.chip[0] != '\0' ? "; " : "", worker->said.chip);
    output_print(&worker->said, stderr);
}

static void print_success(const struct flash *flash,
                          const struct worker *worker)
{
    int64_t took_ms = now_ms() - worker->started_ms;
    bool started = worker->board->way == FLASH_PROBE;

    print_name(stdout, flash, worker->board);
    printf(": programmed%s verified%s in %lld.%lld s (%s)%s\n",
           started ? "," : " and", started ? " and started" : "",
           (long long)(took_ms / 1000), (long long)(took_ms % 1000 / 100),
           worker->said.chip, started ? "" : "; set BOOT0 low and reset it");
    fflush(stdout);
}

static void print_sum(const struct flash *flash)
{
    fprintf(flash->done == flash->boards ? stdout : stderr,
            "%s%u of %u boards flashed",
            flash->done == flash->boards ? "" : "quincunx: ", flash->done,
            flash->boards);
    if (flash->done < flash->boards) {
        fprintf(stderr, "; %u failed, %u interrupted, %u not begun",
                flash->failed, flash->interrupted,
                flash->boards - flash->begun);
    }
    fputc('\n', flash->done == flash->boards ? stdout : stderr);
}

/* ---- waiting and ending ---- */

/* Asks a worker to end by SIGTERM; SIGKILL follows GRACE_MS later. */
static void request_end(struct worker *worker, enum ending why)
{
    if (worker->ending == ENDING_NO) {
        worker->ending = why;
        worker->deadline_ms = now_ms() + GRACE_MS;
        kill(-worker->pid, SIGTERM);
    }
}

/* Reaps a worker that has ended, and kills processes that it has left. */
static void finish(struct flash *flash, struct worker *worker,
                   const siginfo_t *info)
{
    /* Its process group keeps its number until the worker is reaped. */
    kill(-worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    output_read(&worker->said, worker->log);
    remove_folder(worker);
    if (info->si_code == CLD_EXITED && info->si_status == 0 &&
        strcmp(worker->said.step, FLASH_STEP_DONE) == 0) {
        print_success(flash, worker);
        flash->done += 1;
    } else {
        print_failure(flash, worker, info);
        *(worker->ending == ENDING_INTERRUPTED ? &flash->interrupted
                                               : &flash->failed) += 1;
    }
    worker->board = NULL;
}

/* Looks whether a worker has ended, or must be ended because its time is
   over. */
static void look_after(struct flash *flash, struct worker *worker)
{
    siginfo_t info = {.si_pid = 0};

    if (waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
            0 &&
        info.si_pid == worker->pid) {
        finish(flash, worker, &info);
        return;
    }
    if (flash->is_told_to_end) {
        request_end(worker, ENDING_INTERRUPTED);
    }
    if (now_ms() < worker->deadline_ms) {
        return;
    }
    if (worker->ending == ENDING_NO) {
        request_end(worker, ENDING_TIMEOUT);
    } else {
        kill(-worker->pid, SIGKILL);
        worker->deadline_ms = now_ms() + GRACE_MS;
    }
}

static void wait_for_news(struct flash *flash)
{
    const struct host_clock *clock = host_clock();
    struct pollfd wanted = {.fd = flash->signals, .events = POLLIN};
    int64_t until_ms = now_ms() + PROGRESS_MS;
    bool at_work = false;

    for (unsigned i = 0; i < flash->config->jobs; ++i) {
        const struct worker *worker = &flash->worker[i];

        at_work = at_work || worker->board != NULL;
        if (worker->board != NULL && worker->deadline_ms < until_ms) {
            until_ms = worker->deadline_ms;
        }
    }
    if (!at_work) {
        return; /* no worker could be started */
    }
    progress_show(&(struct progress_step){.doing = "flashing",
                                          .done = flash->done,
                                          .total = flash->boards,
                                          .things = "boards"});
    (void)clock->wait(clock->context, &wanted, 1,
                      (uint64_t)until_ms * HOST_CLOCK_MS_NS);
    read_signals(flash);
}

/* Looks after all workers. Returns false if none is left. */
static bool look_after_all(struct flash *flash)
{
    bool at_work = false;

    for (unsigned i = 0; i < flash->config->jobs; ++i) {
        if (flash->worker[i].board != NULL) {
            look_after(flash, &flash->worker[i]);
        }
        at_work = at_work || flash->worker[i].board != NULL;
    }
    return at_work;
}

static int flash_all(struct flash *flash)
{
    do {
        start_some(flash);
        wait_for_news(flash);
    } while (look_after_all(flash) ||
             (flash->failed == 0 && !flash->is_told_to_end &&
              flash->begun < flash->boards));
    print_sum(flash);
    if (flash->is_told_to_end) {
        return EXIT_INTERRUPTED;
    }
    return flash->done == flash->boards ? 0 : EXIT_FAILED;
}

int flash_boards(const struct flash_config *config,
                 const struct flash_board *board, unsigned boards)
{
    struct flash *flash = memory_or_exit(calloc(1, sizeof *flash));
    int status;

    flash->config = config;
    flash->board = board;
    flash->boards = boards;
    catch_signals(flash);
    status = flash_all(flash);
    close(flash->signals);
    free(flash);
    return status;
}
