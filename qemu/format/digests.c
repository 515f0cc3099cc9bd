/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/digests.h"

#include "kernels/kernel.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <ctype.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/md5.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGEST_MAX 32u
/* The kernel's argument. */
#define FLAG_OUTPUT 1u
#define FLAG_FRONT 2u
#define FLAG_FILTERS 4u
#define HEAD_BYTES 8u
#define BYTES_AT                                                               \
    4u /* length of the argument with all digests, for this file               \
        */
#define GROUP_HEAD 8u
#define OWN_AT                                                                 \
    5u /* in a group's head: 1: the salt was on the digest's line              \
        */
#define FILTER_BITS 3u
#define FILTER_DIGEST_BYTES 4u /* of the filter, for each digest */

static const struct kind {
    const char *name;
    const char *tag; /* as programs write it */
    unsigned bytes;
} kinds[] = {
    {"SHA-256", "SHA256", 32}, {"SHA-1", "SHA1", 20}, {"MD5", "MD5", 16}};

struct entry {
    uint8_t digest[DIGEST_MAX]; /* state words, as the kernel compares them */
    const char *salt;
    uint32_t salt_bytes;
    bool own; /* the salt was on the digest's line */
};

/* Digests that are being read. */
struct list {
    const struct digests_rules *rules;
    const char *path; /* NULL: --arg */
    uint8_t kind;
    unsigned kind_number; /* line of the first digest */
    unsigned comments;
    unsigned salted;
    struct entry *entry;
    size_t count;
    size_t room;
};

/* A digest in a line. */
struct place {
    const char *digits;
    size_t count;     /* of digits */
    const char *salt; /* NULL: none */
    size_t salt_bytes;
};

/* ---- lines ---- */

/* Turns a digest into the hash's state words, or back. */
static void swap(uint8_t digest[DIGEST_MAX], uint8_t kind)
{
    for (unsigned i = 0; kind != DIGESTS_MD5 && i < DIGEST_MAX; i += 4) {
        uint32_t word = kernel_load_u32(digest + i);

        kernel_store_u32(digest + i, __builtin_bswap32(word));
    }
}

/* Returns the kind of a digest with so many digits, or DIGESTS_OPEN. */
static uint8_t kind_of(size_t digits)
{
    uint8_t kind = 0;

    while (kind < DIGESTS_OPEN && 2 * kinds[kind].bytes != digits) {
        kind += 1;
    }
    return kind;
}

/* Finds a digest at the beginning of a text. Blanks may follow and, in a file,
   a name; or a colon and a salt. */
static bool find_digits(struct place *place, const char *text, const char *end)
{
    const char *at = text;

    while (at < end && isxdigit((unsigned char)*at)) {
        at += 1;
    }
    *place = (struct place){.digits = text, .count = (size_t)(at - text)};
    if (at < end && *at == ':') {
        place->salt = at + 1;
        place->salt_bytes = (size_t)(end - at) - 1;
    }
    return kind_of(place->count) != DIGESTS_OPEN &&
           (at == end || *at == ':' || *at == ' ' || *at == '\t');
}

/* Finds a digest behind a tag, "SHA256 (name) = ". */
static bool find_tagged(struct place *place, const char *text, const char *end)
{
    const char *at = end;

    while (at > text && isxdigit((unsigned char)at[-1])) {
        at -= 1;
    }
    *place = (struct place){.digits = at, .count = (size_t)(end - at)};
    for (unsigned kind = 0; kind < DIGESTS_OPEN; ++kind) {
        /* OpenSSL 3 calls SHA-256 so. */
        const char *tag = kind == DIGESTS_SHA256 && end - text > 5 &&
                                  strncasecmp(text, "SHA2-", 5) == 0
                              ? "SHA2-256"
                              : kinds[kind].tag;
        size_t bytes = strlen(tag);
        const char *name = text + bytes;

        if ((size_t)(end - text) > bytes + 2 * kinds[kind].bytes &&
            strncasecmp(text, tag, bytes) == 0 &&
            *(name + (*name == ' ')) == '(' && kind_of(place->count) == kind) {
            while (at[-1] == ' ') {
                at -= 1;
            }
            return at[-1] == '=';
        }
    }
    return false;
}

/* Finds the digest of a line. */
static bool find_digest(struct place *place, const char *text, const char *end)
{
    const char *colon;

    while (end > text && (end[-1] == ' ' || end[-1] == '\t') &&
           memchr(text, ':', (size_t)(end - text)) == NULL) {
        end -= 1;
    }
    text += text < end && *text == '\\'; /* of sha256sum: a name has escapes */
    if (find_digits(place, text, end) || find_tagged(place, text, end)) {
        return true;
    }
    colon = memchr(text, ':', (size_t)(end - text));
    return colon != NULL && find_digits(place, colon + 1, end);
}

