/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/output.h"

#include "qemu/support/file.h"
#include "qemu/support/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that grow. */
struct bytes {
    uint8_t *data;
    uint64_t count;
};

static void append(struct bytes *to, const void *data, uint64_t count)
{
    to->data =
        memory_or_exit(realloc(to->data, (size_t)(to->count + count) + 1));
    if (count > 0) {
        memcpy(to->data + to->count, data, (size_t)count);
    }
    to->count += count;
}

static int write_one(const char *path, const struct format *format,
                     const struct output_part *part)
{
    const struct kernel_result *result = part->result;

    return format->write == NULL
               ? file_write(path, result->output, result->output_bytes)
               : format->write(part->load, path, result->output,
                               result->output_bytes);
}

/* Appends what a file of one part would have. Formats go by a file's name, so
   it has the end of `path`, and a folder of its own. */
static int append_file(struct bytes *to, const char *path,
                       const struct format *format,
                       const struct output_part *part)
{
    char folder[] = "/tmp/quincunx-XXXXXX";
    char name[PATH_MAX];
    const char *last = strrchr(path, '/');
    uint8_t *data = NULL;
    uint64_t count = 0;
    int status;

    if (mkdtemp(folder) == NULL) {
        return file_error(folder, "%s", strerror(errno));
    }
    snprintf(name, sizeof name, "%s/%s", folder,
             last != NULL ? last + 1 : path);
    status = write_one(name, format, part);
    if (status == 0) {
        status = file_read(&data, &count, name);
        (void)unlink(name);
    }
    if (status == 0) {
        append(to, data, count);
    }
    free(data);
    (void)rmdir(folder);
    return status;
}

int output_write(const char *path, const struct format *format,
                 const struct output_part part[], uint32_t count)
{
    struct bytes all = {.data = NULL};
    int status = 0;

    if (count == 1) {
        return write_one(path, format, part);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        if (format->write == NULL) {
            append(&all, part[i].result->output, part[i].result->output_bytes);
        } else {
            status = append_file(&all, path, format, &part[i]);
        }
    }
    if (status == 0) {
        status = file_write(path, all.data, all.count);
    }
    free(all.data);
    return status;
}
