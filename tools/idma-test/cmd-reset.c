// SPDX-License-Identifier: GPL-2.0-only
/*
 * reset: fail every transfer of an engine and have it work again.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "nl.h"
#include "opts.h"
#include "out.h"

static const struct out_column cols[] = {
	{ "name", "engine", OUT_STR, "engine" },
	{ "state", "state", OUT_STATE, NULL },
	{ "reset_method", "how", OUT_STR, NULL },
};

int cmd_reset(int argc, char **argv)
{
	static const struct usage usage = {
		.command = "reset",
		.args = "ENGINE",
		.min_args = 1,
		.max_args = 1,
		.text =
			"Fail every transfer of an iDMA and have it work again. Takes as long as the engine\n"
			"needs for what it has in hardware. The answer says how:\n"
			"  line    its reset line was pulled\n"
			"  drain   it completed what it had in hardware\n"
			"  revive  it was dead, and had completed everything after all",
		.examples = "  idma-test reset 50000000.dma-controller\n",
	};
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *reply, *doc;
	struct nl_msg *msg;
	struct nlc c;

	if (at < 0)
		return OPTS_EXIT(at);
	if (strlen(argv[at]) > IDMA_NAME_MAX) {
		it_error("'%s' is too long for the name of an engine", argv[at]);
		return out_finish(NULL, IT_USAGE);
	}
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	msg = nlc_msg(&c, IDMA_CMD_DEV_RESET, false);
	nla_put_string(msg, IDMA_A_DEV_NAME, argv[at]);
	ret = nlc_call(&c, msg, &reply);
	if (ret) {
		int status = nlc_failed(&c, argv[at], ret);

		if (ret == -ENODEV)
			it_hint("'idma-test list' shows the engines");
		else if (ret == -EBUSY)
			/* It was tried, and the engine did not come back */
			status = IT_FAILED;
		nlc_close(&c);
		return out_finish(NULL, status);
	}
	nlc_close(&c);
	out_object(cols, ARRAY_SIZE(cols), reply);
	doc = out_doc();
	json_object_set_new(doc, "engine", reply);
	return out_finish(doc, IT_OK);
}
