// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sweeps: files (or presets) that say what to go through. Everything in them is
 * known, or refused by name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "sweep.h"

#define MAX_RUNS	1000000

static int bad(const struct sweep *s, const char *key, const char *why)
{
	it_error("%s: %s: %s", s->path, key, why);
	return IT_USAGE;
}

static int load_preset(struct sweep *s, const char *name, json_error_t *error)
{
	for (size_t i = 0; i < preset_count; i++) {
		if (strcmp(presets[i].name, name))
			continue;
		s->doc = json_loadb((const char *)presets[i].text, presets[i].len,
				    JSON_REJECT_DUPLICATES, error);
		return IT_OK;
	}
	it_error("there is neither a file nor a preset '%s'", name);
	it_hint("'idma-sim sweep --list' lists the presets");
	return IT_ENV;
}

static int load(struct sweep *s, const char *name)
{
	json_error_t error;
	FILE *f = fopen(name, "r");
	int ret = IT_OK;

	s->path = name;
	if (f) {
		s->doc = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
		fclose(f);
	} else if (errno == ENOENT && !strchr(name, '/')) {
		ret = load_preset(s, name, &error);
	} else {
		it_error("cannot read '%s': %s", name, strerror(errno));
		ret = IT_ENV;
	}
	if (!ret && !s->doc) {
		it_error("%s:%d: %s", name, error.line, error.text);
		ret = IT_USAGE;
	}
	if (!ret && !json_is_object(s->doc)) {
		it_error("%s: it is no object, { ... }", name);
		ret = IT_USAGE;
	}
	return ret;
}

bool sweep_set(struct sweep_point *p, const char *where, const char *name, const char *text)
{
	return p->hostmem ? hm_spec_set(&p->hm, where, name, text) :
			    spec_set(&p->spec, where, name, text);
}

static bool set_json(struct sweep_point *p, const char *where, const char *name, const json_t *val)
{
	char text[32];

	if (json_is_string(val))
		return sweep_set(p, where, name, json_string_value(val));
	if (json_is_integer(val)) {
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(val));
		return sweep_set(p, where, name, text);
	}
	it_error("%s%s: it is neither a number nor a string", where, name);
	return false;
}

static bool counts_bytes(const char *name)
{
	static const char * const sizes[] = { "len", "total", "src-align", "dst-align", "size" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!strcmp(sizes[i], name))
			return true;
	return false;
}

/* "8..4k" or [8, 16, "4k"] as an array */
static json_t *values_of(const struct sweep *s, const char *where, const char *name,
			 const json_t *val)
{
	struct num_list list;
	json_t *values;

	if (json_is_array(val) && json_array_size(val))
		return json_deep_copy(val);
	if (!json_is_string(val)) {
		it_error("%s%s: it is neither a list [A, B] nor a range \"A..B\"", where, name);
		return NULL;
	}
	if (num_parse_list(json_string_value(val), counts_bytes(name) ? NUM_BYTES : NUM_COUNT,
			   4096, &list)) {
		it_error("%s%s: '%s' is not a list (A,B) or range (A..B, A..B*F, A..B+S)", where,
			 name, json_string_value(val));
		return NULL;
	}
	values = json_array();
	for (size_t i = 0; i < list.n; i++)
		json_array_append_new(values, json_integer((json_int_t)list.v[i]));
	num_list_free(&list);
	(void)s;
	return values;
}

static int read_base(struct sweep *s, const json_t *base)
{
	char *where = xasprintf("%s: base.", s->path);
	const char *name;
	json_t *val;
	int ret = IT_OK;

	json_object_foreach((json_t *)base, name, val) {
		if (!set_json(&s->base, where, name, val)) {
			ret = IT_USAGE;
			break;
		}
	}
	free(where);
	return ret;
}

static int read_over(struct sweep *s, const json_t *over)
{
	char *where = xasprintf("%s: over.", s->path);
	struct sweep_point probe = s->base;
	const char *name;
	json_t *val, *one;
	int ret = IT_OK;
	size_t i;

	s->runs = 1;
	json_object_foreach((json_t *)over, name, val) {
		if (s->axes == SWEEP_AXES) {
			ret = bad(s, "over", "more than 8 parameters");
			break;
		}
		s->axis[s->axes].name = name;
		s->axis[s->axes].values = values_of(s, where, name, val);
		if (!s->axis[s->axes].values) {
			ret = IT_USAGE;
			break;
		}
		/* What cannot be is said before anything runs */
		json_array_foreach(s->axis[s->axes].values, i, one)
			if (!set_json(&probe, where, name, one))
				ret = IT_USAGE;
		s->runs *= json_array_size(s->axis[s->axes++].values);
		if (!ret && s->runs > MAX_RUNS)
			ret = bad(s, "over", "more than a million runs");
		if (ret)
			break;
	}
	free(where);
	return ret;
}

static int plot_text(struct sweep *s, const char *name, const json_t *val, const char **to)
{
	if (!json_is_string(val)) {
		it_error("%s: plot.%s: it is no string", s->path, name);
		return IT_USAGE;
	}
	*to = json_string_value(val);
	return IT_OK;
}

static int plot_flag(struct sweep *s, const char *name, const json_t *val, bool *to)
{
	if (!json_is_boolean(val)) {
		it_error("%s: plot.%s: it is neither true nor false", s->path, name);
		return IT_USAGE;
	}
	*to = json_is_true(val);
	return IT_OK;
}

