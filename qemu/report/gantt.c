/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/gantt.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/amount.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "torus/pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Heights on the chart, in thousandths of a row, downwards from the top. */
#define ROW 1000
#define BAND (4 * ROW)
#define GAP (ROW / 2)
#define MARGIN (ROW / 10)   /* gap above and below a bar */
#define STRIP (ROW * 2 / 3) /* top of the strip that circuits have in a row */
#define BINS 900u           /* number of columns of a band */

/* Lengths in pixels. */
#define ROW_PIXELS 19
#define WIDTH 1150
#define LEFT 120
#define RIGHT (WIDTH - 108)
#define TOP 66
#define BELOW 134  /* height of what stands below the rows */
#define LEGEND 74  /* height from the rows to the legend */
#define COLUMN 242 /* width of a column of the legend */
#define LEGEND_ROWS 3u
#define SAMPLE 24 /* width of a sample in the legend */
#define TICKS 10u /* most ticks on the axis */

#define STYLE_PLANNED "stroke='#000' stroke-width='2' stroke-dasharray='8,4'"
#define STYLE_MEASURED "stroke='#cc79a7' stroke-width='2'"
#define STYLE_LOST "stroke='#d55e00' stroke-width='2.5'"
#define STYLE_RECEIVE "stroke='#000' stroke-width='1.5' stroke-dasharray='3,3'"

/* What a box shows. A later paint covers an earlier one. */
enum paint {
    PAINT_WAITING,
    PAINT_ANNOUNCING,
    PAINT_RECEIVING,
    PAINT_COMPUTING,
    PAINT_PREPARING,
    PAINT_SENDING,
    PAINT_RETURNING,
    PAINT_AGAIN,
    PAINTS
};

/* Coats: layers of the picture, one drawn over the other. The axis comes first,
   then a coat for each paint, then words and marks. */
enum coat {
    COAT_AXIS = PAINTS,
    COAT_WORDS,
    COATS
};

/* Colours of Okabe and Ito, which colour-blind people can tell apart. */
static const char *const paint_colour[PAINTS] = {
    "#e4e4e4", "#56b4e9", "#e69f00", "#0072b2",
    "#303030", "#f0e442", "#009e73", "#d55e00",
};

static const enum paint purpose_paint[CIRCUIT_PURPOSES] = {
    PAINT_ANNOUNCING, PAINT_RECEIVING, PAINT_RETURNING};

static const char *const paint_name[PAINTS] = {
    "waiting",   "announcing", "receiving",     "computing",
    "preparing", "sending",    "result return", "lost units, again",
};

struct chart {
    const struct outcome *outcome;
    FILE *coat[COATS];
    uint64_t start_ps; /* from the user's order to the scatter's start */
    uint64_t end_ps;   /* end of the time axis */
    int height;        /* sum of the heights of all rows */
    int *top;          /* top[i]: top edge of node i's row */
};

/* nodes[paint][column]: how many nodes of a layer are in this state, on average
   over the column's time. */
struct band {
    double nodes[PAINTS][BINS];
};

static uint64_t place(const struct chart *chart, uint64_t time_ps)
{
    return chart->start_ps + time_ps;
}

/* across() returns the x pixel of a time after the user's order, down() the y
   pixel of a height. */
static double across(const struct chart *chart, double at_ps)
{
    return LEFT + (RIGHT - LEFT) * at_ps / (double)chart->end_ps;
}

static double down(double height)
{
    return TOP + height * ROW_PIXELS / ROW;
}

__attribute__((format(printf, 5, 6))) static void
words(const struct chart *chart, double x, double y, const char *anchor,
      const char *format, ...)
{
    FILE *out = chart->coat[COAT_WORDS];
    va_list list;

    fprintf(out, "<text x='%.2f' y='%.2f' text-anchor='%s'>", x, y, anchor);
    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fputs("</text>\n", out);
}

static double beside(int height)
{
    return down(height) + 4.5;
}

static void mark(struct chart *chart, const char *style, uint64_t at_ps,
                 int top, int bottom)
{
    double x = across(chart, (double)at_ps);

    fprintf(chart->coat[COAT_WORDS],
            "<line x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f' %s/>\n", x,
            down(top), x, down(bottom), style);
}

