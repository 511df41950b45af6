/*
 * HyperLink: the wire between two machines
 *
 * The two sides are joined by a socket (a chardev at each end) and, if their
 * users so wish, by memory: "peer-mem" is the RAM of the other machine, mapped
 * here. Then an access goes straight there, by the receiver's table of which
 * this side has a copy. Without it, writes go over the socket and the receiver
 * looks them up itself; reads cannot be served, for nothing here ever waits.
 *
 * Whatever one side changes that concerns the other gets a new generation
 * number and is sent; the other confirms. Until it has, accesses by an older
 * table may still happen, which STS.rpend tells: memory that has been revoked
 * is free for other use when rpend is 0. A peer that closes the socket makes no
 * access after that, and one that is killed has closed it when it cannot make
 * any. One that is cut off from here may go on until it has noticed: rpend
 * stays 1 until it, or another one, has connected again.
 *
 * A message is a header (u16 type, u16 zero, u32 length of what follows) and
 * fixed fields, all little endian. Nothing that comes in is trusted: whoever
 * breaks the rules is cut off. (Shared memory is shared, though: only the
 * socket alone keeps a QEMU that has turned hostile away from it, rather than
 * a hostile guest.)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "hw/boards.h"
#include "hw/misc/hyperlink.h"
#include "migration/blocker.h"
#include "migration/misc.h"
#include "system/runstate.h"
#include "trace.h"

#define HL_MAGIC        0x4b4e494c52455048ull   /* "HPERLINK" */
#define HL_VERSION      1
#define HL_HEADER       8
#define HL_PAYLOAD_MAX  512

/* What may wait: writes that the peer has not done yet, bytes in our queue */
#define HL_WRITES_MAX   1024
#define HL_QUEUE_MAX    (1 * MiB)

typedef enum HlType {
    HL_HELLO = 1,       /* who I am, where my RAM is */
    HL_STATE,           /* my table, registers and state */
    HL_ACK,             /* I go by that generation of yours */
    HL_INT,             /* an interrupt */
    HL_REG,             /* write a register of yours */
    HL_WRITE,           /* write to your memory */
    HL_DONE,            /* that write has been done, or has not */
    HL_FAULT,           /* I was not allowed to do something, so often */
    HL_ERROR,           /* what you sent was beyond repair */
    HL_TYPES
} HlType;

static const uint16_t hl_length[HL_TYPES] = {
    [HL_HELLO] = 48,
    [HL_STATE] = 24 + HYPERLINK_PRIVIDS + 4 * HYPERLINK_SEGMENTS +
                 4 * HYPERLINK_REGS,
    [HL_ACK] = 8,
    [HL_INT] = 8,
    [HL_REG] = 8,
    [HL_WRITE] = 16,
    [HL_DONE] = 8,
    [HL_FAULT] = 16,
    [HL_ERROR] = 0,
};

QEMU_BUILD_BUG_ON(24 + HYPERLINK_PRIVIDS + 4 * HYPERLINK_SEGMENTS +
                  4 * HYPERLINK_REGS > HL_PAYLOAD_MAX);

/* HL_STATE: flags */
#define HL_READY        (1u << 0)       /* the link may come up */
#define HL_STOPPED      (1u << 1)       /* serial_stop */
#define HL_MASTER       (1u << 2)       /* may master its bus */
#define HL_FLAGS        7u

#define HL_DONE_OK      UINT32_MAX

static const char *hl_id(HyperlinkState *s)
{
    return DEVICE(s)->canonical_path;
}

/*
 * Sending
 */

static void hl_cut_off(HyperlinkState *s, const char *why)
{
    if (!s->broken) {
        trace_hyperlink_cut_off(hl_id(s), why);
        s->broken = true;
        s->stats.protocol_errors++;
        qemu_bh_schedule(s->bh);
    }
}

static void hl_flush(HyperlinkState *s);

static gboolean hl_writable(void *do_not_use, GIOCondition cond, void *opaque)
{
    HyperlinkState *s = opaque;

    s->out_watch = 0;
    hl_flush(s);
    return G_SOURCE_REMOVE;
}

