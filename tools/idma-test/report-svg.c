// SPDX-License-Identifier: GPL-2.0-only
/*
 * Line plots as SVG. Colours come from the page's style sheet (classes s0 to s7),
 * so that they fit to light and dark.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "report.h"

#define WIDTH	720
#define HEIGHT	360
#define LEFT	84
#define RIGHT	30
#define TOP	34
#define BOTTOM	48
#define EPSILON	(1 / 1e9)
#define MAX_TICKS	16
#define COLORS	8

struct axis {
	bool log;
	double base;
	double min, max;
	double from, to;	/* pixels */
	double ticks[MAX_TICKS];
	size_t n;
};

struct plot_series *plot_add_series(struct plot *p, char *name, size_t color, bool dashed)
{
	struct plot_series *s;

	p->series = xrealloc(p->series, (p->n + 1) * sizeof(*p->series));
	s = &p->series[p->n++];
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->color = color;
	s->dashed = dashed;
	return s;
}

void plot_add(struct plot_series *s, double x, double y)
{
	size_t i = s->n++;

	s->x = xrealloc(s->x, s->n * sizeof(*s->x));
	s->y = xrealloc(s->y, s->n * sizeof(*s->y));
	for (; i > 0 && s->x[i - 1] > x; i--) {
		s->x[i] = s->x[i - 1];
		s->y[i] = s->y[i - 1];
	}
	s->x[i] = x;
	s->y[i] = y;
}

void plot_free(struct plot *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->series[i].name);
		free(p->series[i].x);
		free(p->series[i].y);
	}
	free(p->series);
	p->series = NULL;
	p->n = 0;
}

/* 1, 2 or 5 times a power of ten, so that there are about six of them */
static double nice_step(double span)
{
	double raw = span / 6, power = pow(10, floor(log10(raw))), part = raw / power;

	return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

size_t plot_ticks(double min, double max, bool log, double base, double *ticks, size_t most)
{
	double step, at, last;
	size_t n = 0;

	if (log) {
		/* Epsilons: log(1000) / log(10) is a little less than 3 */
		at = floor(log10(min) / log10(base) + EPSILON);
		last = ceil(log10(max) / log10(base) - EPSILON);
		if (last <= at)
			last = at + 1;
		step = ceil((last - at) / (double)(most - 1));
		for (; n < most && at < last + step - 0.5; at += step)
			ticks[n++] = pow(base, at);
		return n;
	}
	if (max <= min)
		max = min + 1;
	step = nice_step(max - min);
	at = floor(min / step + EPSILON) * step;
	for (; n < most; at += step) {
		ticks[n++] = fabs(at) < step / 1e6 ? 0 : at;
		if (at >= max - step * EPSILON)
			break;
	}
	return n;
}

static void axis_range(const struct plot *p, bool y, double *min, double *max, bool *positive)
{
	bool first = true;

	*positive = true;
	*min = *max = 0;
	for (size_t i = 0; i < p->n; i++) {
		for (size_t j = 0; j < p->series[i].n; j++) {
			double v = y ? p->series[i].y[j] : p->series[i].x[j];

			if (first || v < *min)
				*min = v;
			if (first || v > *max)
				*max = v;
			if (v <= 0)
				*positive = false;
			first = false;
		}
	}
}

static void axis_init(struct axis *a, const struct plot *p, bool y)
{
	bool positive;
	double min, max;

	axis_range(p, y, &min, &max, &positive);
	if (!y && p->x_linear)
		min = 0;
	a->log = min > 0 && positive && max / min > (y ? 30 : 8);
	a->base = y ? 10 : 2;
	/* What has no logarithmic axis starts at 0, so that heights can be compared */
	if (!a->log && y && min > 0)
		min = 0;
	a->n = plot_ticks(min, max, a->log, a->base, a->ticks, MAX_TICKS);
	a->min = a->ticks[0];
	a->max = a->ticks[a->n - 1];
	a->from = y ? HEIGHT - BOTTOM : LEFT;
	a->to = y ? TOP : WIDTH - RIGHT;
}

static double place(const struct axis *a, double v)
{
	double part;

	if (a->log)
		part = log(v / a->min) / log(a->max / a->min);
	else
		part = (v - a->min) / (a->max - a->min);
	return a->from + part * (a->to - a->from);
}

static void tick_text(char *buf, double v, bool bytes)
{
	if (bytes)
		num_bytes(buf, v);
	else
		num_si(buf, v, "");
}

static void write_begin(FILE *f, const char *title, int height)
{
	fprintf(f, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, height);
	html_text(f, title);
	fprintf(f, "\">\n<text class=\"title\" x=\"%d\" y=\"20\">", LEFT);
	html_text(f, title);
	fputs("</text>\n", f);
}

static void write_x_tick(FILE *f, double at, int height, const char *text)
{
	fprintf(f, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
		at, TOP, at, height - BOTTOM);
	fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at,
		height - BOTTOM + 18, text);
}

/* The line, and the beginning of the text at its left end */
static void write_y_tick(FILE *f, int left, double at)
{
	fprintf(f, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
		left, at, WIDTH - RIGHT, at);
	fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", left - 8, at + 4);
}

static void write_axes(FILE *f, const struct plot *p, const struct axis *x, const struct axis *y)
{
	char buf[NUM_BUF];

	for (size_t i = 0; i < y->n; i++) {
		double at = place(y, y->ticks[i]);

		tick_text(buf, y->ticks[i], false);
		write_y_tick(f, LEFT, at);
		fprintf(f, "%s</text>\n", buf);
	}
	for (size_t i = 0; i < x->n; i++) {
		tick_text(buf, x->ticks[i], p->x_bytes);
		write_x_tick(f, place(x, x->ticks[i]), HEIGHT, buf);
	}
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
		HEIGHT - 8);
	html_text(f, p->x_title);
	fputs("</text>\n<text transform=\"translate(16 180) rotate(-90)\" text-anchor=\"middle\">",
	      f);
	html_text(f, p->y_title);
	fputs("</text>\n", f);
}

