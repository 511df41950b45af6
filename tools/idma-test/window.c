// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the commands about links and windows share.
 */
#include <errno.h>

#include "out.h"
#include "window.h"

bool window_number(const char *text, const char *what, uint64_t *val)
{
	int ret = num_parse(text, NUM_BYTES, val);

	if (ret == -ERANGE)
		it_error("%s: '%s' is too large", what, text);
	else if (ret)
		it_error("%s: '%s' is not a number (0x, k, M and G are possible)", what, text);
	return !ret;
}

int window_usage(const struct usage *usage, const char *action)
{
	it_error("'%s' is none of %s", action, usage->args);
	it_hint("'idma-test %s --help' shows what is possible", usage->command);
	return IT_USAGE;
}

void window_add_whose(json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		json_object_set_new(one, "whose",
				    json_string(json_object_get(one, "managed") ? "idma-test" :
						"driver"));
}

void window_show_ranges(const json_t *links, const json_t *grants)
{
	static const struct out_column cols[] = {
		{ "link", "LINK", OUT_STR, NULL },
		{ "where", "WHERE", OUT_STR, NULL },
		{ "remote", "ADDRESS", OUT_HEX, NULL },
		{ "len", "LENGTH", OUT_BYTES, NULL },
		{ "whose", "WHOSE", OUT_STR, NULL },
	};
	json_t *rows = json_array(), *row;
	const json_t *link, *range;
	size_t i, j;

	json_array_foreach(grants, i, range) {
		row = json_copy((json_t *)range);
		json_object_set_new(row, "where", json_string("here"));
		json_array_append_new(rows, row);
	}
	json_array_foreach(links, i, link) {
		json_array_foreach(json_object_get(link, "remote"), j, range) {
			row = json_copy((json_t *)range);
			json_object_set(row, "link", json_object_get(link, "name"));
			json_object_set_new(row, "where", json_string("there"));
			json_array_append_new(rows, row);
		}
	}
	out_table(cols, ARRAY_SIZE(cols), rows);
	json_decref(rows);
}