static void hl_flush(HyperlinkState *s)
{
    unsigned done = 0, epoch = s->epoch;

    if (!s->peer.connected || s->out_watch) {
        return;
    }
    while (done < s->out->len) {
        int n = qemu_chr_fe_write(&s->chr, s->out->data + done,
                                  s->out->len - done);

        if (epoch != s->epoch) {        /* that was the end of the connection */
            return;
        }
        if (n <= 0) {
            break;
        }
        done += n;
    }
    g_byte_array_remove_range(s->out, 0, done);
    if (s->out->len) {
        s->out_watch = qemu_chr_fe_add_watch(&s->chr, G_IO_OUT | G_IO_HUP,
                                             hl_writable, s);
    }
}

static void hl_send(HyperlinkState *s, HlType type, const void *payload)
{
    uint8_t header[HL_HEADER];

    if (!s->peer.connected || s->broken) {
        return;
    }
    if (s->out->len > HL_QUEUE_MAX) {
        hl_cut_off(s, "it does not read");
        return;
    }
    trace_hyperlink_send(hl_id(s), type, hl_length[type]);
    stw_le_p(header, type);
    stw_le_p(header + 2, 0);
    stl_le_p(header + 4, hl_length[type]);
    g_byte_array_append(s->out, header, sizeof(header));
    g_byte_array_append(s->out, payload, hl_length[type]);
    hl_flush(s);
}

static void hl_send_words(HyperlinkState *s, HlType type, uint32_t a,
                          uint32_t b)
{
    uint8_t p[8];

    stl_le_p(p, a);
    stl_le_p(p + 4, b);
    hl_send(s, type, p);
}

/* Which file a memory region is in: so the other end can tell that it is it */
static bool hl_file(MemoryRegion *mr, uint64_t *dev, uint64_t *ino)
{
    int fd = mr ? memory_region_get_fd(mr) : -1;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0) {
        return false;
    }
    *dev = st.st_dev;
    *ino = st.st_ino;
    return true;
}

typedef struct HlRam {
    MemoryRegion *mr;
    uint64_t base;
    uint64_t size;
} HlRam;

static bool hl_ram_range(Int128 start, Int128 len, const MemoryRegion *mr,
                         hwaddr offset, void *opaque)
{
    HlRam *ram = opaque;

    if (mr != ram->mr || offset) {
        return false;
    }
    ram->base = int128_get64(start);
    ram->size = int128_get64(len);
    return true;
}

/*
 * Where the machine's RAM is, for a peer that has it mapped. With an IOMMU in
 * between that would not be what this side's accesses see: then it stays
 * unshared.
 */
static void hl_send_hello(HyperlinkState *s)
{
    HlRam ram = { .mr = current_machine->ram };
    uint64_t dev = 0, ino = 0;
    uint8_t p[48];

    if (pci_device_iommu_address_space(PCI_DEVICE(s)) ==
        &address_space_memory && ram.mr &&
        qemu_ram_is_shared(ram.mr->ram_block) &&
        hl_file(ram.mr, &dev, &ino)) {
        RCU_READ_LOCK_GUARD();
        flatview_for_each_range(address_space_to_flatview(
                                    &address_space_memory), hl_ram_range, &ram);
    }
    s->shares = ram.size;
    stq_le_p(p, HL_MAGIC);
    stl_le_p(p + 8, HL_VERSION);
    stl_le_p(p + 12, 0);
    stq_le_p(p + 16, ram.base);
    stq_le_p(p + 24, ram.size);
    stq_le_p(p + 32, dev);
    stq_le_p(p + 40, ino);
    hl_send(s, HL_HELLO, p);
}

/*
 * What the peer writes is not seen by dirty tracking, so there is no migration
 * while it may: the machine has to be stopped, and the peer has to confirm that
 * it knows. That is temporary, so it is not refused with -only-migratable.
 *
 * The peer is about to be told that the link may come up. False if that cannot
 * be: a migration is under way.
 */
static bool hl_block_migration(HyperlinkState *s)
{
    if (!s->shares || s->migration_blocker) {
        return true;
    }
    error_setg(&s->migration_blocker, TYPE_HYPERLINK ": the peer of %s may "
               "write to this machine's RAM, which a migration does not see: "
               "stop the machine first", hl_id(s));
    return !migrate_add_blocker_internal(&s->migration_blocker, NULL);
}

/* Nobody can access this machine's RAM any more, but for a stale peer */
static void hl_closed(HyperlinkState *s)
{
    s->open = false;
    s->closing = 0;
    if (!s->stale) {
        migrate_del_blocker(&s->migration_blocker);
    }
}

