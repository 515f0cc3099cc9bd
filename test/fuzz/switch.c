/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two switches, joined by all four ports, as scripts drive them: an input is a
 * list of steps of a first byte, its low three bits what is done, and what
 * that takes. Beside bytes as they are there are frames with a right check, so
 * that what is in them is looked at, too.
 */
#include "test/fuzz/targets.h"

#include "hal/crc32.h"
#include "hal/switch/internal.h"
#include "hal/switch/switch.h"
#include "test/unit/ignore.h"

#include <stdlib.h>
#include <string.h>

#define SWITCHES 2u
#define CAPACITY 300u
#define MESSAGES 4u
#define HOLD_MS_MAX 65535u

/* Steps; bits 3 and 4 are a port, bit 5 which of the two. */
enum step {
    STEP_BYTES,  /* length, so many bytes come in as they are */
    STEP_FRAME,  /* length, content: a frame comes in */
    STEP_ANSWER, /* the same, with the check of the port's circuit */
    STEP_DATA,   /* the same, with that of its data */
    STEP_PASS,   /* count: so many bytes of the other's come over */
    STEP_TIME,   /* so many times 256 us pass */
    STEP_SEND,   /* length, bits of a path */
    STEP_CALL    /* which: post, cancel, reset, tell, line error */
};

struct script {
    const uint8_t *in;
    uint32_t bytes;
    uint32_t now_us;
    uint8_t buffer[SWITCHES][CAPACITY];
    uint8_t data[256];
    struct switch_receive receive[SWITCHES];
    struct switch_message message[SWITCHES][MESSAGES];
    uint8_t reply[SWITCHES][MESSAGES][SWITCH_STATUS_BYTES];
    struct switch_core core[SWITCHES];
};

/* The script's next byte; 0 behind its end. */
static uint8_t next(struct script *script)
{
    if (script->bytes == 0) {
        return 0;
    }
    script->bytes -= 1;
    return *script->in++;
}

static void kick(void *context, unsigned port)
{
    (void)context;
    fuzz_check(port < TORUS_PORTS, "a port that does not exist is kicked");
}

static void heard(void *context, unsigned port, const uint8_t *data,
                  unsigned bytes)
{
    uint8_t copy[SWITCH_TELL_BYTES + FRAME_BYTES_MAX];

    (void)context;
    fuzz_check(port < TORUS_PORTS && bytes > 0 && bytes < FRAME_BYTES_MAX,
               "a neighbour tells too much");
    memcpy(copy, data, bytes);
}

static unsigned status(void *context, const uint8_t *question, uint32_t asked,
                       uint8_t *out)
{
    unsigned bytes = question[0] % (SWITCH_STATUS_BYTES + 1u);

    (void)context;
    for (uint32_t i = asked; i < SWITCH_QUESTION_BYTES; ++i) {
        fuzz_check(question[i] == 0, "a question that nobody asked");
    }
    memset(out, question[0], bytes);
    return bytes;
}

static void come(struct switch_core *core, unsigned port, const uint8_t *bytes,
                 uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        i += switch_bytes(core, port, bytes + i, count - i);
    }
}

static void come_frame(struct script *script, struct switch_core *core,
                       unsigned port, unsigned step)
{
    uint8_t ring[512];
    uint8_t content[FRAME_BYTES_MAX];
    struct frame_writer writer;
    uint32_t bytes = next(script) % (FRAME_BYTES_MAX - FRAME_CHECK_BYTES);
    uint32_t skip = step == STEP_DATA ? 3 : 0;
    uint32_t crc = step == STEP_ANSWER ? core->port[port].tag : SWITCH_VERSION;

    for (uint32_t i = 0; i < bytes; ++i) {
        content[i] = next(script);
    }
    if (bytes <= skip) {
        return;
    }
    if (step == STEP_DATA) {
        /* offset, type */
        uint8_t before[5] = {content[1], content[2], 0, 0, content[0]};

        crc = crc32_update(core->port[port].message_tag, before, 5);
    }
    frame_begin(&writer, ring, sizeof ring - 1, 0, crc);
    frame_put_unchecked(&writer, content, skip);
    frame_put(&writer, content + skip, bytes - skip);
    come(core, port, ring, frame_end(&writer));
}

static void pass(struct script *script, unsigned from, unsigned port,
                 uint32_t count)
{
    const uint8_t *data;

    while (count-- > 0 &&
           switch_pending(&script->core[from], port, &data) > 0) {
        uint8_t byte = *data;

        switch_taken(&script->core[from], port, 1);
        come(&script->core[1 - from], (port + 2u) % TORUS_PORTS, &byte, 1);
    }
}

static void send(struct script *script, unsigned at, unsigned port)
{
    static const uint8_t kinds[] = {1, 2, SWITCH_PING, SWITCH_PEEK};
    uint8_t length = next(script);
    uint8_t path = next(script);

    for (unsigned i = 0; i < MESSAGES; ++i) {
        struct switch_message *message = &script->message[at][i];

        if (message->state == SWITCH_IDLE || message->state == SWITCH_DONE) {
            *message = (struct switch_message){
                .path = {(uint8_t)port, path & 3u, path >> 2 & 3u,
                         path >> 4 & 3u},
                .kind = kinds[path / 64u],
                .reply = script->reply[at][i],
                .segment = {
                    {script->data, length / 2u},
                    {script->data + length / 2u, length - length / 2u}}};
            switch_send(&script->core[at], message);
            return;
        }
    }
}

