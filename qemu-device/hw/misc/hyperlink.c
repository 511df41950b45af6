/*
 * HyperLink: a window into the memory of another machine, as a PCI function
 *
 * The registers are those of TI's KeyStone devices; what is peculiar to PCI is
 * that the function has them in BAR 0 and its window of 256 MiB in BAR 2. An
 * access to the window is translated (idma-engine/hyperlink-xlate.c), goes
 * over the wire (hyperlink-link.c, or back into this side's own receiver with
 * CTL.iloop) and ends in the RAM that the receiver has granted, or nowhere.
 *
 * What comes in over the wire reaches RAM only. A segment that leads to a
 * device, to this one's own window above all, is as good as none: so no chain
 * of accesses can come back here while one is going on.
 *
 * Nothing here waits for the other side.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/misc/hyperlink.h"
#include "hw/pci/msix.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "migration/vmstate.h"
#include "trace.h"

static int64_t hyperlink_now(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static const char *hyperlink_id(HyperlinkState *s)
{
    return DEVICE(s)->canonical_path;
}

static void G_GNUC_PRINTF(2, 3) hyperlink_guest_error(HyperlinkState *s,
                                                      const char *fmt, ...)
{
    g_autofree char *msg = NULL;
    va_list ap;

    s->stats.guest_errors++;
    if (!qemu_loglevel_mask(LOG_GUEST_ERROR)) {
        return;
    }
    va_start(ap, fmt);
    msg = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    qemu_log_mask(LOG_GUEST_ERROR, "%s: %s\n", hyperlink_id(s), msg);
}

/*
 * Interrupts
 */

/*
 * The line is a level. A message is sent when the first bit gets set, and
 * again at an end of interrupt that leaves bits set. Then the line falls for
 * a moment, too: the PLIC looks at its edges.
 */
static void hyperlink_irq_update(HyperlinkState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    bool level = s->int_pending && (s->ctl & HYPERLINK_CTL_INTENABLE);

    if (!level) {
        s->int_signalled = false;
    }
    if (!msix_enabled(pdev)) {
        pci_set_irq(pdev, level);
    } else if (level && !s->int_signalled) {
        s->int_signalled = true;
        msix_notify(pdev, 0);
    }
}

static void hyperlink_int_set(HyperlinkState *s, uint32_t bits)
{
    trace_hyperlink_int_set(hyperlink_id(s), bits, s->int_pending);
    s->int_pending |= bits;
    hyperlink_irq_update(s);
    hyperlink_link_changed(s, false);
}

static void hyperlink_int_clear(HyperlinkState *s, uint32_t bits)
{
    s->int_pending &= ~bits;
    hyperlink_irq_update(s);
    hyperlink_link_changed(s, false);
}

/* One of the error bits of STS comes up, which is an interrupt if enabled */
void hyperlink_error(HyperlinkState *s, uint32_t error)
{
    if (s->errors & error) {
        return;
    }
    trace_hyperlink_error(hyperlink_id(s), error);
    s->errors |= error;
    if (s->ctl & HYPERLINK_CTL_INTENABLE) {
        hyperlink_int_set(s, 1u << HYPERLINK_CTL_INTVEC(s->ctl));
    }
    hyperlink_link_changed(s, false);
}

/* An interrupt has come over the wire, or will have in a moment */
void hyperlink_interrupt(HyperlinkState *s, unsigned mps, unsigned vector)
{
    s->int_wire[mps] |= 1u << vector;
    if (!timer_pending(&s->int_timer)) {
        timer_mod(&s->int_timer, hyperlink_now() + s->latency_int_ns);
    }
}

static bool hyperlink_ram(HyperlinkState *s, uint32_t addr, void *buf,
                          uint32_t len, bool is_write, bool secure,
                          HyperlinkFault *fault);

static void hyperlink_int_arrives(void *opaque)
{
    HyperlinkState *s = opaque;

    for (int mps = 0; mps < HYPERLINK_INT_PTRS; mps++) {
        uint32_t bits = s->int_wire[mps];
        HyperlinkFault fault;
        uint8_t le[4];

        if (!bits) {
            continue;
        }
        s->int_wire[mps] = 0;
        s->stats.ints_received += ctpop32(bits);
        trace_hyperlink_int_arrives(hyperlink_id(s), mps, bits);
        if (s->ctl & HYPERLINK_CTL_INT2CFG) {
            hyperlink_int_set(s, bits);
            continue;
        }
        for (; bits; bits &= bits - 1) {
            stl_le_p(le, bits & -bits);
            if (!hyperlink_ram(s, s->int_ptr[mps], le, sizeof(le), true,
                               false, &fault)) {
                s->stats.in_faults[fault]++;
            }
        }
    }
}

static void hyperlink_sw_int(HyperlinkState *s, uint32_t value)
{
    uint32_t entry = s->int_ctl[value & 0xff];
    unsigned mps = HYPERLINK_INT_CTL_MPS(entry);
    unsigned vector = HYPERLINK_INT_CTL_VECTOR(entry);

    switch (value >> 8 & 0xff) {
    case 0:
        break;
    case 0xfe:          /* ends a level interrupt of an input: there are none */
    case 0xff:
        return;
    default:
        hyperlink_guest_error(s, "SW_INT: 0x%" PRIx32 " is no command", value);
        return;
    }
    if (!(entry & HYPERLINK_INT_CTL_EN)) {
        s->stats.ints_dropped++;
        hyperlink_guest_error(s, "SW_INT: interrupt %" PRIu32
                              " is not enabled", value & 0xff);
        return;
    }
    trace_hyperlink_sw_int(hyperlink_id(s), value & 0xff, mps, vector);
    if (s->ctl & HYPERLINK_CTL_INTLOCAL) {
        hyperlink_int_set(s, 1u << vector);
    } else if (!s->link_up || (s->ctl & HYPERLINK_CTL_SERIAL_STOP)) {
        s->stats.ints_dropped++;
        hyperlink_error(s, HYPERLINK_STS_LERROR);
    } else {
        s->stats.ints_sent++;
        if (s->ctl & HYPERLINK_CTL_ILOOP) {
            hyperlink_interrupt(s, mps, vector);
        } else {
            hyperlink_peer_interrupt(s, mps, vector);
        }
    }
}

