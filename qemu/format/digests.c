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
#define GROUP_HEAD 8u
#define FILTER_BITS 3u
#define FILTER_DIGEST_BYTES 4u /* of the filter, for each digest */

static const struct kind {
    const char *name;
    const char *tag[2]; /* names in lines with a tag; the second is OpenSSL 3's,
                           or as the first */
    const struct nettle_hash *hash;
} kinds[] = {{"SHA-256", {"SHA256", "SHA2-256"}, &nettle_sha256},
             {"SHA-1", {"SHA1", "SHA1"}, &nettle_sha1},
             {"MD5", {"MD5", "MD5"}, &nettle_md5}};

struct entry {
    uint8_t digest[DIGEST_MAX]; /* state words, as the kernel compares them */
    const uint8_t *salt;
    uint32_t salt_bytes;
    uint32_t group; /* in the first of those with one salt: their number */
    bool own;       /* the salt was on the digest's line */
};

/* The digests of a load, which end with the bytes of their salts. */
struct digests {
    uint8_t kind;
    bool front;
    uint32_t count;
    struct entry entry[];
};

/* Digests that are being read. */
struct list {
    const struct digests_rules *rules;
    const char *path; /* NULL: --arg */
    uint8_t kind;
    unsigned kind_number; /* line of the first digest */
    unsigned comments;
    unsigned salted;
    unsigned own;     /* number of salts on digests' lines .. */
    unsigned numbers; /* .. and of those that are decimal numbers */
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

    while (kind < DIGESTS_OPEN && 2 * kinds[kind].hash->digest_size != digits) {
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

static bool has_tag(const char *text, const char *end, uint8_t kind)
{
    for (unsigned i = 0; i < 2; ++i) {
        const char *tag = kinds[kind].tag[i];
        size_t bytes = strlen(tag);

        if ((size_t)(end - text) > bytes + 1 &&
            strncasecmp(text, tag, bytes) == 0 &&
            text[bytes + (text[bytes] == ' ')] == '(') {
            return true;
        }
    }
    return false;
}

/* Finds a digest behind a tag, "SHA256 (name) = ". */
static bool find_tagged(struct place *place, const char *text, const char *end)
{
    const char *at = memrchr(text, '=', (size_t)(end - text));

    if (at == NULL) {
        return false;
    }
    do {
        at += 1;
    } while (at < end && *at == ' ');
    return find_digits(place, at, end) && place->digits + place->count == end &&
           has_tag(text, end, kind_of(place->count));
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
                 2 * (unsigned)kinds[kind].hash->digest_size, kinds[kind].name,
                 kinds[list->kind].name);
    }
    return refuse(list, number, text);
}

/* Turns a salt in $HEX[..] into its bytes, in place. Returns their number. */
static size_t decode_salt(uint8_t *salt, size_t bytes)
{
    struct base16_decode_ctx decode;
    size_t decoded = bytes;

    base16_decode_init(&decode);
    if (bytes < 6 || memcmp(salt, "$HEX[", 5) != 0 || salt[bytes - 1] != ']' ||
        base16_decode_update(&decode, &decoded, salt, bytes - 6,
                             (const char *)salt + 5) == 0 ||
        base16_decode_final(&decode) == 0) {
        return bytes;
    }
    return decoded;
}

static bool is_number(const char *text, size_t bytes)
{
    size_t digits = 0;

    while (digits < bytes && isdigit((unsigned char)text[digits])) {
        digits += 1;
    }
    return bytes > 0 && digits == bytes;
}

