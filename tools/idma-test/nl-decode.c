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

#define SET(f)	{ f, ARRAY_SIZE(f) }

static const char * const dev_states[] = { "idle", "busy", "dead", NULL };
static const char * const caps[] = {
	"memcpy", "interrupt", "reset-line", "clock", "coherent", "reuse", NULL
};
static const char * const faults[] = { "stall", "reset", "unbind", NULL };
static const char * const reset_methods[] = { "line", "drain", "revive", NULL };
static const char * const waits[] = { "sleep", "spin", "poll", NULL };
static const char * const verifies[] = { "none", "last", "each", NULL };
static const char * const bench_states[] = {
	"pending", "running", "done", "failed", "stopped", NULL
};
static const char * const bench_counters[] = { "instructions", "cycles", NULL };
static const char * const phases[] = { "prep", "submit", "issue", "complete", NULL };

static const struct nl_field frontend_fields[] = {
	[IDMA_A_FRONTEND_NAME]		= { "name", NL_TEXT },
	[IDMA_A_FRONTEND_MAX_SEGMENT]	= { "max_segment", NL_U32 },
	[IDMA_A_FRONTEND_INPUT_SLOTS]	= { "input_slots", NL_U32 },
	[IDMA_A_FRONTEND_PENDING_SLOTS]	= { "pending_slots", NL_U32 },
};
static const struct nl_set frontend_set = SET(frontend_fields);

static const struct nl_field faults_fields[] = {
	[IDMA_A_FAULTS_STALL]		= { "stall", NL_U64 },
	[IDMA_A_FAULTS_RESET]		= { "reset", NL_U64 },
	[IDMA_A_FAULTS_UNBIND]		= { "unbind", NL_U64 },
};
static const struct nl_set faults_set = SET(faults_fields);

static const struct nl_field dev_counters_fields[] = {
	[IDMA_A_DEV_COUNTERS_TRANSFERS]		= { "transfers", NL_U64 },
	[IDMA_A_DEV_COUNTERS_BYTES]		= { "bytes", NL_U64 },
	[IDMA_A_DEV_COUNTERS_ERRORS]		= { "errors", NL_U64 },
	[IDMA_A_DEV_COUNTERS_TERMINATED]	= { "terminated", NL_U64 },
	[IDMA_A_DEV_COUNTERS_FAULTS]		= { "faults", NL_NEST, .set = &faults_set },
	[IDMA_A_DEV_COUNTERS_LAUNCHES]		= { "launches", NL_U64 },
	[IDMA_A_DEV_COUNTERS_LAUNCHES_REFUSED]	= { "launches_refused", NL_U64 },
	[IDMA_A_DEV_COUNTERS_DESCRIPTORS]	= { "descriptors", NL_U64 },
	[IDMA_A_DEV_COUNTERS_INTERRUPTS]	= { "interrupts", NL_U64 },
	[IDMA_A_DEV_COUNTERS_INTERRUPTS_FOREIGN] = { "interrupts_foreign", NL_U64 },
	[IDMA_A_DEV_COUNTERS_INTERRUPTS_MISSED]	= { "interrupts_missed", NL_U64 },
	[IDMA_A_DEV_COUNTERS_BACKSTOPS]		= { "backstops", NL_U64 },
	[IDMA_A_DEV_COUNTERS_REAPED_IRQ]	= { "reaped_irq", NL_U64 },
	[IDMA_A_DEV_COUNTERS_REAPED_BACKSTOP]	= { "reaped_backstop", NL_U64 },
	[IDMA_A_DEV_COUNTERS_REAPED_POLL]	= { "reaped_poll", NL_U64 },
	[IDMA_A_DEV_COUNTERS_STALLS]		= { "stalls", NL_U64 },
	[IDMA_A_DEV_COUNTERS_RECOVERIES]	= { "recoveries", NL_U64 },
};
static const struct nl_set dev_counters_set = SET(dev_counters_fields);

static const struct nl_field chan_counters_fields[] = {
	[IDMA_A_CHAN_COUNTERS_TRANSFERS]	= { "transfers", NL_U64 },
	[IDMA_A_CHAN_COUNTERS_BYTES]		= { "bytes", NL_U64 },
	[IDMA_A_CHAN_COUNTERS_ERRORS]		= { "errors", NL_U64 },
	[IDMA_A_CHAN_COUNTERS_TERMINATED]	= { "terminated", NL_U64 },
	[IDMA_A_CHAN_COUNTERS_FAULTS]		= { "faults", NL_NEST, .set = &faults_set },
};
static const struct nl_set chan_counters_set = SET(chan_counters_fields);