/*
 * The link
 */

bool hyperlink_ready(HyperlinkState *s)
{
    return !(s->ctl & HYPERLINK_CTL_RESET) && s->pll_locked && !s->link_failed;
}

static unsigned hyperlink_width(HyperlinkState *s)
{
    unsigned own = s->pwr & HYPERLINK_PWR_QUADLANE ? s->lanes : 1;

    if (s->ctl & HYPERLINK_CTL_ILOOP) {
        return own;
    }
    return MIN(own, hyperlink_peer_lanes(s));
}

static void hyperlink_link_down(HyperlinkState *s)
{
    timer_del(&s->train_timer);
    if (s->link_up) {
        s->link_up = false;
        s->stats.link_downs++;
        trace_hyperlink_link(hyperlink_id(s), false);
    }
}

/* Something has changed that the state of the link depends on */
void hyperlink_link_update(HyperlinkState *s)
{
    bool was_up = s->link_up;

    if (hyperlink_ready(s) &&
        (s->ctl & HYPERLINK_CTL_ILOOP || hyperlink_peer_ready(s))) {
        if (!s->link_up && !timer_pending(&s->train_timer)) {
            timer_mod(&s->train_timer, hyperlink_now() + s->train_ns);
        }
        return;
    }
    hyperlink_link_down(s);
    if (was_up && hyperlink_ready(s)) {
        /* The other side has gone, which nobody here has asked for. */
        hyperlink_error(s, HYPERLINK_STS_LERROR);
    }
    /* Only what is new: this is also what follows from the peer's state */
    if (was_up) {
        hyperlink_link_changed(s, false);
    }
}

/*
 * The machine goes on. What the other side has, and what was on its way, is no
 * part of a state that was loaded: the other side may be another one, or have
 * gone on from there. So that link is lost, and takes a reset: it does not come
 * back behind the driver's back.
 */
void hyperlink_resume(HyperlinkState *s)
{
    if (s->loaded && s->link_up && !(s->ctl & HYPERLINK_CTL_ILOOP)) {
        s->link_failed = true;
        hyperlink_link_down(s);
        hyperlink_error(s, HYPERLINK_STS_LERROR);
    }
    s->loaded = false;
    hyperlink_link_update(s);
}

static void hyperlink_trained(void *opaque)
{
    HyperlinkState *s = opaque;

    s->link_up = true;
    s->stats.link_ups++;
    trace_hyperlink_link(hyperlink_id(s), true);
    hyperlink_link_changed(s, false);
}

static void hyperlink_pll_lock(void *opaque)
{
    HyperlinkState *s = opaque;

    s->pll_locked = true;
    hyperlink_link_update(s);
    hyperlink_link_changed(s, true);
}

/*
 * Data
 */

/* What comes in may reach RAM and nothing else */
static bool hyperlink_ram(HyperlinkState *s, uint32_t addr, void *buf,
                          uint32_t len, bool is_write, bool secure,
                          HyperlinkFault *fault)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    AddressSpace *as = pci_get_address_space(pdev);
    MemTxAttrs attrs = {
        .requester_id = pci_requester_id(pdev),
        .secure = secure,
    };
    hwaddr xlat, size = len;
    MemoryRegion *mr;

    if (!(pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER)) {
        *fault = HYPERLINK_FAULT_MASTER;
        return false;
    }

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(as, addr, &xlat, &size, is_write, attrs);
    if (size < len || !memory_region_is_ram(mr) ||
        memory_region_is_rom(mr) || !memory_access_is_direct(mr, true, attrs) ||
        address_space_rw(as, addr, attrs, buf, len, is_write) != MEMTX_OK) {
        *fault = HYPERLINK_FAULT_TARGET;
        return false;
    }
    return true;
}

bool hyperlink_in(HyperlinkState *s, uint32_t wire, void *buf, uint32_t len,
                  bool is_write, HyperlinkFault *fault)
{
    HyperlinkTarget t;
    bool ok;

    switch (hyperlink_inbound(&s->rx, wire, len, &t)) {
    case HYPERLINK_XLATE_OK:
        ok = hyperlink_ram(s, t.addr, buf, len, is_write, t.secure, fault);
        break;
    case HYPERLINK_XLATE_NO_SEGMENT:
        *fault = HYPERLINK_FAULT_SEGMENT;
        ok = false;
        break;
    default:
        *fault = HYPERLINK_FAULT_RANGE;
        ok = false;
        break;
    }
    trace_hyperlink_in(hyperlink_id(s), is_write, wire, t.segment, t.privid,
                       t.addr, len, ok);
    if (!ok) {
        s->stats.in_faults[*fault]++;
        s->stats.last_fault = wire;
    } else if (is_write) {
        s->stats.in_writes++;
    } else {
        s->stats.in_reads++;
    }
    return ok;
}

/* An access of this side's has gone nowhere */
void hyperlink_fault(HyperlinkState *s, HyperlinkFault fault, uint32_t wire)
{
    s->stats.faults[fault]++;
    s->stats.last_fault = wire;
    trace_hyperlink_fault(hyperlink_id(s), fault, wire);
    hyperlink_error(s, HYPERLINK_STS_LERROR);
}

