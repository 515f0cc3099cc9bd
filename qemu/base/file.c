/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/file.h"

#include "qemu/base/limits.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STANDARD_OUTPUT "/dev/stdout"
#define TEMPORARIES 100u
#define UNSIZED_MAX (UINT64_C(1) << 30) /* most bytes read of a /proc file */
#define LINKS_MAX 40u /* the kernel's limit: path_resolution(7) */

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *file_name(const char *path)
{
    if (is_standard_input(path)) {
        return "standard input";
    }
    return strcmp(path, STANDARD_OUTPUT) == 0 ? "standard output"
                                              : quote_shown(path);
}

int file_error(const char *path, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "quincunx: %s: ", file_name(path));
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return 1;
}

/* ---- names ---- */

void file_beside_program(char path[PATH_MAX], const char *name)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    path[0] = '\0';
    if (length <= 0) {
        fprintf(stderr,
                "quincunx: /proc is not mounted: %s, which lies beside this "
                "program, cannot be found\n",
                name);
        return;
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    if (snprintf(path, PATH_MAX, "%s/%s", self, name) >= PATH_MAX) {
        path[0] = '\0';
    }
}

/* Follows symbolic links to a file that may be missing. Returns the last link's
   target, or `path` itself if it is no link. Returns NULL with errno if links
   form a circle. The caller frees the text. */
