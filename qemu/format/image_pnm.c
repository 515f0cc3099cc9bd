/* SPDX-License-Identifier: Apache-2.0 */
/* At an error libnetpbm ends the process, unless a jmp_buf is set. It gives the
   reason to a callback that has no context. So both are set around every
   use. */
#include "qemu/format/image_pnm.h"

#include "qemu/base/file.h"

#include <netpbm/pam.h>

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAXVAL 255u

static char netpbm_reason[160];

static void keep_reason(const char *reason)
{
    snprintf(netpbm_reason, sizeof netpbm_reason, "%s",
             reason + strspn(reason, " \n"));
    netpbm_reason[strcspn(netpbm_reason, "\n")] = '\0';
}

static void ignore(const char *message)
{
    (void)message;
}

static void catch_errors(jmp_buf *jump)
{
    pm_setjmpbuf(jump);
    pm_setusererrormsgfn(keep_reason);
    pm_setusermessagefn(ignore);
}

/* Variables that must be valid after a longjmp() out of libnetpbm. */
struct work {
    struct pam pam;
    struct image *image;
    size_t bytes; /* size of the file that is read */
    tuple *row;
    uint32_t y; /* row that is read or written */
};

static const char *accept_head(struct work *work)
{
    const struct pam *pam = &work->pam;
    int type = PAM_FORMAT_TYPE(pam->format);
    uint64_t pixels = (uint64_t)pam->width * (uint64_t)pam->height;

    if (pam->maxval != MAXVAL) {
        return "its samples have another maximum than 255";
    }
    if (pixels > work->bytes) {
        return "the file ends within the image";
    }
    return image_allocate(work->image, (uint32_t)pam->width,
                          (uint32_t)pam->height, type == PGM_TYPE ? 1 : 3);
}

static void read_rows(struct work *work)
{
    const struct image *image = work->image;
    uint8_t *out = image->samples;

    work->row = pnm_allocpamrow(&work->pam);
    for (; work->y < image->height; ++work->y) {
        pnm_readpamrow(&work->pam, work->row);
        for (uint32_t x = 0; x < image->width; ++x) {
            for (uint32_t i = 0; i < image->channels; ++i) {
                *out++ = (uint8_t)work->row[x][i];
            }
        }
    }
}

/* Returns whether there are data after the image. In a file with numbers as
   text, blanks and comments may follow. */
static bool is_more(const struct work *work, FILE *file)
{
    bool plain =
        work->pam.format == PGM_FORMAT || work->pam.format == PPM_FORMAT;
    bool comment = false;
    int next = getc(file);

    while (plain && next != EOF && (comment || isspace(next) || next == '#')) {
        comment = next == '#' || (comment && next != '\n' && next != '\r');
        next = getc(file);
    }
    return next != EOF;
}

static const char *read_image(struct work *work, FILE *file)
{
    jmp_buf jump;
    const char *reason;

    if (setjmp(jump) != 0) {
        return netpbm_reason;
    }
    catch_errors(&jump);
    pnm_readpaminit(file, &work->pam, PAM_STRUCT_SIZE(tuple_type));
    reason = accept_head(work);
    if (reason == NULL) {
        read_rows(work);
        reason = is_more(work, file) ? "there is more behind the image" : NULL;
    }
    return reason;
}

static void end_work(struct work *work)
{
    pm_setjmpbuf(NULL);
    if (work->row != NULL) {
        pnm_freepamrow(work->row);
    }
}

int image_pnm_read(struct image *image, const char *path, uint8_t *data,
                   size_t bytes)
{
    struct work work = {.image = image, .bytes = bytes};
    FILE *file = fmemopen(data, bytes, "rb");
    const char *reason =
        file == NULL ? strerror(errno) : read_image(&work, file);

    end_work(&work);
    if (file != NULL) {
        fclose(file);
    }
    return reason == NULL ? 0 : file_error(path, "row %u: %s", work.y, reason);
}

static void write_rows(struct work *work)
{
    const struct image *image = work->image;
    const uint8_t *in = image->samples;

    pnm_writepaminit(&work->pam);
    work->row = pnm_allocpamrow(&work->pam);
    for (; work->y < image->height; ++work->y) {
        for (uint32_t x = 0; x < image->width; ++x) {
            for (uint32_t i = 0; i < image->channels; ++i) {
                work->row[x][i] = *in++;
            }
        }
        pnm_writepamrow(&work->pam, work->row);
    }
}

static const char *write_image(struct work *work)
{
    jmp_buf jump;

    if (setjmp(jump) != 0) {
        return netpbm_reason;
    }
    catch_errors(&jump);
    write_rows(work);
    return NULL;
}

int image_pnm_write(FILE *out, const struct image *image, const char *path)
{
    struct image copy = *image;
    struct work work = {.image = &copy};
    const char *reason;

    work.pam.size = sizeof work.pam;
    work.pam.len = PAM_STRUCT_SIZE(tuple_type);
    work.pam.file = out;
    work.pam.format = image->channels == 1 ? RPGM_FORMAT : RPPM_FORMAT;
    work.pam.width = (int)image->width;
    work.pam.height = (int)image->height;
    work.pam.depth = image->channels;
    work.pam.maxval = MAXVAL;
    work.pam.bytes_per_sample = 1;
    reason = write_image(&work);
    end_work(&work);
    return reason == NULL ? 0 : file_error(path, "%s", reason);
}