static bool hyperlink_out(HyperlinkState *s, uint32_t wire, void *buf,
                          unsigned size, bool is_write, HyperlinkFault *fault)
{
    if (!s->link_up) {
        *fault = HYPERLINK_FAULT_LINK;
        return false;
    }
    if (s->ctl & HYPERLINK_CTL_SERIAL_STOP) {
        *fault = HYPERLINK_FAULT_STOPPED;
        return false;
    }
    /* 9 bits on the wire for 8 of data */
    s->stats.busy_ns += (is_write ? s->latency_write_ns : s->latency_read_ns) +
                        9 * (uint64_t)size * NANOSECONDS_PER_SECOND / s->rate /
                        hyperlink_width(s);
    if (s->ctl & HYPERLINK_CTL_ILOOP) {
        return hyperlink_in(s, wire, buf, size, is_write, fault);
    }
    return hyperlink_peer_access(s, wire, buf, size, is_write, fault);
}

static MemTxResult hyperlink_window(HyperlinkState *s, hwaddr addr,
                                    uint64_t *value, unsigned size,
                                    MemTxAttrs attrs, bool is_write)
{
    bool dma = !attrs.unspecified && attrs.requester_id == s->dma_requester_id;
    bool secure = attrs.secure || (dma ? s->secure_dma : s->secure_cpu);
    unsigned privid = dma ? s->privid_dma : s->privid_cpu;
    uint32_t wire = hyperlink_outbound(s->tx_sel, addr, privid, secure);
    HyperlinkFault fault;
    uint8_t buf[8];
    bool ok;

    if (is_write) {
        stn_le_p(buf, size, *value);
    }
    ok = hyperlink_out(s, wire, buf, size, is_write, &fault);
    if (!is_write) {
        *value = ok ? ldn_le_p(buf, size) : UINT64_MAX;
    }
    trace_hyperlink_window(hyperlink_id(s), is_write, addr, size, privid,
                           secure, wire, *value, ok);

    s->stats.dma += dma;
    if (!ok) {
        if (is_write) {
            s->stats.writes_dropped++;
        } else {
            s->stats.reads_failed++;
        }
        hyperlink_fault(s, fault, wire);
        /*
         * A CPU gets all ones, as from a PCI device that is not there; only
         * DMA has the error itself.
         */
        return dma ? MEMTX_ERROR : MEMTX_OK;
    }
    if (is_write) {
        s->stats.writes++;
        s->stats.bytes_written += size;
    } else {
        s->stats.reads++;
        s->stats.bytes_read += size;
    }
    return MEMTX_OK;
}

static MemTxResult hyperlink_window_read(void *opaque, hwaddr addr,
                                         uint64_t *value, unsigned size,
                                         MemTxAttrs attrs)
{
    return hyperlink_window(opaque, addr, value, size, attrs, false);
}

static MemTxResult hyperlink_window_write(void *opaque, hwaddr addr,
                                          uint64_t value, unsigned size,
                                          MemTxAttrs attrs)
{
    return hyperlink_window(opaque, addr, &value, size, attrs, true);
}

