/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/serial/mailbox.h"

#include "hal/check.h"

#include <stdbool.h>
#include <string.h>

#define CHECK_FILE CHECK_SERIAL_MAILBOX

void mailbox_init(struct mailbox *mailbox)
{
    memset(mailbox, 0, sizeof *mailbox);
}

void mailbox_open(struct mailbox *mailbox, uint8_t *buffer,
                  uint32_t capacity_bytes)
{
    mailbox_close(mailbox);
    mailbox->buffer = buffer;
    mailbox->capacity_bytes = capacity_bytes;
    mailbox->in = MAILBOX_OPEN;
}

/* A whole message keeps its length: the host may repeat bytes. */
void mailbox_close(struct mailbox *mailbox)
{
    if (mailbox->in == MAILBOX_FILLING) {
        mailbox->announced_bytes = 0;
        mailbox->filled_bytes = 0;
    }
    mailbox->in = MAILBOX_CLOSED;
}

void mailbox_offer(struct mailbox *mailbox,
                   const struct circuit_segment *segments, uint8_t kind,
                   uint16_t job)
{
    mailbox->out_bytes = 0;
    for (unsigned i = 0; i < MAILBOX_SEGMENTS; ++i) {
        mailbox->segment[i] = segments[i];
        mailbox->out_bytes += segments[i].bytes;
    }
    mailbox->out_kind = kind;
    mailbox->out_job = job;
    mailbox->out = MAILBOX_OFFERED;
}

int mailbox_announce(struct mailbox *mailbox, uint32_t bytes, uint8_t kind,
                     uint16_t job)
{
    if (mailbox->in != MAILBOX_OPEN && mailbox->in != MAILBOX_FILLING) {
        return ERR_PORT_BUSY;
    }
    if (bytes == 0) {
        return ERR_EMPTY;
    }
    if (bytes > mailbox->capacity_bytes) {
        return ERR_BUFFER;
    }
    mailbox->announced_bytes = bytes;
    mailbox->filled_bytes = 0;
    mailbox->in_kind = kind;
    mailbox->in_job = job;
    mailbox->in = MAILBOX_FILLING;
    return ERR_OK;
}

int mailbox_put(struct mailbox *mailbox, uint32_t offset, const uint8_t *data,
                uint32_t bytes)
{
    uint32_t filled = mailbox->filled_bytes;
    bool fits = offset <= mailbox->announced_bytes &&
                bytes <= mailbox->announced_bytes - offset;

    if (mailbox->in != MAILBOX_FILLING && mailbox->in != MAILBOX_FULL) {
        return fits ? ERR_OK : ERR_PORT_BUSY;
    }
    if (!fits) {
        return ERR_BUFFER;
    }
    if (offset > filled) {
        return ERR_RANGE;
    }
    ASSERT(filled <= mailbox->announced_bytes &&
           mailbox->announced_bytes <= mailbox->capacity_bytes);
    if (offset + bytes > filled) {
        memcpy(mailbox->buffer + filled, data + (filled - offset),
               offset + bytes - filled);
        mailbox->filled_bytes = offset + bytes;
    }
    if (mailbox->filled_bytes == mailbox->announced_bytes) {
        mailbox->in = MAILBOX_FULL;
    }
    return ERR_OK;
}

int mailbox_get(const struct mailbox *mailbox, uint8_t *out, uint32_t offset,
                uint32_t bytes)
{
    uint32_t done = 0;

    if (mailbox->out != MAILBOX_OFFERED) {
        return ERR_PORT_BUSY;
    }
    if (offset > mailbox->out_bytes) {
        return ERR_BUFFER;
    }
    for (unsigned i = 0; i < MAILBOX_SEGMENTS && done < bytes; ++i) {
        const struct circuit_segment *segment = &mailbox->segment[i];
        uint32_t here = 0;

        if (offset < segment->bytes) {
            here = segment->bytes - offset;
            here = here < bytes - done ? here : bytes - done;
            memcpy(out + done, segment->data + offset, here);
            done += here;
            offset += here;
        }
        offset -= offset < segment->bytes ? offset : segment->bytes;
    }
    ASSERT(done <= bytes);
    return (int)done;
}

void mailbox_done(struct mailbox *mailbox)
{
    mailbox->out = MAILBOX_EMPTY;
}
