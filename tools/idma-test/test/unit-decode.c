// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the netlink family, whole ones and broken ones, and histograms.
 */
#include <linux/genetlink.h>
#include <math.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "hist.h"
#include "nl.h"
#include "nl-decode.h"
#include "out.h"
#include "tap.h"

static struct nl_msg *message(uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 0, 30, 0, 0, cmd, 1);
	return msg;
}

static void whole(void)
{
	struct nl_msg *msg = message(IDMA_CMD_DEV_GET);
	struct nlattr *nest, *inner;
	json_t *obj;

	nla_put_u32(msg, IDMA_A_DEV_ID, 3);
	nla_put_string(msg, IDMA_A_DEV_NAME, "50000000.dma");
	nla_put_u32(msg, IDMA_A_DEV_STATE, IDMA_DEV_STATE_DEAD);
	nla_put_u32(msg, IDMA_A_DEV_CAPS, IDMA_CAP_MEMCPY | IDMA_CAP_COHERENT | 1u << 31);
	nest = nla_nest_start(msg, IDMA_A_DEV_COUNTERS);
	nla_put_u64(msg, IDMA_A_DEV_COUNTERS_BYTES, 1ull << 40);
	inner = nla_nest_start(msg, IDMA_A_DEV_COUNTERS_FAULTS);
	nla_put_u64(msg, IDMA_A_FAULTS_STALL, 7);
	nla_nest_end(msg, inner);
	nla_nest_end(msg, nest);
	nla_put_u32(msg, 200, 1);
	obj = nlc_decode(nlmsg_hdr(msg));
	ok(json_u64(obj, "id") == 3 && !strcmp(json_str(obj, "name", ""), "50000000.dma"),
	   "numbers and names");
	ok(!strcmp(json_str(obj, "state", ""), "dead"), "enums");
	ok(json_array_size(json_object_get(obj, "caps")) == 3 &&
	   !strcmp(json_string_value(json_array_get(json_object_get(obj, "caps"), 2)), "bit31"),
	   "flags, those that are not known as well");
	ok(json_u64(obj, "counters.bytes") == 1ull << 40, "a nest");
	ok(json_u64(obj, "counters.faults.stall") == 7, "a nest in a nest");
	ok(json_object_size(obj) == 5, "attributes that are not known are left out");
	json_decref(obj);
	nlmsg_free(msg);

	msg = message(IDMA_CMD_DEV_DEAD);
	nla_put_u32(msg, IDMA_A_EVENT_IN_FLIGHT, 9);
	nla_put_u32(msg, IDMA_A_EVENT_FAULT, 77);
	obj = nlc_decode(nlmsg_hdr(msg));
	ok(!strcmp(json_str(obj, "event", ""), "dev-dead") && json_u64(obj, "in_flight") == 9,
	   "events");
	ok(!strcmp(json_str(obj, "fault", ""), "77"),
	   "an enum value that is newer than this program");
	json_decref(obj);
	nlmsg_free(msg);
}

static void bench(void)
{
	static const uint64_t counts[] = { 1, 0, 2, 4 };
	struct nl_msg *msg = message(IDMA_CMD_BENCH_GET);
	struct nlattr *result, *phase, *hist;
	const json_t *buckets;
	json_t *obj;

	result = nla_nest_start(msg, IDMA_A_BENCH_RESULT);
	for (uint32_t i = 0; i < 2; i++) {
		phase = nla_nest_start(msg, IDMA_A_BENCH_RESULT_PHASE);
		nla_put_u32(msg, IDMA_A_BENCH_PHASE_RESULT_PHASE,
			    i ? IDMA_BENCH_PHASE_COMPLETE : 0);
		hist = nla_nest_start(msg, IDMA_A_BENCH_PHASE_RESULT_NS);
		nla_put(msg, IDMA_A_BENCH_HIST_BUCKETS, sizeof(counts), counts);
		nla_put_u64(msg, IDMA_A_BENCH_HIST_COUNT, 7);
		nla_nest_end(msg, hist);
		nla_nest_end(msg, phase);
	}
	nla_nest_end(msg, result);
	obj = nlc_decode(nlmsg_hdr(msg));
	ok(json_u64(obj, "result.phases.complete.ns.count") == 7 &&
	   json_u64(obj, "result.phases.prep.ns.count") == 7, "phases by their names");
	buckets = out_lookup(obj, "result.phases.prep.ns.buckets");
	ok(json_integer_value(json_array_get(buckets, 3)) == 4, "buckets");
	json_decref(obj);
	nlmsg_free(msg);
}