static int hl_migration(NotifierWithReturn *notify, MigrationEvent *e,
                        Error **errp)
{
    HyperlinkState *s = container_of(notify, HyperlinkState, migration);

    /* The link may have waited for its end; if it was no failure we stop. */
    if (e->type == MIG_EVENT_PRECOPY_FAILED) {
        hyperlink_link_changed(s, false);
    }
    return 0;
}

static void hl_send_state(HyperlinkState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    uint8_t payload[HL_PAYLOAD_MAX], *p = payload;
    uint32_t flags = 0;

    /* A machine that stands still must not change under its snapshot. */
    if (hyperlink_ready(s) && !(s->ctl & HYPERLINK_CTL_ILOOP) &&
        runstate_is_running() && hl_block_migration(s)) {
        flags |= HL_READY;
        s->open = true;
        s->closing = 0;
    } else if (s->open && !s->closing) {
        s->closing = s->generation;
    }
    if (s->ctl & HYPERLINK_CTL_SERIAL_STOP) {
        flags |= HL_STOPPED;
    }
    if (pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER) {
        flags |= HL_MASTER;
    }
    stq_le_p(p, s->generation);
    stl_le_p(p + 8, flags);
    stl_le_p(p + 12, s->pwr & HYPERLINK_PWR_QUADLANE ? s->lanes : 1);
    stl_le_p(p + 16, s->rx.sel_ctl);
    stl_le_p(p + 20, 0);
    p += 24;
    memcpy(p, s->rx.priv, HYPERLINK_PRIVIDS);
    p += HYPERLINK_PRIVIDS;
    for (int i = 0; i < HYPERLINK_SEGMENTS; i++, p += 4) {
        stl_le_p(p, s->rx.seg[i]);
    }
    for (int i = 0; i < HYPERLINK_REGS; i++, p += 4) {
        stl_le_p(p, hyperlink_reg_value(s, 4 * i));
    }
    hl_send(s, HL_STATE, payload);
}

static void hl_send_faults(HyperlinkState *s)
{
    for (int i = 0; i < HYPERLINK_FAULTS; i++) {
        uint8_t p[16];

        if (s->tell_faults[i]) {
            stl_le_p(p, i);
            stl_le_p(p + 4, s->tell_faults[i]);
            stq_le_p(p + 8, s->tell_last_fault);
            s->tell_faults[i] = 0;
            hl_send(s, HL_FAULT, p);
        }
    }
}

/*
 * What there is to tell is told when the main loop comes around: a driver that
 * writes 64 segments does not send 64 tables.
 */
static void hl_bh(void *opaque)
{
    HyperlinkState *s = opaque;

    if (s->broken) {
        qemu_chr_fe_disconnect(&s->chr);
        return;
    }
    if (!s->peer.connected) {
        return;
    }
    if (s->hello_due) {
        s->hello_due = false;
        hl_send_hello(s);
    }
    /* Whoever has not said who it is hears nothing that it could go by. */
    if (!s->peer.hello) {
        return;
    }
    if (s->dirty) {
        s->dirty = false;
        hl_send_state(s);
    }
    hl_send_faults(s);
}

void hyperlink_link_changed(HyperlinkState *s, bool table)
{
    if (!s->bh) {       /* not realized, or nobody at the other end */
        return;
    }
    s->generation++;
    if (table) {
        s->table_generation = s->generation;
    }
    s->dirty = true;
    qemu_bh_schedule(s->bh);
}

/*
 * The other side, seen from here
 */

bool hyperlink_peer_ready(HyperlinkState *s)
{
    return s->peer.hello && s->peer.flags & HL_READY;
}

bool hyperlink_peer_stopped(HyperlinkState *s)
{
    return s->peer.flags & HL_STOPPED;
}

unsigned hyperlink_peer_lanes(HyperlinkState *s)
{
    return s->peer.lanes;
}

bool hyperlink_peer_lags(HyperlinkState *s)
{
    return s->stale || (s->open && s->peer.acked < s->table_generation);
}

bool hyperlink_peer_pending(HyperlinkState *s)
{
    return s->writes_done != s->writes_sent;
}

void hyperlink_peer_tell_fault(HyperlinkState *s, HyperlinkFault fault,
                               uint32_t wire)
{
    if (s->tell_faults[fault] < UINT32_MAX) {
        s->tell_faults[fault]++;
    }
    s->tell_last_fault = wire;
    qemu_bh_schedule(s->bh);
}