static const MemoryRegionOps hyperlink_window_ops = {
    .read_with_attrs = hyperlink_window_read,
    .write_with_attrs = hyperlink_window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

/*
 * Registers
 */

static uint32_t hyperlink_sts(HyperlinkState *s)
{
    /* spend: the access that reads this is a pending one itself */
    uint32_t sts = s->errors | HYPERLINK_STS_SPEND;

    if (s->link_up) {
        unsigned width = hyperlink_width(s);

        sts |= HYPERLINK_STS_LINK | width << HYPERLINK_STS_SWIDTHOUT_S |
               width << HYPERLINK_STS_SWIDTHIN_S;
    }
    if (!s->pll_locked) {
        sts |= HYPERLINK_STS_PLL_UNLOCK;
    }
    if (!s->pll_locked ||
        s->ctl & (HYPERLINK_CTL_RESET | HYPERLINK_CTL_SERIAL_STOP)) {
        sts |= HYPERLINK_STS_SERIAL_HALT;
    }
    if (hyperlink_peer_lags(s)) {
        sts |= HYPERLINK_STS_RPEND;
    }
    if (hyperlink_peer_pending(s)) {
        sts |= HYPERLINK_STS_MPEND;
    }
    return sts;
}

/* Reading has no side effects */
uint32_t hyperlink_reg_value(HyperlinkState *s, unsigned offset)
{
    switch (offset) {
    case HYPERLINK_REV:
        return HYPERLINK_REV_VALUE;
    case HYPERLINK_CTL:
        return s->ctl;
    case HYPERLINK_STS:
        return hyperlink_sts(s);
    case HYPERLINK_INT_PRI_VEC:
        return s->int_pending ? ctz32(s->int_pending) : HYPERLINK_INT_NONE;
    case HYPERLINK_INT_CLR:
    case HYPERLINK_INT_SET:
        return s->int_pending;
    case HYPERLINK_TX_SEL_CTL:
        return s->tx_sel;
    case HYPERLINK_RX_SEL_CTL:
        return s->rx.sel_ctl;
    case HYPERLINK_RX_PRIV_IDX:
        return s->priv_idx;
    case HYPERLINK_RX_PRIV_VAL:
        return s->rx.priv[s->priv_idx];
    case HYPERLINK_RX_SEG_IDX:
        return s->seg_idx;
    case HYPERLINK_RX_SEG_VAL:
        return s->rx.seg[s->seg_idx];
    case HYPERLINK_PWR:
        return s->pwr;
    case HYPERLINK_ECC_CNTR:
        return s->ecc_single << HYPERLINK_ECC_SINGLE_S |
               s->ecc_double << HYPERLINK_ECC_DOUBLE_S;
    case HYPERLINK_LINK_STS:
        return !s->link_up ? 0 : hyperlink_width(s) == 4 ? HYPERLINK_LINK_STS_4
                                                         : HYPERLINK_LINK_STS_1;
    case HYPERLINK_INT_CTL_IDX:
        return s->int_ctl_idx;
    case HYPERLINK_INT_CTL_VAL:
        return s->int_ctl[s->int_ctl_idx];
    case HYPERLINK_INT_PTR_IDX:
        return s->int_ptr_idx;
    case HYPERLINK_INT_PTR_VAL:
        return s->int_ptr[s->int_ptr_idx];
    case HYPERLINK_SERDES_CTL_STS1 ... HYPERLINK_SERDES_CTL_STS4:
        return s->serdes[(offset - HYPERLINK_SERDES_CTL_STS1) / 4];
    default:
        /* SW_INT, CHIP_ID_VER and what is reserved */
        return 0;
    }
}

static void hyperlink_ctl_write(HyperlinkState *s, uint32_t value)
{
    uint32_t changed;

    value &= HYPERLINK_CTL_BITS;
    changed = s->ctl ^ value;
    s->ctl = value;

    if (value & HYPERLINK_CTL_RESET) {
        s->errors = 0;
        s->link_failed = false;
        memset(s->int_wire, 0, sizeof(s->int_wire));
        timer_del(&s->int_timer);
        hyperlink_link_down(s);
    } else if (changed & HYPERLINK_CTL_ILOOP) {
        hyperlink_link_down(s);
    }
    hyperlink_irq_update(s);
    hyperlink_link_update(s);
    hyperlink_link_changed(s, true);
}

/* @offset is below HYPERLINK_PEER and a multiple of 4 */
static void hyperlink_reg_write(HyperlinkState *s, unsigned offset,
                                uint32_t value)
{
    bool table = false;

    switch (offset) {
    case HYPERLINK_CTL:
        hyperlink_ctl_write(s, value);
        return;
    case HYPERLINK_STS:
        s->errors &= ~(value & (HYPERLINK_STS_LERROR | HYPERLINK_STS_RERROR));
        break;
    case HYPERLINK_INT_PRI_VEC:
        hyperlink_int_clear(s, 1u << (value & 0x1f));
        return;
    case HYPERLINK_INT_CLR:
        hyperlink_int_clear(s, value);
        return;
    case HYPERLINK_INT_SET:
        if (!value) {           /* end of interrupt */
            s->int_signalled = false;
            if (!msix_enabled(PCI_DEVICE(s))) {
                pci_set_irq(PCI_DEVICE(s), 0);
            }
        }
        hyperlink_int_set(s, value);
        return;
    case HYPERLINK_SW_INT:
        hyperlink_sw_int(s, value);
        return;
    case HYPERLINK_TX_SEL_CTL:
        s->tx_sel = value & HYPERLINK_TX_SEL_BITS;
        break;
    case HYPERLINK_RX_SEL_CTL:
        s->rx.sel_ctl = value & HYPERLINK_RX_SEL_BITS;
        table = true;
        break;
    case HYPERLINK_RX_PRIV_IDX:
        s->priv_idx = value % HYPERLINK_PRIVIDS;
        break;
    case HYPERLINK_RX_PRIV_VAL:
        s->rx.priv[s->priv_idx] = value & 0xf;
        table = true;
        break;
    case HYPERLINK_RX_SEG_IDX:
        s->seg_idx = value % HYPERLINK_SEGMENTS;
        break;
    case HYPERLINK_RX_SEG_VAL:
        s->rx.seg[s->seg_idx] = value & HYPERLINK_SEG_BITS;
        table = true;
        break;
    case HYPERLINK_PWR:
        s->pwr = value & HYPERLINK_PWR_BITS;
        break;
    case HYPERLINK_ECC_CNTR:
        s->ecc_single = 0;
        s->ecc_double = 0;
        break;
    case HYPERLINK_INT_CTL_IDX:
        s->int_ctl_idx = value % HYPERLINK_INT_CTLS;
        break;
    case HYPERLINK_INT_CTL_VAL:
        s->int_ctl[s->int_ctl_idx] = value & HYPERLINK_INT_CTL_BITS;
        break;
    case HYPERLINK_INT_PTR_IDX:
        s->int_ptr_idx = value % HYPERLINK_INT_PTRS;
        break;
    case HYPERLINK_INT_PTR_VAL:
        s->int_ptr[s->int_ptr_idx] = value & HYPERLINK_INT_PTR_BITS;
        break;
    case HYPERLINK_SERDES_CTL_STS1 ... HYPERLINK_SERDES_CTL_STS4:
        s->serdes[(offset - HYPERLINK_SERDES_CTL_STS1) / 4] = value;
        if (!s->serdes_on) {
            s->serdes_on = true;
            timer_mod(&s->pll_timer, hyperlink_now() + s->pll_lock_ns);
        }
        break;
    default:
        hyperlink_guest_error(s, "write of 0x%" PRIx32 " at 0x%x: no writable "
                              "register there", value, offset);
        return;
    }
    hyperlink_link_changed(s, table);
}

/*
 * A register of ours that the peer has written. To let it write what it is
 * granted, or where its interrupts go, would be to grant it everything: but
 * for interrupts that takes the user's consent.
 */
void hyperlink_peer_reg_write(HyperlinkState *s, unsigned offset,
                              uint32_t value)
{
    bool ok = s->peer_config || (offset == HYPERLINK_INT_SET && value);

    trace_hyperlink_peer_reg_write(hyperlink_id(s), offset, value, ok);
    if (!ok) {
        s->stats.peer_reg_refused++;
        return;
    }
    s->stats.peer_reg_writes++;
    hyperlink_reg_write(s, offset, value);
}

/* Registers of the other side: can they be reached? */
static bool hyperlink_remote(HyperlinkState *s)
{
    HyperlinkFault fault;

    if (!s->link_up) {
        fault = HYPERLINK_FAULT_LINK;
    } else if (s->ctl & HYPERLINK_CTL_SERIAL_STOP) {
        fault = HYPERLINK_FAULT_STOPPED;
    } else {
        return true;
    }
    hyperlink_fault(s, fault, s->stats.last_fault);
    return false;
}

static uint32_t hyperlink_remote_read(HyperlinkState *s, unsigned offset)
{
    uint32_t value;

    if (!hyperlink_remote(s)) {
        return UINT32_MAX;
    }
    value = s->ctl & HYPERLINK_CTL_ILOOP ? hyperlink_reg_value(s, offset)
                                         : s->peer.regs[offset / 4];
    if (offset == HYPERLINK_STS) {
        /* how a register read that comes over the wire looks there */
        value |= HYPERLINK_STS_MPEND | HYPERLINK_STS_NFEMPTY0 |
                 HYPERLINK_STS_RPEND;
    }
    return value;
}

static void hyperlink_remote_write(HyperlinkState *s, unsigned offset,
                                   uint32_t value)
{
    if (!hyperlink_remote(s)) {
        s->stats.writes_dropped++;
    } else if (s->ctl & HYPERLINK_CTL_ILOOP) {
        hyperlink_reg_write(s, offset, value);
    } else {
        hyperlink_peer_reg_send(s, offset, value);
    }
}

static bool hyperlink_reg_ok(HyperlinkState *s, hwaddr offset, unsigned size)
{
    if (size != 4 || offset % 4) {
        hyperlink_guest_error(s, "%u-byte access at 0x%" HWADDR_PRIx
                              ": registers are 32 bits wide", size, offset);
        return false;
    }
    if (offset >= 2 * HYPERLINK_PEER) {
        hyperlink_guest_error(s, "access at 0x%" HWADDR_PRIx
                              ": no register there", offset);
        return false;
    }
    return true;
}

static uint64_t hyperlink_mmio_read(void *opaque, hwaddr offset, unsigned size)
{
    HyperlinkState *s = opaque;
    uint32_t value = 0;

    if (hyperlink_reg_ok(s, offset, size)) {
        value = offset < HYPERLINK_PEER
                ? hyperlink_reg_value(s, offset)
                : hyperlink_remote_read(s, offset - HYPERLINK_PEER);
    }
    trace_hyperlink_mmio_read(hyperlink_id(s), offset, size, value);
    return value;
}

static void hyperlink_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                                 unsigned size)
{
    HyperlinkState *s = opaque;

    trace_hyperlink_mmio_write(hyperlink_id(s), offset, size, value);
    if (!hyperlink_reg_ok(s, offset, size)) {
        return;
    }
    if (offset < HYPERLINK_PEER) {
        hyperlink_reg_write(s, offset, value);
    } else {
        hyperlink_remote_write(s, offset - HYPERLINK_PEER, value);
    }
}

