/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/model_port.h"

#include "hal/bytes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_AT 8u
#define TYPED_AT 10u
#define HEARD_AT 8u

/* Sends one packet to the simulated board and receives one. Returns the number
   of bytes that the board has sent. Returns -1 with errno if the simulation is
   gone (0: it closed the socket). */
static int exchange(const struct model_port *port, uint64_t *now_ns,
                    uint64_t until_ns, uint8_t *heard, unsigned most,
                    const uint8_t *typed, unsigned bytes)
{
    uint8_t packet[HEARD_AT + MODEL_PORT_HEARD];
    ssize_t count;

    bytes_store_u64(packet, until_ns);
    bytes_store_u16(packet + MOST_AT, (uint16_t)most);
    if (bytes > 0) {
        memcpy(packet + TYPED_AT, typed, bytes);
    }
    if (send(port->descriptor, packet, TYPED_AT + bytes, MSG_NOSIGNAL) < 0) {
        return -1;
    }
    do {
        count = recv(port->descriptor, packet, sizeof packet, 0);
    } while (count < 0 && errno == EINTR);
    if (count < (ssize_t)HEARD_AT) {
        errno = count < 0 ? errno : 0;
        return -1;
    }
    *now_ns = bytes_load_u64(packet);
    count -= (ssize_t)HEARD_AT;
    if (count > 0) {
        memcpy(heard, packet + HEARD_AT, (size_t)count);
    }
    return (int)count;
}

/* Returns the simulation's time. If the simulation is gone, returns
   HOST_CLOCK_NEVER, so that every deadline has passed. */
static uint64_t now(void *context)
{
    uint64_t now_ns = HOST_CLOCK_NEVER;

    (void)exchange(context, &now_ns, 0, NULL, 0, NULL, 0);
    return now_ns;
}

/* Lets the simulation run until `until_ns`, then polls the descriptors. */
static int wait_until(void *context, struct pollfd *of, unsigned count,
                      uint64_t until_ns)
{
    static const struct timespec at_once = {0};
    uint64_t now_ns;

    (void)exchange(context, &now_ns, until_ns, NULL, 0, NULL, 0);
    return count == 0 ? 0 : ppoll(of, count, &at_once, NULL);
}

int model_port_open(struct model_port *port, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    port->clock = (struct host_clock){now, wait_until, port};
    port->descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (port->descriptor < 0) {
        return errno;
    }
    if (strlen(path) >= sizeof name.sun_path) {
        return ENAMETOOLONG;
    }
    memcpy(name.sun_path, path, strlen(path) + 1);
    return connect(port->descriptor, (const struct sockaddr *)&name,
                   sizeof name) == 0
               ? 0
               : errno;
}

int model_port_read(struct model_port *port, uint8_t *data, unsigned bytes,
                    uint64_t until_ns)
{
    uint64_t now_ns;

    return exchange(port, &now_ns, until_ns, data,
                    bytes < MODEL_PORT_HEARD ? bytes : MODEL_PORT_HEARD, NULL,
                    0);
}

int model_port_write(struct model_port *port, const uint8_t *data,
                     unsigned bytes)
{
    uint64_t now_ns;
    unsigned done = 0;

    while (done < bytes) {
        unsigned some =
            bytes - done < MODEL_PORT_TYPED ? bytes - done : MODEL_PORT_TYPED;

        if (exchange(port, &now_ns, 0, NULL, 0, data + done, some) < 0) {
            return -1;
        }
        done += some;
    }
    return 0;
}
