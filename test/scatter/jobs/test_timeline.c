/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a run's timeline: every field of every event counts, the order
   in which circuits were logged does not. */
#include "qemu/outcome/timeline.h"
#include "test/scatter/jobs/suite.h"

#include <stddef.h>
#include <string.h>

#define CIRCUITS 2u

static struct circuit_record circuits[CIRCUITS];
static struct outcome_node node;
static const struct outcome outcome = {.size = {1, 1},
                                       .node = &node,
                                       .node_count = 1,
                                       .circuit = circuits,
                                       .circuit_count = CIRCUITS};

static void start(void)
{
    node = (struct outcome_node){.units = 9, .done_ps = 99};
    for (uint32_t i = 0; i < CIRCUITS; ++i) {
        circuits[i] = (struct circuit_record){.source = i,
                                              .destination = i + 1,
                                              .port = 2,
                                              .arrival = 3,
                                              .kind = 4,
                                              .phase = 5,
                                              .hops = 6,
                                              .bytes = 7,
                                              .request_ps = 8,
                                              .grant_ps = 9,
                                              .end_ps = 10};
    }
}

/* Whether the digest is another one than that of start(); starts again. */
static bool differs(struct unit *unit)
{
    char now[TIMELINE_HEX_BYTES];
    char before[TIMELINE_HEX_BYTES];

    CHECK_EQUAL(unit, timeline_sha256(&outcome, now), 0);
    start();
    CHECK_EQUAL(unit, timeline_sha256(&outcome, before), 0);
    CHECK_EQUAL(unit, strlen(before), TIMELINE_HEX_BYTES - 1);
    return strcmp(now, before) != 0;
}

#define FIELD(type, member)                                                    \
    {                                                                          \
#member, offsetof(struct type, member)                                 \
    }

struct field {
    const char *name;
    size_t at;
};

/* Each changes the digest alone, by its lowest byte. */
static void every_field(struct unit *unit)
{
    static const struct field of_circuit[] = {
        FIELD(circuit_record, source),     FIELD(circuit_record, destination),
        FIELD(circuit_record, port),       FIELD(circuit_record, arrival),
        FIELD(circuit_record, kind),       FIELD(circuit_record, phase),
        FIELD(circuit_record, hops),       FIELD(circuit_record, bytes),
        FIELD(circuit_record, request_ps), FIELD(circuit_record, grant_ps),
        FIELD(circuit_record, end_ps)};
    static const struct field of_node[] = {
        FIELD(outcome_node, at.x),
        FIELD(outcome_node, active),
        FIELD(outcome_node, layer),
        FIELD(outcome_node, units),
        FIELD(outcome_node, received_ps),
        FIELD(outcome_node, hop_ps),
        FIELD(outcome_node, forwarded_ps),
        FIELD(outcome_node, compute_start_ps),
        FIELD(outcome_node, finished_ps),
        FIELD(outcome_node, done_ps)};
    size_t circuit_fields = sizeof of_circuit / sizeof *of_circuit;
    size_t node_fields = sizeof of_node / sizeof *of_node;

    start();
    CHECK(unit, !differs(unit));
    for (size_t i = 0; i < circuit_fields + node_fields; ++i) {
        bool circuit = i < circuit_fields;
        const struct field *field =
            circuit ? &of_circuit[i] : &of_node[i - circuit_fields];

        *((uint8_t *)(circuit ? (void *)&circuits[1] : (void *)&node) +
          field->at) ^= 1;
        if (!differs(unit)) {
            unit_fail(unit, __FILE__, __LINE__, field->name);
        }
    }
}

static void another_order_of_circuits(struct unit *unit)
{
    struct circuit_record first;

    start();
    first = circuits[0];
    circuits[0] = circuits[1];
    circuits[1] = first;
    CHECK(unit, !differs(unit));
}

void test_timeline(struct unit *unit)
{
    UNIT_RUN(unit, every_field);
    UNIT_RUN(unit, another_order_of_circuits);
}