static void call(struct script *script, unsigned at, unsigned port)
{
    struct switch_core *core = &script->core[at];
    uint8_t which = next(script);
    uint8_t state = script->receive[at].state;

    if (which % 5u == 0 && (state == SWITCH_IDLE || state == SWITCH_DONE)) {
        script->receive[at].buffer = script->buffer[at];
        script->receive[at].capacity_bytes = CAPACITY - which;
        script->receive[at].ports = (uint8_t)(which | 1u << port);
        script->receive[at].kind = which >> 6;
        switch_post(core, &script->receive[at]);
    } else if (which % 5u == 1) {
        switch_cancel(core);
    } else if (which % 5u == 2) {
        switch_reset(core);
        fuzz_check(switch_idle(core), "a reset switch holds ports");
    } else if (which % 5u == 3) {
        ignore(switch_tell(core, port, script->data, which));
    } else if (which % 5u == 4) {
        switch_line_error(core, port);
    }
}

static void step(struct script *script)
{
    uint8_t first = next(script);
    unsigned port = first >> 3 & 3u;
    unsigned at = first >> 5 & 1u;
    struct switch_core *core = &script->core[at];

    switch ((enum step)(first & 7u)) {
    case STEP_BYTES:
        for (unsigned left = next(script) % 64u; left > 0; --left) {
            come(core, port, (const uint8_t[]){next(script)}, 1);
        }
        break;
    case STEP_FRAME:
    case STEP_ANSWER:
    case STEP_DATA:
        come_frame(script, core, port, first & 7u);
        break;
    case STEP_PASS:
        pass(script, at, port, 2u * next(script));
        break;
    case STEP_TIME:
        script->now_us += 256u * next(script);
        switch_tick(&script->core[0], script->now_us);
        switch_tick(&script->core[1], script->now_us);
        break;
    case STEP_SEND:
        send(script, at, port);
        break;
    case STEP_CALL:
        call(script, at, port);
        break;
    }
}

static void check(const struct switch_core *core)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct switch_port *one = &core->port[port];

        fuzz_check(one->written - one->taken <= SWITCH_RING_BYTES,
                   "a ring overflows");
        fuzz_check(one->mode != SWITCH_MODE_PASS ||
                       one->role == SWITCH_ROLE_RELAY,
                   "something is relayed without a circuit");
        fuzz_check(one->role != SWITCH_ROLE_RELAY ||
                       (core->port[one->peer].role == SWITCH_ROLE_RELAY &&
                        core->port[one->peer].peer == port &&
                        core->port[one->peer].onward != one->onward),
                   "a relay has one end");
    }
}

/* Silence: whatever came, every port is free in time. */
static void wait_and_look(struct script *script)
{
    for (unsigned at = 0; at < SWITCHES; ++at) {
        for (uint32_t ms = 0; ms <= HOLD_MS_MAX; ms += 4000) {
            script->now_us += 4000000u;
            switch_tick(&script->core[at], script->now_us);
        }
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            fuzz_check(script->core[at].port[port].role == SWITCH_ROLE_FREE ||
                           script->core[at].port[port].source.first != NULL,
                       "a circuit stays for ever");
        }
        switch_reset(&script->core[at]);
        fuzz_check(switch_idle(&script->core[at]), "not idle");
        for (unsigned i = 0; i < MESSAGES; ++i) {
            uint8_t state = script->message[at][i].state;

            fuzz_check(state == SWITCH_IDLE || state == SWITCH_DONE,
                       "a message without an end");
        }
    }
}

void switch_fuzz_try(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes)
{
    struct script *script = calloc(1, sizeof *script);

    (void)target;
    script->in = in;
    script->bytes = bytes;
    for (unsigned i = 0; i < sizeof script->data; ++i) {
        script->data[i] = (uint8_t)(i % 7u * i);
    }
    for (unsigned at = 0; at < SWITCHES; ++at) {
        struct switch_config config = {.node = (uint16_t)at,
                                       .seed = at,
                                       .byte_ns = 10000,
                                       .kick = kick,
                                       .neighbour = heard,
                                       .status = status,
                                       .context = script};

        switch_init(&script->core[at], &config);
        switch_tick(&script->core[at], 0);
    }
    while (script->bytes > 0) {
        step(script);
        check(&script->core[0]);
        check(&script->core[1]);
    }
    wait_and_look(script);
    free(script);
}

void switch_fuzz_seed(const struct fuzz_target *target)
{
    /* A message of 200 bytes from east to west; a set-up with a turn; bytes. */
    static const uint8_t message[] = {
        0x27, 5,    0x06, 200,  0x04, 0x04, 90, 0x34, 40, 0x04, 255, 0x34,
        80,   0x04, 90,   0x34, 40,   0x05, 9,  0x04, 90, 0x34, 40};
    static const uint8_t setup[] = {0x01, 20, 0x01, 1, 9,    0, 7,    0,  0, 0,
                                    1,    3,  5,    0, 0,    0, 1,    64, 2, 0,
                                    50,   0,  0x0b, 8, 0x02, 0, 0,    1,  2, 3,
                                    4,    5,  0x02, 2, 6,    1, 0x05, 200};
    static const uint8_t arrival[] = {
        0x07, 0, 0x01, 20, 0x01, 1,  9, 0,    7, 0,    0, 0, 1, 3, 5, 0,    0,
        0,    1, 0,    0,  0,    50, 0, 0x03, 8, 0x02, 0, 0, 1, 2, 3, 4,    5,
        0x03, 8, 0x02, 0,  0,    1,  2, 3,    4, 5,    0, 3, 1, 2, 0, 0x07, 2};

    (void)target;
    fuzz_add(message, sizeof message);
    fuzz_add(setup, sizeof setup);
    fuzz_add(arrival, sizeof arrival);
}
