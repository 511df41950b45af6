// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the family to JSON, by tables that follow
 * Documentation/netlink/specs/idma.yaml.
 */
#include <linux/genetlink.h>
#include <linux/idma.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "nl.h"
#include "nl-decode.h"

#define PLAIN(name, kind)		{ name, kind, NULL, NULL }
#define NAMED(name, kind, names)	{ name, kind, names, NULL }
#define NESTED(name, kind, set)		{ name, kind, NULL, &(set) }

static const char * const dev_states[] = { "idle", "busy", "dead", "resetting", NULL };
static const char * const caps[] = {
	"memcpy", "interrupt", "reset-line", "clock", "coherent", "reuse", NULL
};

static const char * const faults[] = { "stall", "reset", "unbind", "link", NULL };
static const char * const reset_methods[] = { "line", "drain", "revive", NULL };
static const char * const waits[] = { "sleep", "spin", "poll", NULL };
static const char * const verifies[] = { "none", "last", "each", NULL };
static const char * const bench_states[] = {
	"pending", "running", "done", "failed", "stopped", NULL
};

static const char * const bench_counters[] = { "instructions", "cycles", NULL };
static const char * const phases[] = { "prep", "submit", "issue", "complete", NULL };

static const struct nl_field frontend_fields[] = {
	[IDMA_A_FRONTEND_NAME]		= PLAIN("name", NL_TEXT),
	[IDMA_A_FRONTEND_MAX_SEGMENT]	= PLAIN("max_segment", NL_U32),
	[IDMA_A_FRONTEND_INPUT_SLOTS]	= PLAIN("input_slots", NL_U32),
	[IDMA_A_FRONTEND_PENDING_SLOTS]	= PLAIN("pending_slots", NL_U32),
};

static const struct nl_set frontend_set = {
	frontend_fields, ARRAY_SIZE(frontend_fields)
};

static const struct nl_field faults_fields[] = {
	[IDMA_A_FAULTS_STALL]		= PLAIN("stall", NL_U64),
	[IDMA_A_FAULTS_RESET]		= PLAIN("reset", NL_U64),
	[IDMA_A_FAULTS_UNBIND]		= PLAIN("unbind", NL_U64),
	[IDMA_A_FAULTS_LINK]		= PLAIN("link", NL_U64),
};

static const struct nl_set faults_set = {
	faults_fields, ARRAY_SIZE(faults_fields)
};

static const struct nl_field dev_counters_fields[] = {
	[IDMA_A_DEV_COUNTERS_TRANSFERS]		= PLAIN("transfers", NL_U64),
	[IDMA_A_DEV_COUNTERS_BYTES]		= PLAIN("bytes", NL_U64),
	[IDMA_A_DEV_COUNTERS_ERRORS]		= PLAIN("errors", NL_U64),
	[IDMA_A_DEV_COUNTERS_TERMINATED]	= PLAIN("terminated", NL_U64),
	[IDMA_A_DEV_COUNTERS_FAULTS]		= NESTED("faults", NL_NEST, faults_set),
	[IDMA_A_DEV_COUNTERS_LAUNCHES]		= PLAIN("launches", NL_U64),
	[IDMA_A_DEV_COUNTERS_LAUNCHES_REFUSED]	= PLAIN("launches_refused", NL_U64),
	[IDMA_A_DEV_COUNTERS_DESCRIPTORS]	= PLAIN("descriptors", NL_U64),
	[IDMA_A_DEV_COUNTERS_INTERRUPTS]	= PLAIN("interrupts", NL_U64),
	[IDMA_A_DEV_COUNTERS_INTERRUPTS_FOREIGN] = PLAIN("interrupts_foreign", NL_U64),
	[IDMA_A_DEV_COUNTERS_INTERRUPTS_MISSED]	= PLAIN("interrupts_missed", NL_U64),
	[IDMA_A_DEV_COUNTERS_BACKSTOPS]		= PLAIN("backstops", NL_U64),
	[IDMA_A_DEV_COUNTERS_REAPED_IRQ]	= PLAIN("reaped_irq", NL_U64),
	[IDMA_A_DEV_COUNTERS_REAPED_BACKSTOP]	= PLAIN("reaped_backstop", NL_U64),
	[IDMA_A_DEV_COUNTERS_REAPED_POLL]	= PLAIN("reaped_poll", NL_U64),
	[IDMA_A_DEV_COUNTERS_STALLS]		= PLAIN("stalls", NL_U64),
	[IDMA_A_DEV_COUNTERS_RECOVERIES]	= PLAIN("recoveries", NL_U64),
};