/* Adds a digest, with its own salt or that of all. */
static void add(struct list *list, const struct place *place)
{
    struct entry entry = {.salt = (const uint8_t *)list->rules->salt,
                          .salt_bytes = (uint32_t)strlen(list->rules->salt)};
    struct base16_decode_ctx decode;
    size_t bytes = DIGEST_MAX;

    base16_decode_init(&decode);
    base16_decode_update(&decode, &bytes, entry.digest, place->count,
                         place->digits);
    swap(entry.digest, list->kind);
    if (place->salt != NULL && list->rules->place != DIGESTS_NO_SALT) {
        list->own += 1;
        list->numbers += is_number(place->salt, place->salt_bytes);
        entry.salt = (const uint8_t *)place->salt;
        entry.salt_bytes =
            (uint32_t)decode_salt((uint8_t *)place->salt, place->salt_bytes);
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
static int digest_order(const void *a, const void *b)
{
    const uint8_t *left = ((const struct entry *)a)->digest;
    const uint8_t *right = ((const struct entry *)b)->digest;

    for (unsigned i = 0; i < DIGEST_MAX; i += 4) {
        uint32_t one = kernel_load_u32(left + i);
        uint32_t other = kernel_load_u32(right + i);

        if (one != other) {
            return one < other ? -1 : 1;
        }
    }
    return 0;
}

static int entry_order(const void *a, const void *b)
{
    int order = salt_order(a, b);

    return order != 0 ? order : digest_order(a, b);
}

/* Sorts the digests, removes repeated ones, and counts those of each salt. */
static void sort(struct list *list)
{
    struct entry *entry = list->entry;
    size_t first = 0;
    size_t kept = 0;

    qsort(entry, list->count, sizeof *entry, entry_order);
    for (size_t i = 0; i < list->count; ++i) {
        if (kept > 0 && entry_order(&entry[kept - 1], &entry[i]) == 0) {
            continue;
        }
        entry[kept] = entry[i];
        first = kept > 0 && salt_order(&entry[first], &entry[kept]) == 0 ? first
                                                                         : kept;
        entry[first].group += 1;
        kept += 1;
    }
    list->count = kept;
}

/* Returns a copy of the digests with their salts, in one piece. */
static struct digests *keep(const struct list *list)
{
    size_t bytes = sizeof(struct digests) + list->count * sizeof(struct entry);
    size_t salts = 0;
    struct digests *digests;
    uint8_t *salt;

    for (size_t i = 0; i < list->count; ++i) {
        salts += list->entry[i].salt_bytes;
    }
    digests = memory_or_exit(malloc(bytes + salts));
    *digests = (struct digests){.kind = list->kind,
                                .front = list->rules->place == DIGESTS_FRONT,
                                .count = (uint32_t)list->count};
    memcpy(digests->entry, list->entry, list->count * sizeof(struct entry));
    salt = (uint8_t *)digests + bytes;
    for (size_t i = 0; i < list->count; ++i) {
        struct entry *entry = &digests->entry[i];

        entry->salt = memcpy(salt, entry->salt, entry->salt_bytes);
        salt += entry->salt_bytes;
    }
    return digests;
}

static uint32_t group_head(const struct entry *entry)
{
    return GROUP_HEAD + ((entry->salt_bytes + 3) & ~3u);
}

/* Sets the bits that stand for a digest in a filter of so many. */
static void set_bits(uint8_t *filter, uint32_t bits, const uint8_t *digest)
{
    for (unsigned i = 0; i < FILTER_BITS; ++i) {
        uint64_t word = kernel_load_u32(digest + 4 * i);
        uint32_t bit = (uint32_t)(word * bits >> 32);

        filter[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

/* Makes the kernel's argument. If `filter` is not 0, it has so many bytes of a
   filter in place of the digests, which have one salt. */
static void make_arg(struct format_load *load, const struct digests *digests,
                     uint32_t filter)
{
    uint32_t digest_bytes = (uint32_t)kinds[digests->kind].hash->digest_size;
    uint8_t *at = load->arg + HEAD_BYTES;

    load->arg[0] = digests->kind;
    load->arg[1] =
        (uint8_t)((load->wants_output || filter > 0 ? FLAG_OUTPUT : 0) |
                  (digests->front ? FLAG_FRONT : 0) |
                  (filter > 0 ? FLAG_FILTERS : 0));
    for (uint32_t i = 0; i < digests->count; ++i) {
        const struct entry *entry = &digests->entry[i];

        if (entry->group > 0) {
            kernel_store_u32(at, filter > 0 ? 8 * filter : entry->group);
            at[4] = (uint8_t)entry->salt_bytes;
            memcpy(at + GROUP_HEAD, entry->salt, entry->salt_bytes);
            at += group_head(entry);
        }
        if (filter > 0) {
            set_bits(at, 8 * filter, entry->digest);
        } else {
            memcpy(at, entry->digest, digest_bytes);
            at += digest_bytes;
        }
    }
}

static int store(struct format_load *load, struct list *list)
{
    const char *name = list->path != NULL ? list->path : "--arg";
    size_t head = HEAD_BYTES;
    size_t bytes;
    uint32_t filter = 0;

    if (list->count == 0) {
        return list->path != NULL ? file_error(name, "has no digest") : 0;
    }
    sort(list);
    if (list->count > DIGESTS_MAX) {
        return file_error(name, "%zu different digests; a job takes at most %u",
                          list->count, DIGESTS_MAX);
    }
    for (size_t i = 0; i < list->count; ++i) {
        head += list->entry[i].group > 0 ? group_head(&list->entry[i]) : 0;
    }
    bytes = head + list->count * kinds[list->kind].hash->digest_size;
    if (bytes > KERNEL_ARG_MAX && list->entry[0].group < list->count) {
        return file_error(name,
                          "%zu digests and their salts take %zu bytes; a job "
                          "carries at most %u",
                          list->count, bytes, KERNEL_ARG_MAX);
    }
    if (bytes > KERNEL_ARG_MAX) {
        bytes = head + list->count * FILTER_DIGEST_BYTES;
        bytes = bytes < KERNEL_ARG_MAX ? bytes : KERNEL_ARG_MAX;
        filter = (uint32_t)(bytes - head);
        load->candidates = true;
    }
    load->context = keep(list);
    load->arg = memory_or_exit(calloc(1, bytes));
    load->arg_bytes = (uint32_t)bytes;
    make_arg(load, load->context, filter);
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
                    2 * (unsigned)kinds[list->kind].hash->digest_size,
                    kinds[list->kind].name);
    }
    if (list->salted > 0 && rules->place == DIGESTS_PLACE_OPEN) {
        format_note(load,
                    "%s: salts are put behind the words; salt-at=front "
                    "puts them before.",
                    name);
    }
    if (list->numbers > 0 && list->numbers == list->own &&
        rules->place == DIGESTS_PLACE_OPEN) {
        format_note(load,
                    "%s: each salt is a number; if these are counts, as in "
                    "lists of Pwned Passwords, salt-at=none leaves them out.",
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

/* Computes a word's digest with a salt, as state words. */
static void hash_word(uint8_t digest[DIGEST_MAX], const struct digests *digests,
                      const struct entry *salted, const uint8_t *word,
                      uint32_t bytes)
{
    const struct nettle_hash *hash = kinds[digests->kind].hash;
    union {
        struct sha256_ctx sha256;
        struct sha1_ctx sha1;
        struct md5_ctx md5;
    } with;

    hash->init(&with);
    if (digests->front) {
        hash->update(&with, salted->salt_bytes, salted->salt);
    }
    hash->update(&with, bytes, word);
    if (!digests->front) {
        hash->update(&with, salted->salt_bytes, salted->salt);
    }
    hash->digest(&with, hash->digest_size, digest);
    swap(digest, digests->kind);
}

static void write_found(FILE *out, const struct entry *found, uint8_t kind,
                        const uint8_t *word, uint32_t bytes)
{
    size_t digest_bytes = kinds[kind].hash->digest_size;
    char *shown = quote_bytes(word, bytes);
    char *salt = quote_bytes(found->salt, found->salt_bytes);
    uint8_t digest[DIGEST_MAX];
    char digits[2 * DIGEST_MAX];

    memcpy(digest, found->digest, sizeof digest);
    swap(digest, kind);
    base16_encode_update(digits, digest_bytes, digest);
    fprintf(out, "%.*s:%s%s%s\n", (int)(2 * digest_bytes), digits,
            found->own ? salt : "", found->own ? ":" : "", shown);
    free(salt);
    free(shown);
}

uint32_t digests_find(const struct format_load *load, const uint8_t *word,
                      uint32_t bytes, FILE *out)
{
    const struct digests *digests = load->context;
    uint32_t count = 0;

    for (uint32_t i = 0; i < digests->count; i += digests->entry[i].group) {
        const struct entry *group = &digests->entry[i];
        struct entry wanted = {.salt = NULL};
        const struct entry *found;

        hash_word(wanted.digest, digests, group, word, bytes);
        found =
            bsearch(&wanted, group, group->group, sizeof *group, digest_order);
        if (found != NULL) {
            count += 1;
            if (out != NULL) {
                write_found(out, found, digests->kind, word, bytes);
            }
        }
    }
    return count;
}
