/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the iDMA driver: what was launched, what was found complete
 * and by what, what became of each transfer.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM idma

#if !defined(_DRIVERS_DMA_IDMA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _DRIVERS_DMA_IDMA_TRACE_H

#include <linux/tracepoint.h>

#include "idma.h"

#define show_idma_reap_by(by)				\
	__print_symbolic(by,				\
		{ IDMA_REAP_IRQ,	"irq" },	\
		{ IDMA_REAP_BACKSTOP,	"backstop" },	\
		{ IDMA_REAP_POLL,	"poll" })

#define show_idma_result(result)				\
	__print_symbolic(result,				\
		{ DMA_TRANS_NOERROR,		"ok" },		\
		{ DMA_TRANS_READ_FAILED,	"read failed" },	\
		{ DMA_TRANS_WRITE_FAILED,	"write failed" },	\
		{ DMA_TRANS_ABORTED,		"aborted" })

/* A chain was handed to the engine */
TRACE_EVENT(idma_launch,
	TP_PROTO(struct idma_dev *idma, unsigned int segments, u64 bytes,
		 bool irq),
	TP_ARGS(idma, segments, bytes, irq),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(unsigned int, segments)
		__field(u64, bytes)
		__field(bool, irq)
		__field(unsigned int, inflight)
	),
	TP_fast_assign(
		__entry->dev_id = idma->dma.dev_id;
		__entry->segments = segments;
		__entry->bytes = bytes;
		__entry->irq = irq;
		__entry->inflight = idma_inflight(idma);
	),
	TP_printk("dma%d: segments=%u bytes=%llu irq=%d inflight=%u",
		  __entry->dev_id, __entry->segments, __entry->bytes,
		  __entry->irq, __entry->inflight)
);

/* A segment was built into the chain that will be launched next */
TRACE_EVENT(idma_segment,
	TP_PROTO(struct idma_chan *c, const struct idma_segment *seg,
		 dma_cookie_t cookie),
	TP_ARGS(c, seg, cookie),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(int, chan_id)
		__field(dma_cookie_t, cookie)
		__field(u64, src)
		__field(u64, dst)
		__field(u32, len)
		__field(bool, irq)
	),
	TP_fast_assign(
		__entry->dev_id = c->idma->dma.dev_id;
		__entry->chan_id = c->vc.chan.chan_id;
		__entry->cookie = cookie;
		__entry->src = seg->src;
		__entry->dst = seg->dst;
		__entry->len = seg->len;
		__entry->irq = seg->irq;
	),
	TP_printk("dma%dchan%d: cookie=%d src=%#llx dst=%#llx len=%u irq=%d",
		  __entry->dev_id, __entry->chan_id, __entry->cookie,
		  __entry->src, __entry->dst, __entry->len, __entry->irq)
);

/* Segments were found complete */
TRACE_EVENT(idma_reap,
	TP_PROTO(struct idma_dev *idma, enum idma_reap_by by,
		 unsigned int segments),
	TP_ARGS(idma, by, segments),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(int, by)
		__field(unsigned int, segments)
		__field(unsigned int, inflight)
	),
	TP_fast_assign(
		__entry->dev_id = idma->dma.dev_id;
		__entry->by = by;
		__entry->segments = segments;
		__entry->inflight = idma_inflight(idma);
	),
	TP_printk("dma%d: by=%s segments=%u inflight=%u", __entry->dev_id,
		  show_idma_reap_by(__entry->by), __entry->segments,
		  __entry->inflight)
);

/* A transfer ended and its client is about to be told */
TRACE_EVENT(idma_complete,
	TP_PROTO(struct idma_chan *c, const struct idma_tx *tx),
	TP_ARGS(c, tx),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(int, chan_id)
		__field(dma_cookie_t, cookie)
		__field(u64, len)
		__field(u64, done)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->dev_id = c->idma->dma.dev_id;
		__entry->chan_id = c->vc.chan.chan_id;
		__entry->cookie = tx->vd.tx.cookie;
		__entry->len = tx->len;
		__entry->done = tx->done;
		__entry->result = tx->vd.tx_result.result;
	),
	TP_printk("dma%dchan%d: cookie=%d len=%llu done=%llu result=%s",
		  __entry->dev_id, __entry->chan_id, __entry->cookie,
		  __entry->len, __entry->done,
		  show_idma_result(__entry->result))
);

/* A client terminated its channel */
TRACE_EVENT(idma_terminate,
	TP_PROTO(struct idma_chan *c, unsigned int inflight),
	TP_ARGS(c, inflight),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(int, chan_id)
		__field(unsigned int, inflight)
	),
	TP_fast_assign(
		__entry->dev_id = c->idma->dma.dev_id;
		__entry->chan_id = c->vc.chan.chan_id;
		__entry->inflight = inflight;
	),
	TP_printk("dma%dchan%d: transfers still in hardware=%u",
		  __entry->dev_id, __entry->chan_id, __entry->inflight)
);

/* The engine stopped completing, or came back */
TRACE_EVENT(idma_dead,
	TP_PROTO(struct idma_dev *idma, bool dead),
	TP_ARGS(idma, dead),
	TP_STRUCT__entry(
		__field(int, dev_id)
		__field(bool, dead)
		__field(unsigned int, inflight)
	),
	TP_fast_assign(
		__entry->dev_id = idma->dma.dev_id;
		__entry->dead = dead;
		__entry->inflight = idma_inflight(idma);
	),
	TP_printk("dma%d: %s inflight=%u", __entry->dev_id,
		  __entry->dead ? "dead" : "recovered", __entry->inflight)
);

#endif /* _DRIVERS_DMA_IDMA_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE idma-trace
#include <trace/define_trace.h>