static const struct nl_field dev_fields[] = {
	[IDMA_A_DEV_ID]			= { "id", NL_U32 },
	[IDMA_A_DEV_NAME]		= { "name", NL_TEXT },
	[IDMA_A_DEV_STATE]		= { "state", NL_ENUM, dev_states },
	[IDMA_A_DEV_CAPS]		= { "caps", NL_FLAGS, caps },
	[IDMA_A_DEV_CHANNELS]		= { "channels", NL_U32 },
	[IDMA_A_DEV_CHANNELS_IN_USE]	= { "channels_in_use", NL_U32 },
	[IDMA_A_DEV_IRQ]		= { "irq", NL_U32 },
	[IDMA_A_DEV_IN_FLIGHT]		= { "in_flight", NL_U32 },
	[IDMA_A_DEV_FRONTEND]		= { "frontend", NL_NEST, .set = &frontend_set },
	[IDMA_A_DEV_COUNTERS]		= { "counters", NL_NEST, .set = &dev_counters_set },
	[IDMA_A_DEV_RESET_METHOD]	= { "reset_method", NL_ENUM, reset_methods },
};
static const struct nl_set dev_set = SET(dev_fields);

static const struct nl_field chan_fields[] = {
	[IDMA_A_CHAN_DEV_ID]		= { "dev_id", NL_U32 },
	[IDMA_A_CHAN_DEV_NAME]		= { "dev_name", NL_TEXT },
	[IDMA_A_CHAN_ID]		= { "id", NL_U32 },
	[IDMA_A_CHAN_NAME]		= { "name", NL_TEXT },
	[IDMA_A_CHAN_CLIENTS]		= { "clients", NL_U32 },
	[IDMA_A_CHAN_COUNTERS]		= { "counters", NL_NEST, .set = &chan_counters_set },
};
static const struct nl_set chan_set = SET(chan_fields);

static const struct nl_field event_fields[] = {
	[IDMA_A_EVENT_DEV_ID]		= { "dev_id", NL_U32 },
	[IDMA_A_EVENT_DEV_NAME]		= { "dev_name", NL_TEXT },
	[IDMA_A_EVENT_TIME]		= { "time_ns", NL_U64 },
	[IDMA_A_EVENT_LOST]		= { "lost", NL_U32 },
	[IDMA_A_EVENT_CHAN_ID]		= { "chan_id", NL_U32 },
	[IDMA_A_EVENT_CHAN_NAME]	= { "chan_name", NL_TEXT },
	[IDMA_A_EVENT_FAULT]		= { "fault", NL_ENUM, faults },
	[IDMA_A_EVENT_COOKIE]		= { "cookie", NL_U32 },
	[IDMA_A_EVENT_LEN]		= { "len", NL_U64 },
	[IDMA_A_EVENT_RESIDUE]		= { "residue", NL_U64 },
	[IDMA_A_EVENT_IN_FLIGHT]	= { "in_flight", NL_U32 },
	[IDMA_A_EVENT_RESET_METHOD]	= { "reset_method", NL_ENUM, reset_methods },
};
static const struct nl_set event_set = SET(event_fields);

static const struct nl_field hist_fields[] = {
	[IDMA_A_BENCH_HIST_BUCKETS]	= { "buckets", NL_BUCKETS },
	[IDMA_A_BENCH_HIST_COUNT]	= { "count", NL_U64 },
	[IDMA_A_BENCH_HIST_SUM]		= { "sum", NL_U64 },
	[IDMA_A_BENCH_HIST_SMALLEST]	= { "min", NL_U64 },
	[IDMA_A_BENCH_HIST_LARGEST]	= { "max", NL_U64 },
};
static const struct nl_set hist_set = SET(hist_fields);

static const struct nl_field phase_fields[] = {
	[IDMA_A_BENCH_PHASE_RESULT_PHASE]	 = { "phase", NL_ENUM, phases },
	[IDMA_A_BENCH_PHASE_RESULT_NS]		 = { "ns", NL_NEST, .set = &hist_set },
	[IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS] = { "instructions", NL_NEST, .set = &hist_set },
	[IDMA_A_BENCH_PHASE_RESULT_CYCLES]	 = { "cycles", NL_NEST, .set = &hist_set },
};
static const struct nl_set phase_set = SET(phase_fields);