static void box_at(struct chart *chart, enum paint paint, uint64_t start_ps,
                   uint64_t end_ps, int top, int bottom)
{
    double left = across(chart, (double)start_ps);

    if (end_ps > start_ps) {
        fprintf(chart->coat[paint],
                "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f'/>\n", left,
                down(top), across(chart, (double)end_ps) - left,
                down(bottom) - down(top));
    }
}

static void box(struct chart *chart, enum paint paint, uint64_t start_ps,
                uint64_t end_ps, int top, int bottom)
{
    box_at(chart, paint, place(chart, start_ps), place(chart, end_ps), top,
           bottom);
}

/* Draws the background of a node's row: it waits until the answer. The
   originator (layer 0) prepares until `start_ps` after the scatter's start. */
static void ground(struct chart *chart, unsigned layer, uint64_t start_ps,
                   int top, int bottom)
{
    box_at(chart, PAINT_WAITING, 0,
           place(chart, outcome_with_results_ps(chart->outcome)), top, bottom);
    if (layer == 0) {
        box_at(chart, PAINT_PREPARING, 0, place(chart, start_ps), top, bottom);
    }
}

static void planned_mark(struct chart *chart, unsigned layer, int top,
                         int bottom)
{
    uint64_t received_ps = chart->outcome->layer[layer].received_ps;

    if (received_ps > 0) {
        mark(chart, STYLE_RECEIVE, place(chart, received_ps), top, bottom);
    }
}

/* Draws a box for all circuits of one kind, phase and round, from the first
   grant to the last release. Returns whether there are such circuits. */
static bool phase_box(struct chart *chart, unsigned phase, unsigned kind,
                      unsigned round)
{
    const struct outcome *outcome = chart->outcome;
    uint64_t first_ps = UINT64_MAX;
    uint64_t last_ps = 0;

    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];

        if (circuit->phase == phase && circuit->kind == kind &&
            circuit->round == round) {
            uint64_t grant_ps = place(chart, circuit->grant_ps);
            uint64_t end_ps = place(chart, circuit->end_ps);

            first_ps = grant_ps < first_ps ? grant_ps : first_ps;
            last_ps = end_ps > last_ps ? end_ps : last_ps;
        }
    }
    box_at(chart, purpose_paint[circuit_purpose(kind)], first_ps, last_ps,
           chart->height + MARGIN, chart->height + ROW - MARGIN);
    return last_ps > 0;
}

static void phases(struct chart *chart)
{
    for (unsigned phase = 1; phase <= chart->outcome->plan.phases; ++phase) {
        bool any = phase_box(chart, phase, WIRE_ANNOUNCE, 0);

        for (unsigned r = 0; r < chart->outcome->plan.rounds; ++r) {
            any |= phase_box(chart, phase, WIRE_PART, r);
        }
        any |= phase_box(chart, phase, WIRE_RESULT, 0);
        if (any) {
            words(chart, LEFT - 8, beside(chart->height + ROW / 2), "end",
                  "phase %u%s", phase,
                  !chart->outcome->plan.layers ? ""
                  : phase % 2 == 1             ? ", knight"
                                               : ", cross");
            chart->height += ROW;
        }
    }
    if (chart->height > 0) {
        chart->height += GAP;
    }
}

/* Draws a row for the waves that computed lost units. */
static void waves(struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;

    if (outcome->waves == 0) {
        return;
    }
    words(chart, LEFT - 8, beside(chart->height + ROW / 2), "end", "wave%s",
          outcome->waves == 1 ? "" : "s");
    for (uint32_t i = 0; i < outcome->waves; ++i) {
        box_at(chart, PAINT_AGAIN, outcome->wave[i].start_ps,
               outcome->wave[i].end_ps, chart->height + MARGIN,
               chart->height + ROW - MARGIN);
    }
    chart->height += ROW + GAP;
}

/* Marks when nodes died and links went down, on rows of nodes or, if there are
   bands, across the chart. */
static void mark_faults(struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;
    bool bands = outcome_active_nodes(outcome) > GANTT_ROWS;

    for (uint32_t i = 0; i < outcome->faults.count; ++i) {
        const struct fault *fault = &outcome->faults.fault[i];
        int top = chart->top[torus_index(outcome->request->size, fault->is.at)];

        if (fault->how != FAULT_ORDERED &&
            fault->is.from_ps != FAULT_UNTIMED_PS && (bands || top > 0)) {
            mark(chart, STYLE_LOST, fault->is.from_ps, top,
                 bands ? chart->height : top + ROW);
        }
    }
}

