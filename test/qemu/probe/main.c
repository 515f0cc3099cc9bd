/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes on native nodes, as TAP: exit status 0, or 1 if a test failed. With
 * the arguments "fit WIDTH HEIGHT": fits the rows on stdin, each x y hops
 * bytes answer_bytes t1 t2 t3 t4, and prints startup, hop delay, transfer time,
 * rms, and each clock's x y offset drift, with their intervals. With "shortest
 * WIDTH HEIGHT" the same for rows of which several may be repeats.
 */
#include "qemu/bench/calibrate.h"
#include "qemu/base/memory.h"
#include "test/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct kernel kernel_spin;
void test_probes(struct unit *unit);

const struct kernel *const kernel_table[] = {&kernel_spin};
const unsigned kernel_table_count = 1;

static bool read_row(struct probe_row *row)
{
    return scanf("%" SCNu16 " %" SCNu16 " %" SCNu32 " %" SCNu32 " %" SCNu32
                 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                 &row->at.x, &row->at.y, &row->hops, &row->bytes,
                 &row->answer_bytes, &row->t1_ps, &row->t2_ps, &row->t3_ps,
                 &row->t4_ps) == 9;
}

static int fit(struct torus_size size, bool shortest)
{
    struct calibration calibration = {.row_count = 0};
    struct probe_row row;

    while (read_row(&row)) {
        calibration.row = memory_or_exit(realloc(
            calibration.row, (calibration.row_count + 1u) * sizeof row));
        calibration.row[calibration.row_count++] = row;
    }
    if (shortest) {
        calibrate_set_aside(&calibration);
    }
    if (!calibrate_fit(&calibration, size)) {
        puts("undetermined");
        calibrate_free(&calibration);
        return 0;
    }
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
           calibration.startup_ps.value, calibration.startup_ps.half,
           calibration.hop_ps.value, calibration.hop_ps.half,
           calibration.transfer_ps.value, calibration.transfer_ps.half,
           calibration.rms_ps);
    for (uint32_t i = 0; i < calibration.clock_count; ++i) {
        const struct calibrate_clock *clock = &calibration.clock[i];

        printf("%u %u %d %.17g %.17g %.17g %.17g\n", clock->at.x, clock->at.y,
               clock->drifts, clock->offset_ps.value, clock->offset_ps.half,
               clock->drift.value, clock->drift.half);
    }
    calibrate_free(&calibration);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        return fit((struct torus_size){(uint16_t)atoi(argv[2]),
                                       (uint16_t)atoi(argv[3])},
                   strcmp(argv[1], "shortest") == 0);
    }
    return unit_host(argc, argv, test_probes);
}