static const struct nl_set dev_counters_set = {
	dev_counters_fields, ARRAY_SIZE(dev_counters_fields)
};

static const struct nl_field chan_counters_fields[] = {
	[IDMA_A_CHAN_COUNTERS_TRANSFERS]	= PLAIN("transfers", NL_U64),
	[IDMA_A_CHAN_COUNTERS_BYTES]		= PLAIN("bytes", NL_U64),
	[IDMA_A_CHAN_COUNTERS_ERRORS]		= PLAIN("errors", NL_U64),
	[IDMA_A_CHAN_COUNTERS_TERMINATED]	= PLAIN("terminated", NL_U64),
	[IDMA_A_CHAN_COUNTERS_FAULTS]		= NESTED("faults", NL_NEST, faults_set),
};

static const struct nl_set chan_counters_set = {
	chan_counters_fields, ARRAY_SIZE(chan_counters_fields)
};

static const struct nl_field dev_fields[] = {
	[IDMA_A_DEV_ID]			= PLAIN("id", NL_U32),
	[IDMA_A_DEV_NAME]		= PLAIN("name", NL_TEXT),
	[IDMA_A_DEV_STATE]		= NAMED("state", NL_ENUM, dev_states),
	[IDMA_A_DEV_CAPS]		= NAMED("caps", NL_FLAGS, caps),
	[IDMA_A_DEV_CHANNELS]		= PLAIN("channels", NL_U32),
	[IDMA_A_DEV_CHANNELS_IN_USE]	= PLAIN("channels_in_use", NL_U32),
	[IDMA_A_DEV_IRQ]		= PLAIN("irq", NL_U32),
	[IDMA_A_DEV_IN_FLIGHT]		= PLAIN("in_flight", NL_U32),
	[IDMA_A_DEV_FRONTEND]		= NESTED("frontend", NL_NEST, frontend_set),
	[IDMA_A_DEV_COUNTERS]		= NESTED("counters", NL_NEST, dev_counters_set),
	[IDMA_A_DEV_RESET_METHOD]	= NAMED("reset_method", NL_ENUM, reset_methods),
};

static const struct nl_set dev_set = {
	dev_fields, ARRAY_SIZE(dev_fields)
};

static const struct nl_field chan_fields[] = {
	[IDMA_A_CHAN_DEV_ID]		= PLAIN("dev_id", NL_U32),
	[IDMA_A_CHAN_DEV_NAME]		= PLAIN("dev_name", NL_TEXT),
	[IDMA_A_CHAN_ID]		= PLAIN("id", NL_U32),
	[IDMA_A_CHAN_NAME]		= PLAIN("name", NL_TEXT),
	[IDMA_A_CHAN_CLIENTS]		= PLAIN("clients", NL_U32),
	[IDMA_A_CHAN_COUNTERS]		= NESTED("counters", NL_NEST, chan_counters_set),
};

static const struct nl_set chan_set = {
	chan_fields, ARRAY_SIZE(chan_fields)
};

static const struct nl_field event_fields[] = {
	[IDMA_A_EVENT_DEV_ID]		= PLAIN("dev_id", NL_U32),
	[IDMA_A_EVENT_DEV_NAME]		= PLAIN("dev_name", NL_TEXT),
	[IDMA_A_EVENT_TIME]		= PLAIN("time_ns", NL_U64),
	[IDMA_A_EVENT_LOST]		= PLAIN("lost", NL_U32),
	[IDMA_A_EVENT_CHAN_ID]		= PLAIN("chan_id", NL_U32),
	[IDMA_A_EVENT_CHAN_NAME]	= PLAIN("chan_name", NL_TEXT),
	[IDMA_A_EVENT_FAULT]		= NAMED("fault", NL_ENUM, faults),
	[IDMA_A_EVENT_COOKIE]		= PLAIN("cookie", NL_U32),
	[IDMA_A_EVENT_LEN]		= PLAIN("len", NL_U64),
	[IDMA_A_EVENT_RESIDUE]		= PLAIN("residue", NL_U64),
	[IDMA_A_EVENT_IN_FLIGHT]	= PLAIN("in_flight", NL_U32),
	[IDMA_A_EVENT_RESET_METHOD]	= NAMED("reset_method", NL_ENUM, reset_methods),
};