static const MemoryRegionOps hyperlink_mmio_ops = {
    .read = hyperlink_mmio_read,
    .write = hyperlink_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    /* Other sizes come here to be reported, not to be served. */
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/*
 * Properties that can be read, or set, at any time
 */

typedef struct HyperlinkStatProp {
    const char *name;
    size_t offset;              /* in HyperlinkStats, a uint64_t */
    const char *description;
} HyperlinkStatProp;

#define STAT(name, member, description) \
    { "stat-" name, offsetof(HyperlinkStats, member), description }
#define FAULT(name, fault, description) \
    { "stat-fault-" name, offsetof(HyperlinkStats, faults[fault]), \
      "Accesses of this side that went nowhere: " description }
#define IN_FAULT(name, fault, description) \
    { "stat-in-fault-" name, offsetof(HyperlinkStats, in_faults[fault]), \
      "Accesses of the peer that went nowhere: " description }

static const HyperlinkStatProp hyperlink_stat_props[] = {
    STAT("reads", reads, "Reads through the window"),
    STAT("writes", writes, "Writes through the window"),
    STAT("bytes-read", bytes_read, "Bytes read through the window"),
    STAT("bytes-written", bytes_written, "Bytes written through the window"),
    STAT("dma", dma, "Accesses to the window by the DMA engine, failed ones "
         "included"),
    STAT("reads-failed", reads_failed, "Reads answered with all ones"),
    STAT("writes-dropped", writes_dropped,
         "Writes to the window or the peer's registers that were lost"),
    FAULT("link", HYPERLINK_FAULT_LINK, "the link was down"),
    FAULT("stopped", HYPERLINK_FAULT_STOPPED, "CTL.serial_stop was set"),
    FAULT("segment", HYPERLINK_FAULT_SEGMENT, "no such segment"),
    FAULT("range", HYPERLINK_FAULT_RANGE, "beyond the segment's end or 4 GiB"),
    FAULT("master", HYPERLINK_FAULT_MASTER, "the receiver was no bus master"),
    FAULT("target", HYPERLINK_FAULT_TARGET, "the segment leads to no RAM"),
    FAULT("unshared", HYPERLINK_FAULT_UNSHARED,
          "a read, and memory is not shared"),
    FAULT("overflow", HYPERLINK_FAULT_OVERFLOW, "too many writes on their way"),
    IN_FAULT("link", HYPERLINK_FAULT_LINK, "the link was down"),
    IN_FAULT("stopped", HYPERLINK_FAULT_STOPPED, "CTL.serial_stop was set"),
    IN_FAULT("segment", HYPERLINK_FAULT_SEGMENT, "no such segment"),
    IN_FAULT("range", HYPERLINK_FAULT_RANGE,
             "beyond the segment's end or 4 GiB"),
    IN_FAULT("master", HYPERLINK_FAULT_MASTER,
             "the receiver was no bus master"),
    IN_FAULT("target", HYPERLINK_FAULT_TARGET, "the segment leads to no RAM"),
    IN_FAULT("unshared", HYPERLINK_FAULT_UNSHARED,
             "a read, and memory is not shared"),
    IN_FAULT("overflow", HYPERLINK_FAULT_OVERFLOW,
             "too many writes on their way"),
    STAT("last-fault", last_fault,
         "Address on the wire of the last access that went nowhere"),
    STAT("in-reads", in_reads, "Reads that came over the wire (not those of "
         "a peer that shares memory)"),
    STAT("in-writes", in_writes, "Writes that came over the wire (not those "
         "of a peer that shares memory)"),
    STAT("ints-sent", ints_sent, "Interrupts sent over the wire"),
    STAT("ints-received", ints_received, "Interrupts from the wire"),
    STAT("ints-dropped", ints_dropped,
         "Interrupts not sent: not enabled, or no link"),
    STAT("peer-register-writes", peer_reg_writes,
         "Writes of the peer to this side's registers"),
    STAT("peer-register-writes-refused", peer_reg_refused,
         "Writes of the peer to registers that are not for it"),
    STAT("link-ups", link_ups, "Times that the link came up"),
    STAT("link-downs", link_downs, "Times that the link went down"),
    STAT("protocol-errors", protocol_errors,
         "Times that the peer was cut off for what it sent"),
    STAT("guest-errors", guest_errors,
         "Register accesses that no correct driver makes"),
    STAT("busy-ns", busy_ns, "What the accesses would have cost, in ns"),
};

#undef STAT
#undef FAULT
#undef IN_FAULT

static void hyperlink_stat_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    const HyperlinkStatProp *p = opaque;
    char *stats = (char *)&HYPERLINK(obj)->stats;

    visit_type_uint64(v, name, (uint64_t *)(stats + p->offset), errp);
}

