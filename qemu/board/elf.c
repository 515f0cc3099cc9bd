/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/elf.h"

#include "hal/bytes.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KERNELS_MAX 64u

__attribute__((format(printf, 2, 3))) static int refuse(struct elf_image *image,
                                                        const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(image->message, ELF_MESSAGE_BYTES, format, list);
    va_end(list);
    return -1;
}

static int check_header(struct elf_image *image)
{
    const uint8_t *data = image->data;
    uint16_t machine;

    if (image->bytes < sizeof(Elf32_Ehdr) ||
        memcmp(data, ELFMAG, SELFMAG) != 0) {
        return refuse(image, "is not an ELF file");
    }
    machine = bytes_load_u16(data + offsetof(Elf32_Ehdr, e_machine));
    if (data[EI_CLASS] != ELFCLASS32 || data[EI_DATA] != ELFDATA2LSB ||
        machine != EM_ARM) {
        return refuse(image,
                      "is for another machine (ELF machine %u); board %s needs "
                      "32-bit little-endian ARM (%u)",
                      machine, image->place->board, EM_ARM);
    }
    if (bytes_load_u16(data + offsetof(Elf32_Ehdr, e_type)) != ET_EXEC) {
        return refuse(image, "is not an executable: it has not been linked");
    }
    return 0;
}

static bool in_flash(const struct elf_place *place, uint64_t address,
                     uint64_t bytes)
{
    return address >= place->flash_start &&
           address + bytes <= (uint64_t)place->flash_start + place->flash_bytes;
}

static bool overlaps(const struct elf_image *image,
                     const struct elf_segment *segment)
{
    for (unsigned i = 0; i < image->segments; ++i) {
        const struct elf_segment *other = &image->segment[i];

        if (segment->address < other->address + other->bytes &&
            other->address < segment->address + segment->bytes) {
            return true;
        }
    }
    return false;
}

/* Reads one program header. Skips a segment that is not loaded into flash. */
static int read_segment(struct elf_image *image, const uint8_t *header)
{
    const struct elf_place *place = image->place;
    struct elf_segment segment = {
        .offset = bytes_load_u32(header + offsetof(Elf32_Phdr, p_offset)),
        .bytes = bytes_load_u32(header + offsetof(Elf32_Phdr, p_filesz)),
        .address = bytes_load_u32(header + offsetof(Elf32_Phdr, p_paddr))};
    uint64_t end;

    if (bytes_load_u32(header + offsetof(Elf32_Phdr, p_type)) != PT_LOAD ||
        segment.bytes == 0) {
        return 0;
    }
    if (segment.offset + segment.bytes > image->bytes) {
        return refuse(
            image, "is cut off: a segment ends at byte %" PRIu64 " of %" PRIu64,
            segment.offset + segment.bytes, image->bytes);
    }
    if (!in_flash(place, segment.address, segment.bytes)) {
        return refuse(image,
                      "is an image for another board: it loads %" PRIu64
                      " bytes at 0x%08" PRIx64 ", but the flash of %s is "
                      "0x%08" PRIx32 " to 0x%08" PRIx32,
                      segment.bytes, segment.address, place->board,
                      place->flash_start,
                      place->flash_start + (place->flash_bytes - 1));
    }
    if (overlaps(image, &segment)) {
        return refuse(image, "loads 0x%08" PRIx64 " twice", segment.address);
    }
    if (image->segments == ELF_SEGMENTS_MAX) {
        return refuse(image, "has over %u segments", ELF_SEGMENTS_MAX);
    }
    image->segment[image->segments++] = segment;
    end = segment.address + segment.bytes - place->flash_start;
    image->flash_bytes =
        end > image->flash_bytes ? (uint32_t)end : image->flash_bytes;
    return 0;
}

struct headers {
    const uint8_t *first;
    unsigned size; /* bytes of one header */
    unsigned count;
};

/* Finds a table of headers. The file's header has its offset, the size of a
   header and their number at offset_at, size_at and count_at. Returns false if
   the table is not within the file, or if its headers are shorter than
   `least`. */