static const struct nl_set event_set = {
	event_fields, ARRAY_SIZE(event_fields)
};

static const struct nl_field hist_fields[] = {
	[IDMA_A_BENCH_HIST_BUCKETS]	= PLAIN("buckets", NL_BUCKETS),
	[IDMA_A_BENCH_HIST_COUNT]	= PLAIN("count", NL_U64),
	[IDMA_A_BENCH_HIST_SUM]		= PLAIN("sum", NL_U64),
	[IDMA_A_BENCH_HIST_SMALLEST]	= PLAIN("min", NL_U64),
	[IDMA_A_BENCH_HIST_LARGEST]	= PLAIN("max", NL_U64),
};

static const struct nl_set hist_set = {
	hist_fields, ARRAY_SIZE(hist_fields)
};

static const struct nl_field phase_fields[] = {
	[IDMA_A_BENCH_PHASE_RESULT_PHASE]	 = NAMED("phase", NL_ENUM, phases),
	[IDMA_A_BENCH_PHASE_RESULT_NS]		 = NESTED("ns", NL_NEST, hist_set),
	[IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS] = NESTED("instructions", NL_NEST, hist_set),
	[IDMA_A_BENCH_PHASE_RESULT_CYCLES]	 = NESTED("cycles", NL_NEST, hist_set),
};

static const struct nl_set phase_set = {
	phase_fields, ARRAY_SIZE(phase_fields)
};

static const struct nl_field result_fields[] = {
	[IDMA_A_BENCH_RESULT_INDEX]		= PLAIN("index", NL_U32),
	[IDMA_A_BENCH_RESULT_SIZE]		= PLAIN("size", NL_U32),
	[IDMA_A_BENCH_RESULT_DEPTH]		= PLAIN("depth", NL_U32),
	[IDMA_A_BENCH_RESULT_BATCH]		= PLAIN("batch", NL_U32),
	[IDMA_A_BENCH_RESULT_CHANNELS]		= PLAIN("channels", NL_U32),
	[IDMA_A_BENCH_RESULT_STATE]		= NAMED("state", NL_ENUM, bench_states),
	[IDMA_A_BENCH_RESULT_ERROR]		= PLAIN("errno", NL_U32),
	[IDMA_A_BENCH_RESULT_TRANSFERS]		= PLAIN("transfers", NL_U64),
	[IDMA_A_BENCH_RESULT_BYTES]		= PLAIN("bytes", NL_U64),
	[IDMA_A_BENCH_RESULT_TIME]		= PLAIN("time_ns", NL_U64),
	[IDMA_A_BENCH_RESULT_ERRORS]		= PLAIN("errors", NL_U64),
	[IDMA_A_BENCH_RESULT_VERIFIED]		= PLAIN("verified", NL_U64),
	[IDMA_A_BENCH_RESULT_MISMATCHES]	= PLAIN("mismatches", NL_U64),
	[IDMA_A_BENCH_RESULT_CALLBACKS_ELSEWHERE] = PLAIN("callbacks_elsewhere", NL_U64),
	[IDMA_A_BENCH_RESULT_INTERRUPTS]	= PLAIN("interrupts", NL_U64),
	[IDMA_A_BENCH_RESULT_INSTRUCTIONS]	= PLAIN("instructions", NL_U64),
	[IDMA_A_BENCH_RESULT_INSTRUCTIONS_IDLE]	= PLAIN("instructions_idle", NL_U64),
	[IDMA_A_BENCH_RESULT_CYCLES]		= PLAIN("cycles", NL_U64),
	[IDMA_A_BENCH_RESULT_CYCLES_IDLE]	= PLAIN("cycles_idle", NL_U64),
	[IDMA_A_BENCH_RESULT_PHASE]		= NESTED("phases", NL_PHASE, phase_set),
};

static const struct nl_set result_set = {
	result_fields, ARRAY_SIZE(result_fields)
};