/* Both are whole: a vCPU of the other machine must not see half a store. */
static void hl_copy_in(void *ram, const void *buf, unsigned size)
{
    smp_wmb();  /* what was written before is seen before */
    switch (size) {
    case 1:
        qatomic_set((uint8_t *)ram, ldub_p(buf));
        break;
    case 2:
        qatomic_set((uint16_t *)ram, lduw_he_p(buf));
        break;
    case 4:
        qatomic_set((uint32_t *)ram, ldl_he_p(buf));
        break;
    default:
        qatomic_set_u64((uint64_t *)ram, ldq_he_p(buf));
        break;
    }
}

static void hl_copy_out(void *buf, void *ram, unsigned size)
{
    switch (size) {
    case 1:
        stb_p(buf, qatomic_read((uint8_t *)ram));
        break;
    case 2:
        stw_he_p(buf, qatomic_read((uint16_t *)ram));
        break;
    case 4:
        stl_he_p(buf, qatomic_read((uint32_t *)ram));
        break;
    default:
        stq_he_p(buf, qatomic_read_u64((uint64_t *)ram));
        break;
    }
    smp_rmb();  /* what is read after is read after */
}

/* An access by the receiver's table, to the receiver's RAM */
static bool hl_access_shared(HyperlinkState *s, uint32_t wire, void *buf,
                             uint32_t len, bool is_write,
                             HyperlinkFault *fault)
{
    HyperlinkTarget t;
    uint64_t offset;

    switch (hyperlink_inbound(&s->peer.rx, wire, len, &t)) {
    case HYPERLINK_XLATE_OK:
        break;
    case HYPERLINK_XLATE_NO_SEGMENT:
        *fault = HYPERLINK_FAULT_SEGMENT;
        return false;
    default:
        *fault = HYPERLINK_FAULT_RANGE;
        return false;
    }
    if (!(s->peer.flags & HL_MASTER)) {
        *fault = HYPERLINK_FAULT_MASTER;
        return false;
    }
    offset = t.addr - s->peer.ram_base;
    if (t.addr < s->peer.ram_base || offset >= s->peer.ram_size ||
        s->peer.ram_size - offset < len) {
        *fault = HYPERLINK_FAULT_TARGET;
        return false;
    }
    if (is_write) {
        hl_copy_in(s->peer_ram + offset, buf, len);
    } else {
        hl_copy_out(buf, s->peer_ram + offset, len);
    }
    return true;
}

/* @len is a power of two up to 8 and @wire a multiple of it */
bool hyperlink_peer_access(HyperlinkState *s, uint32_t wire, void *buf,
                           uint32_t len, bool is_write, HyperlinkFault *fault)
{
    uint8_t p[16] = { 0 };

    /* A machine that was loaded has its link for as long as it stands still. */
    if (!hyperlink_peer_ready(s)) {
        *fault = HYPERLINK_FAULT_LINK;
        return false;
    }
    if (hyperlink_peer_stopped(s)) {
        *fault = HYPERLINK_FAULT_STOPPED;
        return false;
    }
    if (s->peer.ram_size) {
        if (hl_access_shared(s, wire, buf, len, is_write, fault)) {
            return true;
        }
        hyperlink_peer_tell_fault(s, *fault, wire);
        return false;
    }
    if (!is_write) {
        *fault = HYPERLINK_FAULT_UNSHARED;
        return false;
    }
    if (s->writes_sent - s->writes_done >= HL_WRITES_MAX) {
        *fault = HYPERLINK_FAULT_OVERFLOW;
        return false;
    }
    s->writes_sent++;
    stl_le_p(p, wire);
    stl_le_p(p + 4, len);
    memcpy(p + 8, buf, len);
    hl_send(s, HL_WRITE, p);
    return true;
}

void hyperlink_peer_interrupt(HyperlinkState *s, unsigned mps, unsigned vector)
{
    hl_send_words(s, HL_INT, mps, vector);
}

void hyperlink_peer_reg_send(HyperlinkState *s, unsigned offset,
                             uint32_t value)
{
    hl_send_words(s, HL_REG, offset, value);
}

void hyperlink_peer_error(HyperlinkState *s)
{
    hl_send(s, HL_ERROR, "");
}

/*
 * Receiving
 */

