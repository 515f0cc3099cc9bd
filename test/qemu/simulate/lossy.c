/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx simulate` with a split that hands out floors and loses the rest,
 * which a scatter must not do. It is there to be caught.
 */
#include "qemu/command/simulate.h"
#include "scatter/plan/split.h"

int split_volume(struct split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units)
{
    (void)phases;
    (void)units;
    *split = (struct split){.volume_units = volume_units,
                            .share_units = share_units[layer],
                            .layer = layer};
    return ERR_OK;
}

int main(int argc, char **argv)
{
    return simulate_command(argc, argv);
}
