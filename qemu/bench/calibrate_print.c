/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/calibrate_print.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/amount.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/json.h"
#include "qemu/base/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PPM 1e6

/* 15 digits show an offset of an hour to the nanosecond. */
#define PRINT_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

/* Returns a time in whole ps, at least `least`: by noise, a fitted time may be
   negative. */
static uint64_t whole_ps(double time_ps, uint64_t least)
{
    return time_ps > (double)least ? (uint64_t)llround(time_ps) : least;
}

/* Returns the name of a fitted time that cannot be, or NULL. A hop delay below
   0 can be, if its confidence interval reaches 0. */
static const char *impossible_cost(const struct calibration *calibration,
                                   double *value_ps)
{
    const struct fit_value *hop = &calibration->hop_ps;

    *value_ps = calibration->startup_ps.value;
    if (llround(*value_ps) <= 0) {
        return "a startup";
    }
    *value_ps = calibration->transfer_ps.value;
    if (llround(*value_ps) < 0) {
        return "a byte";
    }
    *value_ps = hop->value;
    return hop->value + hop->half < 0 ? "a hop" : NULL;
}

int calibrate_save(const struct calibration *calibration,
                   const struct request *request, const char *path)
{
    const struct profile profile = {
        .startup_ps = whole_ps(calibration->startup_ps.value, 1),
        .transfer_ps = whole_ps(calibration->transfer_ps.value, 0),
        .hop_delay_ps = whole_ps(calibration->hop_ps.value, 0)};
    char comment[512];

    snprintf(comment, sizeof comment,
             "# measured by quincunx calibrate: %" PRIu32
             " round trips, %u x %u on %s (%s)\n"
             "# 95 %% confidence: startup +- %.0f ps, transfer +- %.3f ps, "
             "hop_delay +- %.0f ps\n",
             calibration->row_count, request->size.width, request->size.height,
             calibration->on, calibration->board, calibration->startup_ps.half,
             calibration->transfer_ps.half, calibration->hop_ps.half);
    return profile_save(&profile, path, comment) == 0 ? 0 : EXIT_FAILED;
}

/* ---- for people ---- */

/* Prints a time, which may be negative or shorter than 1 ps. */
static void print_time(FILE *out, int width, double time_ps)
{
    char signed_text[sizeof(struct amount) + 1];

    snprintf(signed_text, sizeof signed_text, "%s%s",
             llround(time_ps) < 0 ? "-" : "",
             amount_time((uint64_t)llround(fabs(time_ps))).text);
    fprintf(out, "%*s", width, signed_text);
}

int calibrate_check(const struct calibration *calibration)
{
    double value_ps;
    const char *what = impossible_cost(calibration, &value_ps);

    if (what == NULL) {
        return 0;
    }
    fprintf(stderr, "quincunx: calibrate: %s takes ", what);
    print_time(stderr, 0, value_ps);
    fputs(", and none takes less than nothing: there is no profile. The round "
          "trips took too different times, as those of emulated serial boards "
          "do, which run in the host's time, or of boards in the middle of a "
          "job\n",
          stderr);
    return EXIT_FAILED;
}

/* Prints a fitted time and, if `known`, the time that the emulated switch
   really takes. */
static void print_value(FILE *out, const char *name,
                        const struct fit_value *fitted, uint64_t true_ps,
                        bool known)
{
    fprintf(out, "%-10s", name);
    print_time(out, 12, fitted->value);
    print_time(out, 12, fitted->half);
    if (known) {
        print_time(out, 12, (double)true_ps);
    }
    if (known && true_ps > 0) {
        fprintf(out, " %+10.4f %%",
                100 * (fitted->value / (double)true_ps - 1));
    }
    fputc('\n', out);
}

static void print_spread(FILE *out, const struct calibration *calibration)
{
    uint32_t hops[2] = {UINT32_MAX, 0};
    uint32_t bytes[2] = {UINT32_MAX, 0};

    for (uint32_t i = 0; i < calibration->row_count; ++i) {
        const struct probe_row *row = &calibration->row[i];

        hops[0] = row->hops < hops[0] ? row->hops : hops[0];
        hops[1] = row->hops > hops[1] ? row->hops : hops[1];
        bytes[0] = row->bytes < bytes[0] ? row->bytes : bytes[0];
        bytes[1] = row->bytes > bytes[1] ? row->bytes : bytes[1];
    }
    fprintf(out,
            "probes    %" PRIu32 " round trips to %" PRIu32 " nodes, %" PRIu32
            " to %" PRIu32 " hops, %" PRIu32 " to %" PRIu32 " bytes\n",
            calibration->row_count, calibration->clock_count, hops[0], hops[1],
            bytes[0], bytes[1]);
}

static void print_repeats(FILE *out, const struct calibration *calibration)
{
    fprintf(out,
            "repeats   the shortest of each counts; of the %" PRIu32
            " others half took at most ",
            calibration->row_count - calibration->circuit_rows);
    print_time(out, 0, calibration->late_half_ps);
    fputs(" longer, 95 % ", out);
    print_time(out, 0, calibration->late_most_ps);
    fputc('\n', out);
}

