/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/gantt.h"

#include "qemu/report/summary.h"
#include "qemu/support/amount.h"
#include "qemu/support/file.h"
#include "qemu/support/gnuplot.h"
#include "qemu/support/memory.h"
#include "torus/pattern.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Heights are in thousandths of a row, counted downwards. All numbers in the
   script are integers, so that no locale changes how they are read. */
#define ROW 1000
#define BAND (4 * ROW)
#define GAP (ROW / 2)
#define MARGIN (ROW / 10)   /* of a bar, within its row */
#define STRIP (ROW * 2 / 3) /* where the strip of the circuits begins */

#define ROW_PIXELS 19
#define WIDTH_PIXELS 1150
#define TOP_PIXELS 66
#define BOTTOM_PIXELS 134
#define BINS 900u /* columns of a band */

#define STYLE_PLANNED "lw 2 dt (6,4) lc rgb '#000000'"
#define STYLE_MEASURED "lw 2 lc rgb '#cc79a7'"
#define STYLE_RECEIVE "lw 1.5 dt (2,2) lc rgb '#000000'"

/* Drawn in this order, later ones over earlier ones. */
enum paint {
    PAINT_WAITING,
    PAINT_ANNOUNCING,
    PAINT_RECEIVING,
    PAINT_COMPUTING,
    PAINT_PREPARING,
    PAINT_SENDING,
    PAINT_RETURNING,
    PAINTS
};

/* From the palette of Okabe and Ito, which the colour-blind can tell apart. */
static const char *const paint_colour[PAINTS] = {
    "#e4e4e4", "#56b4e9", "#e69f00", "#0072b2", "#303030", "#f0e442", "#009e73",
};

static const char *const paint_name[PAINTS] = {
    "waiting",   "announcing", "receiving",     "computing",
    "preparing", "sending",    "result return",
};

/* What is painted in a colour: areas, then boxes over them. */
enum shape {
    AREAS, /* polygons, by their corners: (time, height) */
    BOXES, /* (start, end, top, bottom) */
    SHAPES
};

/* The shapes of one kind and colour, as lines of a gnuplot data block. */
struct coat {
    FILE *stream;
    char *text;
    size_t bytes;
    uint32_t shapes;
};

struct chart {
    const struct outcome *outcome;
    FILE *script; /* for gnuplot */
    bool banded;
    uint64_t start_ps; /* of the scatter, on the time axis, which begins with
                          the order */
    uint64_t end_ps;   /* of the time axis */
    int height;        /* of all rows */
    int *top;          /* of each node's row */
    struct coat coat[SHAPES][PAINTS];
};

/* The states of one layer's nodes over time: their numbers in each column. */
struct band {
    double partly[PAINTS][BINS];
    double enter[PAINTS][BINS + 1]; /* fully, from this column on */
};

/* The place on the axis of a time that counts from the start of the scatter. */
static uint64_t place(const struct chart *chart, uint64_t time_ps)
{
    return chart->start_ps + time_ps;
}

/* Between two places on the axis. */
static void box_at(struct chart *chart, enum paint paint, uint64_t start_ps,
                   uint64_t end_ps, int top, int bottom)
{
    struct coat *to = &chart->coat[BOXES][paint];

    if (end_ps > start_ps) {
        fprintf(to->stream, "%" PRIu64 " %" PRIu64 " %d %d\n", start_ps, end_ps,
                top, bottom);
        to->shapes += 1;
    }
}

static void box(struct chart *chart, enum paint paint, uint64_t start_ps,
                uint64_t end_ps, int top, int bottom)
{
    box_at(chart, paint, place(chart, start_ps), place(chart, end_ps), top,
           bottom);
}

/* A node waits from the order to the answer, unless other boxes lie over that;
   the originator prepares first, until `start_ps` after the first one's start.
 */
static void ground(struct chart *chart, unsigned layer, uint64_t start_ps,
                   int top, int bottom)
{
    box_at(chart, PAINT_WAITING, 0,
           place(chart, outcome_with_results_ps(chart->outcome)), top, bottom);
    if (layer == 0) {
        box_at(chart, PAINT_PREPARING, 0, place(chart, start_ps), top, bottom);
    }
}

