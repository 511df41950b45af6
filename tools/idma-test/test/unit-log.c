// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dmatest says, as kernels from 4.x to the newest say it, and records of
 * /dev/kmsg.
 */
#include <math.h>
#include <string.h>

#include "dmatest-log.h"
#include "kmsg.h"
#include "tap.h"

static void lines(void)
{
	static const char * const results[] = {
		"dmatest: dma0chan3-copy1: summary 100 tests, 2 failures 241.16 iops 964 KB/s (0)",
		"dmatest: dma0chan0-copy0: summary 10 tests, 0 failures 3225 iops 6451 KB/s (0)",
		"dmatest: dma0chan1-copy0: result #17: 'test timed out' with src_off=0x1b4 dst_off=0x0 len=0x1000 (0)",
		"dmatest: dma0chan1-copy0: result #3: 'data error' with src_off=0x1 dst_off=0x2 len=0x3 (33)",
		"dmatest: dma0chan1-copy0: result #3: 'src mapping error' with src_off=0x1 dst_off=0x2 len=0x3 (-12)",
		"dmatest: dma0chan1-copy0: result #1: 'test passed' with src_off=0x1 dst_off=0x2 len=0x3 (0)",
	};
	struct dt_line l;

	dt_parse("dmatest: Added 8 threads using dma0chan3", &l);
	ok(l.kind == DT_ADDED && l.n == 8 && !strcmp(l.channel, "dma0chan3"), "threads are added");
	dt_parse("dmatest: Started 1 threads using dma12chan7", &l);
	ok(l.kind == DT_STARTED && l.n == 1 && !strcmp(l.channel, "dma12chan7"),
	   "threads are started");
	dt_parse(results[0], &l);
	ok(l.kind == DT_SUMMARY && l.tests == 100 && l.failures == 2 && l.kbs == 964 && !l.ret,
	   "summary: whole numbers");
	ok(fabs(l.iops - 241.16) < 0.000001, "summary: transfers a second");
	ok(!strcmp(l.channel, "dma0chan3") && !strcmp(l.thread, "dma0chan3-copy1"),
	   "summary: whose it is");
	dt_parse(results[1], &l);
	ok(l.kind == DT_SUMMARY && l.iops == 3225 && l.kbs == 6451,
	   "summary without decimals (4.x)");
	dt_parse("dmatest: dma0chan0-copy0: summary 0 tests, 0 failures 0.00 iops 0 KB/s (-12)",
		 &l);
	ok(l.kind == DT_SUMMARY && l.ret == -12 && !l.tests,
	   "summary of a thread that could not begin");
	dt_parse("dmatest: dma100chan10-co: summary 7 tests, 0 failures 1.00 iops 0 KB/s (0)", &l);
	ok(l.kind == DT_SUMMARY && !strcmp(l.channel, "dma100chan10"),
	   "name of a thread that was cut");
	dt_parse(results[2], &l);
	ok(l.kind == DT_RESULT && l.timeout && !l.passed && l.n == 17, "a timeout");
	ok(l.src_off == 0x1b4 && !l.dst_off && l.len == 0x1000 && !strcmp(l.what, "test timed out"),
	   "a timeout: what it was");
	dt_parse(results[3], &l);
	ok(l.kind == DT_RESULT && !l.timeout && !l.passed && l.data == 33, "wrong data");
	dt_parse(results[4], &l);
	ok(l.kind == DT_RESULT && l.data == -12 && !strcmp(l.what, "src mapping error"),
	   "a negative error");
	dt_parse(results[5], &l);
	ok(l.kind == DT_RESULT && l.passed, "verbose: one that passed");
	dt_parse("dmatest: dma0chan0-copy0: dstbuf[0x10] not copied! Expected f0, got 30", &l);
	ok(l.kind == DT_MISMATCH && !strcmp(l.channel, "dma0chan0"), "a wrong byte");
	dt_parse("dmatest: dma0chan0-copy0: 96 errors suppressed", &l);
	ok(l.kind == DT_MISMATCH, "more wrong bytes");
	dt_parse("dmatest: 4096-byte transfer size must be lower than 4096-buffer size", &l);
	ok(l.kind == DT_TROUBLE && strstr(l.what, "must be lower"), "a size that does not fit");
	dt_parse("dmatest: 16-byte buffer too small for 64-byte alignment", &l);
	ok(l.kind == DT_TROUBLE, "a buffer that is too small");
	dt_parse("dmatest: Channel misconfigured, can't continue", &l);
	ok(l.kind == DT_TROUBLE, "a channel that is misconfigured");
}