static bool hl_hello(HyperlinkState *s, const uint8_t *p)
{
    MemoryRegion *mr = s->peer_mem ?
                       host_memory_backend_get_memory(s->peer_mem) : NULL;
    uint64_t base = ldq_le_p(p + 16), size = ldq_le_p(p + 24);
    uint64_t dev, ino;

    if (s->peer.hello || ldq_le_p(p) != HL_MAGIC ||
        ldl_le_p(p + 8) != HL_VERSION) {
        return false;
    }
    if ((size && base + size - 1 < base) || base % 8 || size % 8) {
        return false;
    }
    s->peer.hello = true;
    /* Who is here has noticed that the connection before is gone */
    s->stale = false;
    hl_closed(s);
    qemu_bh_schedule(s->bh);
    if (!mr || !size) {
        return true;
    }
    if (!hl_file(mr, &dev, &ino) || dev != ldq_le_p(p + 32) ||
        ino != ldq_le_p(p + 40)) {
        warn_report("%s: peer-mem is not the memory of the peer's machine: "
                    "it is not used", hl_id(s));
        return true;
    }
    s->peer.ram_base = base;
    s->peer.ram_size = MIN(size, s->peer_ram_size);
    return true;
}

static bool hl_state(HyperlinkState *s, const uint8_t *p)
{
    uint64_t generation = ldq_le_p(p);
    uint32_t flags = ldl_le_p(p + 8);
    uint32_t lanes = ldl_le_p(p + 12);
    uint8_t ack[8];

    if (generation <= s->peer.generation || flags & ~HL_FLAGS ||
        (lanes != 1 && lanes != 4)) {
        return false;
    }
    s->peer.generation = generation;
    s->peer.flags = flags;
    s->peer.lanes = lanes;
    s->peer.rx.sel_ctl = ldl_le_p(p + 16);
    p += 24;
    memcpy(s->peer.rx.priv, p, HYPERLINK_PRIVIDS);
    p += HYPERLINK_PRIVIDS;
    for (int i = 0; i < HYPERLINK_SEGMENTS; i++, p += 4) {
        s->peer.rx.seg[i] = ldl_le_p(p);
    }
    for (int i = 0; i < HYPERLINK_REGS; i++, p += 4) {
        s->peer.regs[i] = ldl_le_p(p);
    }
    trace_hyperlink_peer_state(hl_id(s), generation, flags);

    /* Accesses are made under the big lock: from here on, all by this table. */
    stq_le_p(ack, generation);
    hl_send(s, HL_ACK, ack);
    hyperlink_link_update(s);
    return true;
}

static bool hl_ack(HyperlinkState *s, const uint8_t *p)
{
    uint64_t generation = ldq_le_p(p);

    if (generation < s->peer.acked || generation > s->generation) {
        return false;
    }
    s->peer.acked = generation;
    if (s->closing && generation >= s->closing) {
        hl_closed(s);
    }
    return true;
}

/*
 * The sender's link may have come up a little before ours, and what it sends
 * then is good: so what counts is not whether ours is up.
 */
static bool hl_receives(HyperlinkState *s, HyperlinkFault *fault)
{
    if (!hyperlink_ready(s) || s->ctl & HYPERLINK_CTL_ILOOP ||
        !runstate_is_running()) {
        *fault = HYPERLINK_FAULT_LINK;
        return false;
    }
    if (s->ctl & HYPERLINK_CTL_SERIAL_STOP) {
        *fault = HYPERLINK_FAULT_STOPPED;
        return false;
    }
    return true;
}

static bool hl_write(HyperlinkState *s, const uint8_t *p)
{
    uint32_t wire = ldl_le_p(p), len = ldl_le_p(p + 4);
    uint8_t buf[8];
    HyperlinkFault fault;
    bool ok;

    if ((len != 1 && len != 2 && len != 4 && len != 8) || wire % len) {
        return false;
    }
    memcpy(buf, p + 8, sizeof(buf));
    ok = hl_receives(s, &fault);
    if (ok) {
        ok = hyperlink_in(s, wire, buf, len, true, &fault);
    } else {
        s->stats.in_faults[fault]++;
    }
    hl_send_words(s, HL_DONE, ok ? HL_DONE_OK : fault, wire);
    return true;
}