static void node_row(struct chart *chart, const struct outcome_node *node)
{
    const struct outcome *outcome = chart->outcome;
    int top = chart->height + MARGIN;
    int bottom = chart->height + ROW - MARGIN;

    words(chart, LEFT - 8, beside(chart->height + ROW / 2), "end", "%u,%u",
          node->at.x, node->at.y);
    ground(chart, node->layer,
           outcome_plan_of(outcome, node)->scatter_start_ps -
               outcome->plan.scatter_start_ps,
           top, bottom);
    for (unsigned k = 0; k < node->intervals; ++k) {
        const struct outcome_compute_interval *interval = &node->interval[k];

        box(chart, PAINT_PREPARING, outcome_turn_ps(node, k),
            interval->compute_start_ps, top, bottom);
        box(chart, PAINT_COMPUTING, interval->compute_start_ps,
            interval->compute_end_ps, top, bottom);
    }
    chart->height += ROW;
}

/* Draws a circuit on the rows of its source and its destination: as high as the
   row on that of the node which waits for it, else as a strip. */
static void circuit_boxes(struct chart *chart,
                          const struct circuit_record *circuit)
{
    enum paint paint = purpose_paint[circuit_purpose(circuit->kind)];
    bool result = paint == PAINT_RETURNING;
    uint32_t waits = result ? circuit->source : circuit->destination;
    uint32_t other = result ? circuit->destination : circuit->source;

    if (!chart->outcome->node[waits].active ||
        !chart->outcome->node[other].active) {
        return;
    }
    box(chart, paint, circuit->grant_ps, circuit->end_ps,
        chart->top[waits] + MARGIN, chart->top[waits] + ROW - MARGIN);
    box(chart, paint == PAINT_RECEIVING ? PAINT_SENDING : paint,
        circuit->grant_ps, circuit->end_ps, chart->top[other] + STRIP,
        chart->top[other] + ROW - MARGIN);
}

static void layer_label(struct chart *chart, uint32_t group, unsigned layer,
                        int height)
{
    const struct outcome_originator *of = chart->outcome->originator;

    if (chart->outcome->originators > 1) {
        words(chart, RIGHT + 8, beside(height), "start", "%u,%u: layer %u",
              of[group].at.x, of[group].at.y, layer);
    } else {
        words(chart, RIGHT + 8, beside(height), "start", "layer %u", layer);
    }
}

/* Returns whether a node has a row: it got units, or it was sent some and died
   in the job. */
static bool has_row(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_node *node = &outcome->node[index];
    bool died = false;

    for (uint32_t i = 0; i < outcome->faults.count; ++i) {
        const struct fault *fault = &outcome->faults.fault[i];

        died = died ||
               (fault_port(fault) == NULL && fault->how != FAULT_ORDERED &&
                torus_index(outcome->request->size, fault->is.at) == index);
    }
    return node->active || (died && node->layer > 0);
}

static void layer_rows(struct chart *chart, uint32_t group, unsigned layer)
{
    const struct outcome *outcome = chart->outcome;
    int top = chart->height;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (has_row(outcome, i) && node->layer == layer &&
            node->group == group) {
            chart->top[i] = chart->height;
            node_row(chart, node);
        }
    }
    if (chart->height > top) {
        layer_label(chart, group, layer, (top + chart->height) / 2);
        planned_mark(chart, layer, top, chart->height);
        chart->height += GAP / 2;
    }
}

static void rows(struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;
    uint32_t groups = outcome->originators;

    for (uint32_t group = 0; group < groups; ++group) {
        for (unsigned layer = 0; layer <= TORUS_PHASES_MAX; ++layer) {
            layer_rows(chart, group, layer);
        }
    }
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        circuit_boxes(chart, &outcome->circuit[i]);
    }
}

static void band_add(struct band *band, const struct chart *chart,
                     enum paint paint, uint64_t start_ps, uint64_t end_ps)
{
    double scale = (double)BINS / (double)chart->end_ps;
    double start = (double)place(chart, start_ps) * scale;
    double end = (double)place(chart, end_ps) * scale;

    if (start >= end || end >= BINS) {
        return;
    }
    for (unsigned i = (unsigned)start; i < end; ++i) {
        band->nodes[paint][i] += fmin(end, i + 1) - fmax(start, i);
    }
}

