/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a run's timeline: every field of every event counts, the order
   in which circuits were logged does not. */
#include "qemu/outcome/timeline.h"
#include "test/scatter/jobs/suite.h"

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

static void every_field_of_a_circuit(struct unit *unit)
{
    struct circuit_record *circuit = &circuits[1];

    start();
    CHECK(unit, !differs(unit));
    circuit->source += 1;
    CHECK(unit, differs(unit));
    circuit->destination += 1;
    CHECK(unit, differs(unit));
    circuit->port += 1;
    CHECK(unit, differs(unit));
    circuit->arrival += 1;
    CHECK(unit, differs(unit));
    circuit->kind += 1;
    CHECK(unit, differs(unit));
    circuit->phase += 1;
    CHECK(unit, differs(unit));
    circuit->hops += 1;
    CHECK(unit, differs(unit));
    circuit->bytes += 1;
    CHECK(unit, differs(unit));
    circuit->request_ps += 1;
    CHECK(unit, differs(unit));
    circuit->grant_ps += 1;
    CHECK(unit, differs(unit));
    circuit->end_ps += 1;
    CHECK(unit, differs(unit));
}

static void every_field_of_a_node(struct unit *unit)
{
    start();
    node.at.x += 1;
    CHECK(unit, differs(unit));
    node.active = true;
    CHECK(unit, differs(unit));
    node.layer += 1;
    CHECK(unit, differs(unit));
    node.units += 1;
    CHECK(unit, differs(unit));
    node.received_ps += 1;
    CHECK(unit, differs(unit));
    node.hop_ps += 1;
    CHECK(unit, differs(unit));
    node.forwarded_ps += 1;
    CHECK(unit, differs(unit));
    node.compute_start_ps += 1;
    CHECK(unit, differs(unit));
    node.finished_ps += 1;
    CHECK(unit, differs(unit));
    node.done_ps += 1;
    CHECK(unit, differs(unit));
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
    UNIT_RUN(unit, every_field_of_a_circuit);
    UNIT_RUN(unit, every_field_of_a_node);
    UNIT_RUN(unit, another_order_of_circuits);
}
