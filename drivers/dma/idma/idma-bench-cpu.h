/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the CPU counts: instructions and cycles, where a kernel can read them
 * and where they can be believed.
 */
#ifndef _DRIVERS_DMA_IDMA_BENCH_CPU_H
#define _DRIVERS_DMA_IDMA_BENCH_CPU_H

#include <linux/ktime.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <uapi/linux/idma.h>
#ifdef CONFIG_RISCV
#include <asm/csr.h>
#endif

/**
 * struct idma_bench_stamp - a moment on a CPU
 * @ns: the kernel's clock, in ns
 * @insn: instructions that the CPU has run; 0 if it cannot be told
 * @cycles: its cycles; 0 if it cannot be told
 */
struct idma_bench_stamp {
	u64 ns;
	u64 insn;
	u64 cycles;
};

/* enum idma_bench_counter: what can be read and believed */
extern u32 idma_bench_counters;

static __always_inline u64 idma_bench_insn(void)
{
#ifdef CONFIG_RISCV
	if (idma_bench_counters & IDMA_BENCH_COUNTER_INSTRUCTIONS)
		return csr_read(CSR_INSTRET);
#endif
	return 0;
}

static __always_inline u64 idma_bench_cycles(void)
{
	if (!(idma_bench_counters & IDMA_BENCH_COUNTER_CYCLES))
		return 0;
#ifdef CONFIG_RISCV
	return csr_read(CSR_CYCLE);
#else
	return get_cycles();
#endif
}

/*
 * The beginning and the end of something: the counters are read next to it, so
 * that reading the clock is not counted.
 */
static __always_inline void idma_bench_begin(struct idma_bench_stamp *stamp)
{
	stamp->ns = ktime_get_ns();
	stamp->cycles = idma_bench_cycles();
	stamp->insn = idma_bench_insn();
}

static __always_inline void idma_bench_end(struct idma_bench_stamp *stamp)
{
	stamp->insn = idma_bench_insn();
	stamp->cycles = idma_bench_cycles();
	stamp->ns = ktime_get_ns();
}

void idma_bench_probe_counters(void);
u32 idma_bench_resolution(void);
void idma_bench_empty(struct idma_bench_stamp *cost);

#endif /* _DRIVERS_DMA_IDMA_BENCH_CPU_H */