static void write_series(FILE *f, const struct plot_series *s, const struct axis *x,
			 const struct axis *y, bool bytes)
{
	char xs[NUM_BUF], ys[NUM_BUF];

	fprintf(f, "<polyline class=\"s%zu%s\" points=\"", s->color % COLORS,
		s->dashed ? " dash" : "");
	for (size_t i = 0; i < s->n; i++)
		fprintf(f, "%s%.1f,%.1f", i ? " " : "", place(x, s->x[i]), place(y, s->y[i]));
	fputs("\"/>\n", f);
	for (size_t i = 0; i < s->n; i++) {
		tick_text(xs, s->x[i], bytes);
		tick_text(ys, s->y[i], false);
		fprintf(f, "<circle class=\"s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>",
			s->color % COLORS, place(x, s->x[i]), place(y, s->y[i]));
		html_text(f, s->name);
		fprintf(f, ": %s, %s</title></circle>\n", xs, ys);
	}
}

void plot_write(FILE *f, const struct plot *p)
{
	struct axis x, y;
	size_t points = 0;

	for (size_t i = 0; i < p->n; i++)
		points += p->series[i].n;
	if (!points)
		return;
	axis_init(&x, p, false);
	axis_init(&y, p, true);
	write_begin(f, p->title, HEIGHT);
	write_axes(f, p, &x, &y);
	for (size_t i = 0; i < p->n; i++)
		if (p->series[i].n)
			write_series(f, &p->series[i], &x, &y, p->x_bytes);
	fputs("</svg>\n<figcaption>", f);
	for (size_t i = 0; i < p->n; i++) {
		if (!p->series[i].n)
			continue;
		fprintf(f, "<span class=\"s%zu%s\">", p->series[i].color % COLORS,
			p->series[i].dashed ? " dash" : "");
		html_text(f, p->series[i].name);
		fputs("</span> ", f);
	}
	fputs("</figcaption></figure>\n", f);
}

/* --- timelines ------------------------------------------------------------------- */

#define LANE		34
#define LANE_LEFT	220

static const struct {
	const char *event, *class;
} marks[] = {
	{ "transfer-error", "error" }, { "dev-dead", "dead" }, { "dev-recovered", "back" },
	{ "bench-finished", "other" }, { "lost", "dead" }, { "driver-gone", "dead" },
	{ "driver-back", "back" }, { "link-down", "dead" }, { "link-removed", "dead" },
	{ "link-up", "back" }, { "link-added", "back" }, { "window-revoked", "error" },
};

/* Those of a kind that would lie on each other are one mark */
static void write_marks(FILE *f, const struct lane *lane, const json_t *events, double scale,
			int y, const char *event, const char *class)
{
	double first = 0, last = -1;
	const json_t *one;
	size_t i, n = 0;

	for (i = 0; i <= json_array_size(events); i++) {
		double at = 0;

		one = json_array_get(events, i);
		if (one) {
			const char *who = json_string_value(json_object_get(one, "engine"));

			if (!json_equal(json_object_get(one, "run"), (json_t *)lane->run) ||
			    strcmp(json_string_value(json_object_get(one, "event")), event) ||
			    (*who && strcmp(who, lane->engine)))
				continue;
			at = json_number_value(json_object_get(one, "t"));
			if (n && (at - first) * scale < 4) {
				last = at;
				n++;
				continue;
			}
		}
		if (n) {
			fprintf(f, "<rect class=\"ev-%s\" x=\"%.1f\" y=\"%d\" height=\"18\"\n",
				class, LANE_LEFT + first * scale - 1.5, y - 9);
			fprintf(f, " width=\"%.1f\"><title>%zu %s, %.3f s</title></rect>\n",
				(last - first) * scale + 3, n, event, first);
		}
		first = at;
		last = at;
		n = 1;
	}
}

void timeline_write(FILE *f, const struct timeline *t, const json_t *events)
{
	double ticks[MAX_TICKS], scale;
	int height = TOP + LANE * (int)t->n + BOTTOM;
	char buf[NUM_BUF];
	size_t n;

	if (!t->n)
		return;
	n = plot_ticks(0, t->seconds > 0 ? t->seconds : 1, false, 10, ticks, MAX_TICKS);
	scale = (WIDTH - RIGHT - LANE_LEFT) / ticks[n - 1];
	write_begin(f, t->title, height);
	for (size_t i = 0; i < n; i++) {
		num_si(buf, ticks[i], "s");
		write_x_tick(f, LANE_LEFT + ticks[i] * scale, height, buf);
	}
	for (size_t i = 0; i < t->n; i++) {
		int y = TOP + LANE * (int)i + LANE / 2;

		write_y_tick(f, LANE_LEFT, y);
		html_text(f, t->lanes[i].name);
		fputs("</text>\n", f);
		for (size_t m = 0; m < ARRAY_SIZE(marks); m++)
			write_marks(f, &t->lanes[i], events, scale, y, marks[m].event,
				    marks[m].class);
	}
	fputs("</svg>\n<figcaption><span class=\"ev-error\">failed, window revoked</span>\n"
	      "<span class=\"ev-dead\">dead, events lost, driver gone, link down</span>\n"
	      "<span class=\"ev-back\">recovered</span>\n"
	      "<span class=\"ev-other\">bench run ended</span></figcaption></figure>\n", f);
}
