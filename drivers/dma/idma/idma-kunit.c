// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the iDMA driver's descriptor code: how transfers are cut into
 * segments, what a descriptor looks like in memory, and how chains are laid
 * out in the ring and reaped. No hardware: the tests set the marks.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "idma-desc64.h"

#define RING_DMA	0x123456000ULL
#define RING_BYTES	(IDMA_DESC64_SLOTS * sizeof(struct idma_desc64))

/* ---- Segments ---- */

struct segment_case {
	u64 len;
	u32 max_len;
};

static const struct segment_case segment_cases[] = {
	{ 1, IDMA_MAX_SEGMENT },
	{ IDMA_MAX_SEGMENT - 1, IDMA_MAX_SEGMENT },
	{ IDMA_MAX_SEGMENT, IDMA_MAX_SEGMENT },
	{ IDMA_MAX_SEGMENT + 1, IDMA_MAX_SEGMENT },
	{ 0xfffffffeULL, IDMA_MAX_SEGMENT },
	{ 0xffffffffULL, IDMA_MAX_SEGMENT },
	{ 0x100000000ULL, IDMA_MAX_SEGMENT },
	{ 0x100000001ULL, IDMA_MAX_SEGMENT },
	{ 0x200000007ULL, IDMA_MAX_SEGMENT },
	{ 0xffffffffULL, IDMA_DESC64_MAX_LEN },
	{ 0x100000000ULL, IDMA_DESC64_MAX_LEN },
	{ 0x100000001ULL, IDMA_DESC64_MAX_LEN },
	{ 0x1fffffffeULL, IDMA_DESC64_MAX_LEN },
	{ 0x1ffffffffULL, IDMA_DESC64_MAX_LEN },
	{ 0x100000000000ULL, IDMA_DESC64_MAX_LEN },
	{ 3, 1 },
};

static void segment_case_name(const struct segment_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%#llx by %#x", c->len, c->max_len);
}

KUNIT_ARRAY_PARAM(segment, segment_cases, segment_case_name);

