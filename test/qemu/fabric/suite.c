/* SPDX-License-Identifier: Apache-2.0 */
#include "test/qemu/fabric/suite.h"

#include <stdlib.h>

struct fabric_config suite_config(uint16_t width, uint16_t height)
{
    return (struct fabric_config){.size = {width, height},
                                  .startup_ps = STARTUP_PS,
                                  .transfer_ps = BYTE_PS,
                                  .hop_delay_ps = HOP_PS};
}

struct fabric *suite_mesh(uint16_t width, uint16_t height)
{
    struct fabric_config config = suite_config(width, height);
    struct fabric *fabric = fabric_new(&config);

    if (fabric == NULL) {
        abort();
    }
    return fabric;
}

void suite_advance(struct fabric *fabric, struct actions *actions)
{
    actions->count = 0;
    for (;;) {
        uint32_t at = actions->count;

        if (at == ACTIONS_MAX) {
            abort();
        }
        actions->last = fabric_next(fabric, &actions->action[at]);
        if (actions->last == FABRIC_WAIT || actions->last == FABRIC_STUCK) {
            return;
        }
        actions->step[at] = actions->last;
        actions->count += 1;
    }
}

void suite_expect(struct unit *unit, struct fabric *fabric,
                  struct actions *actions, uint32_t count)
{
    suite_advance(fabric, actions);
    CHECK_EQUAL(unit, actions->count, count);
}

void suite_end_others(struct fabric *fabric, uint32_t nodes, uint64_t mask)
{
    for (uint32_t node = 0; node < nodes; ++node) {
        if ((mask >> node & 1u) == 0) {
            fabric_end(fabric, node, 0);
        }
    }
}

void suite_send(struct fabric *fabric, const struct suite_send *send)
{
    struct fabric_message message = {.ready_ps = send->ready_ps,
                                     .gap_ps = send->gap_ps,
                                     .cookie = (void *)send->cookie,
                                     .path = send->path,
                                     .bytes = send->bytes,
                                     .kind = (uint8_t)(send->bytes + 1),
                                     .phase = (uint8_t)(send->bytes + 2)};

    fabric_send(fabric, send->node, send->path.port, &message);
}

const struct circuit_record *suite_circuit(const struct fabric *fabric,
                                           uint32_t source, unsigned port,
                                           uint32_t bytes)
{
    const struct circuit_record *found = NULL;
    uint32_t count;
    const struct circuit_record *circuit = fabric_circuits(fabric, &count);

    for (uint32_t i = 0; i < count; ++i) {
        if (circuit[i].source == source && circuit[i].port == port &&
            circuit[i].bytes == bytes) {
            if (found != NULL) {
                return NULL;
            }
            found = &circuit[i];
        }
    }
    return found;
}
