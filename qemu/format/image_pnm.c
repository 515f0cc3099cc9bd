/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads binary and plain files, and writes binary ones. Samples of other maxima
 * than 255 and 65535 are scaled to one of them.
 *
 * On an error libnetpbm ends the process, unless a jmp_buf is set. It passes
 * the reason to a callback, which has no context parameter.
 */
#include "qemu/format/image.h"

#include "qemu/base/file.h"

#include <netpbm/pam.h>

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Variables that must be valid after a longjmp() out of libnetpbm. */
struct work {
    struct pam pam;
    struct image *image;
    size_t bytes; /* size of the file that is read */
    tuple *row;
    uint32_t y; /* row being read */
    bool more;  /* the file goes on behind the image */
    bool is_pam;
};

/* Reads the header of a PAM, over a wrong one of which libnetpbm leaks memory.
   Returns NULL, or what is wrong. */
static const char *read_pam_head(struct work *work, FILE *file)
{
    static const char *const names[] = {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"};
    unsigned long value[4] = {0};
    unsigned long number = 0;
    char line[256];
    char name[9] = "";

    while (strcmp(name, "ENDHDR") != 0 &&
           fgets(line, sizeof line, file) != NULL) {
        int words = sscanf(line, "%8s %lu", name, &number);

        for (int i = 0; words == 2 && i < 4; ++i) {
            value[i] = strcmp(name, names[i]) == 0 ? number : value[i];
        }
    }
    work->pam = (struct pam){.size = sizeof work->pam,
                             .len = PAM_STRUCT_SIZE(tuple_type),
                             .file = file,
                             .format = PAM_FORMAT,
                             .width = (int)value[0],
                             .height = (int)value[1],
                             .depth = (unsigned)value[2],
                             .maxval = value[3],
                             .bytes_per_sample = value[3] > 255 ? 2 : 1};
    return strcmp(name, "ENDHDR") != 0 || value[0] - 1 >= INT_MAX ||
                   value[1] - 1 >= INT_MAX || value[2] - 1 > 3 ||
                   value[3] - 1 > 65534
               ? "its header must have WIDTH, HEIGHT, DEPTH of 1 to 4, MAXVAL "
                 "of 1 to 65535, and ENDHDR"
               : NULL;
}

/* Returns why the image is not supported, or NULL; allocates the image. */
static const char *accept_head(struct work *work)
{
    const struct pam *pam = &work->pam;
    uint64_t pixels = (uint64_t)pam->width * (uint64_t)pam->height;
    bool bits = pam->format == RPBM_FORMAT;

    work->image->kind = pam->format == PAM_FORMAT ? IMAGE_PAM : IMAGE_PNM;
    if (pixels / (bits ? 8 : 1) > work->bytes) {
        return "the file ends within the image";
    }
    return image_allocate(work->image, (uint32_t)pam->width,
                          (uint32_t)pam->height, pam->depth,
                          pam->maxval > 255 ? 2 : 1);
}

static void read_rows(struct work *work)
{
    struct image *image = work->image;
    size_t i = 0;

    work->row = pnm_allocpamrow(&work->pam);
    for (; work->y < image->height; ++work->y) {
        pnm_readpamrow(&work->pam, work->row);
        for (uint32_t x = 0; x < image->width; ++x) {
            for (uint32_t k = 0; k < image->channels; ++k) {
                image_store(image, i++,
                            image_scaled((uint32_t)work->row[x][k],
                                         (uint32_t)work->pam.maxval,
                                         image_most(image)));
            }
        }
    }
}

/* Sets work->more if anything but blanks and comments follows the image. In a
   binary file only another image may, lest samples are read that lie a few
   bytes too early. Returns NULL, or what is wrong. */
static const char *accept_rest(struct work *work, FILE *file)
{
    bool plain = work->pam.format < RPBM_FORMAT;
    bool comment = false;
    int next = getc(file);

    while (next != EOF &&
           (comment || isspace(next) || (plain && next == '#'))) {
        comment = next == '#' || (comment && next != '\n' && next != '\r');
        next = getc(file);
    }
    work->more = next != EOF;
    return plain || !work->more || (next == 'P' && isdigit(getc(file)))
               ? NULL
               : "there is more behind the image";
}

/* Reads an image; sets work->more. Returns NULL, or what is wrong. */
static const char *read_image(struct work *work, FILE *file)
{
    jmp_buf jump;
    const char *reason;

    if (setjmp(jump) != 0) {
        return netpbm_reason;
    }
    pm_setjmpbuf(&jump);
    pm_setusererrormsgfn(keep_reason);
    pm_setusermessagefn(ignore);
    if (work->is_pam) {
        reason = read_pam_head(work, file);
    } else {
        pnm_readpaminit(file, &work->pam, PAM_STRUCT_SIZE(tuple_type));
        reason = NULL;
    }
    reason = reason == NULL ? accept_head(work) : reason;
    if (reason == NULL) {
        read_rows(work);
        reason = accept_rest(work, file);
    }
    return reason;
}

int image_pnm_read(struct image *image, struct format_load *load,
                   const char *path, uint8_t *data, size_t bytes)
{
    struct work work = {
        .image = image, .bytes = bytes, .is_pam = data[1] == '7'};
    bool plain = data[1] <= '3';
    FILE *file;
    const char *reason;

    /* The buffer has a spare byte. libnetpbm needs a blank behind the last
       number of a plain file, which need not be there. */
    data[bytes] = '\n';
    file = fmemopen(data, bytes + plain, "rb");
    reason = file == NULL ? strerror(errno) : read_image(&work, file);
    pm_setjmpbuf(NULL);
    if (work.row != NULL) {
        pnm_freepamrow(work.row);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (reason == NULL && work.more) {
        format_note(load, IMAGE_MORE, file_name(path));
    }
    return reason == NULL ? 0 : file_error(path, "row %u: %s", work.y, reason);
}

/* Writes the samples, those of 16 bits big-endian. Returns 0. */
static int write_samples(FILE *out, const struct image *image)
{
    for (size_t i = 0; i < image_pixels(image) * image->channels; ++i) {
        uint32_t sample = image_sample(image, i);

        if (image->bytes == 2) {
            putc((int)(sample >> 8), out);
        }
        putc((int)(sample & 0xff), out);
    }
    return 0;
}

int image_pnm_write(FILE *out, const struct image *image, const char *path)
{
    (void)path;
    fprintf(out, "P%c\n%u %u\n%u\n", image->channels == 1 ? '5' : '6',
            image->width, image->height, image_most(image));
    return write_samples(out, image);
}

int image_pam_write(FILE *out, const struct image *image, const char *path)
{
    static const char *const types[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB",
                                        "RGB_ALPHA"};

    (void)path;
    fprintf(out,
            "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE "
            "%s\nENDHDR\n",
            image->width, image->height, image->channels, image_most(image),
            types[image->channels - 1]);
    return write_samples(out, image);
}
