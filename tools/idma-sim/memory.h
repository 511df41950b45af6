/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory of 2^64 bytes of which only the pages that were touched exist.
 */
#ifndef IDMA_SIM_MEMORY_H
#define IDMA_SIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define MEM_PAGE	4096u

struct memory;

struct memory *mem_new(void);
void mem_free(struct memory *m);
/* Forget everything: all zeros again */
void mem_clear(struct memory *m);

/* The bytes from addr on that lie in its page, made if need be; *len: how many */
uint8_t *mem_at(struct memory *m, uint64_t addr, uint64_t *len);

void mem_read(struct memory *m, uint64_t addr, void *buf, uint64_t len);
void mem_write(struct memory *m, uint64_t addr, const void *buf, uint64_t len);
void mem_put64(struct memory *m, uint64_t addr, uint64_t val);
uint64_t mem_get64(struct memory *m, uint64_t addr);
/* Numbers that look random, the same for the same seed */
void mem_fill(struct memory *m, uint64_t addr, uint64_t len, uint64_t *seed);
/* Whether two ranges hold the same */
int mem_same(struct memory *m, uint64_t a, uint64_t b, uint64_t len);

#endif
