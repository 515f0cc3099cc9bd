/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/gnuplot.h"

#include "qemu/support/file.h"
#include "qemu/support/host_clock.h"
#include "qemu/support/limits.h"
#include "qemu/support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 60
#define TAIL_BYTES 16 /* with the end tag, in a complete picture */

/* In the child: nothing but system calls until exec. It dies with its parent.
   Result: the errno of what failed. */
static int become_gnuplot(int script, int picture, pid_t parent)
{
    process_signals_default();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        return ECHILD;
    }
    if (dup2(script, STDIN_FILENO) < 0 || dup2(picture, STDOUT_FILENO) < 0) {
        return errno;
    }
    closefrom(3);
    execlp("gnuplot", "gnuplot", "--default-settings", (char *)NULL);
    return errno;
}

/* Starts gnuplot between two files. Result: 0 or an errno. */
static int start(pid_t *process, int script, int picture)
{
    pid_t parent = getpid();
    volatile int error = 0; /* of the child, which has this memory until exec */

    *process = vfork();
    if (*process == 0) {
        error = become_gnuplot(script, picture, parent);
        _exit(127);
    }
    if (*process < 0) {
        return errno;
    }
    if (error != 0) {
        while (waitpid(*process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    return error;
}

/* Waits for a process that ends by itself, or is ended after a minute.
   Result: 0 or an errno. */
static int wait_for(pid_t process, int *status)
{
    for (int i = 0; i < SECONDS * 100; ++i) {
        pid_t ended = waitpid(process, status, WNOHANG);

        if (ended == process) {
            return 0;
        }
        if (ended < 0 && errno != EINTR) {
            return errno;
        }
        host_clock_pause(host_clock(), 10 * HOST_CLOCK_MS_NS);
    }
    kill(process, SIGKILL);
    while (waitpid(process, status, 0) < 0 && errno == EINTR) {
    }
    return ETIMEDOUT;
}

static int run(int script, int picture, const char *path)
{
    pid_t process;
    int status = 0;
    int error = start(&process, script, picture);

    if (error != 0) {
        file_error(path, "cannot run gnuplot: %s", limits_start_error(error));
        return -1;
    }
    error = wait_for(process, &status);
    if (error == ETIMEDOUT) {
        file_error(path, "gnuplot did not end in %d s", SECONDS);
    } else if (error != 0) {
        file_error(path, "gnuplot: %s", strerror(error));
    } else if (WIFSIGNALED(status)) {
        file_error(path, "gnuplot was ended by signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        file_error(path, "gnuplot ended with status %d", WEXITSTATUS(status));
    }
    return error == 0 && status == 0 ? 0 : -1;
}

/* Draws from one file to another. A caller may have closed its standard
   streams, and the files have their numbers: away from those that gnuplot's
   own take. */
static int draw(FILE *script, FILE *picture, const char *path)
{
    int in = fcntl(fileno(script), F_DUPFD_CLOEXEC, 3);
    int out = fcntl(fileno(picture), F_DUPFD_CLOEXEC, 3);
    int result = -1;

    if (in < 0 || out < 0 || lseek(in, 0, SEEK_SET) != 0) {
        file_error(path, "%s", strerror(errno));
    } else {
        result = run(in, out, path);
    }
    process_close(in);
    process_close(out);
    return result;
}

/* Copies a picture that is whole: gnuplot does not tell of a full disk. */
static int copy(FILE *to, FILE *from)
{
    char tail[TAIL_BYTES + 1] = "";
    char buffer[4096];
    size_t bytes;

    if (fseek(from, -(long)TAIL_BYTES, SEEK_END) != 0 ||
        fread(tail, 1, TAIL_BYTES, from) != TAIL_BYTES ||
        strstr(tail, "</svg>") == NULL) {
        return -1;
    }
    rewind(from);
    while ((bytes = fread(buffer, 1, sizeof buffer, from)) > 0) {
        fwrite(buffer, 1, bytes, to);
    }
    return ferror(from) == 0 ? 0 : -1;
}

static int save(FILE *picture, const char *path)
{
    struct file_output file;
    int copied;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    copied = copy(file.stream, picture);
    if (copied != 0) {
        file_error(path, "gnuplot's picture is not complete");
    }
    return file_output_close(&file, copied == 0);
}

int gnuplot_write(FILE *script, const char *path)
{
    FILE *picture = tmpfile();
    int result = -1;

    if (picture == NULL) {
        file_error(path, "%s", strerror(errno));
        return -1;
    }
    if (draw(script, picture, path) == 0) {
        result = save(picture, path);
    }
    fclose(picture);
    return result;
}