static const struct nl_field result_fields[] = {
	[IDMA_A_BENCH_RESULT_INDEX]		= { "index", NL_U32 },
	[IDMA_A_BENCH_RESULT_SIZE]		= { "size", NL_U32 },
	[IDMA_A_BENCH_RESULT_DEPTH]		= { "depth", NL_U32 },
	[IDMA_A_BENCH_RESULT_BATCH]		= { "batch", NL_U32 },
	[IDMA_A_BENCH_RESULT_CHANNELS]		= { "channels", NL_U32 },
	[IDMA_A_BENCH_RESULT_STATE]		= { "state", NL_ENUM, bench_states },
	[IDMA_A_BENCH_RESULT_ERROR]		= { "errno", NL_U32 },
	[IDMA_A_BENCH_RESULT_TRANSFERS]		= { "transfers", NL_U64 },
	[IDMA_A_BENCH_RESULT_BYTES]		= { "bytes", NL_U64 },
	[IDMA_A_BENCH_RESULT_TIME]		= { "time_ns", NL_U64 },
	[IDMA_A_BENCH_RESULT_ERRORS]		= { "errors", NL_U64 },
	[IDMA_A_BENCH_RESULT_VERIFIED]		= { "verified", NL_U64 },
	[IDMA_A_BENCH_RESULT_MISMATCHES]	= { "mismatches", NL_U64 },
	[IDMA_A_BENCH_RESULT_CALLBACKS_ELSEWHERE] = { "callbacks_elsewhere", NL_U64 },
	[IDMA_A_BENCH_RESULT_INTERRUPTS]	= { "interrupts", NL_U64 },
	[IDMA_A_BENCH_RESULT_INSTRUCTIONS]	= { "instructions", NL_U64 },
	[IDMA_A_BENCH_RESULT_INSTRUCTIONS_IDLE]	= { "instructions_idle", NL_U64 },
	[IDMA_A_BENCH_RESULT_CYCLES]		= { "cycles", NL_U64 },
	[IDMA_A_BENCH_RESULT_CYCLES_IDLE]	= { "cycles_idle", NL_U64 },
	[IDMA_A_BENCH_RESULT_PHASE]		= { "phases", NL_PHASE, .set = &phase_set },
};
static const struct nl_set result_set = SET(result_fields);

static const struct nl_field bench_fields[] = {
	[IDMA_A_BENCH_ID]		= { "id", NL_U32 },
	[IDMA_A_BENCH_TRANSFERS]	= { "transfers", NL_U64 },
	[IDMA_A_BENCH_TIME_LIMIT]	= { "time_limit_ms", NL_U32 },
	[IDMA_A_BENCH_TIMEOUT]		= { "timeout_ms", NL_U32 },
	[IDMA_A_BENCH_WARMUP]		= { "warmup", NL_U32 },
	[IDMA_A_BENCH_WAIT]		= { "wait", NL_ENUM, waits },
	[IDMA_A_BENCH_VERIFY]		= { "verify", NL_ENUM, verifies },
	[IDMA_A_BENCH_SRC_OFFSET]	= { "src_offset", NL_U32 },
	[IDMA_A_BENCH_DST_OFFSET]	= { "dst_offset", NL_U32 },
	[IDMA_A_BENCH_CPU]		= { "cpu", NL_U32 },
	[IDMA_A_BENCH_STATE]		= { "state", NL_ENUM, bench_states },
	[IDMA_A_BENCH_ERROR]		= { "errno", NL_U32 },
	[IDMA_A_BENCH_MESSAGE]		= { "message", NL_TEXT },
	[IDMA_A_BENCH_CONFIGS]		= { "configs", NL_U32 },
	[IDMA_A_BENCH_CONFIGS_DONE]	= { "configs_done", NL_U32 },
	[IDMA_A_BENCH_COUNTERS]		= { "counters", NL_FLAGS, bench_counters },
	[IDMA_A_BENCH_RESOLUTION]	= { "resolution_ns", NL_U32 },
	[IDMA_A_BENCH_RESULT]		= { "result", NL_NEST, .set = &result_set },
};
static const struct nl_set bench_set = SET(bench_fields);

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
	case NL_NEST:
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