static bool hl_done(HyperlinkState *s, const uint8_t *p)
{
    uint32_t result = ldl_le_p(p);

    if (s->writes_done == s->writes_sent ||
        (result != HL_DONE_OK && result >= HYPERLINK_FAULTS)) {
        return false;
    }
    s->writes_done++;
    if (result != HL_DONE_OK) {
        s->stats.writes_dropped++;
        hyperlink_fault(s, result, ldl_le_p(p + 4));
    }
    return true;
}

static bool hl_interrupt(HyperlinkState *s, const uint8_t *p)
{
    uint32_t mps = ldl_le_p(p), vector = ldl_le_p(p + 4);
    HyperlinkFault fault;

    if (mps >= HYPERLINK_INT_PTRS || vector >= 32) {
        return false;
    }
    if (hl_receives(s, &fault)) {
        hyperlink_interrupt(s, mps, vector);
    } else {
        s->stats.in_faults[fault]++;
    }
    return true;
}

static bool hl_reg(HyperlinkState *s, const uint8_t *p)
{
    uint32_t offset = ldl_le_p(p);
    HyperlinkFault fault;

    if (offset >= HYPERLINK_PEER || offset % 4) {
        return false;
    }
    if (hl_receives(s, &fault)) {
        hyperlink_peer_reg_write(s, offset, ldl_le_p(p + 4));
    } else {
        s->stats.in_faults[fault]++;
    }
    return true;
}

static bool hl_fault(HyperlinkState *s, const uint8_t *p)
{
    uint32_t fault = ldl_le_p(p);

    if (fault >= HYPERLINK_FAULTS) {
        return false;
    }
    s->stats.in_faults[fault] += ldl_le_p(p + 4);
    s->stats.last_fault = ldq_le_p(p + 8);
    return true;
}

static bool hl_message(HyperlinkState *s, HlType type, const uint8_t *p)
{
    trace_hyperlink_receive(hl_id(s), type, hl_length[type]);
    if (!s->peer.hello && type != HL_HELLO) {
        return false;
    }
    switch (type) {
    case HL_HELLO:
        return hl_hello(s, p);
    case HL_STATE:
        return hl_state(s, p);
    case HL_ACK:
        return hl_ack(s, p);
    case HL_INT:
        return hl_interrupt(s, p);
    case HL_REG:
        return hl_reg(s, p);
    case HL_WRITE:
        return hl_write(s, p);
    case HL_DONE:
        return hl_done(s, p);
    case HL_FAULT:
        return hl_fault(s, p);
    case HL_ERROR:
        hyperlink_error(s, HYPERLINK_STS_RERROR);
        return true;
    default:
        return false;
    }
}

static int hl_can_receive(void *opaque)
{
    HyperlinkState *s = opaque;

    /* What is cut off is read on, and thrown away, to its end. */
    return s->broken ? HL_PAYLOAD_MAX
                     : HL_HEADER + HL_PAYLOAD_MAX - s->in->len;
}

static void hl_receive(void *opaque, const uint8_t *buf, int size)
{
    HyperlinkState *s = opaque;
    uint8_t payload[HL_PAYLOAD_MAX];
    unsigned done = 0, epoch = s->epoch;

    if (s->broken) {
        return;
    }
    g_byte_array_append(s->in, buf, size);
    while (s->in->len - done >= HL_HEADER) {
        const uint8_t *p = s->in->data + done;
        unsigned type = lduw_le_p(p);
        uint32_t len = ldl_le_p(p + 4);

        if (type < HL_HELLO || type >= HL_TYPES || lduw_le_p(p + 2) ||
            len != hl_length[type]) {
            hl_cut_off(s, "a header that makes no sense");
            break;
        }
        if (s->in->len - done < HL_HEADER + len) {
            break;
        }
        memcpy(payload, p + HL_HEADER, len);
        if (!hl_message(s, type, payload)) {
            hl_cut_off(s, "a message that makes no sense");
        }
        if (epoch != s->epoch) {        /* the answer found nobody there */
            return;
        }
        if (s->broken) {
            break;
        }
        done += HL_HEADER + len;
    }
    g_byte_array_remove_range(s->in, 0, done);
}

static void hl_forget(HyperlinkState *s)
{
    if (s->out_watch) {
        g_source_remove(s->out_watch);
        s->out_watch = 0;
    }
    memset(&s->peer, 0, sizeof(s->peer));
    s->peer.lanes = 1;
    memset(s->tell_faults, 0, sizeof(s->tell_faults));
    g_byte_array_set_size(s->in, 0);
    g_byte_array_set_size(s->out, 0);
    /* What was on its way is lost. */
    s->stats.writes_dropped += s->writes_sent - s->writes_done;
    s->writes_done = s->writes_sent;
    s->broken = false;
    s->hello_due = false;
    s->epoch++;
}