static char *followed(const char *path)
{
    char *at = memory_or_exit(strdup(path));
    char to[PATH_MAX];
    ssize_t bytes = 0;

    for (unsigned i = 0; i < LINKS_MAX; ++i) {
        const char *slash = strrchr(at, '/');
        char *next;

        bytes = readlink(at, to, sizeof to - 1);
        if (bytes < 0) {
            return at;
        }
        to[bytes] = '\0';
        if (to[0] == '/' || slash == NULL) {
            next = strdup(to);
        } else if (asprintf(&next, "%.*s%s", (int)(slash + 1 - at), at, to) <
                   0) {
            next = NULL;
        }
        free(at);
        at = memory_or_exit(next);
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Returns a path without symbolic links; its last component may be missing.
   Returns NULL with errno if the folder is missing or links form a circle. The
   caller frees the text. */
static char *resolved(const char *path)
{
    char *whole = realpath(path, NULL);
    char *at = whole == NULL ? followed(path) : NULL;
    char *slash = at != NULL ? strrchr(at, '/') : NULL;
    char *folder;

    if (at == NULL) {
        return whole;
    }
    if (slash != NULL) {
        *slash = '\0';
    }
    folder = realpath(slash == NULL ? "." : slash == at ? "/" : at, NULL);
    if (folder != NULL &&
        asprintf(&whole, "%s/%s", folder, slash != NULL ? slash + 1 : at) < 0) {
        whole = memory_or_exit(NULL);
    }
    free(folder);
    free(at);
    return whole;
}

bool file_same(const char *one, const char *other)
{
    struct stat a;
    struct stat b;
    bool has_a = stat(one, &a) == 0;
    bool has_b = stat(other, &b) == 0;
    char *path_a;
    char *path_b;
    bool same;

    if ((has_a && !S_ISREG(a.st_mode)) || (has_b && !S_ISREG(b.st_mode))) {
        return false;
    }
    if (has_a && has_b) {
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    }
    path_a = resolved(one);
    path_b = resolved(other);
    same = path_a != NULL && path_b != NULL && strcmp(path_a, path_b) == 0;
    free(path_a);
    free(path_b);
    return same;
}

/* ---- reading ---- */

/* Returns whether the path may be a pipe that somebody writes already: standard
   input, or a shell's <(...). */
static bool may_be_pipe(const char *path)
{
    return is_standard_input(path) || strcmp(path, "/dev/stdin") == 0 ||
           strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0;
}

static ssize_t read_next(int fd, void *block, size_t room)
{
    ssize_t got = read(fd, block, room);

    if (got < 0 && errno == EAGAIN &&
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) {
        got = read(fd, block, room);
    }
    return got;
}

static int spool(FILE **file, uint64_t *bytes, const char *path, uint64_t most)
{
    FILE *copy = tmpfile();
    char block[65536];
    ssize_t got = 1;
    bool failed = copy == NULL;

    *bytes = 0;
    while (!failed && got > 0 && *bytes <= most) {
        got = read_next(fileno(*file), block, sizeof block);
        failed = got < 0 || fwrite(block, 1, (size_t)got, copy) < (size_t)got;
        *bytes += got > 0 ? (uint64_t)got : 0;
    }
    failed = failed || fflush(copy) != 0;
    if (failed || *bytes > most) {
        file_error(path, "%s",
                   failed ? limits_file_error(errno) : strerror(EFBIG));
        if (copy != NULL) {
            fclose(copy);
        }
        return 1;
    }
    fclose(*file);
    *file = copy;
    return 0;
}

/* Returns whether a regular file has the size that fstat() tells. Files of
   /proc and /sys have another. */
static bool is_as_long(const struct stat *is, int fd)
{
    char byte;

    return pread(fd, &byte, 1, is->st_size > 0 ? is->st_size - 1 : 0) ==
           (is->st_size > 0 ? 1 : 0);
}

/* Measures a file. A file whose size is unknown is replaced by a temporary copy
   in *file. Returns 0, or 1 after a message. */
static int measure(FILE **file, uint64_t *bytes, const char *path)
{
    int fd = fileno(*file);
    struct stat is = {.st_mode = 0};

    if (fstat(fd, &is) != 0 || S_ISDIR(is.st_mode)) {
        return file_error(path, "%s",
                          strerror(S_ISDIR(is.st_mode) ? EISDIR : errno));
    }
    if (S_ISREG(is.st_mode)) {
        *bytes = (uint64_t)is.st_size;
        return is_as_long(&is, fd) ? 0 : spool(file, bytes, path, UNSIZED_MAX);
    }
    if (S_ISCHR(is.st_mode) && is.st_rdev == makedev(1, 3)) { /* /dev/null */
        return spool(file, bytes, path, 0);
    }
    if (!S_ISFIFO(is.st_mode) &&
        !(may_be_pipe(path) && (S_ISSOCK(is.st_mode) || isatty(fd) == 1))) {
        return file_error(
            path, is_standard_input(path)
                      ? "must be a file or a pipe"
                      : "must be a file, a pipe, or - for standard input");
    }
    if (spool(file, bytes, path, UINT64_MAX) != 0) {
        return 1;
    }
    return may_be_pipe(path) || *bytes > 0
               ? 0
               : file_error(path, "nobody writes to this pipe; must be a file, "
                                  "a pipe, or - for standard input");
}

/* Opens a file for reading; for standard input returns a duplicate. O_NONBLOCK
   keeps a pipe that nobody writes from blocking the open. */
static int open_descriptor(const char *path)
{
    int flags = O_RDONLY | O_CLOEXEC | (may_be_pipe(path) ? 0 : O_NONBLOCK);
    int now;

    if (!is_standard_input(path)) {
        return open(path, flags);
    }
    now = fcntl(STDIN_FILENO, F_GETFL);
    if (now >= 0 && (now & O_ACCMODE) == O_WRONLY) {
        errno = EBADF; /* standard input was closed when this program began */
        return -1;
    }
    return dup(STDIN_FILENO);
}

int file_open(FILE **file, uint64_t *bytes, const char *path)
{
    int descriptor = open_descriptor(path);
    int status;

    *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (*file == NULL) {
        return file_error(path, "%s", limits_file_error(errno));
    }
    status = measure(file, bytes, path);
    if (status != 0) {
        fclose(*file);
        *file = NULL;
    }
    return status;
}

int file_piece_copy(uint8_t *to, const struct file_piece *piece, uint64_t bytes)
{
    uint64_t done = 0;
    ssize_t got = 1;

    if (piece->data != NULL) {
        memcpy(to, piece->data, (size_t)bytes);
        return 0;
    }
    while (done < bytes && got > 0) {
        got = pread(fileno(piece->file), to + done, (size_t)(bytes - done),
                    (off_t)(piece->at + done));
        done += got > 0 ? (uint64_t)got : 0;
    }
    return done == bytes
               ? 0
               : file_error(piece->path, "could not be read to its end");
}

int file_read_open(uint8_t **data, FILE *file, uint64_t bytes, const char *path)
{
    const struct file_piece all = {.file = file, .path = path};
    int status;

    *data = malloc((size_t)bytes + 1);
    if (*data == NULL) {
        return file_error(path, "%s", strerror(ENOMEM));
    }
    status = file_piece_copy(*data, &all, bytes);
    if (status != 0) {
        free(*data);
        *data = NULL;
    }
    return status;
}

int file_read(uint8_t **data, uint64_t *bytes, const char *path)
{
    FILE *file;
    int status = file_open(&file, bytes, path);

    *data = NULL;
    if (status == 0) {
        status = file_read_open(data, file, *bytes, path);
        fclose(file);
    }
    return status;
}

FILE *file_scratch(const char *path)
{
    FILE *file = tmpfile();

    if (file == NULL) {
        file_error(path, "no temporary file: %s", limits_file_error(errno));
    }
    return file;
}

int file_append(FILE *to, FILE *file, uint64_t bytes, const char *path)
{
    uint8_t block[65536];
    struct file_piece piece = {.file = file, .path = path};
    int status = 0;

    while (status == 0 && piece.at < bytes) {
        uint64_t left = bytes - piece.at;
        size_t next = left < sizeof block ? (size_t)left : sizeof block;

        status = file_piece_copy(block, &piece, next);
        if (status == 0 && fwrite(block, 1, next, to) != next) {
            status = file_error(path, "its copy: %s", limits_file_error(errno));
        }
        piece.at += next;
    }
    return status;
}

/* ---- writing ---- */

/* Prints why a file cannot be written. ENOENT means that its folder is missing.
   EPIPE is not printed: a reader such as `head` may close the pipe. */
static int complain(struct file_output *file, int error)
{
    const char *path = file->path;
    const char *slash = strrchr(path, '/');

    file->error = error;
    if (error == EPIPE || file->again) {
        return -1;
    }
    if (file->option != NULL && !file_is_standard_output(path)) {
        fprintf(stderr, "quincunx: %s '%s': ", file->option, quote_shown(path));
    } else {
        fprintf(stderr, "quincunx: %s: ", file_name(path));
    }
    if (error == ENOENT && slash != NULL && slash != path) {
        char *folder = memory_or_exit(strndup(path, (size_t)(slash - path)));

        fprintf(stderr, "there is no folder '%s'\n", quote_shown(folder));
        free(folder);
    } else {
        fprintf(stderr, "%s\n", limits_file_error(error));
    }
    return -1;
}

const char *file_output_name(const char *text)
{
    return strcmp(text, "-") == 0 ? STANDARD_OUTPUT : text;
}

/* Returns N of a path such as /dev/fd/N, or -1 for other paths. */
static int descriptor_named(const char *path)
{
    static const char *const before[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, STANDARD_OUTPUT) == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; ++i) {
        size_t length = strlen(before[i]);
        const char *digits = path + length;

        if (strncmp(path, before[i], length) == 0 && digits[0] != '\0' &&
            digits[strspn(digits, "0123456789")] == '\0' &&
            strlen(digits) < 6) {
            return atoi(digits);
        }
    }
    return -1;
}

bool file_is_standard_output(const char *path)
{
    return descriptor_named(path) == STDOUT_FILENO;
}

/* Blocks the signals that end this program, so that none can leave the
   temporary file behind. */
static void hold_signals(struct file_output *file)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t held;

    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i) {
        sigaddset(&held, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &file->signals);
}