static const struct nl_field bench_fields[] = {
	[IDMA_A_BENCH_ID]		= PLAIN("id", NL_U32),
	[IDMA_A_BENCH_TRANSFERS]	= PLAIN("transfers", NL_U64),
	[IDMA_A_BENCH_TIME_LIMIT]	= PLAIN("time_limit_ms", NL_U32),
	[IDMA_A_BENCH_TIMEOUT]		= PLAIN("timeout_ms", NL_U32),
	[IDMA_A_BENCH_WARMUP]		= PLAIN("warmup", NL_U32),
	[IDMA_A_BENCH_WAIT]		= NAMED("wait", NL_ENUM, waits),
	[IDMA_A_BENCH_VERIFY]		= NAMED("verify", NL_ENUM, verifies),
	[IDMA_A_BENCH_SRC_OFFSET]	= PLAIN("src_offset", NL_U32),
	[IDMA_A_BENCH_DST_OFFSET]	= PLAIN("dst_offset", NL_U32),
	[IDMA_A_BENCH_CPU]		= PLAIN("cpu", NL_U32),
	[IDMA_A_BENCH_STATE]		= NAMED("state", NL_ENUM, bench_states),
	[IDMA_A_BENCH_ERROR]		= PLAIN("errno", NL_U32),
	[IDMA_A_BENCH_MESSAGE]		= PLAIN("message", NL_TEXT),
	[IDMA_A_BENCH_CONFIGS]		= PLAIN("configs", NL_U32),
	[IDMA_A_BENCH_CONFIGS_DONE]	= PLAIN("configs_done", NL_U32),
	[IDMA_A_BENCH_COUNTERS]		= NAMED("counters", NL_FLAGS, bench_counters),
	[IDMA_A_BENCH_RESOLUTION]	= PLAIN("resolution_ns", NL_U32),
	[IDMA_A_BENCH_RESULT]		= NESTED("result", NL_NEST, result_set),
};

static const struct nl_set bench_set = {
	bench_fields, ARRAY_SIZE(bench_fields)
};

static const char * const link_states[] = { "down", "up", NULL };
static const char * const window_dirs[] = { "write", "read", "both", NULL };
static const char * const window_states[] = { "good", "link-down", "revoked", "gone", NULL };

static const struct nl_field range_fields[] = {
	[IDMA_A_RANGE_REMOTE]		= PLAIN("remote", NL_U64),
	[IDMA_A_RANGE_LEN]		= PLAIN("len", NL_U64),
};

static const struct nl_set range_set = {
	range_fields, ARRAY_SIZE(range_fields)
};

static const struct nl_field link_fields[] = {
	[IDMA_A_LINK_NAME]		= PLAIN("name", NL_TEXT),
	[IDMA_A_LINK_DEV_NAME]		= PLAIN("dev_name", NL_TEXT),
	[IDMA_A_LINK_STATE]		= NAMED("state", NL_ENUM, link_states),
	[IDMA_A_LINK_SIZE]		= PLAIN("size", NL_U64),
	[IDMA_A_LINK_ALIGN]		= PLAIN("align", NL_U64),
	[IDMA_A_LINK_MAX_LEN]		= PLAIN("max_len", NL_U64),
	[IDMA_A_LINK_MAX_WINDOWS]	= PLAIN("max_windows", NL_U32),
	[IDMA_A_LINK_WINDOWS]		= PLAIN("windows", NL_U32),
	[IDMA_A_LINK_GRANTS]		= PLAIN("grants", NL_U32),
	[IDMA_A_LINK_REMOTE]		= NESTED("remote", NL_LIST, range_set),
	[IDMA_A_LINK_TIME]		= PLAIN("time_ns", NL_U64),
};

static const struct nl_set link_set = {
	link_fields, ARRAY_SIZE(link_fields)
};

static const struct nl_field window_fields[] = {
	[IDMA_A_WINDOW_ID]		= PLAIN("id", NL_U32),
	[IDMA_A_WINDOW_LINK]		= PLAIN("link", NL_TEXT),
	[IDMA_A_WINDOW_REMOTE]		= PLAIN("remote", NL_U64),
	[IDMA_A_WINDOW_LEN]		= PLAIN("len", NL_U64),
	[IDMA_A_WINDOW_DIR]		= NAMED("dir", NL_ENUM, window_dirs),
	[IDMA_A_WINDOW_PRIVID]		= PLAIN("privid", NL_U32),
	[IDMA_A_WINDOW_DEV_NAME]	= PLAIN("dev_name", NL_TEXT),
	[IDMA_A_WINDOW_PHYS]		= PLAIN("phys", NL_U64),
	[IDMA_A_WINDOW_BUS]		= PLAIN("bus", NL_U64),
	[IDMA_A_WINDOW_CPU]		= PLAIN("cpu", NL_FLAG),
	[IDMA_A_WINDOW_STATE]		= NAMED("state", NL_ENUM, window_states),
	[IDMA_A_WINDOW_MANAGED]		= PLAIN("managed", NL_FLAG),
	[IDMA_A_WINDOW_TIME]		= PLAIN("time_ns", NL_U64),
};