static bool find_headers(struct headers *headers, const struct elf_image *image,
                         size_t offset_at, size_t size_at, size_t count_at,
                         size_t least)
{
    const uint8_t *data = image->data;
    uint64_t at = bytes_load_u32(data + offset_at);

    headers->size = bytes_load_u16(data + size_at);
    headers->count = bytes_load_u16(data + count_at);
    if (headers->size < least ||
        at + (uint64_t)headers->size * headers->count > image->bytes) {
        return false;
    }
    headers->first = data + at;
    return true;
}

static int read_segments(struct elf_image *image)
{
    struct headers headers;

    if (!find_headers(&headers, image, offsetof(Elf32_Ehdr, e_phoff),
                      offsetof(Elf32_Ehdr, e_phentsize),
                      offsetof(Elf32_Ehdr, e_phnum), sizeof(Elf32_Phdr))) {
        return refuse(image, "has no table of segments within the file");
    }
    for (unsigned i = 0; i < headers.count; ++i) {
        if (read_segment(image, headers.first + (size_t)headers.size * i) !=
            0) {
            return -1;
        }
    }
    return image->segments > 0 ? 0 : refuse(image, "loads nothing");
}

/* Returns the segment that contains address .. address + bytes, or NULL. */
static const struct elf_segment *find_segment(const struct elf_image *image,
                                              uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < image->segments; ++i) {
        const struct elf_segment *segment = &image->segment[i];

        if (address >= segment->address &&
            address + bytes <= segment->address + segment->bytes) {
            return segment;
        }
    }
    return NULL;
}

/* Returns the file's bytes that are loaded to address .., or NULL. */
static const uint8_t *loaded(const struct elf_image *image, uint64_t address,
                             uint64_t bytes)
{
    const struct elf_segment *segment = find_segment(image, address, bytes);

    return segment != NULL
               ? image->data + segment->offset + (address - segment->address)
               : NULL;
}

static int check_vectors(struct elf_image *image)
{
    const struct elf_place *place = image->place;
    const uint8_t *vectors = loaded(image, place->flash_start, 8);
    uint32_t stack, reset;

    if (vectors == NULL) {
        return refuse(image,
                      "has no vector table at 0x%08" PRIx32 ", where %s starts",
                      place->flash_start, place->board);
    }
    stack = bytes_load_u32(vectors);
    reset = bytes_load_u32(vectors + 4);
    if (stack <= place->ram_start ||
        stack - place->ram_start > place->ram_bytes || stack % 4 != 0) {
        return refuse(image,
                      "has the initial stack pointer 0x%08" PRIx32
                      ", which is not in the RAM of %s (0x%08" PRIx32
                      ", %" PRIu32 " KiB)",
                      stack, place->board, place->ram_start,
                      place->ram_bytes / 1024);
    }
    if (reset % 2 == 0 || loaded(image, reset - 1, 2) == NULL) {
        return refuse(image,
                      "has the reset vector 0x%08" PRIx32
                      ", which is not the Thumb address (odd) of code in it",
                      reset);
    }
    return 0;
}

int elf_open(struct elf_image *image, const uint8_t *data, uint64_t bytes,
             const struct elf_place *place)
{
    *image = (struct elf_image){.data = data, .bytes = bytes, .place = place};
    return check_header(image) == 0 && read_segments(image) == 0
               ? check_vectors(image)
               : -1;
}

void elf_flatten(uint8_t *flash, const struct elf_image *image)
{
    memset(flash, 0xff, image->flash_bytes);
    for (unsigned i = 0; i < image->segments; ++i) {
        const struct elf_segment *segment = &image->segment[i];

        memcpy(flash + (segment->address - image->place->flash_start),
               image->data + segment->offset, (size_t)segment->bytes);
    }
}

uint64_t elf_offset(const struct elf_image *image, uint32_t address,
                    uint32_t count)
{
    const uint8_t *at = loaded(image, address, count);

    return at != NULL ? (uint64_t)(at - image->data) : 0;
}

/* ---- symbols ---- */

static const uint8_t *next_section(const struct elf_image *image,
                                   unsigned *from, uint32_t type)
{
    struct headers headers;

    if (!find_headers(&headers, image, offsetof(Elf32_Ehdr, e_shoff),
                      offsetof(Elf32_Ehdr, e_shentsize),
                      offsetof(Elf32_Ehdr, e_shnum), sizeof(Elf32_Shdr))) {
        return NULL;
    }
    while (*from < headers.count) {
        const uint8_t *header =
            headers.first + (size_t)headers.size * (*from)++;

        if (bytes_load_u32(header + offsetof(Elf32_Shdr, sh_type)) == type) {
            return header;
        }
    }
    return NULL;
}

