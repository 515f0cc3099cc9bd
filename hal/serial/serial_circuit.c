/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits (hal/circuit.h) over serial lines: opens and closes them, and passes
   each message to the ports or to the host's port. */
#include "hal/serial/internal.h"

static_assert(CIRCUIT_KIND_MAX < SWITCH_PEEK && SWITCH_PEEK < SWITCH_PING,
              "a message is none of the switch's own");

/* Longest time until a circuit is released: 0.1 ms a hop. */
#define SETTLE_US 2000u

int circuit_open(struct circuit *circuit, void *board, struct clock *clock)
{
    struct serial_circuit *serial = board;
    const struct node_identity *identity = &serial->node->identity;

    circuit->board = serial;
    circuit->node = serial->node;
    circuit->log = serial->log;
    circuit->clock = clock;
    circuit->memory = serial->memory;
    circuit->memory_bytes = serial->memory_bytes;
    circuit->aside = serial->aside;
    circuit->aside_bytes = serial->aside_bytes;
    circuit->mesh = identity->mesh;
    circuit->job = CIRCUIT_ANY_JOB;
    circuit->side =
        identity->width > identity->height ? identity->width : identity->height;
    for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
        serial->send[i].used = false;
    }
    for (unsigned i = 0; i < CIRCUIT_FORMS; ++i) {
        serial->form[i] = NULL;
    }
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        serial->receive[i].state = SWITCH_IDLE;
    }
    serial->sends = 0;
    serial->is_posted = false;
    serial->first_error = ERR_OK;
    clock_start(clock, 0);
    return ERR_OK;
}

/* Does nothing: messages are delivered whole. */
int circuit_complete(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

/* Waits for all sends, since sending takes the processor's time. */
int circuit_quiet(struct circuit *circuit)
{
    return circuit_drain(circuit);
}

uint32_t circuit_ports_us(const struct circuit *circuit)
{
    (void)circuit;
    return board_ports_us();
}

int circuit_settle(struct circuit *circuit)
{
    uint64_t since_ps = clock_now_ps(circuit->clock);
    int error = ERR_OK;

    while (error == ERR_OK && clock_now_ps(circuit->clock) - since_ps <
                                  (uint64_t)SETTLE_US * CLOCK_PS_PER_US) {
        error = serial_wait_a_little(circuit);
    }
    return error;
}

void circuit_close(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;

    serial_take_back(serial);
    /* Drops sends that have not ended: the next job overwrites their memory. */
    if (circuit_drain(circuit) != ERR_OK) {
        board_lock();
        switch_reset(serial->core);
        board_unlock();
    }
}

int circuit_send(struct circuit *circuit, unsigned ports,
                 const struct circuit_message *message)
{
    int error = ERR_OK;

    if ((ports & 1u << CIRCUIT_HOST) != 0) {
        return serial_send_to_host(circuit, message);
    }
    for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
        if ((ports & 1u << port) != 0) {
            error =
                serial_send_on_port(circuit, port, message, NULL, circuit->job);
        }
    }
    return error;
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    return circuit_receive_until(circuit, delivery, ports, buffer,
                                 capacity_bytes, UINT64_MAX);
}

int circuit_receive_until(struct circuit *circuit,
                          struct circuit_delivery *delivery, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes,
                          uint64_t deadline_ps)
{
    if (!serial_is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    return (ports & 1u << CIRCUIT_HOST) != 0
               ? serial_receive_from_host(circuit, delivery, buffer,
                                          capacity_bytes)
               : serial_receive_until(circuit, delivery, ports, buffer,
                                      capacity_bytes, deadline_ps);
}