static int plot_series(struct sweep *s, const json_t *val)
{
	const json_t *one;
	size_t i;

	if (!json_is_array(val))
		return bad(s, "plot.series", "it is no list of names");
	json_array_foreach((json_t *)val, i, one)
		if (!json_is_string(one))
			return bad(s, "plot.series", "it is no list of names");
	s->plot.series = val;
	return IT_OK;
}

static int read_plot(struct sweep *s, const json_t *plot)
{
	const char *name;
	json_t *val;
	int ret = IT_OK;

	s->plot.title = s->title;
	s->has_plot = true;
	json_object_foreach((json_t *)plot, name, val) {
		if (!strcmp(name, "x"))
			ret = plot_text(s, name, val, &s->plot.x);
		else if (!strcmp(name, "y"))
			ret = plot_text(s, name, val, &s->plot.y);
		else if (!strcmp(name, "x_label"))
			ret = plot_text(s, name, val, &s->plot.x_label);
		else if (!strcmp(name, "y_label"))
			ret = plot_text(s, name, val, &s->plot.y_label);
		else if (!strcmp(name, "series"))
			ret = plot_series(s, val);
		else if (!strcmp(name, "log_x"))
			ret = plot_flag(s, name, val, &s->plot.log_x);
		else if (!strcmp(name, "log_y"))
			ret = plot_flag(s, name, val, &s->plot.log_y);
		else
			ret = bad(s, name, "a plot has no such key");
		if (ret)
			return ret;
	}
	if (!s->plot.x || !s->plot.y)
		return bad(s, "plot", "it needs x and y");
	return IT_OK;
}

static int read_sweep(struct sweep *s)
{
	static const char * const objects[] = { "base", "over", "plot" };
	const char *name, *what;
	json_t *val, *base, *over, *plot;
	int ret = IT_OK;

	json_object_foreach(s->doc, name, val) {
		if (!strcmp(name, "title") || !strcmp(name, "about") || !strcmp(name, "$comment")) {
			if (!json_is_string(val))
				return bad(s, name, "it is no string");
			continue;
		}
		if (strcmp(name, "experiment") && strcmp(name, "base") && strcmp(name, "over") &&
		    strcmp(name, "plot"))
			return bad(s, name, "there is no such key");
	}
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		val = json_object_get(s->doc, objects[i]);
		if (val && !json_is_object(val))
			return bad(s, objects[i], "it is no object, { ... }");
	}
	val = json_object_get(s->doc, "experiment");
	what = json_is_string(val) ? json_string_value(val) : "";
	s->base.hostmem = !strcmp(what, "hostmem");
	if (val && !s->base.hostmem && strcmp(what, "run"))
		return bad(s, "experiment", "it is neither \"run\" nor \"hostmem\"");
	if (s->base.hostmem)
		hm_spec_init(&s->base.hm);
	else
		spec_init(&s->base.spec);
	s->title = json_str(s->doc, "title", s->path);
	s->about = json_str(s->doc, "about", "");
	base = json_object_get(s->doc, "base");
	over = json_object_get(s->doc, "over");
	plot = json_object_get(s->doc, "plot");
	if (!over || !json_object_size(over))
		return bad(s, "over", "there is nothing to go through");
	if (base)
		ret = read_base(s, base);
	if (!ret)
		ret = read_over(s, over);
	if (!ret && plot)
		ret = read_plot(s, plot);
	return ret;
}

int sweep_load(struct sweep *s, const char *name)
{
	int ret;

	memset(s, 0, sizeof(*s));
	ret = load(s, name);
	return ret ? ret : read_sweep(s);
}

void sweep_free(struct sweep *s)
{
	for (size_t i = 0; i < s->axes; i++)
		json_decref(s->axis[i].values);
	json_decref(s->doc);
	memset(s, 0, sizeof(*s));
}

bool sweep_point(const struct sweep *s, size_t i, struct sweep_point *p, json_t *row)
{
	const char *name;

	*p = s->base;
	/* The last one changes fastest */
	for (size_t a = s->axes; a--;) {
		size_t n = json_array_size(s->axis[a].values);

		if (!set_json(p, "", s->axis[a].name, json_array_get(s->axis[a].values, i % n)))
			return false;
		i /= n;
	}
	for (size_t a = 0; a < s->axes; a++) {
		name = s->axis[a].name;
		json_object_set_new(row, name, p->hostmem ? hm_spec_get(&p->hm, name) :
							    spec_get(&p->spec, name));
	}
	return true;
}

bool sweep_check(const struct sweep_point *p, const char *where)
{
	struct rig_setup su;

	if (p->hostmem) {
		if (p->hm.mode != HM_BOTH)
			return true;
		it_error("%smode: a run of a sweep is either staged or direct", where);
		return false;
	}
	if (!spec_setup(&p->spec, where, &su))
		return false;
	free(su.desc);
	return true;
}

static bool go_on(uint64_t ns, uint64_t all)
{
	(void)ns;
	(void)all;
	return !it_stop;
}

json_t *sweep_run(const struct sweep_point *p, struct rig *rig, int *status)
{
	struct rig_setup su;
	json_t *row;

	if (p->hostmem) {
		row = hm_spec_run(&p->hm, (enum hm_mode)p->hm.mode, go_on, status);
		if (*status && !it_stop)
			json_object_set_new(row, "failed", json_string("wrong data"));
		return row;
	}
	if (!spec_setup(&p->spec, "", &su)) {
		*status = IT_USAGE;
		return json_object();
	}
	row = spec_run(rig, &p->spec, &su, status);
	free(su.desc);
	return row;
}