static void file_forget(struct file_output *file)
{
    if (file->held) {
        sigprocmask(SIG_SETMASK, &file->signals, NULL);
    }
    free(file->temporary);
    free(file->target);
}

/* Opens a temporary file beside `path`. Takes another name if a killed process
   with this pid has left a file; with file->again writes over it. Returns a
   descriptor, or -1 with errno. */
static int open_temporary(struct file_output *file, const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    int fd = -1;

    file->target = resolved(path);
    if (file->target == NULL) {
        return -1;
    }
    errno = EEXIST;
    for (unsigned i = 0; fd < 0 && errno == EEXIST && i < TEMPORARIES; ++i) {
        free(file->temporary);
        if (asprintf(&file->temporary, "%s.%ld-%u.tmp", file->target,
                     file->again ? 0 : (long)getpid(), i) < 0) {
            file->temporary = NULL;
        }
        fd = open(memory_or_exit(file->temporary),
                  flags | (file->again ? O_TRUNC : O_EXCL), 0666);
    }
    return fd;
}

static int open_output(struct file_output *file, const char *path)
{
    int named = descriptor_named(path);
    struct stat status;
    bool there;
    int fd;

    if (named >= 0) {
        fflush(named == STDOUT_FILENO ? stdout : stderr);
        return fcntl(named, F_DUPFD_CLOEXEC, 3);
    }
    there = stat(path, &status) == 0;
    if (there && !S_ISREG(status.st_mode)) {
        return open(path, O_WRONLY | O_CLOEXEC);
    }
    if (there && access(path, W_OK) != 0) {
        return -1;
    }
    hold_signals(file);
    file->held = true;
    fd = open_temporary(file, path);
    if (fd >= 0 && there) {
        fchmod(fd, status.st_mode & 0777);
    }
    return fd;
}