static void hyperlink_ecc_get(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    HyperlinkState *s = HYPERLINK(obj);

    visit_type_uint32(v, name, opaque ? &s->ecc_double : &s->ecc_single, errp);
}

/* So many bit errors happen on the wire, now */
static void hyperlink_ecc_set(Object *obj, Visitor *v, const char *name,
                              void *opaque, Error **errp)
{
    HyperlinkState *s = HYPERLINK(obj);
    uint32_t n;

    if (!visit_type_uint32(v, name, &n, errp) || !n) {
        return;
    }
    if (!DEVICE(s)->realized) {
        error_setg(errp, TYPE_HYPERLINK ": '%s' can be set at run time only",
                   name);
        return;
    }
    if (!opaque) {
        s->ecc_single += MIN(n, UINT16_MAX - s->ecc_single);
    } else {
        s->ecc_double += MIN(n, UINT8_MAX - s->ecc_double);
        if (s->link_up) {
            s->link_failed = true;
            hyperlink_link_down(s);
            hyperlink_peer_error(s);
            hyperlink_error(s, HYPERLINK_STS_LERROR);
        }
    }
    hyperlink_link_changed(s, true);
}

static void hyperlink_link_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    visit_type_bool(v, name, &HYPERLINK(obj)->link_up, errp);
}

/*
 * Life
 */

static void hyperlink_reset_hold(Object *obj, ResetType type)
{
    HyperlinkState *s = HYPERLINK(obj);

    timer_del(&s->pll_timer);
    timer_del(&s->train_timer);
    timer_del(&s->int_timer);
    if (s->link_up) {
        s->stats.link_downs++;
    }
    s->ctl = 0;
    s->errors = 0;
    s->int_pending = 0;
    s->tx_sel = 0;
    memset(&s->rx, 0, sizeof(s->rx));
    s->priv_idx = 0;
    s->seg_idx = 0;
    s->pwr = 0;
    s->ecc_single = 0;
    s->ecc_double = 0;
    s->int_ctl_idx = 0;
    memset(s->int_ctl, 0, sizeof(s->int_ctl));
    s->int_ptr_idx = 0;
    memset(s->int_ptr, 0, sizeof(s->int_ptr));
    memset(s->serdes, 0, sizeof(s->serdes));
    s->int_signalled = false;
    s->serdes_on = false;
    s->pll_locked = false;
    s->link_up = false;
    s->link_failed = false;
    memset(s->int_wire, 0, sizeof(s->int_wire));
    if (DEVICE(s)->realized) {
        hyperlink_irq_update(s);
        hyperlink_link_changed(s, true);
    }
    trace_hyperlink_reset(hyperlink_id(s));
}

static void hyperlink_config_write(PCIDevice *pdev, uint32_t addr,
                                   uint32_t val, int len)
{
    HyperlinkState *s = HYPERLINK(pdev);
    uint16_t old = pci_get_word(pdev->config + PCI_COMMAND);
    bool msix = msix_enabled(pdev);

    pci_default_write_config(pdev, addr, val, len);
    if ((old ^ pci_get_word(pdev->config + PCI_COMMAND)) &
        PCI_COMMAND_MASTER) {
        hyperlink_link_changed(s, true);
    }
    if (msix != msix_enabled(pdev)) {
        s->int_signalled = false;
        hyperlink_irq_update(s);
    }
}

static bool hyperlink_check_props(HyperlinkState *s, Error **errp)
{
    if (s->lanes != 1 && s->lanes != 4) {
        error_setg(errp, TYPE_HYPERLINK ": property 'lanes' takes 1 or 4, "
                   "not %u", s->lanes);
        return false;
    }
    if (s->privid_cpu > 15 || s->privid_dma > 15) {
        error_setg(errp, TYPE_HYPERLINK ": property '%s' takes 0 to 15",
                   s->privid_cpu > 15 ? "privid-cpu" : "privid-dma");
        return false;
    }
    if (s->rate < 1000000 || s->rate > 100000000000ull) {
        error_setg(errp, TYPE_HYPERLINK ": property 'rate' takes 1000000 to "
                   "100000000000 bit/s, not %" PRIu64, s->rate);
        return false;
    }
    return true;
}

