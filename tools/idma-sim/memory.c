// SPDX-License-Identifier: GPL-2.0-only
/*
 * A memory of 2^64 bytes of which only the pages that were touched exist: a hash
 * table of pages that grows. Bytes are little-endian, like the engine's.
 */
#include <stdlib.h>
#include <string.h>

#include "idma-test.h"
#include "memory.h"

struct page {
	uint64_t number;
	uint8_t *data;		/* NULL: slot not used */
};

struct memory {
	struct page *slots;
	size_t size, used;	/* size is a power of two */
	struct page *last;	/* the one that was wanted last */
	uint8_t **spare;	/* pages that mem_clear() has taken back */
	size_t spares;
};

#define FIRST_SLOTS	64u

struct memory *mem_new(void)
{
	struct memory *m = xalloc(sizeof(*m));

	m->size = FIRST_SLOTS;
	m->slots = xalloc(m->size * sizeof(*m->slots));
	return m;
}

void mem_clear(struct memory *m)
{
	m->spare = xrealloc(m->spare, (m->spares + m->used) * sizeof(*m->spare));
	for (size_t i = 0; i < m->size; i++) {
		if (m->slots[i].data)
			m->spare[m->spares++] = m->slots[i].data;
		m->slots[i].data = NULL;
	}
	m->used = 0;
	m->last = NULL;
}

void mem_free(struct memory *m)
{
	if (!m)
		return;
	mem_clear(m);
	for (size_t i = 0; i < m->spares; i++)
		free(m->spare[i]);
	free(m->spare);
	free(m->slots);
	free(m);
}

static struct page *slot_of(const struct page *slots, size_t size, uint64_t number)
{
	size_t i = (size_t)((number * 0x9e3779b97f4a7c15ull) >> 32) & (size - 1);

	while (slots[i].data && slots[i].number != number)
		i = (i + 1) & (size - 1);
	return (struct page *)&slots[i];
}

static void grow(struct memory *m)
{
	size_t size = m->size * 4;
	struct page *slots = xalloc(size * sizeof(*slots));

	for (size_t i = 0; i < m->size; i++)
		if (m->slots[i].data)
			*slot_of(slots, size, m->slots[i].number) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->size = size;
}

static struct page *page_of(struct memory *m, uint64_t number)
{
	struct page *p = m->last;

	if (p && p->number == number)
		return p;
	p = slot_of(m->slots, m->size, number);
	if (!p->data) {
		if (m->used >= m->size / 2) {
			grow(m);
			p = slot_of(m->slots, m->size, number);
		}
		if (m->spares) {
			p->data = m->spare[--m->spares];
			memset(p->data, 0, MEM_PAGE);
		} else {
			p->data = xalloc(MEM_PAGE);
		}
		p->number = number;
		m->used++;
	}
	m->last = p;
	return p;
}

uint8_t *mem_at(struct memory *m, uint64_t addr, uint64_t *len)
{
	uint64_t off = addr % MEM_PAGE;

	if (*len > MEM_PAGE - off)
		*len = MEM_PAGE - off;
	return page_of(m, addr / MEM_PAGE)->data + off;
}

void mem_read(struct memory *m, uint64_t addr, void *buf, uint64_t len)
{
	uint8_t *to = buf;

	while (len) {
		uint64_t n = len;
		const uint8_t *at = mem_at(m, addr, &n);

		memcpy(to, at, n);
		to += n;
		addr += n;
		len -= n;
	}
}

void mem_write(struct memory *m, uint64_t addr, const void *buf, uint64_t len)
{
	const uint8_t *from = buf;

	while (len) {
		uint64_t n = len;
		uint8_t *at = mem_at(m, addr, &n);

		memcpy(at, from, n);
		from += n;
		addr += n;
		len -= n;
	}
}

void mem_put64(struct memory *m, uint64_t addr, uint64_t val)
{
	uint8_t buf[8];

	for (int i = 0; i < 8; i++)
		buf[i] = (uint8_t)(val >> (8 * i));
	mem_write(m, addr, buf, 8);
}

uint64_t mem_get64(struct memory *m, uint64_t addr)
{
	uint8_t buf[8];
	uint64_t val = 0;

	mem_read(m, addr, buf, 8);
	for (int i = 7; i >= 0; i--)
		val = val << 8 | buf[i];
	return val;
}

/* splitmix64 */
static uint64_t next_number(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void mem_fill(struct memory *m, uint64_t addr, uint64_t len, uint64_t *seed)
{
	while (len) {
		uint64_t n = len > 8 ? 8 : len, val = next_number(seed);

		mem_write(m, addr, &val, n);
		addr += n;
		len -= n;
	}
}

int mem_same(struct memory *m, uint64_t a, uint64_t b, uint64_t len)
{
	uint8_t x[256], y[256];

	while (len) {
		uint64_t n = len > sizeof(x) ? sizeof(x) : len;

		mem_read(m, a, x, n);
		mem_read(m, b, y, n);
		if (memcmp(x, y, n))
			return 0;
		a += n;
		b += n;
		len -= n;
	}
	return 1;
}