/* Whatever else is in the log */
static void others(void)
{
	static const char *const texts[] = {
		"",
		"dmatest",
		"dmatest: ",
		"dmatest: dma",
		"dmatest: dma0chan0-copy0: ",
		"dmatest: dma0chan0-copy0: result #",
		"dmatest: dma0chan0-copy0: result #1: '",
		"dmatest: dma0chan0-copy0: result #1: 'x' with",
		"dmatest: dma0chan0-copy0: summary",
		"dmatest: dma0chan0-copy0: summary 1 tests, 2 failures",
		"dmatest: No channels configured, continue with any",
		"dmatest: Added threads using dma0chan0",
		"Added 1 threads using dma0chan0",
		"other: dma0chan0-copy0: summary 1 tests, 0 failures 1.00 iops 0 KB/s (0)",
		"dmatest: eth0: summary 1 tests, 0 failures 1.00 iops 0 KB/s (0)",
		"dmatest: dma0chan0copy: summary 1 tests, 0 failures 1.00 iops 0 KB/s (0)",
		"dmatest: dma0chan0-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: summary 1 tests, 0 failures 1.00 iops 0 KB/s (0)",
	};
	char what[64], noise[400];
	unsigned int seed = 1, bad = 0;
	struct dt_line l;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		dt_parse(texts[i], &l);
		snprintf(what, sizeof(what), "not one of these: '%.40s'", texts[i]);
		ok(l.kind == DT_OTHER, what);
	}
	/* The sanitizers watch; nothing of this is a summary */
	for (int i = 0; i < 20000; i++) {
		int n = snprintf(noise, sizeof(noise), "dmatest: dma0chan0-copy0: result #1: '");

		for (; n < (int)sizeof(noise) - 1; n++) {
			seed = seed * 1103515245 + 12345;
			noise[n] = (char)(" '#:x0(),=-"[(seed >> 16) % 11]);
		}
		noise[sizeof(noise) - 1] = '\0';
		dt_parse(noise, &l);
		bad += l.kind == DT_SUMMARY;
	}
	ok(!bad, "noise");
}

static void records(void)
{
	struct kmsg_line l;
	char big[4000];

	ok(kmsg_parse("6,339,5140900,-;dmatest: Added 1 threads using dma0chan0\n SUBSYSTEM=dma\n",
		      &l) &&
		   l.us == 5140900 && !strcmp(l.text, "dmatest: Added 1 threads using dma0chan0"),
	   "a record");
	ok(kmsg_parse("4,1,2,c,caller=T12;hello", &l) && !strcmp(l.text, "hello"),
	   "a record with more fields");
	ok(kmsg_parse("6,3,4,-;a;b\n", &l) && !strcmp(l.text, "a;b"), "a text with a semicolon");
	ok(!kmsg_parse("no record at all", &l) && !kmsg_parse(";", &l) && !kmsg_parse("", &l),
	   "no record");
	memset(big, 'x', sizeof(big));
	memcpy(big, "6,3,4,-;", 8);
	big[sizeof(big) - 1] = '\0';
	ok(kmsg_parse(big, &l) && strlen(l.text) == sizeof(l.text) - 1,
	   "a text that is too long is cut");
}

int main(void)
{
	lines();
	others();
	records();
	return tap_end();
}
