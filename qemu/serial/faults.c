/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/faults.h"

#include <string.h>

static const char codes[] = DISCOVER_CODES;

/* 0: no such name. */
static uint8_t code_of(const char *name)
{
    const char *at = codes;

    for (uint8_t code = 0; at < codes + sizeof codes; ++code) {
        if (strcmp(at, name) == 0) {
            return code;
        }
        at += strlen(at) + 1;
    }
    return 0;
}

/* TORUS_PORTS: of no port. */
static uint8_t port_of(const struct console_reply *row, const char *key)
{
    char name[CONSOLE_WORD_BYTES];
    uint8_t port = 0;

    if (console_value(row, name, key) == NULL) {
        return TORUS_PORTS;
    }
    while (port < TORUS_PORTS && strcmp(torus_port_names[port], name) != 0) {
        port += 1;
    }
    return port;
}

static uint8_t number(const struct console_reply *row, const char *key)
{
    uint64_t value = 0;

    (void)console_number(row, &value, key);
    return value <= UINT8_MAX ? (uint8_t)value : 0;
}

static bool read_reply(struct discover_fault *fault,
                       const struct console_reply *row)
{
    char name[CONSOLE_WORD_BYTES];

    *fault = (struct discover_fault){.x = number(row, "x"),
                                     .y = number(row, "y"),
                                     .port = port_of(row, "port"),
                                     .other_x = number(row, "to_x"),
                                     .other_y = number(row, "to_y"),
                                     .other_port = port_of(row, "to_port"),
                                     .count = number(row, "count")};
    if (console_value(row, name, "fault") == NULL) {
        return false;
    }
    fault->code = code_of(name);
    return fault->code != 0;
}

bool console_faults_read(struct discover_fault *fault, char *row)
{
    const struct console_reply reply = {.lines = 1, .line = &row};

    return read_reply(fault, &reply);
}

void console_faults_print(FILE *out, const struct console_reply *reply,
                          struct torus_size size)
{
    for (uint32_t i = 1; i < reply->lines; ++i) {
        struct discover_fault fault;
        char text[FAULT_TEXT_BYTES];

        if (console_faults_read(&fault, reply->line[i])) {
            (void)fault_text(text, size, &fault);
            fprintf(out, "  %s\n", text);
        } else {
            fprintf(out, "  %s\n", reply->line[i]);
        }
    }
}