/* Cut and flipped messages: the sanitizers watch, and what is too short is refused */
static void cut_and_flipped(void)
{
	struct nl_msg *msg = message(IDMA_CMD_DEV_GET);
	unsigned char copy[512];
	struct nlmsghdr *hdr = (struct nlmsghdr *)copy;
	unsigned int seed = 7;
	struct nlattr *nest;
	uint16_t one = 1;
	json_t *obj;
	size_t len;

	nla_put_u32(msg, IDMA_A_DEV_ID, 3);
	nla_put_string(msg, IDMA_A_DEV_NAME, "a");
	nest = nla_nest_start(msg, IDMA_A_DEV_COUNTERS);
	nla_put_u64(msg, IDMA_A_DEV_COUNTERS_BYTES, 1);
	nla_nest_end(msg, nest);
	len = nlmsg_hdr(msg)->nlmsg_len;
	for (size_t cut = 0; cut <= len; cut++) {
		memcpy(copy, nlmsg_hdr(msg), len);
		hdr->nlmsg_len = (uint32_t)cut;
		json_decref(nlc_decode(hdr));
	}
	for (int i = 0; i < 20000; i++) {
		memcpy(copy, nlmsg_hdr(msg), len);
		for (int j = 0; j < 4; j++) {
			seed = seed * 1103515245 + 12345;
			copy[NLMSG_HDRLEN + (seed >> 16) % (len - NLMSG_HDRLEN)] =
				(unsigned char)(seed >> 8);
		}
		json_decref(nlc_decode(hdr));
	}
	ok(true, "broken messages do no harm");
	nlmsg_free(msg);

	msg = message(IDMA_CMD_DEV_GET);
	nla_put(msg, IDMA_A_DEV_ID, sizeof(one), &one);
	ok(!nlc_decode(nlmsg_hdr(msg)), "a number that is too short is refused");
	nlmsg_free(msg);
	msg = message(99);
	ok(!nlc_decode(nlmsg_hdr(msg)), "a command that is not known is refused");
	nlmsg_free(msg);
	msg = message(IDMA_CMD_DEV_GET);
	nla_put(msg, IDMA_A_DEV_NAME, 3, "\xff\xfe\xfd");
	obj = nlc_decode(nlmsg_hdr(msg));
	ok(!strcmp(json_str(obj, "name", ""), "?"), "a name that is no UTF-8 is not passed on");
	json_decref(obj);
	nlmsg_free(msg);
}

static void histograms(void)
{
	json_t *h = json_pack("{s:[i,i,i,i], s:i, s:i, s:i, s:i}", "buckets", 0, 0, 0, 10, "count",
			      10, "sum", 55, "min", 4, "max", 7);

	ok(fabs(hist_mean(h) - 5.5) < 0.000001, "mean");
	ok(fabs(hist_quantile(h, 0.5) - 5.5) < 0.000001, "half of a bucket");
	ok(hist_quantile(h, 0) == 4 && hist_quantile(h, 1) == 7,
	   "the ends are the smallest and the largest");
	json_decref(h);
	h = json_pack("{s:[i,i,i], s:i, s:i, s:i, s:i}", "buckets", 50, 0, 50, "count", 100, "sum",
		      100, "min", 0, "max", 2);
	ok(hist_quantile(h, 0.25) == 0 && hist_quantile(h, 0.75) == 2, "two buckets");
	hist_summarize(h);
	ok(json_double(h, "p99", -1) == 2 && json_double(h, "mean", -1) == 1, "summary");
	json_decref(h);
	h = json_object();
	hist_summarize(h);
	ok(hist_quantile(h, 0.5) == 0 && !json_object_get(h, "p50"), "an empty one has none");
	json_decref(h);
}

int main(void)
{
	whole();
	bench();
	cut_and_flipped();
	histograms();
	return tap_end();
}