static void band_node(struct band *band, const struct chart *chart,
                      const struct outcome_node *node)
{
    for (unsigned k = 0; k < node->intervals; ++k) {
        const struct outcome_compute_interval *interval = &node->interval[k];

        band_add(band, chart, PAINT_PREPARING, outcome_turn_ps(node, k),
                 interval->compute_start_ps);
        band_add(band, chart, PAINT_COMPUTING, interval->compute_start_ps,
                 interval->compute_end_ps);
    }
}

/* Adds a transfer to the band of the receiving node's layer. A transfer of load
   counts only while its receiver does nothing else. */
static void band_circuit(struct band *band, const struct chart *chart,
                         const struct circuit_record *circuit)
{
    const struct outcome_node *node =
        &chart->outcome->node[circuit->destination];
    enum circuit_purpose purpose = circuit_purpose(circuit->kind);
    bool part = purpose == CIRCUIT_PART;
    uint64_t free_ps = part && circuit->round < node->intervals
                           ? outcome_free_ps(node, circuit->round)
                           : 0;

    band_add(band, chart, purpose_paint[purpose],
             part && circuit->grant_ps < free_ps ? free_ps : circuit->grant_ps,
             circuit->end_ps);
}

static uint32_t band_fill(struct band *band, const struct chart *chart,
                          unsigned layer)
{
    const struct outcome *outcome = chart->outcome;
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->layer == layer) {
            band_node(band, chart, node);
            nodes += 1;
        }
    }
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        if (outcome->circuit[i].phase == layer) {
            band_circuit(band, chart, &outcome->circuit[i]);
        }
    }
    return nodes;
}

/* Prints an edge of a polygon, to the right if `forward` is true, else to the
   left. Columns of equal height share two corners. */
static void band_edge(FILE *out, const struct chart *chart,
                      const long height[BINS], bool forward)
{
    double column_ps = (double)chart->end_ps / BINS;

    for (unsigned i = 0; i < 2 * BINS; ++i) {
        unsigned corner = forward ? i : 2 * BINS - 1 - i;
        unsigned column = corner / 2;
        unsigned next = corner % 2 == 0 ? column - 1 : column + 1;

        if (next >= BINS || height[next] != height[column]) {
            fprintf(out, "%.2f,%.2f ",
                    across(chart, column_ps * (column + corner % 2)),
                    down((double)height[column]));
        }
    }
}

/* Draws a polygon for the nodes of a band that are in one state. `edge` is the
   polygon's lower edge, in nodes; on return it is the upper edge, on which the
   next state stands. */
static void band_area(struct chart *chart, const struct band *band,
                      enum paint paint, double edge[BINS], uint32_t nodes)
{
    FILE *out = chart->coat[paint];
    double scale = (double)(BAND - 2 * MARGIN) / nodes;
    double bottom = chart->height + BAND - MARGIN;
    long low[BINS];
    long high[BINS];
    bool empty = true;

    for (unsigned i = 0; i < BINS; ++i) {
        low[i] = lround(bottom - edge[i] * scale);
        edge[i] += band->nodes[paint][i];
        high[i] = lround(bottom - edge[i] * scale);
        empty = empty && high[i] == low[i];
    }
    if (!empty) {
        fputs("<polygon points='", out);
        band_edge(out, chart, high, true);
        band_edge(out, chart, low, false);
        fputs("'/>\n", out);
    }
}

static void layer_band(struct chart *chart, struct band *band, unsigned layer)
{
    static const enum paint order[] = {PAINT_COMPUTING, PAINT_PREPARING,
                                       PAINT_ANNOUNCING, PAINT_RECEIVING,
                                       PAINT_RETURNING};
    double edge[BINS] = {0};
    uint32_t nodes;

    memset(band, 0, sizeof *band);
    nodes = band_fill(band, chart, layer);
    if (nodes == 0) {
        return;
    }
    words(chart, LEFT - 8, beside(chart->height + BAND / 2), "end", "layer %u",
          layer);
    words(chart, RIGHT + 8, beside(chart->height + BAND / 2), "start",
          "%" PRIu32 " node%s", nodes, nodes == 1 ? "" : "s");
    ground(chart, layer, 0, chart->height + MARGIN,
           chart->height + BAND - MARGIN);
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; ++i) {
        band_area(chart, band, order[i], edge, nodes);
    }
    planned_mark(chart, layer, chart->height, chart->height + BAND);
    chart->height += BAND;
}