static void hyperlink_realize(PCIDevice *pdev, Error **errp)
{
    ERRP_GUARD();
    HyperlinkState *s = HYPERLINK(pdev);
    Error *err = NULL;

    if (!hyperlink_check_props(s, errp)) {
        return;
    }
    timer_init_ns(&s->pll_timer, QEMU_CLOCK_VIRTUAL, hyperlink_pll_lock, s);
    timer_init_ns(&s->train_timer, QEMU_CLOCK_VIRTUAL, hyperlink_trained, s);
    timer_init_ns(&s->int_timer, QEMU_CLOCK_VIRTUAL, hyperlink_int_arrives, s);

    pci_config_set_interrupt_pin(pdev->config, 1);
    memory_region_init_io(&s->regs_mr, OBJECT(s), &hyperlink_mmio_ops, s,
                          TYPE_HYPERLINK "-regs", HYPERLINK_REGS_SIZE);
    pci_register_bar(pdev, HYPERLINK_BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->regs_mr);
    memory_region_init_io(&s->window_mr, OBJECT(s), &hyperlink_window_ops, s,
                          TYPE_HYPERLINK "-window", HYPERLINK_WINDOW_SIZE);
    pci_register_bar(pdev, HYPERLINK_BAR_WINDOW,
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->window_mr);
    /* A machine that cannot take messages has the line. */
    if (msix_init_exclusive_bar(pdev, 1, HYPERLINK_BAR_MSIX, &err) == 0) {
        msix_vector_use(pdev, 0);
    } else {
        error_free(err);
    }
    if (!hyperlink_link_realize(s, errp)) {
        msix_uninit_exclusive_bar(pdev);
    }
}

static void hyperlink_exit(PCIDevice *pdev)
{
    HyperlinkState *s = HYPERLINK(pdev);

    hyperlink_link_unrealize(s);
    timer_del(&s->pll_timer);
    timer_del(&s->train_timer);
    timer_del(&s->int_timer);
    msix_uninit_exclusive_bar(pdev);
}

/* Indices are what could reach beyond an array. */
static int hyperlink_post_load(void *opaque, int version_id)
{
    HyperlinkState *s = opaque;

    if (s->priv_idx >= HYPERLINK_PRIVIDS || s->seg_idx >= HYPERLINK_SEGMENTS ||
        s->int_ctl_idx >= HYPERLINK_INT_CTLS ||
        s->int_ptr_idx >= HYPERLINK_INT_PTRS || s->ecc_single > UINT16_MAX ||
        s->ecc_double > UINT8_MAX || s->ctl & ~HYPERLINK_CTL_BITS ||
        s->errors & ~(HYPERLINK_STS_LERROR | HYPERLINK_STS_RERROR)) {
        return -EINVAL;
    }
    s->loaded = true;
    hyperlink_link_changed(s, true);
    return 0;
}

static const VMStateDescription vmstate_hyperlink_rx = {
    .name = TYPE_HYPERLINK "/rx",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(sel_ctl, HyperlinkRx),
        VMSTATE_UINT32_ARRAY(seg, HyperlinkRx, HYPERLINK_SEGMENTS),
        VMSTATE_UINT8_ARRAY(priv, HyperlinkRx, HYPERLINK_PRIVIDS),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_hyperlink_stats = {
    .name = TYPE_HYPERLINK "/stats",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(reads, HyperlinkStats),
        VMSTATE_UINT64(writes, HyperlinkStats),
        VMSTATE_UINT64(bytes_read, HyperlinkStats),
        VMSTATE_UINT64(bytes_written, HyperlinkStats),
        VMSTATE_UINT64(dma, HyperlinkStats),
        VMSTATE_UINT64(reads_failed, HyperlinkStats),
        VMSTATE_UINT64(writes_dropped, HyperlinkStats),
        VMSTATE_UINT64_ARRAY(faults, HyperlinkStats, HYPERLINK_FAULTS),
        VMSTATE_UINT64(in_reads, HyperlinkStats),
        VMSTATE_UINT64(in_writes, HyperlinkStats),
        VMSTATE_UINT64_ARRAY(in_faults, HyperlinkStats, HYPERLINK_FAULTS),
        VMSTATE_UINT64(last_fault, HyperlinkStats),
        VMSTATE_UINT64(ints_sent, HyperlinkStats),
        VMSTATE_UINT64(ints_received, HyperlinkStats),
        VMSTATE_UINT64(ints_dropped, HyperlinkStats),
        VMSTATE_UINT64(peer_reg_writes, HyperlinkStats),
        VMSTATE_UINT64(peer_reg_refused, HyperlinkStats),
        VMSTATE_UINT64(link_ups, HyperlinkStats),
        VMSTATE_UINT64(link_downs, HyperlinkStats),
        VMSTATE_UINT64(protocol_errors, HyperlinkStats),
        VMSTATE_UINT64(guest_errors, HyperlinkStats),
        VMSTATE_UINT64(busy_ns, HyperlinkStats),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_hyperlink = {
    .name = TYPE_HYPERLINK,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = hyperlink_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, HyperlinkState),
        VMSTATE_MSIX(parent_obj, HyperlinkState),
        VMSTATE_UINT32(ctl, HyperlinkState),
        VMSTATE_UINT32(errors, HyperlinkState),
        VMSTATE_UINT32(int_pending, HyperlinkState),
        VMSTATE_UINT32(tx_sel, HyperlinkState),
        VMSTATE_STRUCT(rx, HyperlinkState, 1, vmstate_hyperlink_rx,
                       HyperlinkRx),
        VMSTATE_UINT32(priv_idx, HyperlinkState),
        VMSTATE_UINT32(seg_idx, HyperlinkState),
        VMSTATE_UINT32(pwr, HyperlinkState),
        VMSTATE_UINT32(ecc_single, HyperlinkState),
        VMSTATE_UINT32(ecc_double, HyperlinkState),
        VMSTATE_UINT32(int_ctl_idx, HyperlinkState),
        VMSTATE_UINT32_ARRAY(int_ctl, HyperlinkState, HYPERLINK_INT_CTLS),
        VMSTATE_UINT32(int_ptr_idx, HyperlinkState),
        VMSTATE_UINT32_ARRAY(int_ptr, HyperlinkState, HYPERLINK_INT_PTRS),
        VMSTATE_UINT32_ARRAY(serdes, HyperlinkState, 4),
        VMSTATE_BOOL(int_signalled, HyperlinkState),
        VMSTATE_BOOL(serdes_on, HyperlinkState),
        VMSTATE_BOOL(pll_locked, HyperlinkState),
        VMSTATE_BOOL(link_up, HyperlinkState),
        VMSTATE_BOOL(link_failed, HyperlinkState),
        VMSTATE_UINT32_ARRAY(int_wire, HyperlinkState, HYPERLINK_INT_PTRS),
        VMSTATE_TIMER(pll_timer, HyperlinkState),
        VMSTATE_TIMER(train_timer, HyperlinkState),
        VMSTATE_TIMER(int_timer, HyperlinkState),
        VMSTATE_STRUCT(stats, HyperlinkState, 1, vmstate_hyperlink_stats,
                       HyperlinkStats),
        VMSTATE_END_OF_LIST()
    }
};