/* Writes a stream's bytes. Stores errno, which stdio would lose. */
static ssize_t write_cookie(void *cookie, const char *bytes, size_t count)
{
    struct file_output *file = cookie;
    size_t done = 0;

    while (done < count) {
        ssize_t put = write(file->descriptor, bytes + done, count - done);

        if (put < 0 && errno != EINTR) {
            file->error = file->error != 0 ? file->error : errno;
            return 0;
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return (ssize_t)count;
}

static int close_cookie(void *cookie)
{
    struct file_output *file = cookie;
    int result = close(file->descriptor);

    if (result != 0 && file->error == 0) {
        file->error = errno;
    }
    return result;
}

static int open_for(struct file_output *file, const char *path,
                    const char *option, bool again)
{
    static const cookie_io_functions_t functions = {.write = write_cookie,
                                                    .close = close_cookie};

    *file =
        (struct file_output){.path = path, .option = option, .again = again};
    file->descriptor = open_output(file, path);
    file->stream =
        file->descriptor < 0 ? NULL : fopencookie(file, "w", functions);
    if (file->stream == NULL) {
        complain(file, errno);
        file_forget(file);
        return -1;
    }
    return 0;
}

int file_output_open(struct file_output *file, const char *path)
{
    return open_for(file, path, NULL, false);
}

int file_output_open_again(struct file_output *file, const char *path)
{
    return open_for(file, path, NULL, true);
}

/* Writes the file to the disk. Without fsync() before rename(), a power loss
   could lose both the old and the new contents. */
static bool sync_file(struct file_output *file)
{
    bool synced = fflush(file->stream) == 0 && fsync(file->descriptor) == 0;

    if (!synced && file->error == 0) {
        file->error = errno;
    }
    return synced;
}

int file_output_close(struct file_output *file, bool complete)
{
    bool synced = !complete || file->temporary == NULL || sync_file(file);
    bool closed = fclose(file->stream) == 0 && synced;
    bool failed = !closed || file->error != 0;
    int result = complete ? 0 : -1;

    if (failed && complete) {
        result = complain(file, file->error != 0 ? file->error : EIO);
    }
    if (file->temporary != NULL) {
        if (result == 0 && rename(file->temporary, file->target) != 0) {
            result = complain(file, errno);
        }
        if (result != 0) {
            unlink(file->temporary);
        }
    }
    file_forget(file);
    return result;
}

int file_output_check(const char *path, const char *option)
{
    struct file_output file;
    struct stat is;

    if (file_is_standard_output(path)) {
        int flags = fcntl(STDOUT_FILENO, F_GETFL);

        return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY
                   ? 0
                   : file_error(path, "%s", strerror(EBADF));
    }
    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
        file = (struct file_output){.path = path, .option = option};
        return S_ISDIR(is.st_mode) && complain(&file, EISDIR) != 0 ? 1 : 0;
    }
    if (open_for(&file, path, option, false) != 0) {
        return 1;
    }
    return file_output_close(&file, false) < 0 ? 0 : 1;
}