static void hl_event(void *opaque, QEMUChrEvent event)
{
    HyperlinkState *s = opaque;

    switch (event) {
    case CHR_EVENT_OPENED:
        hl_forget(s);
        s->peer.connected = true;
        s->hello_due = true;
        hyperlink_link_changed(s, true);
        break;
    case CHR_EVENT_CLOSED:
        s->stale |= s->broken && s->open && s->shares;
        hl_closed(s);
        hl_forget(s);
        hyperlink_link_update(s);
        break;
    default:
        return;
    }
    trace_hyperlink_connected(hl_id(s), s->peer.connected);
}

static void hl_vm_state(void *opaque, bool running, RunState state)
{
    HyperlinkState *s = opaque;

    if (running) {
        hyperlink_resume(s);
    }
    hyperlink_link_changed(s, true);
    if (!running) {
        /* The peer must know before a snapshot is made. */
        hl_bh(s);
    }
}

bool hyperlink_link_realize(HyperlinkState *s, Error **errp)
{
    s->peer.lanes = 1;
    /* Others do not tell when the other end has gone, or cannot be cut off */
    if (qemu_chr_fe_backend_connected(&s->chr) &&
        !object_dynamic_cast(OBJECT(qemu_chr_fe_get_driver(&s->chr)),
                             TYPE_CHARDEV_SOCKET)) {
        error_setg(errp, TYPE_HYPERLINK ": 'peer' takes a socket");
        return false;
    }
    if (s->peer_mem) {
        MemoryRegion *mr = host_memory_backend_get_memory(s->peer_mem);

        if (!qemu_ram_is_shared(mr->ram_block)) {
            error_setg(errp, TYPE_HYPERLINK ": the memory backend of "
                       "'peer-mem' needs share=on");
            return false;
        }
        if (memory_region_is_rom(mr)) {
            error_setg(errp, TYPE_HYPERLINK ": the memory backend of "
                       "'peer-mem' must not be readonly=on");
            return false;
        }
        if (host_memory_backend_is_mapped(s->peer_mem)) {
            error_setg(errp, TYPE_HYPERLINK ": the memory backend of "
                       "'peer-mem' is in use already");
            return false;
        }
        if (!qemu_chr_fe_backend_connected(&s->chr)) {
            error_setg(errp, TYPE_HYPERLINK ": 'peer-mem' without 'peer' "
                       "leads nowhere");
            return false;
        }
        host_memory_backend_set_mapped(s->peer_mem, true);
        s->peer_ram = memory_region_get_ram_ptr(mr);
        s->peer_ram_size = memory_region_size(mr);
    }
    s->vmstate = qdev_add_vm_change_state_handler(DEVICE(s), hl_vm_state, s);
    if (!qemu_chr_fe_backend_connected(&s->chr)) {
        return true;
    }
    s->in = g_byte_array_new();
    s->out = g_byte_array_new();
    s->bh = qemu_bh_new_guarded(hl_bh, s, &DEVICE(s)->mem_reentrancy_guard);
    migration_add_notifier(&s->migration, hl_migration);
    qemu_chr_fe_set_handlers(&s->chr, hl_can_receive, hl_receive, hl_event,
                             NULL, s, NULL, true);
    return true;
}

void hyperlink_link_unrealize(HyperlinkState *s)
{
    qemu_del_vm_change_state_handler(s->vmstate);
    if (s->peer_mem) {
        host_memory_backend_set_mapped(s->peer_mem, false);
    }
    if (!s->bh) {
        return;
    }
    migration_remove_notifier(&s->migration);
    /* The peer has to know: it may be a slot that the guest has powered off */
    qemu_chr_fe_set_handlers(&s->chr, NULL, NULL, NULL, NULL, NULL, NULL,
                             false);
    qemu_chr_fe_disconnect(&s->chr);
    qemu_chr_fe_deinit(&s->chr, false);
    migrate_del_blocker(&s->migration_blocker);
    if (s->out_watch) {
        g_source_remove(s->out_watch);
    }
    qemu_bh_delete(s->bh);
    s->bh = NULL;
    g_byte_array_free(s->in, true);
    g_byte_array_free(s->out, true);
}