static int refuse(const struct list *list, unsigned number, const char *reason)
{
    if (list->path == NULL) {
        fprintf(stderr, "quincunx: --arg: digest %u: %s\n", number, reason);
        return EXIT_USAGE;
    }
    return file_error(list->path, "line %u: %s", number, reason);
}

/* Decides the kind by the first digest; all must be of one. */
static int check_kind(struct list *list, uint8_t kind, unsigned number)
{
    char text[128];

    if (list->kind == DIGESTS_OPEN) {
        list->kind = kind;
        list->kind_number = number;
    }
    if (list->kind == kind) {
        return 0;
    }
    if (list->kind_number > 0) {
        snprintf(text, sizeof text,
                 "has a digest of %s, that of %s %u is of %s; a job takes one "
                 "kind",
                 kinds[kind].name, list->path != NULL ? "line" : "number",
                 list->kind_number, kinds[list->kind].name);
    } else {
        snprintf(text, sizeof text,
                 "%u hexadecimal digits are a digest of %s; hash= asks for %s",
                 2 * kinds[kind].bytes, kinds[kind].name,
                 kinds[list->kind].name);
    }
    return refuse(list, number, text);
}

static void add(struct list *list, const struct place *place)
{
    const struct kind *kind = &kinds[list->kind];
    struct entry entry = {.salt = list->rules->salt,
                          .salt_bytes = (uint32_t)strlen(list->rules->salt)};
    struct base16_decode_ctx decode;
    size_t bytes = kind->bytes;

    base16_decode_init(&decode);
    base16_decode_update(&decode, &bytes, entry.digest, place->count,
                         place->digits);
    swap(entry.digest, list->kind);
    if (place->salt != NULL) {
        entry.salt = place->salt;
        entry.salt_bytes = (uint32_t)place->salt_bytes;
        entry.own = true;
    }
    list->salted += entry.salt_bytes > 0;
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->entry = memory_or_exit(
            realloc(list->entry, list->room * sizeof *list->entry));
    }
    list->entry[list->count++] = entry;
}

static int refuse_line(const struct list *list, unsigned number,
                       const char *text, const char *end)
{
    char reason[256];
    size_t digits = 0;

    while (text + digits < end && isxdigit((unsigned char)text[digits])) {
        digits += 1;
    }
    snprintf(reason, sizeof reason,
             "begins with %zu hexadecimal digits; a digest has 64 (SHA-256), "
             "40 (SHA-1) or 32 (MD5), alone, or with a blank and a name or a "
             "colon and a salt behind, or a user and a colon before",
             digits);
    return refuse(list, number, reason);
}

/* Takes a line, or a text between commas. */
static int read_line(struct list *list, const char *text, const char *end,
                     unsigned number)
{
    struct place place;
    int status;

    while (list->path != NULL && text < end &&
           (*text == ' ' || *text == '\t')) {
        text += 1;
    }
    if (list->path != NULL && (text == end || *text == '#')) {
        list->comments += text < end;
        return 0;
    }
    if (!find_digest(&place, text, end)) {
        return refuse_line(list, number, text, end);
    }
    status = check_kind(list, kind_of(place.count), number);
    if (status == 0 && place.salt_bytes > DIGESTS_SALT_MAX) {
        return refuse(list, number, "a salt has at most 255 bytes");
    }
    if (status == 0) {
        add(list, &place);
    }
    return status;
}

static int read_list(struct list *list, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    char between = list->path != NULL ? '\n' : ',';
    unsigned number = 0;
    int status = 0;

    while (status == 0 &&
           (text < end || (list->path == NULL && bytes > 0 && text == end))) {
        const char *next = memchr(text, between, (size_t)(end - text));

        next = next != NULL ? next : end;
        number += 1;
        status = read_line(list, text, next, number);
        text = next + 1;
    }
    return status;
}

bool digests_are(const char *text)
{
    struct place place;

    return find_digits(&place, text, text + strcspn(text, ","));
}

/* ---- the argument ---- */

static int salt_order(const struct entry *a, const struct entry *b)
{
    int order = a->salt_bytes != b->salt_bytes
                    ? (a->salt_bytes < b->salt_bytes ? -1 : 1)
                    : memcmp(a->salt, b->salt, a->salt_bytes);

    return order != 0 ? order : a->own - b->own;
}

