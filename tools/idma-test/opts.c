// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command lines: one table per command is the parser and the help.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "out.h"

static const char * const color_choices[] = { "auto", "always", "never", NULL };
static int color_choice;
static bool help;

static const struct opt common[] = {
	{ "json", 'j', OPT_FLAG, &out.json, .help = "write JSON instead of text" },
	{ "save", 'o', OPT_STRING, &out.save, .arg = "FILE",
	  .help = "keep the JSON in FILE in addition" },
	{ "color", 0, OPT_CHOICE, &color_choice, .choices = color_choices,
	  .help = "when to use colours" },
	{ "help", 'h', OPT_FLAG, &help, .help = "show this help" },
};

static void add_strings(struct opt_strings *s, const char *text)
{
	char *copy = xstrdup(text), *p = copy, *one;

	while ((one = strsep(&p, ","))) {
		if (!*one)
			continue;
		s->v = xrealloc(s->v, (s->n + 1) * sizeof(*s->v));
		s->v[s->n++] = xstrdup(one);
	}
	free(copy);
}

void opt_strings_free(struct opt_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

static void say_number(const struct opt *o, const char *text, int ret)
{
	switch (ret) {
	case -ERANGE:
		it_error("--%s: '%s' is too large", o->name, text);
		break;
	case -EDOM:
		it_error("--%s: '%s' is not a whole number of ms", o->name, text);
		break;
	case -E2BIG:
		it_error("--%s: '%s' is more than %zu values", o->name, text,
			 o->most ? o->most : 64);
		break;
	default:
		it_error("--%s: '%s' is not a number%s", o->name, text,
			 o->unit == NUM_MS ? " with us, ms, s or m" :
			 o->kind == OPT_LIST ? ", list (A,B) or range (A..B, A..B*F, A..B+S)" :
			 " (k, M and G may follow it)");
	}
}

static bool in_range(const struct opt *o, uint64_t val)
{
	uint64_t max = o->max ? o->max : UINT32_MAX;

	if (val >= o->min && val <= max)
		return true;
	it_error("--%s: %llu is out of range, %llu to %llu are possible", o->name,
		 (unsigned long long)val, (unsigned long long)o->min, (unsigned long long)max);
	return false;
}

static bool set_choice(const struct opt *o, const char *text)
{
	char list[256] = "";
	int *dest = o->dest;

	for (int i = 0; o->choices[i]; i++) {
		if (!strcmp(text, o->choices[i])) {
			*dest = i;
			return true;
		}
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 o->choices[i]);
	}
	it_error("--%s: '%s' is none of %s", o->name, text, list);
	return false;
}

static bool set(const struct opt *o, const char *text)
{
	struct opt_number *num = o->dest;
	struct num_list *list = o->dest;
	int ret;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->dest = true;
		return true;
	case OPT_STRING:
		*(const char **)o->dest = text;
		return true;
	case OPT_STRINGS:
		add_strings(o->dest, text);
		return true;
	case OPT_CHOICE:
		return set_choice(o, text);
	case OPT_NUMBER:
		ret = num_parse(text, o->unit, &num->val);
		if (ret) {
			say_number(o, text, ret);
			return false;
		}
		num->set = true;
		return in_range(o, num->val);
	case OPT_LIST:
		num_list_free(list);
		ret = num_parse_list(text, o->unit, o->most ? o->most : 64, list);
		if (ret) {
			say_number(o, text, ret);
			return false;
		}
		for (size_t i = 0; i < list->n; i++)
			if (!in_range(o, list->v[i]))
				return false;
		return true;
	}
	return false;
}

static void help_option(const struct opt *o)
{
	char left[192], choices[128] = "";
	const char *arg = o->kind == OPT_CHOICE ? choices : o->arg;

	if (o->kind == OPT_CHOICE)
		for (int i = 0; o->choices[i]; i++)
			snprintf(choices + strlen(choices), sizeof(choices) - strlen(choices),
				 "%s%s", i ? "|" : "", o->choices[i]);
	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", o->letter ? '-' : ' ',
		 o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name,
		 arg ? "=" : "", arg ? arg : "");
	if (strlen(left) > 29)
		printf("  %s\n  %-30s%s\n", left, "", o->help);
	else
		printf("  %-30s%s\n", left, o->help);
}