static const struct nl_set window_set = {
	window_fields, ARRAY_SIZE(window_fields)
};

static const struct nl_field grant_fields[] = {
	[IDMA_A_GRANT_LINK]		= PLAIN("link", NL_TEXT),
	[IDMA_A_GRANT_REMOTE]		= PLAIN("remote", NL_U64),
	[IDMA_A_GRANT_LEN]		= PLAIN("len", NL_U64),
	[IDMA_A_GRANT_MANAGED]		= PLAIN("managed", NL_FLAG),
};

static const struct nl_set grant_set = {
	grant_fields, ARRAY_SIZE(grant_fields)
};

static const struct nl_field copy_fields[] = {
	[IDMA_A_WINDOW_COPY_ID]		= PLAIN("id", NL_U32),
	[IDMA_A_WINDOW_COPY_TRANSFERS]	= PLAIN("transfers", NL_U64),
	[IDMA_A_WINDOW_COPY_BYTES]	= PLAIN("bytes", NL_U64),
	[IDMA_A_WINDOW_COPY_TIME]	= PLAIN("time_ns", NL_U64),
	[IDMA_A_WINDOW_COPY_ERROR]	= PLAIN("errno", NL_U32),
	[IDMA_A_WINDOW_COPY_MISMATCHES]	= PLAIN("mismatches", NL_U64),
	[IDMA_A_WINDOW_COPY_FIRST_MISMATCH] = PLAIN("first_mismatch", NL_U64),
};

static const struct nl_set copy_set = {
	copy_fields, ARRAY_SIZE(copy_fields)
};

static const struct {
	const struct nl_set *set;
	const char *event;
} messages[] = {
	[IDMA_CMD_DEV_GET]		= { &dev_set, NULL },
	[IDMA_CMD_CHAN_GET]		= { &chan_set, NULL },
	[IDMA_CMD_DEV_RESET]		= { &dev_set, NULL },
	[IDMA_CMD_BENCH_START]		= { &bench_set, NULL },
	[IDMA_CMD_BENCH_GET]		= { &bench_set, NULL },
	[IDMA_CMD_TRANSFER_ERROR]	= { &event_set, "transfer-error" },
	[IDMA_CMD_DEV_DEAD]		= { &event_set, "dev-dead" },
	[IDMA_CMD_DEV_RECOVERED]	= { &event_set, "dev-recovered" },
	[IDMA_CMD_BENCH_FINISHED]	= { &bench_set, "bench-finished" },
	[IDMA_CMD_LINK_GET]		= { &link_set, NULL },
	[IDMA_CMD_WINDOW_NEW]		= { &window_set, NULL },
	[IDMA_CMD_WINDOW_GET]		= { &window_set, NULL },
	[IDMA_CMD_WINDOW_COPY]		= { &copy_set, NULL },
	[IDMA_CMD_GRANT_NEW]		= { &grant_set, NULL },
	[IDMA_CMD_GRANT_GET]		= { &grant_set, NULL },
	[IDMA_CMD_LINK_ADDED]		= { &link_set, "link-added" },
	[IDMA_CMD_LINK_REMOVED]		= { &link_set, "link-removed" },
	[IDMA_CMD_LINK_UP]		= { &link_set, "link-up" },
	[IDMA_CMD_LINK_DOWN]		= { &link_set, "link-down" },
	[IDMA_CMD_WINDOW_REVOKED]	= { &window_set, "window-revoked" },
};

/* A name, or the number if it is newer than this program */
static json_t *enum_name(const char * const *names, uint32_t val)
{
	char buf[16];

	for (uint32_t i = 0; names[i]; i++)
		if (i == val)
			return json_string(names[i]);
	snprintf(buf, sizeof(buf), "%u", val);
	return json_string(buf);
}

static json_t *flag_names(const char * const *names, uint32_t val)
{
	json_t *list = json_array();
	uint32_t i = 0;

	for (; names[i]; i++)
		if (val & (1u << i))
			json_array_append_new(list, json_string(names[i]));
	for (; i < 32; i++) {
		char buf[16];

		if (!(val & (1u << i)))
			continue;
		snprintf(buf, sizeof(buf), "bit%u", i);
		json_array_append_new(list, json_string(buf));
	}
	return list;
}

