// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines and channels: what sysfs knows of all of them, and what the netlink
 * family adds for the iDMA's.
 */
#include <errno.h>
#include <string.h>

#include "engines.h"
#include "nl.h"
#include "out.h"
#include "sysfs.h"

json_t *engines_find(const json_t *list, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!strcmp(json_str(one, "name", ""), name))
			return one;
	return NULL;
}

static void add_one(json_t *obj, const char *key)
{
	json_object_set_new(obj, key, json_integer((json_int_t)json_u64(obj, key) + 1));
}

static void from_sysfs(const struct sys_chans *sys, json_t *engines, json_t *channels)
{
	for (size_t i = 0; i < sys->n; i++) {
		const struct sys_chan *c = &sys->v[i];
		json_t *engine = engines_find(engines, c->dev), *chan;

		if (!engine) {
			engine = json_pack("{s:s, s:i, s:i, s:i}", "name", c->dev, "id", (int)c->id,
					   "channels", 0, "channels_in_use", 0);
			if (c->driver[0])
				json_object_set_new(engine, "driver", json_string(c->driver));
			json_array_append_new(engines, engine);
		}
		add_one(engine, "channels");
		if (c->in_use)
			add_one(engine, "channels_in_use");
		chan = json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", c->name, "dev_name", c->dev,
				 "dev_id", (int)c->id, "id", (int)c->nr, "clients", (int)c->in_use);
		if (c->driver[0])
			json_object_set_new(chan, "driver", json_string(c->driver));
		json_array_append_new(channels, chan);
	}
}

/* What the family says of an object that sysfs has as well */
static void merge(json_t *list, json_t *more)
{
	json_t *one, *mine;
	size_t i;

	json_array_foreach(more, i, one) {
		mine = engines_find(list, json_str(one, "name", ""));
		if (mine)
			json_object_update(mine, one);
	}
	json_decref(more);
}

static int from_netlink(json_t *engines, json_t *channels)
{
	struct nlc c;
	json_t *more;
	int ret = nlc_open(&c), status = IT_OK;

	/* Engines of other drivers are there without it */
	if (ret == -ENOENT || ret == -EAFNOSUPPORT)
		return IT_OK;
	if (ret)
		return nlc_missing(ret);
	ret = nlc_engines(&c, &more);
	if (!ret) {
		merge(engines, more);
		ret = nlc_channels(&c, &more);
	}
	if (!ret)
		merge(channels, more);
	else
		status = nlc_failed(&c, "listing the engines", ret);
	nlc_close(&c);
	return status;
}

int engines_read(json_t **engines, json_t **channels)
{
	struct sys_chans sys;
	int ret = sys_channels(&sys);

	if (ret || !sys.n) {
		sys_no_channels(ret);
		return IT_ENV;
	}
	*engines = json_array();
	*channels = json_array();
	from_sysfs(&sys, *engines, *channels);
	sys_channels_free(&sys);
	ret = from_netlink(*engines, *channels);
	if (ret) {
		json_decref(*engines);
		json_decref(*channels);
	}
	return ret;
}