/* The colour of a circuit where its message arrives. */
static enum paint paint_of(unsigned kind)
{
    switch (kind) {
    case WIRE_ANNOUNCE:
        return PAINT_ANNOUNCING;
    case WIRE_PART:
        return PAINT_RECEIVING;
    default:
        return PAINT_RETURNING;
    }
}

/* A dashed mark at a planned time, across rows. */
static void planned_mark(struct chart *chart, unsigned layer, int top,
                         int bottom)
{
    uint64_t received_ps = chart->outcome->layer[layer].received_ps;
    uint64_t at_ps = place(chart, received_ps);

    if (received_ps > 0) {
        fprintf(chart->script,
                "set arrow from %" PRIu64 "/unit, %d to %" PRIu64
                "/unit, %d nohead front " STYLE_RECEIVE "\n",
                at_ps, top, at_ps, bottom);
    }
}

static bool any_circuit(const struct outcome *outcome, unsigned phase)
{
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        if (outcome->circuit[i].phase == phase) {
            return true;
        }
    }
    return false;
}

/* A box from the first grant to the last release of one kind of circuits in
   one round. */
static void phase_box(struct chart *chart, unsigned phase, unsigned kind,
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
    box_at(chart, paint_of(kind), first_ps, last_ps, chart->height + MARGIN,
           chart->height + ROW - MARGIN);
}

static const char *name_of(const struct outcome *outcome, unsigned phase)
{
    if (!outcome->plan.layers) {
        return "";
    }
    return phase % 2 == 1 ? ", knight" : ", cross";
}

static void phases(struct chart *chart)
{
    for (unsigned phase = 1; phase <= chart->outcome->plan.phases; ++phase) {
        if (!any_circuit(chart->outcome, phase)) {
            continue;
        }
        fprintf(chart->script, "set ytics add (\"phase %u%s\" %d)\n", phase,
                name_of(chart->outcome, phase), chart->height + ROW / 2);
        phase_box(chart, phase, WIRE_ANNOUNCE, 0);
        for (unsigned r = 0; r < chart->outcome->plan.rounds; ++r) {
            phase_box(chart, phase, WIRE_PART, r);
        }
        phase_box(chart, phase, WIRE_RESULT, 0);
        chart->height += ROW;
    }
    if (chart->height > 0) {
        chart->height += GAP;
    }
}