static json_t *buckets(const struct nlattr *attr)
{
	json_t *list = json_array();
	uint64_t val;

	for (int off = 0; off + (int)sizeof(val) <= nla_len(attr); off += (int)sizeof(val)) {
		memcpy(&val, (const char *)nla_data(attr) + off, sizeof(val));
		json_array_append_new(list, json_integer((json_int_t)val));
	}
	return list;
}

static json_t *text(const struct nlattr *attr)
{
	char buf[256];
	int len = nla_len(attr) < (int)sizeof(buf) ? nla_len(attr) : (int)sizeof(buf) - 1;
	json_t *str;

	memcpy(buf, nla_data(attr), (size_t)len);
	buf[len] = '\0';
	str = json_string(buf);
	/* JSON is UTF-8, a name may be anything */
	return str ? str : json_string("?");
}

static json_t *value(const struct nlattr *attr, const struct nl_field *f)
{
	static const int sizes[] = { [NL_U32] = 4, [NL_U64] = 8, [NL_ENUM] = 4, [NL_FLAGS] = 4,
				     [NL_BUCKETS] = 0 };

	if ((size_t)f->kind < ARRAY_SIZE(sizes) && nla_len(attr) < sizes[f->kind])
		return NULL;
	switch (f->kind) {
	case NL_U32:
		return json_integer(nla_get_u32(attr));
	case NL_U64:
		return json_integer((json_int_t)nla_get_u64(attr));
	case NL_TEXT:
		return text(attr);
	case NL_ENUM:
		return enum_name(f->names, nla_get_u32(attr));
	case NL_FLAGS:
		return flag_names(f->names, nla_get_u32(attr));
	case NL_BUCKETS:
		return buckets(attr);
	case NL_FLAG:
		return json_true();
	case NL_NEST:
	case NL_LIST:
	case NL_PHASE:
		/* Bounded: sets do not nest into themselves */
		return nl_decode(nla_data(attr), nla_len(attr), f->set);
	}
	return NULL;
}

static void add_phase(json_t *obj, const char *key, json_t *phase)
{
	json_t *all = json_object_get(obj, key);
	const char *name = json_string_value(json_object_get(phase, "phase"));

	if (!all) {
		all = json_object();
		json_object_set_new(obj, key, all);
	}
	if (name)
		json_object_set(all, name, phase);
	json_object_del(phase, "phase");
	json_decref(phase);
}

static void add_to_list(json_t *obj, const char *key, json_t *one)
{
	json_t *list = json_object_get(obj, key);

	if (!list) {
		list = json_array();
		json_object_set_new(obj, key, list);
	}
	json_array_append_new(list, one);
}

json_t *nl_decode(const struct nlattr *head, int len, const struct nl_set *set)
{
	json_t *obj = json_object(), *val;
	const struct nlattr *attr;
	const struct nl_field *f;
	int rem;

	nla_for_each_attr(attr, head, len, rem) {
		if ((size_t)nla_type(attr) >= set->n)
			continue;
		f = &set->fields[nla_type(attr)];
		if (!f->key)
			continue;
		val = value(attr, f);
		if (!val) {
			json_decref(obj);
			return NULL;
		}
		if (f->kind == NL_PHASE)
			add_phase(obj, f->key, val);
		else if (f->kind == NL_LIST)
			add_to_list(obj, f->key, val);
		else
			json_object_set_new(obj, f->key, val);
	}
	return obj;
}

json_t *nlc_decode(const struct nlmsghdr *nlh)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)nlh;
	const struct genlmsghdr *ghdr;
	json_t *obj;

	if (!genlmsg_valid_hdr(hdr, 0))
		return NULL;
	ghdr = genlmsg_hdr(hdr);
	if (ghdr->cmd >= ARRAY_SIZE(messages) || !messages[ghdr->cmd].set)
		return NULL;
	obj = nl_decode(genlmsg_attrdata(ghdr, 0), genlmsg_attrlen(ghdr, 0),
			messages[ghdr->cmd].set);
	if (obj && messages[ghdr->cmd].event)
		json_object_set_new(obj, "event", json_string(messages[ghdr->cmd].event));
	return obj;
}