static void show_help(const struct usage *u)
{
	printf("usage: " IT_PROGRAM " %s [OPTION]...%s%s\n\n%s\n", u->command, u->args ? " " : "",
	       u->args ? u->args : "", u->text);
	if (u->n)
		puts("\nOptions:");
	for (size_t i = 0; i < u->n; i++)
		help_option(&u->opts[i]);
	puts("\nOptions of all commands:");
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		help_option(&common[i]);
	if (u->examples)
		printf("\nExamples:\n%s", u->examples);
	puts("\nExit status: 0 good, 1 a test failed, 2 usage, 3 something is missing, 4 skipped.");
}

/* What getopt_long() wants; val is 1000 + the index of the option */
struct tables {
	struct option *longs;
	char *shorts;
};

#define VAL_BASE	1000

static void add_table(struct tables *t, size_t *n, const struct opt *opts, size_t count)
{
	for (size_t i = 0; i < count; i++, (*n)++) {
		t->longs[*n].name = opts[i].name;
		t->longs[*n].has_arg = opts[i].kind == OPT_FLAG ? no_argument : required_argument;
		t->longs[*n].val = VAL_BASE + (int)*n;
		if (opts[i].letter) {
			char letter[3] = { (char)opts[i].letter };

			if (opts[i].kind != OPT_FLAG)
				letter[1] = ':';
			strcat(t->shorts, letter);
		}
	}
}

static const struct opt *find(const struct usage *u, int c)
{
	size_t i = (size_t)(c - VAL_BASE);

	if (c >= VAL_BASE)
		return i < u->n ? &u->opts[i] : &common[i - u->n];
	for (i = 0; i < u->n; i++)
		if (u->opts[i].letter == c)
			return &u->opts[i];
	for (i = 0; i < ARRAY_SIZE(common); i++)
		if (common[i].letter == c)
			return &common[i];
	return NULL;
}

/* optind is the first word that is no option, after this */
static int parse(const struct usage *u, int argc, char **argv, bool stop_at_word)
{
	size_t total = u->n + ARRAY_SIZE(common), n = 0;
	struct tables t = {
		.longs = xalloc((total + 1) * sizeof(*t.longs)),
		.shorts = xalloc(2 * total + 3),
	};
	const struct opt *o;
	int c, ret = 0;

	strcat(t.shorts, stop_at_word ? "+:" : ":");
	add_table(&t, &n, u->opts, u->n);
	add_table(&t, &n, common, ARRAY_SIZE(common));
	opterr = 0;
	optind = 0;
	while (!ret && (c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		if (c == '?') {
			if (optopt && optopt < VAL_BASE)
				it_error("there is no option -%c", optopt);
			else
				it_error("there is no option %s, or it takes no argument",
					 argv[optind - 1]);
			ret = -2;
		} else if (c == ':') {
			it_error("%s wants an argument", argv[optind - 1]);
			ret = -2;
		} else {
			o = find(u, c);
			if (!o || !set(o, optarg))
				ret = -2;
			/* Errors that follow are to have it already */
			out.color_when = (enum out_color)color_choice;
			out_start(out.command);
		}
	}
	free(t.longs);
	free(t.shorts);
	return ret;
}

int opts_global(int argc, char **argv)
{
	static const struct usage none = { .command = "" };
	int ret = parse(&none, argc, argv, true);

	if (ret)
		return ret;
	if (help)
		return -1;
	return optind;
}

int opts_parse(const struct usage *u, int argc, char **argv)
{
	int ret;

	out_start(u->command);
	ret = parse(u, argc, argv, false);
	if (!ret && help) {
		show_help(u);
		return -1;
	}
	if (!ret && argc - optind < u->min_args) {
		it_error("%s is missing", u->args);
		ret = -2;
	}
	if (!ret && u->max_args >= 0 && argc - optind > u->max_args) {
		it_error("'%s' is one argument too many", argv[optind + u->max_args]);
		ret = -2;
	}
	if (ret) {
		it_hint("'" IT_PROGRAM " %s --help' shows what is possible", u->command);
		out_finish(NULL, IT_USAGE);
		return -2;
	}
	return optind;
}