static void node_row(struct chart *chart, const struct outcome_node *node)
{
    const struct outcome *outcome = chart->outcome;
    int top = chart->height + MARGIN;
    int bottom = chart->height + ROW - MARGIN;

    fprintf(chart->script, "set ytics add (\"%u,%u\" %d)\n", node->at.x,
            node->at.y, chart->height + ROW / 2);
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

/* A circuit on the rows of both of its ends: whole where a node has nothing
   else to do, a strip at the other end. */
static void circuit_boxes(struct chart *chart,
                          const struct circuit_record *circuit)
{
    bool result = paint_of(circuit->kind) == PAINT_RETURNING;
    uint32_t waits = result ? circuit->source : circuit->destination;
    uint32_t other = result ? circuit->destination : circuit->source;
    enum paint paint = paint_of(circuit->kind);

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

/* With several originators, whose layer it is. */
static void layer_label(struct chart *chart, uint32_t group, unsigned layer,
                        int height)
{
    fputs("set label \"", chart->script);
    if (chart->outcome->originators > 0) {
        const struct torus_coord *at = &chart->outcome->several[group].at;

        fprintf(chart->script, "%u,%u: ", at->x, at->y);
    }
    fprintf(chart->script, "layer %u\" at graph 1.008, first %d left\n", layer,
            height);
}

static void layer_rows(struct chart *chart, uint32_t group, unsigned layer)
{
    const struct outcome *outcome = chart->outcome;
    int top = chart->height;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->layer == layer && node->group == group) {
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
    uint32_t groups = outcome->originators > 0 ? outcome->originators : 1;

    for (uint32_t group = 0; group < groups; ++group) {
        for (unsigned layer = 0; layer <= TORUS_PHASES_MAX; ++layer) {
            layer_rows(chart, group, layer);
        }
    }
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        circuit_boxes(chart, &outcome->circuit[i]);
    }
}

/* Counts a node as being in a state from start to end. */
static void band_add(struct band *band, const struct chart *chart,
                     enum paint paint, uint64_t start_ps, uint64_t end_ps)
{
    double scale = (double)BINS / (double)chart->end_ps;
    double start = (double)place(chart, start_ps) * scale;
    double end = (double)place(chart, end_ps) * scale;
    unsigned first = (unsigned)start;
    unsigned last = (unsigned)end;

    if (end <= start || last >= BINS) {
        return;
    }
    if (first == last) {
        band->partly[paint][first] += end - start;
        return;
    }
    band->partly[paint][first] += first + 1 - start;
    band->partly[paint][last] += end - last;
    band->enter[paint][first + 1] += 1;
    band->enter[paint][last] -= 1;
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

/* A part counts only where its receiver does nothing else meanwhile. */
static void band_circuit(struct band *band, const struct chart *chart,
                         const struct circuit_record *circuit)
{
    const struct outcome_node *node =
        &chart->outcome->node[circuit->destination];
    bool part = circuit->kind == WIRE_PART;
    uint64_t free_ps = part && circuit->round < node->intervals
                           ? outcome_free_ps(node, circuit->round)
                           : 0;

    band_add(band, chart, paint_of(circuit->kind),
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

/* One edge of a polygon: a corner where each run of equal columns begins and
   one where it ends, from left to right or back. */
static void band_edge(FILE *out, const struct chart *chart,
                      const long height[BINS], bool forward)
{
    uint64_t column_ps = chart->end_ps / BINS;

    for (unsigned i = 0; i < BINS; ++i) {
        unsigned column = forward ? i : BINS - 1 - i;
        bool first = column == 0 || height[column - 1] != height[column];
        bool last = column == BINS - 1 || height[column + 1] != height[column];
        uint64_t left_ps = column_ps * column;
        uint64_t right_ps = left_ps + column_ps;

        if (forward ? first : last) {
            fprintf(out, "%" PRIu64 " %ld\n", forward ? left_ps : right_ps,
                    height[column]);
        }
        if (forward ? last : first) {
            fprintf(out, "%" PRIu64 " %ld\n", forward ? right_ps : left_ps,
                    height[column]);
        }
    }
}

/*
 * The area of one state in a band as a polygon. `edge`: its lower edge, in
 * nodes; on return its upper edge, on which the next state stands.
 */
static void band_area(struct chart *chart, const struct band *band,
                      enum paint paint, double edge[BINS], uint32_t nodes)
{
    struct coat *to = &chart->coat[AREAS][paint];
    double scale = (double)(BAND - 2 * MARGIN) / nodes;
    double bottom = chart->height + BAND - MARGIN;
    double fully = 0;
    long low[BINS];
    long high[BINS];
    bool empty = true;

    for (unsigned i = 0; i < BINS; ++i) {
        fully += band->enter[paint][i];
        low[i] = lround(bottom - edge[i] * scale);
        edge[i] += fully + band->partly[paint][i];
        high[i] = lround(bottom - edge[i] * scale);
        empty = empty && high[i] == low[i];
    }
    if (!empty) {
        band_edge(to->stream, chart, high, true);
        band_edge(to->stream, chart, low, false);
        fputc('\n', to->stream);
        to->shapes += 1;
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
    fprintf(chart->script, "set ytics add (\"layer %u\" %d)\n", layer,
            chart->height + BAND / 2);
    fprintf(chart->script,
            "set label \"%" PRIu32 " node%s\" at graph 1.008, first %d left\n",
            nodes, nodes == 1 ? "" : "s", chart->height + BAND / 2);
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

/* The profile's name comes from outside; gnuplot's strings take escapes. */
static void print_plain(FILE *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        bool plain =
            *text >= ' ' && *text <= '~' && strchr("\"\\`", *text) == NULL;

        fputc(plain ? *text : '?', out);
    }
}

static void print_title(struct chart *chart, int pixels)
{
    const struct outcome *outcome = chart->outcome;
    char text[SUMMARY_TIME_BYTES];

    fprintf(chart->script,
            "set label \"%s on %u x %u nodes\" at screen 0.012, "
            "screen 1-20.0/%d left font \"sans-serif,18\"\n"
            "set label \"",
            outcome->kernel->name, outcome->size.width, outcome->size.height,
            pixels);
    amount_things(chart->script, outcome->load_bytes, "byte");
    fputs(", profile ", chart->script);
    print_plain(chart->script, outcome->profile.name);
    summary_time(text, outcome->profile.startup_ps);
    fprintf(chart->script, " (startup %s, ", text);
    summary_time(text, outcome->profile.transfer_ps);
    fprintf(chart->script, "%s a byte), %s", text, outcome->on);
    summary_time(text, outcome_answer_ps(outcome));
    fprintf(chart->script, ", answer after %s", text);
    if (outcome->plan.rounds > 1) {
        fprintf(chart->script, ", %u rounds", (unsigned)outcome->plan.rounds);
    }
    fprintf(chart->script,
            "\" at screen 0.012, screen 1-44.0/%d left "
            "textcolor rgb \"#404040\"\n",
            pixels);
}

static void print_frame(struct chart *chart, int pixels)
{
    struct summary_unit unit = summary_unit_of(chart->end_ps);

    fprintf(chart->script,
            "set lmargin at screen 120.0/%d\n"
            "set rmargin at screen 1-108.0/%d\n"
            "set tmargin at screen 1-%d.0/%d\n"
            "set bmargin at screen %d.0/%d\n",
            WIDTH_PIXELS, WIDTH_PIXELS, TOP_PIXELS, pixels, BOTTOM_PIXELS,
            pixels);
    fprintf(chart->script,
            "set xrange [0:%" PRIu64 "/unit]\nset yrange [%d:0]\n"
            "set xlabel \"mesh time since the order, %s\" "
            "offset 0, 0.5\n"
            "set key at screen 0.5, 72.0/%d center top horizontal Left reverse "
            "samplen 1.5 width 1 maxrows 3\n",
            chart->end_ps, chart->height, unit.name, pixels);
}

static void print_makespan(struct chart *chart, const char *style,
                           uint64_t makespan_ps)
{
    uint64_t time_ps = place(chart, makespan_ps);

    fprintf(chart->script,
            "set arrow from %" PRIu64 "/unit, graph 0 to %" PRIu64
            "/unit, graph 1 nohead front %s\n",
            time_ps, time_ps, style);
}

/* As the data block $a or $b of the colour. */
static int print_coat(struct chart *chart, enum shape shape, int paint)
{
    const struct coat *coat = &chart->coat[shape][paint];

    if (fflush(coat->stream) != 0) {
        return -1;
    }
    if (coat->shapes > 0) {
        fprintf(chart->script, "$%c%d << EOD\n", shape == AREAS ? 'a' : 'b',
                paint);
        fwrite(coat->text, 1, coat->bytes, chart->script);
        fputs("EOD\n", chart->script);
    }
    return 0;
}

static void print_coats(struct chart *chart)
{
    for (int i = 0; i < PAINTS; ++i) {
        bool areas = chart->coat[AREAS][i].shapes > 0;
        bool boxes = chart->coat[BOXES][i].shapes > 0;

        if (areas) {
            fprintf(chart->script,
                    "$a%d using ($1/unit):2 with filledcurves closed "
                    "fs solid noborder fc rgb '%s' notitle, ",
                    i, paint_colour[i]);
        }
        if (boxes) {
            /* Preparing is short: a border shows where rounds begin. */
            fprintf(chart->script,
                    "$b%d using ($1/unit):3:($1/unit):($2/unit):3:4 "
                    "with boxxy fs solid %sborder lw 0.5 fc rgb '%s' notitle, ",
                    i, i == PAINT_PREPARING ? "" : "no", paint_colour[i]);
        }
        if (areas || boxes) {
            fprintf(chart->script,
                    "keyentry with boxes fs solid noborder fc rgb '%s' "
                    "title '%s', ",
                    paint_colour[i], paint_name[i]);
        }
    }
}

/* The plot command: what was painted, then lines that the legend explains. */
static void print_plot(struct chart *chart)
{
    char planned[SUMMARY_TIME_BYTES];
    char measured[SUMMARY_TIME_BYTES];

    summary_time(planned, chart->outcome->plan.makespan_ps);
    summary_time(measured, outcome_makespan_ps(chart->outcome));
    fputs("plot ", chart->script);
    print_coats(chart);
    fprintf(chart->script,
            "keyentry with lines " STYLE_PLANNED " title 'planned makespan %s'"
            ", keyentry with lines " STYLE_MEASURED
            " title 'measured makespan %s'",
            planned, measured);
    if (chart->outcome->plan.phases > 0) {
        fputs(", keyentry with lines " STYLE_RECEIVE
              " title 'planned end of receiving'",
              chart->script);
    }
    fputc('\n', chart->script);
}

static int print_script(struct chart *chart)
{
    const struct outcome *outcome = chart->outcome;
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    int pixels;

    fprintf(chart->script,
            "unit = %" PRIu64 ".0\nset border 1\nset tics nomirror out\n"
            "unset mytics\nset ytics (\"\" -1) scale 0\n"
            "set grid xtics lc rgb '#c8c8c8' lw 0.5 dt solid\n",
            summary_unit_of(chart->end_ps).ps);
    phases(chart);
    if (!chart->banded) {
        rows(chart);
    } else {
        bands(chart);
    }
    pixels = TOP_PIXELS + BOTTOM_PIXELS + chart->height * ROW_PIXELS / ROW;
    print_frame(chart, pixels);
    print_title(chart, pixels);
    print_makespan(chart, STYLE_MEASURED, makespan_ps);
    print_makespan(chart, STYLE_PLANNED, outcome->plan.makespan_ps);
    for (int i = 0; i < PAINTS; ++i) {
        if (print_coat(chart, AREAS, i) != 0 ||
            print_coat(chart, BOXES, i) != 0) {
            return -1;
        }
    }
    fprintf(chart->script,
            "set terminal svg size %d,%d noenhanced font \"sans-serif,13\" "
            "background \"#ffffff\"\n",
            WIDTH_PIXELS, pixels);
    print_plot(chart);
    return fflush(chart->script) == 0 ? 0 : -1;
}

/* With some room to the right of the last thing that happens. */
static uint64_t axis_end_ps(const struct outcome *outcome, uint64_t start_ps)
{
    uint64_t end_ps = outcome_with_results_ps(outcome);

    if (outcome->plan.makespan_ps > end_ps) {
        end_ps = outcome->plan.makespan_ps;
    }
    end_ps += start_ps;
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        /* One that ends before the start has a time that wraps. */
        uint64_t circuit_ps = outcome->circuit[i].end_ps + start_ps;

        end_ps = circuit_ps > end_ps ? circuit_ps : end_ps;
    }
    return end_ps + end_ps / 64 + 1000;
}

static void chart_close(struct chart *chart)
{
    for (int i = 0; i < SHAPES * PAINTS; ++i) {
        struct coat *coat = &chart->coat[i / PAINTS][i % PAINTS];

        if (coat->stream != NULL) {
            fclose(coat->stream);
        }
        free(coat->text);
    }
    if (chart->script != NULL) {
        fclose(chart->script);
    }
    free(chart->top);
}

/* Result: 0; -1 with errno. chart_close() all the same. */
static int chart_open(struct chart *chart, const struct outcome *outcome)
{
    bool opened = true;

    *chart = (struct chart){.outcome = outcome};
    chart->banded = outcome_active_nodes(outcome) > GANTT_ROWS;
    chart->start_ps = outcome_scatter_start_ps(outcome);
    chart->end_ps = axis_end_ps(outcome, chart->start_ps);
    chart->top =
        memory_or_exit(calloc((size_t)outcome->node_count + 1, sizeof(int)));
    chart->script = tmpfile();
    for (int i = 0; i < SHAPES * PAINTS; ++i) {
        struct coat *coat = &chart->coat[i / PAINTS][i % PAINTS];

        coat->stream = open_memstream(&coat->text, &coat->bytes);
        opened = opened && coat->stream != NULL;
    }
    return opened && chart->script != NULL ? 0 : -1;
}

int gantt_write(const struct outcome *outcome, const char *path)
{
    struct chart chart;
    int result = -1;

    if (chart_open(&chart, outcome) != 0 || print_script(&chart) != 0) {
        file_error(path, "%s", strerror(errno));
    } else {
        result = gnuplot_write(chart.script, path);
    }
    chart_close(&chart);
    return result;
}
