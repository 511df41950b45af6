// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding out which of the CPU's counters can be used, and what it costs to
 * use them.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/processor.h>

#ifdef CONFIG_RISCV
#include <asm/asm-extable.h>
#endif

#include "idma-bench-cpu.h"

/* How often something short is repeated to find its true length */
#define IDMA_BENCH_TRIES	64

u32 idma_bench_counters;

#ifdef CONFIG_RISCV

/* Reading a counter that the firmware keeps for itself traps */
#define idma_bench_can_read(csr)					\
({									\
	unsigned long __val, __ok = 0;					\
									\
	asm volatile("1:	csrr	%0, %2\n"			\
		     "		li	%1, 1\n"			\
		     "2:\n"						\
		     _ASM_EXTABLE(1b, 2b)				\
		     : "=&r" (__val), "+&r" (__ok)			\
		     : "i" (csr));					\
	__ok;								\
})

/* What instret says to a loop of two instructions, @n times around */
static noinline u64 idma_bench_loop(unsigned long n)
{
	u64 before, after;

	before = csr_read(CSR_INSTRET);
	asm volatile("1:	addi	%0, %0, -1\n"
		     "		bnez	%0, 1b\n"
		     : "+r" (n));
	after = csr_read(CSR_INSTRET);

	return after - before;
}

/*
 * A counter may be stopped, count in firmware as well, or be something else:
 * QEMU shows the host's clock unless it runs with -icount. Right three times
 * in a row is no accident; a few tries, since the firmware may get in between.
 */
static bool idma_bench_insn_right(void)
{
	unsigned int right = 0, i;

	for (i = 0; i < IDMA_BENCH_TRIES && right < 3; i++) {
		unsigned long flags;
		u64 few, many;

		local_irq_save(flags);
		few = idma_bench_loop(100);
		many = idma_bench_loop(1100);
		local_irq_restore(flags);
		right = many - few == 2000 ? right + 1 : 0;
	}

	return right == 3;
}

static bool idma_bench_cycles_go(void)
{
	u64 before = csr_read(CSR_CYCLE);

	idma_bench_loop(100);

	return csr_read(CSR_CYCLE) != before;
}

void idma_bench_probe_counters(void)
{
	idma_bench_counters = 0;
	if (idma_bench_can_read(CSR_INSTRET)) {
		/* Whoever is wrong about instructions is wrong about cycles */
		if (!idma_bench_insn_right())
			return;
		idma_bench_counters |= IDMA_BENCH_COUNTER_INSTRUCTIONS;
	}
	if (idma_bench_can_read(CSR_CYCLE) && idma_bench_cycles_go())
		idma_bench_counters |= IDMA_BENCH_COUNTER_CYCLES;
}

#else

void idma_bench_probe_counters(void)
{
	cycles_t before = get_cycles();
	unsigned int i;

	for (i = 0; i < IDMA_BENCH_TRIES; i++)
		cpu_relax();
	idma_bench_counters = get_cycles() != before ?
			      IDMA_BENCH_COUNTER_CYCLES : 0;
}

#endif

/**
 * idma_bench_resolution - what is the smallest step of the kernel's clock?
 *
 * Return: the smallest one that was seen, in ns
 */
u32 idma_bench_resolution(void)
{
	u32 step = U32_MAX;
	unsigned int i;

	for (i = 0; i < IDMA_BENCH_TRIES; i++) {
		u64 before = ktime_get_ns(), after;

		do {
			after = ktime_get_ns();
		} while (after == before);
		step = min_t(u64, step, after - before);
	}

	return step;
}

/**
 * idma_bench_empty - what do the counters say to nothing at all?
 * @cost: how much is always in the difference of two stamps; 0 for the clock,
 *	whose steps are too large to tell
 */
void idma_bench_empty(struct idma_bench_stamp *cost)
{
	unsigned int i;

	cost->ns = 0;
	cost->insn = U64_MAX;
	cost->cycles = U64_MAX;
	for (i = 0; i < IDMA_BENCH_TRIES; i++) {
		struct idma_bench_stamp before, after;
		unsigned long flags;

		local_irq_save(flags);
		idma_bench_begin(&before);
		barrier();
		idma_bench_end(&after);
		local_irq_restore(flags);
		cost->insn = min(cost->insn, after.insn - before.insn);
		cost->cycles = min(cost->cycles, after.cycles - before.cycles);
	}
}
