// SPDX-License-Identifier: GPL-2.0-only
/*
 * list: the DMA engines of the machine and their channels, whoever drives them.
 */
#include <string.h>

#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"
#include "sysfs.h"

static const struct out_column engine_cols[] = {
	{ "name", "ENGINE", OUT_STR, "engine" },
	{ "driver", "DRIVER", OUT_STR, NULL },
	{ "id", "DMA", OUT_INT, NULL },
	{ "channels", "CHANNELS", OUT_INT, NULL },
	{ "channels_in_use", "IN USE", OUT_INT, NULL },
	{ "state", "STATE", OUT_STATE, NULL },
	{ "frontend.name", "FRONT-END", OUT_STR, "frontend" },
	{ "irq", "IRQ", OUT_INT, NULL },
};

static const struct out_column channel_cols[] = {
	{ "name", "CHANNEL", OUT_STR, "channel" },
	{ "dev_name", "ENGINE", OUT_STR, "engine" },
	{ "driver", "DRIVER", OUT_STR, NULL },
	{ "clients", "CLIENTS", OUT_INT, NULL },
	{ "counters.transfers", "TRANSFERS", OUT_INT, "transfers" },
	{ "counters.errors", "ERRORS", OUT_INT, "errors" },
};

int cmd_list(int argc, char **argv)
{
	static bool channels;
	static const struct opt opts[] = {
		{ "channels", 'c', OPT_FLAG, &channels,
		  .help = "list channels instead of engines" },
	};
	static const struct usage usage = {
		.command = "list",
		.text = "List the DMA engines of this machine, or their channels.",
		.opts = opts,
		.n = ARRAY_SIZE(opts),
	};
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *doc, *engines, *chans;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = engines_read(&engines, &chans);
	if (ret)
		return out_finish(NULL, ret);
	if (channels)
		out_table(channel_cols, ARRAY_SIZE(channel_cols), chans);
	else
		out_table(engine_cols, ARRAY_SIZE(engine_cols), engines);
	doc = out_doc();
	json_object_set_new(doc, "engines", engines);
	json_object_set_new(doc, "channels", chans);
	return out_finish(doc, IT_OK);
}