static void bands(struct chart *chart)
{
    struct band *band = memory_or_exit(malloc(sizeof *band));

    for (unsigned layer = 0; layer <= TORUS_PHASES_MAX; ++layer) {
        layer_band(chart, band, layer);
    }
    free(band);
}

/* Prints a text from outside of this program as XML. Unusual characters become
   '?'. */
static void print_plain(FILE *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        bool plain =
            *text >= ' ' && *text <= '~' && strchr("<>&", *text) == NULL;

        fputc(plain ? *text : '?', out);
    }
}

static void title(const struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;
    const struct profile *profile = &outcome->request->profile;
    FILE *out = chart->coat[COAT_WORDS];

    fprintf(out,
            "<text x='14' y='26' font-size='18'>%s on %u x %u nodes</text>\n"
            "<text x='14' y='48' fill='#404040'>",
            outcome->request->kernel->name, outcome->request->size.width,
            outcome->request->size.height);
    amount_things(out, outcome->load_bytes, "byte");
    fputs(", profile ", out);
    print_plain(out, profile->name);
    fprintf(out, " (startup %s, ", amount_time(profile->startup_ps).text);
    fprintf(out, "%s a byte), %s", amount_time(profile->transfer_ps).text,
            outcome->request->mesh->on);
    fprintf(out, ", answer after %s",
            amount_time(outcome_answer_ps(outcome)).text);
    if (outcome->plan.rounds > 1) {
        fprintf(out, ", %u rounds", (unsigned)outcome->plan.rounds);
    }
    fputs("</text>\n", out);
}

/* Returns the time between two ticks of the axis, ps: 1, 2 or 5 times a power
   of ten. */
static uint64_t tick_ps(const struct chart *chart)
{
    uint64_t step_ps = 1;

    for (unsigned i = 0; chart->end_ps / step_ps > TICKS; ++i) {
        step_ps = step_ps * (i % 3 == 1 ? 5 : 4) / 2; /* 1, 2, 5, 10, .. */
    }
    return step_ps;
}

static void axis(const struct chart *chart)
{
    struct amount_unit unit = amount_unit_of(chart->end_ps);
    FILE *out = chart->coat[COAT_AXIS];
    double bottom = down(chart->height);
    uint64_t step_ps = tick_ps(chart);

    for (uint64_t at_ps = 0; at_ps <= chart->end_ps; at_ps += step_ps) {
        double x = across(chart, (double)at_ps);

        fprintf(out,
                "<path d='M%.2f %d V%.2f' stroke='#c8c8c8' "
                "stroke-width='0.5'/><path d='M%.2f %.2f v5' "
                "stroke='#000'/>\n",
                x, TOP, bottom, x, bottom);
        words(chart, x, bottom + 20, "middle", "%g",
              (double)at_ps / (double)unit.ps);
    }
    fprintf(out, "<path d='M%d %.2f H%d' stroke='#000'/>\n", LEFT, bottom,
            RIGHT);
    words(chart, (LEFT + RIGHT) / 2.0, bottom + 42, "middle",
          "mesh time since the order, %s", unit.name);
}

/* Prints entry `*entry` of the legend. `element` is a format for an SVG element
   within x = 0 .. SAMPLE and y = -4.5 .. 4.5. */
__attribute__((format(printf, 4, 5))) static void
legend_entry(const struct chart *chart, unsigned *entry, const char *text,
             const char *element, ...)
{
    FILE *out = chart->coat[COAT_WORDS];
    va_list list;

    fprintf(out, "<g transform='translate(%u,%.2f)'>",
            LEFT + *entry / LEGEND_ROWS * COLUMN,
            down(chart->height) + LEGEND + *entry % LEGEND_ROWS * 20);
    va_start(list, element);
    vfprintf(out, element, list);
    va_end(list);
    fprintf(out, "<text x='%d' y='4.5'>%s</text></g>\n", SAMPLE + 8, text);
    *entry += 1;
}

static void line_entry(const struct chart *chart, unsigned *entry,
                       const char *style, const char *text)
{
    legend_entry(chart, entry, text, "<path d='M0 0 H%d' %s/>", SAMPLE, style);
}