static const Property hyperlink_properties[] = {
    DEFINE_PROP_CHR("peer", HyperlinkState, chr),
    DEFINE_PROP_LINK("peer-mem", HyperlinkState, peer_mem,
                     TYPE_MEMORY_BACKEND, HostMemoryBackend *),
    DEFINE_PROP_BOOL("peer-config", HyperlinkState, peer_config, false),
    DEFINE_PROP_UINT8("lanes", HyperlinkState, lanes, 4),
    DEFINE_PROP_UINT64("rate", HyperlinkState, rate, 10000000000ull),
    DEFINE_PROP_UINT32("latency-read-ns", HyperlinkState, latency_read_ns, 853),
    DEFINE_PROP_UINT32("latency-write-ns", HyperlinkState, latency_write_ns,
                       322),
    DEFINE_PROP_UINT32("latency-interrupt-ns", HyperlinkState, latency_int_ns,
                       710),
    DEFINE_PROP_UINT32("pll-lock-ns", HyperlinkState, pll_lock_ns, 10000),
    DEFINE_PROP_UINT32("train-ns", HyperlinkState, train_ns, 10000),
    DEFINE_PROP_UINT8("privid-cpu", HyperlinkState, privid_cpu, 0),
    DEFINE_PROP_UINT8("privid-dma", HyperlinkState, privid_dma, 8),
    DEFINE_PROP_BOOL("secure-cpu", HyperlinkState, secure_cpu, false),
    DEFINE_PROP_BOOL("secure-dma", HyperlinkState, secure_dma, false),
    DEFINE_PROP_UINT16("dma-requester-id", HyperlinkState, dma_requester_id,
                       0xd3a),
};

static const struct {
    const char *name;
    const char *description;
} hyperlink_descriptions[] = {
    { "peer", "Character device that leads to the other side: a socket" },
    { "peer-mem", "Memory backend that is the other side's RAM: without it "
      "writes go over the socket, and reads nowhere" },
    { "peer-config", "Let the peer write all registers of this side, what it "
      "is granted among them" },
    { "lanes", "Lanes of the link: 1 or 4" },
    { "rate", "Bits per second of a lane" },
    { "latency-read-ns", "Time that a read of a word takes, in ns" },
    { "latency-write-ns", "Time that a write of a word takes, in ns" },
    { "latency-interrupt-ns", "Time that an interrupt takes, in ns" },
    { "pll-lock-ns", "Time from the first write to the SerDes registers until "
      "the PLL is locked, in ns" },
    { "train-ns", "Time that the link takes to come up, in ns" },
    { "privid-cpu", "PrivID of accesses by a CPU: 0 to 15" },
    { "privid-dma", "PrivID of accesses by the DMA engine: 0 to 15" },
    { "secure-cpu", "Accesses by a CPU are secure" },
    { "secure-dma", "Accesses by the DMA engine are secure" },
    { "dma-requester-id", "How the DMA engine's accesses are known: its "
      "property requester-id" },
};

static void hyperlink_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);
    ObjectProperty *prop;

    k->realize = hyperlink_realize;
    k->exit = hyperlink_exit;
    k->config_write = hyperlink_config_write;
    k->vendor_id = PCI_VENDOR_ID_REDHAT;
    k->device_id = HYPERLINK_PCI_DEVICE;
    k->class_id = PCI_CLASS_BRIDGE_OTHER;
    k->revision = 1;
    dc->desc = "HyperLink";
    dc->vmsd = &vmstate_hyperlink;
    /* the peer would have to be told, and a guest that it is going */
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, hyperlink_properties);
    rc->phases.hold = hyperlink_reset_hold;

    for (int i = 0; i < ARRAY_SIZE(hyperlink_descriptions); i++) {
        object_class_property_set_description(klass,
                                      hyperlink_descriptions[i].name,
                                      hyperlink_descriptions[i].description);
    }
    for (int i = 0; i < ARRAY_SIZE(hyperlink_stat_props); i++) {
        const HyperlinkStatProp *p = &hyperlink_stat_props[i];

        object_class_property_add(klass, p->name, "uint64", hyperlink_stat_get,
                                  NULL, NULL, (void *)p);
        object_class_property_set_description(klass, p->name, p->description);
    }
    prop = object_class_property_add(klass, "link", "bool", hyperlink_link_get,
                                     NULL, NULL, NULL);
    object_class_property_set_description(klass, prop->name,
                                          "Whether the link is up");
    prop = object_class_property_add(klass, "ecc-single", "uint32",
                                     hyperlink_ecc_get, hyperlink_ecc_set,
                                     NULL, NULL);
    object_class_property_set_description(klass, prop->name,
        "Bit errors that were corrected; set it to n to have n more");
    prop = object_class_property_add(klass, "ecc-double", "uint32",
                                     hyperlink_ecc_get, hyperlink_ecc_set,
                                     NULL, (void *)1);
    object_class_property_set_description(klass, prop->name,
        "Bit errors that could not be corrected; set it to n to have n more, "
        "which breaks the link");
}

static const TypeInfo hyperlink_info = {
    .name = TYPE_HYPERLINK,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(HyperlinkState),
    .class_init = hyperlink_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { },
    },
};

static void hyperlink_register_types(void)
{
    type_register_static(&hyperlink_info);
}

type_init(hyperlink_register_types)
