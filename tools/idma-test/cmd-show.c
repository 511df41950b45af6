// SPDX-License-Identifier: GPL-2.0-only
/*
 * show: everything that is known about engines or channels.
 */
#include <string.h>

#include "counters.h"
#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

static const struct out_column engine_cols[] = {
	{ "name", "engine", OUT_STR, "engine" },
	{ "driver", "driver", OUT_STR, NULL },
	{ "id", "dmaengine number", OUT_INT, NULL },
	{ "state", "state", OUT_STATE, NULL },
	{ "caps", "capabilities", OUT_STR, NULL },
	{ "channels", "channels", OUT_INT, NULL },
	{ "channels_in_use", "channels in use", OUT_INT, NULL },
	{ "irq", "interrupt", OUT_INT, NULL },
	{ "in_flight", "descriptors in flight", OUT_INT, NULL },
	{ "frontend.name", "front-end", OUT_STR, "frontend" },
	{ "frontend.max_segment", "longest descriptor", OUT_INT, "max_segment" },
	{ "frontend.input_slots", "input slots", OUT_INT, "input_slots" },
	{ "frontend.pending_slots", "pending slots", OUT_INT, "pending_slots" },
};

static const struct out_column channel_cols[] = {
	{ "name", "channel", OUT_STR, "channel" },
	{ "dev_name", "engine", OUT_STR, "engine" },
	{ "driver", "driver", OUT_STR, NULL },
	{ "clients", "clients", OUT_INT, NULL },
};

static void show(const json_t *one, bool channel)
{
	const struct out_column *own = channel ? channel_cols : engine_cols;
	size_t n = channel ? ARRAY_SIZE(channel_cols) : ARRAY_SIZE(engine_cols);
	struct out_column cols[ARRAY_SIZE(engine_cols) + COUNTER_COLUMNS];

	memcpy(cols, own, n * sizeof(*cols));
	n = counters_list(cols, n, channel);
	out_heading("%s", json_str(one, "name", ""));
	/* The name is the heading on a terminal */
	out_object(cols + out.tty, n - out.tty, one);
}

int cmd_show(int argc, char **argv)
{
	static const struct usage usage = {
		.command = "show",
		.args = "[ENGINE|CHANNEL]...",
		.max_args = -1,
		.text =
			"Show everything about engines or channels, by name ('idma-test list' has them).\n"
			"Without a name: all engines.",
		.examples = "  idma-test show 50000000.dma-controller\n"
			    "  idma-test show dma0chan1\n",
	};
	int at = opts_parse(&usage, argc, argv), ret, status = IT_OK;
	json_t *doc, *engines, *chans, *some_e = NULL, *some_c = NULL, *one;
	size_t i;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = engines_read(&engines, &chans);
	if (ret)
		return out_finish(NULL, ret);
	doc = out_doc();
	some_e = json_array();
	some_c = json_array();
	if (at == argc)
		json_array_extend(some_e, engines);
	for (; at < argc; at++) {
		json_t *engine = engines_find(engines, argv[at]);
		json_t *chan = engines_find(chans, argv[at]);

		if (engine) {
			json_array_append(some_e, engine);
		} else if (chan) {
			json_array_append(some_c, chan);
		} else {
			it_error("there is no engine and no channel '%s'", argv[at]);
			it_hint("'idma-test list' and 'idma-test list -c' show their names");
			status = IT_ENV;
		}
	}
	json_array_foreach(some_e, i, one)
		show(one, false);
	json_array_foreach(some_c, i, one)
		show(one, true);
	json_decref(engines);
	json_decref(chans);
	json_object_set_new(doc, "engines", some_e);
	json_object_set_new(doc, "channels", some_c);
	return out_finish(doc, status);
}