/* Compares digests as the kernel does, word by word. */
static int digest_order(const uint8_t *a, const uint8_t *b, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i += 4) {
        uint32_t left = kernel_load_u32(a + i);
        uint32_t right = kernel_load_u32(b + i);

        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

static int entry_order(const void *a, const void *b)
{
    int order = salt_order(a, b);

    return order != 0
               ? order
               : digest_order(((const struct entry *)a)->digest,
                              ((const struct entry *)b)->digest, DIGEST_MAX);
}

/* Sorts the digests and removes repeated ones. */
static void sort(struct list *list)
{
    size_t kept = 0;

    qsort(list->entry, list->count, sizeof *list->entry, entry_order);
    for (size_t i = 0; i < list->count; ++i) {
        if (kept == 0 ||
            entry_order(&list->entry[kept - 1], &list->entry[i]) != 0) {
            list->entry[kept++] = list->entry[i];
        }
    }
    list->count = kept;
}

/* Appends a group's head and salt. Returns the byte behind them. */
static uint8_t *put_group(uint8_t *at, const struct entry *entry,
                          uint32_t digests)
{
    kernel_store_u32(at, digests);
    at[4] = (uint8_t)entry->salt_bytes;
    at[OWN_AT] = entry->own;
    memcpy(at + GROUP_HEAD, entry->salt, entry->salt_bytes);
    return at + GROUP_HEAD + ((entry->salt_bytes + 3) & ~3u);
}

/* Returns the kernel's argument with all digests, malloc'd. */
static uint8_t *make_arg(size_t *bytes, const struct list *list, bool output)
{
    unsigned digest_bytes = kinds[list->kind].bytes;
    uint8_t *arg = memory_or_exit(
        calloc(1, HEAD_BYTES + list->count * (GROUP_HEAD + DIGESTS_SALT_MAX +
                                              1 + digest_bytes)));
    uint8_t *at = arg + HEAD_BYTES;
    size_t i = 0;

    arg[0] = list->kind;
    arg[1] = (uint8_t)((output ? FLAG_OUTPUT : 0) |
                       (list->rules->front ? FLAG_FRONT : 0));
    while (i < list->count) {
        size_t first = i;

        while (i < list->count &&
               salt_order(&list->entry[first], &list->entry[i]) == 0) {
            i += 1;
        }
        at = put_group(at, &list->entry[first], (uint32_t)(i - first));
        for (size_t k = first; k < i; ++k, at += digest_bytes) {
            memcpy(at, list->entry[k].digest, digest_bytes);
        }
    }
    *bytes = (size_t)(at - arg);
    kernel_store_u32(arg + BYTES_AT, (uint32_t)*bytes);
    return arg;
}

/* Makes an argument that fits of digests that all have one salt. */
static void make_filter(struct format_load *load, const struct list *list)
{
    const struct entry *entry = list->entry;
    uint32_t head = HEAD_BYTES + GROUP_HEAD + ((entry->salt_bytes + 3) & ~3u);
    uint32_t bytes = (uint32_t)list->count * FILTER_DIGEST_BYTES;
    uint8_t *bits;

    bytes = bytes < KERNEL_ARG_MAX - head ? bytes : KERNEL_ARG_MAX - head;
    load->arg_bytes = head + bytes;
    load->arg = memory_or_exit(calloc(1, load->arg_bytes));
    load->arg[0] = list->kind;
    load->arg[1] = (uint8_t)(FLAG_OUTPUT | FLAG_FILTERS |
                             (list->rules->front ? FLAG_FRONT : 0));
    bits = put_group(load->arg + HEAD_BYTES, entry, 8 * bytes);
    for (size_t i = 0; i < list->count; ++i) {
        for (unsigned k = 0; k < FILTER_BITS; ++k) {
            uint64_t word = kernel_load_u32(list->entry[i].digest + 4 * k);
            uint32_t bit = (uint32_t)(word * (8 * bytes) >> 32);

            bits[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
    }
}

static int store(struct format_load *load, struct list *list)
{
    const char *name = list->path != NULL ? list->path : "--arg";
    size_t bytes;

    if (list->count == 0) {
        return list->path != NULL ? file_error(name, "has no digest") : 0;
    }
    sort(list);
    if (list->count > DIGESTS_MAX) {
        return file_error(name, "%zu different digests; a job takes at most %u",
                          list->count, DIGESTS_MAX);
    }
    load->context = make_arg(&bytes, list, load->wants_output);
    if (bytes <= KERNEL_ARG_MAX) {
        format_copy_arg(load, load->context, bytes);
        return 0;
    }
    if (salt_order(list->entry, &list->entry[list->count - 1]) != 0) {
        return file_error(name,
                          "%zu digests and their salts take %zu bytes; a job "
                          "carries at most %u",
                          list->count, bytes, KERNEL_ARG_MAX);
    }
    make_filter(load, list);
    load->candidates = true;
    return 0;
}

static void note_list(struct format_load *load, const struct list *list)
{
    const struct digests_rules *rules = list->rules;
    const char *name = list->path != NULL ? file_name(list->path) : "--arg";

    if (list->comments > 0) {
        format_note(load, "%s: %u line%s that begin%s with # %s left out.",
                    name, list->comments, list->comments == 1 ? "" : "s",
                    list->comments == 1 ? "s" : "",
                    list->comments == 1 ? "was" : "were");
    }
    if (rules->kind == DIGESTS_OPEN && list->kind != DIGESTS_SHA256) {
        format_note(load, "%s: digests of %u digits are taken for %s.", name,
                    2 * kinds[list->kind].bytes, kinds[list->kind].name);
    }
    if (list->salted > 0 && !rules->has_place) {
        format_note(load,
                    "%s: salts are put behind the words; salt-at=front "
                    "puts them before.",
                    name);
    }
}

int digests_read(struct format_load *load, const struct digests_rules *rules,
                 const char *path, const char *text)
{
    struct list list = {.rules = rules, .path = path, .kind = rules->kind};
    struct text file = {.data = NULL};
    int status = 0;

    if (path != NULL) {
        status = format_read_text(load, &file, path);
        status = status == 0 ? text_check_narrow(&file, path) : status;
        if (status == 0) {
            text_end_lines(&file, false);
        }
        text = (const char *)file.data;
    }
    if (status == 0) {
        status = read_list(&list, text,
                           path != NULL ? (size_t)file.bytes : strlen(text));
    }
    status = status == 0 ? store(load, &list) : status;
    if (status == 0 && list.count > 0) {
        note_list(load, &list);
    }
    free(list.entry);
    free(file.data);
    return status;
}

/* ---- words ---- */

/* Computes a word's digest with a group's salt, as state words. */
static void hash_word(uint8_t digest[DIGEST_MAX], const uint8_t *arg,
                      const uint8_t *group, const uint8_t *word, uint32_t bytes)
{
    const struct nettle_hash *hash = arg[0] == DIGESTS_SHA256 ? &nettle_sha256
                                     : arg[0] == DIGESTS_SHA1 ? &nettle_sha1
                                                              : &nettle_md5;
    bool front = (arg[1] & FLAG_FRONT) != 0;
    const uint8_t *salt = group + GROUP_HEAD;
    union {
        struct sha256_ctx sha256;
        struct sha1_ctx sha1;
        struct md5_ctx md5;
    } with;

    hash->init(&with);
    hash->update(&with, front ? group[4] : bytes, front ? salt : word);
    hash->update(&with, front ? bytes : group[4], front ? word : salt);
    hash->digest(&with, hash->digest_size, digest);
    swap(digest, arg[0]);
}

static bool is_listed(const uint8_t *digests, uint32_t count,
                      const uint8_t *digest, unsigned bytes)
{
    uint32_t from = 0;

    while (from < count) {
        uint32_t middle = from + (count - from) / 2;
        int order =
            digest_order(digest, digests + (size_t)bytes * middle, bytes);

        if (order == 0) {
            return true;
        }
        from = order > 0 ? middle + 1 : from;
        count = order < 0 ? middle : count;
    }
    return false;
}

static void write_found(FILE *out, uint8_t digest[DIGEST_MAX],
                        const uint8_t *arg, const uint8_t *group,
                        const uint8_t *word, uint32_t bytes)
{
    char digits[2 * DIGEST_MAX];
    char *shown = quote_bytes(word, bytes);

    swap(digest, arg[0]);
    base16_encode_update(digits, kinds[arg[0]].bytes, digest);
    fprintf(out, "%.*s:", (int)(2 * kinds[arg[0]].bytes), digits);
    if (group[OWN_AT] != 0) {
        fwrite(group + GROUP_HEAD, 1, group[4], out);
        fputc(':', out);
    }
    fprintf(out, "%s\n", shown);
    free(shown);
}

uint32_t digests_find(const struct format_load *load, const uint8_t *word,
                      uint32_t bytes, FILE *out)
{
    const uint8_t *arg = load->context;
    const uint8_t *end = arg + kernel_load_u32(arg + BYTES_AT);
    const uint8_t *group = arg + HEAD_BYTES;
    unsigned digest_bytes = kinds[arg[0]].bytes;
    uint32_t found = 0;

    while (group < end) {
        uint32_t count = kernel_load_u32(group);
        const uint8_t *digests = group + GROUP_HEAD + ((group[4] + 3u) & ~3u);
        uint8_t digest[DIGEST_MAX] = {0};

        hash_word(digest, arg, group, word, bytes);
        if (is_listed(digests, count, digest, digest_bytes)) {
            found += 1;
            if (out != NULL) {
                write_found(out, digest, arg, group, word, bytes);
            }
        }
        group = digests + (size_t)count * digest_bytes;
    }
    return found;
}