/* Every byte exactly once, in order, source and destination in step */
static void idma_test_segments(struct kunit *test)
{
	const struct segment_case *c = test->param_value;
	const dma_addr_t src = 0x87654321ULL, dst = 0x1fffffff3ULL;
	struct idma_tx *tx;
	u64 sum = 0, n = 0;

	tx = kunit_kzalloc(test, sizeof(*tx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	tx->src = src;
	tx->dst = dst;
	tx->len = c->len;

	while (tx->built < tx->len) {
		struct idma_segment seg = {};
		u32 len = idma_next_segment(tx, c->max_len, &seg);

		KUNIT_ASSERT_EQ(test, seg.len, len);
		KUNIT_ASSERT_GE(test, len, 1U);
		KUNIT_ASSERT_LE(test, len, c->max_len);
		KUNIT_ASSERT_EQ(test, seg.src, src + sum);
		KUNIT_ASSERT_EQ(test, seg.dst, dst + sum);
		sum += len;
		tx->built += len;
		n++;
	}
	KUNIT_EXPECT_EQ(test, sum, c->len);
	KUNIT_EXPECT_EQ(test, n, DIV_ROUND_UP_ULL(c->len, c->max_len));
}

/* ---- Ring ---- */

static struct idma_desc64_ring *ring_new(struct kunit *test, unsigned int max_chains)
{
	struct idma_desc64_ring *ring;
	struct idma_desc64 *desc;

	ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	desc = kunit_kzalloc(test, (IDMA_DESC64_SLOTS + IDMA_DESC64_GUARD) *
			     sizeof(*desc), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, desc);
	idma_desc64_ring_init(ring, desc, RING_DMA, IDMA_DESC64_INCR, max_chains);

	return ring;
}

static void build(struct idma_desc64_ring *ring, u32 len, bool irq)
{
	const struct idma_segment seg = {
		.src = 0x1122334455667788ULL, .dst = 0x99aabbccddeeff01ULL,
		.len = len, .irq = irq,
	};

	idma_desc64_ring_build(ring, &seg);
}

static struct idma_desc64 *at(struct kunit *test, struct idma_desc64_ring *ring, u64 addr)
{
	KUNIT_ASSERT_GE(test, addr, RING_DMA);
	KUNIT_ASSERT_LT(test, addr, RING_DMA + RING_BYTES);
	KUNIT_ASSERT_EQ(test, addr % sizeof(struct idma_desc64), 0ULL);

	return &ring->desc[(addr - RING_DMA) / sizeof(struct idma_desc64)];
}

/* What the engine does when a descriptor is complete */
static void mark(struct idma_desc64 *desc)
{
	memset(desc, 0xff, sizeof(desc->mark));
}

static bool is_poison(const struct idma_desc64 *desc)
{
	return desc->mark == cpu_to_le64(IDMA_DESC64_MARK) &&
	       desc->next == cpu_to_le64(IDMA_DESC64_END) &&
	       desc->src == cpu_to_le64(IDMA_DESC64_POISON) &&
	       desc->dst == cpu_to_le64(IDMA_DESC64_POISON);
}

/* The bytes that the RTL reads, whatever the CPU's endianness */
static void idma_test_layout(struct kunit *test)
{
	static const u8 want[32] = {
		0x78, 0x56, 0x34, 0x12,				/* length */
		0x0b, 0x00, 0x00, 0x00,				/* irq, INCR, INCR */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,	/* next */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,	/* source */
		0x01, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99,	/* destination */
	};
	struct idma_desc64_ring *ring = ring_new(test, 2);
	u64 head;

	build(ring, 0x12345678, false);
	head = idma_desc64_ring_close(ring, true);
	KUNIT_EXPECT_EQ(test, head, RING_DMA);
	KUNIT_EXPECT_EQ(test, memcmp(ring->desc, want, sizeof(want)), 0);
}

static void idma_test_chain(struct kunit *test)
{
	struct idma_desc64_ring *ring = ring_new(test, 2);
	struct idma_desc64 *desc;
	unsigned int i;
	u64 addr;

	for (i = 0; i < 5; i++)
		build(ring, 100 + i, i == 2);
	addr = idma_desc64_ring_close(ring, false);

	for (i = 0; i < 5; i++) {
		desc = at(test, ring, addr);
		KUNIT_EXPECT_EQ(test, le32_to_cpu(desc->length), 100 + i);
		KUNIT_EXPECT_EQ(test, le32_to_cpu(desc->flags),
				IDMA_DESC64_INCR | (i == 2 ? IDMA_DESC64_IRQ : 0));
		/* Contiguous, so that the prefetcher guesses right */
		if (i < 4)
			KUNIT_EXPECT_EQ(test, le64_to_cpu(desc->next), addr + 32);
		addr = le64_to_cpu(desc->next);
	}
	KUNIT_EXPECT_EQ(test, addr, IDMA_DESC64_END);
}

static void idma_test_reap_in_order(struct kunit *test)
{
	struct idma_desc64_ring *ring = ring_new(test, 2);
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 0U);

	for (i = 0; i < 4; i++)
		build(ring, 64, false);
	/* Built is not launched: nothing of it may be taken, marked or not */
	mark(&ring->desc[0]);
	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 0U);
	ring->desc[0].length = cpu_to_le32(64);
	ring->desc[0].flags = cpu_to_le32(IDMA_DESC64_INCR);
	idma_desc64_ring_close(ring, true);

	/* A mark behind an open descriptor does not count yet */
	mark(&ring->desc[1]);
	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 0U);

	mark(&ring->desc[0]);
	KUNIT_EXPECT_TRUE(test, idma_desc64_ring_pending(ring));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 1), 1U);
	KUNIT_EXPECT_TRUE(test, is_poison(&ring->desc[0]));
	KUNIT_EXPECT_FALSE(test, is_poison(&ring->desc[1]));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 1U);
	KUNIT_EXPECT_EQ(test, ring->chains, 1U);

	mark(&ring->desc[2]);
	mark(&ring->desc[3]);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 2U);
	KUNIT_EXPECT_EQ(test, ring->chains, 0U);
	KUNIT_EXPECT_EQ(test, ring->head, ring->tail);
	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
}

/* Half a mark is a length of 0xffffffff or flags of all ones, no completion */
static void idma_test_half_marks(struct kunit *test)
{
	struct idma_desc64_ring *ring = ring_new(test, 2);

	build(ring, U32_MAX, false);
	idma_desc64_ring_close(ring, true);
	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
	ring->desc[0].length = cpu_to_le32(64);
	ring->desc[0].flags = cpu_to_le32(U32_MAX);
	KUNIT_EXPECT_FALSE(test, idma_desc64_ring_pending(ring));
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 1), 0U);
}