static void legend(const struct chart *chart)
{
    unsigned entry = 0;
    char text[64];

    for (int i = 0; i < PAINTS; ++i) {
        if (ftell(chart->coat[i]) > 0) {
            legend_entry(chart, &entry, paint_name[i],
                         "<rect y='-4.5' width='%d' height='9' fill='%s'/>",
                         SAMPLE, paint_colour[i]);
        }
    }
    snprintf(text, sizeof text, "planned makespan %s",
             amount_time(chart->outcome->plan.makespan_ps).text);
    line_entry(chart, &entry, STYLE_PLANNED, text);
    snprintf(text, sizeof text, "measured makespan %s",
             amount_time(outcome_makespan_ps(chart->outcome)).text);
    line_entry(chart, &entry, STYLE_MEASURED, text);
    if (chart->outcome->plan.phases > 0) {
        line_entry(chart, &entry, STYLE_RECEIVE, "planned end of receiving");
    }
    if (faults_met(&chart->outcome->faults) > 0) {
        line_entry(chart, &entry, STYLE_LOST, "node or link lost");
    }
}

static void draw(struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;

    phases(chart);
    waves(chart);
    if (outcome_active_nodes(outcome) > GANTT_ROWS) {
        bands(chart);
    } else {
        rows(chart);
    }
    mark_faults(chart);
    title(chart);
    axis(chart);
    legend(chart);
    mark(chart, STYLE_MEASURED, place(chart, outcome_makespan_ps(outcome)), 0,
         chart->height);
    mark(chart, STYLE_PLANNED, place(chart, outcome->plan.makespan_ps), 0,
         chart->height);
}

/* Prints the SVG file, with the lowest coat first. Boxes of preparing have a
   border, because many are too narrow to be seen. */
static void print_picture(FILE *out, int pixels, char *const text[COATS])
{
    fprintf(out,
            "<?xml version='1.0' encoding='utf-8'?>\n"
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
            "viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n"
            "<rect width='100%%' height='100%%' fill='#fff'/>\n%s",
            WIDTH, pixels, WIDTH, pixels, text[COAT_AXIS]);
    for (int paint = 0; paint < PAINTS; ++paint) {
        fprintf(out, "<g fill='%s'%s>\n%s</g>\n", paint_colour[paint],
                paint == PAINT_PREPARING
                    ? " stroke='#303030' stroke-width='0.5'"
                    : "",
                text[paint]);
    }
    fprintf(out, "%s</svg>\n", text[COAT_WORDS]);
}

/* Returns the end of the time axis, ps: the last event, and some room to its
   right. */
static uint64_t axis_end_ps(const struct outcome *outcome, uint64_t start_ps)
{
    uint64_t end_ps = outcome_with_results_ps(outcome);

    if (outcome->plan.makespan_ps > end_ps) {
        end_ps = outcome->plan.makespan_ps;
    }
    end_ps += start_ps;
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        /* A circuit that ends before the scatter's start has a negative end_ps,
           stored modulo 2^64. The sum is right all the same. */
        uint64_t circuit_ps = outcome->circuit[i].end_ps + start_ps;

        end_ps = circuit_ps > end_ps ? circuit_ps : end_ps;
    }
    return end_ps + end_ps / 64 + 1000;
}

int gantt_write(const struct outcome *outcome, const char *path)
{
    struct file_output file;
    struct chart chart = {.outcome = outcome};
    char *text[COATS];
    size_t bytes[COATS];

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    for (int i = 0; i < COATS; ++i) {
        chart.coat[i] = memory_or_exit(open_memstream(&text[i], &bytes[i]));
    }
    chart.start_ps = outcome_scatter_start_ps(outcome);
    chart.end_ps = axis_end_ps(outcome, chart.start_ps);
    chart.top =
        memory_or_exit(calloc((size_t)outcome->node_count + 1, sizeof(int)));
    draw(&chart);
    for (int i = 0; i < COATS; ++i) {
        fclose(chart.coat[i]);
        memory_or_exit(text[i]);
    }
    print_picture(file.stream, TOP + BELOW + chart.height * ROW_PIXELS / ROW,
                  text);
    for (int i = 0; i < COATS; ++i) {
        free(text[i]);
    }
    free(chart.top);
    return file_output_close(&file, true);
}
