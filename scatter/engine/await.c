/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/await.h"

#include "scatter/engine/announce.h"
#include "scatter/engine/probe.h"

int await_serve(struct scatter *scatter, struct circuit_delivery delivery)
{
    return delivery.kind == WIRE_ANNOUNCE ? announce_take(scatter, delivery)
                                          : probe_serve(scatter, delivery);
}