static void idma_test_room(struct kunit *test)
{
	struct idma_desc64_ring *ring = ring_new(test, 3);
	unsigned int room, i;

	room = idma_desc64_ring_room(ring);
	KUNIT_EXPECT_EQ(test, room, IDMA_DESC64_SLOTS - 1);
	for (i = 0; i < room; i++)
		build(ring, 8, false);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_room(ring), 0U);
	idma_desc64_ring_close(ring, true);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_room(ring), 0U);

	/* Three slots free: two descriptors and their gap */
	for (i = 0; i < 3; i++)
		mark(&ring->desc[i]);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 3U);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_room(ring), 2U);
}

static void idma_test_max_chains(struct kunit *test)
{
	struct idma_desc64_ring *ring = ring_new(test, 2);

	build(ring, 8, false);
	idma_desc64_ring_close(ring, true);
	KUNIT_EXPECT_NE(test, idma_desc64_ring_room(ring), 0U);
	build(ring, 8, false);
	idma_desc64_ring_close(ring, true);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_room(ring), 0U);
	mark(&ring->desc[0]);
	KUNIT_EXPECT_EQ(test, idma_desc64_ring_reap(ring, 100), 1U);
	KUNIT_EXPECT_NE(test, idma_desc64_ring_room(ring), 0U);
}

/*
 * Random chains, many times round the ring, against a plain list of what was
 * launched. No head may ever follow the last descriptor of the chain before
 * it, and a descriptor is written whole.
 */
static void idma_test_random(struct kunit *test)
{
	enum { ROUNDS = 20000 };
	struct idma_desc64_ring *ring = ring_new(test, 4);
	struct idma_desc64 **open;
	unsigned int first = 0, last = 0;
	unsigned int wraps = 0, n, i;
	struct rnd_state rnd;
	u64 prev_tail = 0;
	u64 addr;

	open = kunit_kcalloc(test, 2 * IDMA_DESC64_SLOTS, sizeof(*open), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, open);
	prandom_seed_state(&rnd, 20261201);

	for (i = 0; i < ROUNDS; i++) {
		unsigned int want = 1 + prandom_u32_state(&rnd) % 64;
		unsigned int room = idma_desc64_ring_room(ring);
		unsigned int done, k;

		want = min(want, room);
		for (k = 0; k < want; k++)
			build(ring, 1 + prandom_u32_state(&rnd) % 4096, false);
		if (want) {
			addr = idma_desc64_ring_close(ring, true);
			KUNIT_ASSERT_NE(test, addr, prev_tail + 32);
			for (k = 0; k < want; k++) {
				struct idma_desc64 *desc = at(test, ring, addr);

				KUNIT_ASSERT_NE(test, le64_to_cpu(desc->mark),
						IDMA_DESC64_MARK);
				KUNIT_ASSERT_NE(test, le64_to_cpu(desc->src),
						IDMA_DESC64_POISON);
				KUNIT_ASSERT_NE(test, le64_to_cpu(desc->dst),
						IDMA_DESC64_POISON);
				open[last++ % (2 * IDMA_DESC64_SLOTS)] = desc;
				prev_tail = addr;
				addr = le64_to_cpu(desc->next);
				wraps += addr < prev_tail;
			}
			KUNIT_ASSERT_EQ(test, addr, IDMA_DESC64_END);
		}

		n = prandom_u32_state(&rnd) % (last - first + 1);
		for (k = 0; k < n; k++)
			mark(open[(first + k) % (2 * IDMA_DESC64_SLOTS)]);
		done = idma_desc64_ring_reap(ring, last - first);
		KUNIT_ASSERT_EQ(test, done, n);
		first += n;
	}
	KUNIT_EXPECT_GT(test, wraps, 1000U);
}

static struct kunit_case idma_cases[] = {
	KUNIT_CASE_PARAM(idma_test_segments, segment_gen_params),
	KUNIT_CASE(idma_test_layout),
	KUNIT_CASE(idma_test_chain),
	KUNIT_CASE(idma_test_reap_in_order),
	KUNIT_CASE(idma_test_half_marks),
	KUNIT_CASE(idma_test_room),
	KUNIT_CASE(idma_test_max_chains),
	KUNIT_CASE(idma_test_random),
	{ }
};

static struct kunit_suite idma_suite = {
	.name = "idma",
	.test_cases = idma_cases,
};

kunit_test_suite(idma_suite);

MODULE_DESCRIPTION("KUnit tests of the PULP iDMA driver");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