static void print_clocks(FILE *out, const struct calibration *calibration)
{
    const struct calibrate_clock *off = &calibration->clock[0];
    const struct calibrate_clock *drifting = NULL;

    for (uint32_t i = 0; i < calibration->clock_count; ++i) {
        const struct calibrate_clock *clock = &calibration->clock[i];

        if (fabs(clock->offset_ps.value) > fabs(off->offset_ps.value)) {
            off = clock;
        }
        if (clock->drifts &&
            (drifting == NULL ||
             fabs(clock->drift.value) > fabs(drifting->drift.value))) {
            drifting = clock;
        }
    }
    fputs("clocks    at most ", out);
    print_time(out, 0, off->offset_ps.value);
    fprintf(out, " off the originator's (node %u,%u)\n", off->at.x, off->at.y);
    if (drifting != NULL) {
        fprintf(out, "drift     at most %.3f ppm, +- %.3f ppm (node %u,%u)\n",
                drifting->drift.value * PPM, drifting->drift.half * PPM,
                drifting->at.x, drifting->at.y);
    }
}

void calibrate_print(FILE *out, const struct calibration *calibration,
                     const struct request *request)
{
    const struct profile *profile = &request->profile;
    bool known = request->mesh->has_fabric;

    fprintf(out, "mesh      %u x %u, originator %u,%u, on %s (%s)\n",
            request->size.width, request->size.height,
            request->originator[0].at.x, request->originator[0].at.y,
            calibration->on, calibration->board);
    print_spread(out, calibration);
    if (calibration->late_most_ps > 0) {
        print_repeats(out, calibration);
    }
    fprintf(out, "\n%-10s%12s%12s%12s\n", "", "measured", "+- 95 %",
            known ? profile->name : "");
    print_value(out, "startup", &calibration->startup_ps, profile->startup_ps,
                known);
    print_value(out, "a byte", &calibration->transfer_ps, profile->transfer_ps,
                known);
    print_value(out, "a hop", &calibration->hop_ps, profile->hop_delay_ps,
                known);
    fputs("\nresiduals ", out);
    print_time(out, 0, calibration->rms_ps);
    fputs(" rms\n", out);
    print_clocks(out, calibration);
}

/* ---- for programs ---- */

static json_t *value_json(const struct fit_value *fitted, double unit)
{
    return json_pack("{s:f, s:f}", "value", fitted->value * unit, "ci95",
                     fitted->half * unit);
}

static json_t *rows_json(const struct calibration *calibration)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < calibration->row_count; ++i) {
        const struct probe_row *row = &calibration->row[i];

        json_array_append_new(
            rows,
            json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "x",
                      row->at.x, "y", row->at.y, "hops", json_whole(row->hops),
                      "bytes", json_whole(row->bytes), "answer_bytes",
                      json_whole(row->answer_bytes), "t1_ps",
                      json_whole(row->t1_ps), "t2_ps", json_whole(row->t2_ps),
                      "t3_ps", json_whole(row->t3_ps), "t4_ps",
                      json_whole(row->t4_ps), "fitted",
                      calibration->circuit_rows == 0 ||
                          i < calibration->circuit_rows));
    }
    return rows;
}

static json_t *clocks_json(const struct calibration *calibration)
{
    json_t *clocks = json_array();

    for (uint32_t i = 0; i < calibration->clock_count; ++i) {
        const struct calibrate_clock *clock = &calibration->clock[i];

        json_array_append_new(
            clocks,
            json_pack("{s:i, s:i, s:o, s:o, s:o*}", "x", clock->at.x, "y",
                      clock->at.y, "probes", json_whole(clock->rows),
                      "offset_ps", value_json(&clock->offset_ps, 1),
                      "drift_ppm",
                      clock->drifts ? value_json(&clock->drift, PPM) : NULL));
    }
    return clocks;
}

void calibrate_print_json(FILE *out, const struct calibration *calibration,
                          const struct request *request)
{
    const struct profile *profile = &request->profile;
    json_t *json = json_pack(
        "{s:{s:i, s:i, s:[i,i], s:s, s:s}, s:{s:o, s:o, s:o},"
        " s:{s:o, s:o, s:o, s:f}, s:{s:f, s:f}, s:o, s:o}",
        "mesh", "width", request->size.width, "height", request->size.height,
        "originator", request->originator[0].at.x, request->originator[0].at.y,
        "on", calibration->on, "board", calibration->board, "profile",
        "startup_ps", json_whole(profile->startup_ps), "transfer_ps_per_byte",
        json_whole(profile->transfer_ps), "hop_delay_ps",
        json_whole(profile->hop_delay_ps), "measured", "startup_ps",
        value_json(&calibration->startup_ps, 1), "transfer_ps_per_byte",
        value_json(&calibration->transfer_ps, 1), "hop_delay_ps",
        value_json(&calibration->hop_ps, 1), "residual_rms_ps",
        calibration->rms_ps, "repeats", "late_half_ps",
        calibration->late_half_ps, "late_95_percent_ps",
        calibration->late_most_ps, "clocks", clocks_json(calibration), "rows",
        rows_json(calibration));

    json_dumpf(json, out, PRINT_FORMAT);
    fputc('\n', out);
    json_decref(json);
}
