// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers as people write and read them.
 */
#include <errno.h>
#include <string.h>

#include "idma-test.h"
#include "numbers.h"
#include "tap.h"

static const struct {
	const char *text;
	enum num_unit unit;
	int ret;
	uint64_t val;
} numbers[] = {
	{ "0", NUM_COUNT, 0, 0 },
	{ "1k", NUM_COUNT, 0, 1000 },
	{ "1k", NUM_BYTES, 0, 1024 },
	{ "1K", NUM_BYTES, 0, 1024 },
	{ "3M", NUM_BYTES, 0, 3 << 20 },
	{ "2G", NUM_BYTES, 0, 2ull << 30 },
	{ "2G", NUM_COUNT, 0, 2000000000 },
	{ "4Ki", NUM_COUNT, 0, 4096 },
	{ "4KiB", NUM_BYTES, 0, 4096 },
	{ "512B", NUM_BYTES, 0, 512 },
	{ "0x40", NUM_BYTES, 0, 64 },
	{ "010", NUM_BYTES, 0, 10 },
	{ "18446744073709551615", NUM_COUNT, 0, UINT64_MAX },
	{ "18446744073709551616", NUM_COUNT, -ERANGE, 0 },
	{ "18446744073709551615k", NUM_COUNT, -ERANGE, 0 },
	{ "99999999T", NUM_BYTES, -ERANGE, 0 },
	{ "", NUM_COUNT, -EINVAL, 0 },
	{ "-1", NUM_COUNT, -EINVAL, 0 },
	{ "+1", NUM_COUNT, -EINVAL, 0 },
	{ " 1", NUM_COUNT, -EINVAL, 0 },
	{ "1 ", NUM_COUNT, -EINVAL, 0 },
	{ "1kk", NUM_COUNT, -EINVAL, 0 },
	{ "1.5k", NUM_BYTES, -EINVAL, 0 },
	{ "1x", NUM_BYTES, -EINVAL, 0 },
	{ "4B", NUM_COUNT, -EINVAL, 0 },
	{ "k", NUM_BYTES, -EINVAL, 0 },
	{ "100", NUM_MS, 0, 100 },
	{ "100ms", NUM_MS, 0, 100 },
	{ "3s", NUM_MS, 0, 3000 },
	{ "2m", NUM_MS, 0, 120000 },
	{ "5000us", NUM_MS, 0, 5 },
	{ "500us", NUM_MS, -EDOM, 0 },
	{ "3h", NUM_MS, -EINVAL, 0 },
	{ "1k", NUM_MS, -EINVAL, 0 },
};

static const struct {
	const char *text;
	int ret;
	const char *vals;
} lists[] = {
	{ "64", 0, "64" },
	{ "64,1k,4096", 0, "64 1024 4096" },
	{ "64..1k", 0, "64 128 256 512 1024" },
	{ "64..1000", 0, "64 128 256 512 1000" },
	{ "1..9+4", 0, "1 5 9" },
	{ "1..10+4", 0, "1 5 9 10" },
	{ "1..64*8,100", 0, "1 8 64 100" },
	{ "7..7", 0, "7" },
	{ "0..2+1", 0, "0 1 2" },
	{ "0..4", -EINVAL, "" },
	{ "4..1", -EINVAL, "" },
	{ "1..4*1", -EINVAL, "" },
	{ "1..4+0", -EINVAL, "" },
	{ "1..", -EINVAL, "" },
	{ "..4", -EINVAL, "" },
	{ "1,,2", -EINVAL, "" },
	{ "", -EINVAL, "" },
	{ "1,", -EINVAL, "" },
	{ "1..100+1", -E2BIG, "" },
	{ "1..18446744073709551615+1", -E2BIG, "" },
	{ "9223372036854775808..18446744073709551615", 0,
	  "9223372036854775808 18446744073709551615" },
};

static void list_text(const struct num_list *list, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < list->n; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%llu", i ? " " : "",
			 (unsigned long long)list->v[i]);
}

int main(void)
{
	char buf[512], what[640];
	struct num_list list;
	uint64_t val;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		val = 0;
		ret = num_parse(numbers[i].text, numbers[i].unit, &val);
		snprintf(what, sizeof(what), "number '%s', unit %d: %d, %llu", numbers[i].text,
			 numbers[i].unit, ret, (unsigned long long)val);
		ok(ret == numbers[i].ret && (ret || val == numbers[i].val), what);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		ret = num_parse_list(lists[i].text, NUM_BYTES, 16, &list);
		list_text(&list, buf, sizeof(buf));
		snprintf(what, sizeof(what), "list '%s': %d, %s", lists[i].text, ret, buf);
		ok(ret == lists[i].ret && !strcmp(buf, lists[i].vals), what);
		num_list_free(&list);
	}
	ok(!strcmp(num_bytes(buf, 4096), "4 KiB"), "4096 bytes");
	ok(!strcmp(num_bytes(buf, 1000), "1000 B"), "1000 bytes");
	ok(!strcmp(num_si(buf, 1.5e9, "B/s"), "1.5 GB/s"), "1.5 GB/s");
	ok(!strcmp(num_si(buf, 0, "B/s"), "0 B/s"), "0 B/s");
	ok(!strcmp(num_si(buf, 100000, ""), "100 k"), "100 k");
	ok(!strcmp(num_si(buf, 7, ""), "7"), "7");
	ok(!strcmp(num_ns(buf, 1500), "1.5 us"), "1500 ns");
	return tap_end();
}