static const uint8_t *section_bytes(const struct elf_image *image,
                                    const uint8_t *header, uint32_t *bytes)
{
    uint32_t at = bytes_load_u32(header + offsetof(Elf32_Shdr, sh_offset));

    *bytes = bytes_load_u32(header + offsetof(Elf32_Shdr, sh_size));
    return (uint64_t)at + *bytes <= image->bytes ? image->data + at : NULL;
}

static const char *string_at(const uint8_t *begin, const uint8_t *end)
{
    return begin < end && memchr(begin, 0, (size_t)(end - begin)) != NULL
               ? (const char *)begin
               : NULL;
}

/* Returns the symbol called `name` of a symbol table, or NULL. `header` is the
   table's section header, whose link is the section with the names. */
static const uint8_t *find_symbol(const struct elf_image *image,
                                  const uint8_t *header, const char *name)
{
    unsigned link = bytes_load_u32(header + offsetof(Elf32_Shdr, sh_link));
    const uint8_t *names = next_section(image, &link, SHT_STRTAB);
    uint32_t bytes;
    uint32_t names_bytes = 0;
    const uint8_t *symbol = section_bytes(image, header, &bytes);

    names = names != NULL ? section_bytes(image, names, &names_bytes) : NULL;
    for (uint32_t i = 0;
         symbol != NULL && names != NULL && i < bytes / sizeof(Elf32_Sym);
         ++i, symbol += sizeof(Elf32_Sym)) {
        uint32_t at = bytes_load_u32(symbol + offsetof(Elf32_Sym, st_name));
        const char *own = at < names_bytes
                              ? string_at(names + at, names + names_bytes)
                              : NULL;

        if (own != NULL && strcmp(own, name) == 0) {
            return symbol;
        }
    }
    return NULL;
}

static const char *loaded_string(const struct elf_image *image,
                                 uint32_t address)
{
    const struct elf_segment *segment = find_segment(image, address, 1);
    const uint8_t *begin = loaded(image, address, 1);

    return segment != NULL ? string_at(begin, image->data + segment->offset +
                                                  segment->bytes)
                           : NULL;
}

/* Returns the image's kernel_table, which has the address of each compute
   kernel, and their number in *count. Returns NULL if the file has none. */
static const uint8_t *find_table(const struct elf_image *image, unsigned *count)
{
    unsigned from = 0;
    const uint8_t *header = next_section(image, &from, SHT_SYMTAB);
    const uint8_t *symbol =
        header != NULL ? find_symbol(image, header, "kernel_table") : NULL;

    if (symbol == NULL) {
        return NULL;
    }
    *count = bytes_load_u32(symbol + offsetof(Elf32_Sym, st_size)) / 4;
    return *count <= KERNELS_MAX
               ? loaded(image,
                        bytes_load_u32(symbol + offsetof(Elf32_Sym, st_value)),
                        4u * *count)
               : NULL;
}

/* Returns the name of a kernel in kernel_table, or NULL. The entry is the
   kernel's address; a kernel begins with its name's address
   (kernels/kernel.h). */
static const char *kernel_name(const struct elf_image *image,
                               const uint8_t *entry)
{
    const uint8_t *kernel = loaded(image, bytes_load_u32(entry), 4);

    return kernel != NULL ? loaded_string(image, bytes_load_u32(kernel)) : NULL;
}

unsigned elf_kernels(char text[ELF_NAMES_BYTES], const struct elf_image *image)
{
    unsigned count = 0;
    const uint8_t *table = find_table(image, &count);
    size_t at = 0;

    text[0] = '\0';
    for (unsigned i = 0; table != NULL && i < count; ++i) {
        const char *name = kernel_name(image, table + 4u * i);

        if (name == NULL) {
            text[0] = '\0';
            return 0;
        }
        if (at < ELF_NAMES_BYTES) {
            at += (size_t)snprintf(text + at, ELF_NAMES_BYTES - at, " %.32s",
                                   name);
        }
    }
    return table != NULL ? count : 0;
}
