/*
 * PULP iDMA engine: mp_split, mp_dist, tensor_ND
 *
 * The requests they make of one, and how the answers come together again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>
#include "idma-mid.h"

static uint32_t slot(uint32_t head, uint32_t i)
{
    return (head + i) % IDMA_MID_OUTSTANDING;
}

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static uint64_t at(const IdmaMidRegion *region, const IdmaMidReq *req)
{
    return req->src >= region->start && req->src < region->end ? req->src
                                                               : req->dst;
}

/*
 * Answers
 */

static bool track_open(IdmaMidTrack *t)
{
    uint32_t i = slot(t->head, t->count);

    if (t->count == IDMA_MID_OUTSTANDING) {
        return false;
    }
    t->waiting[i] = 0;
    t->closed[i] = false;
    t->error[i] = IDMA_MID_OK;
    t->count++;
    return true;
}

/* A piece of the newest request leaves. */
static void track_piece(IdmaMidTrack *t, bool last)
{
    uint32_t i = slot(t->head, t->count - 1);

    t->waiting[i]++;
    t->closed[i] = last;
}

static void track_answer(IdmaMidTrack *t, IdmaMidError error)
{
    uint32_t n;

    for (n = 0; n < t->count; n++) {
        uint32_t i = slot(t->head, n);

        if (t->waiting[i]) {
            t->waiting[i]--;
            if (!t->error[i]) {
                t->error[i] = error;
            }
            return;
        }
    }
}

static bool track_done(IdmaMidTrack *t, IdmaMidError *error)
{
    uint32_t i = t->head;

    if (!t->count || !t->closed[i] || t->waiting[i]) {
        return false;
    }
    if (error) {
        *error = t->error[i];
    }
    t->head = slot(t->head, 1);
    t->count--;
    return true;
}

/*
 * mp_split
 */

bool idma_mp_split_init(IdmaMpSplit *m, uint64_t boundary,
                        const IdmaMidRegion *region)
{
    if (!power_of_two(boundary)) {
        return false;
    }
    memset(m, 0, sizeof(*m));
    m->boundary = boundary;
    m->region = *region;
    return true;
}

bool idma_mp_split_put(IdmaMpSplit *m, const IdmaMidReq *req)
{
    if (m->valid || !track_open(&m->track)) {
        return false;
    }
    m->req = *req;
    m->valid = true;
    return true;
}

bool idma_mp_split_peek(const IdmaMpSplit *m, IdmaMidReq *piece)
{
    uint64_t fit;

    if (!m->valid) {
        return false;
    }
    *piece = m->req;
    fit = m->boundary - (at(&m->region, &m->req) & (m->boundary - 1));
    piece->last = piece->len <= fit;
    if (!piece->last) {
        piece->len = fit;
    }
    return true;
}

void idma_mp_split_pop(IdmaMpSplit *m)
{
    IdmaMidReq piece;

    if (!idma_mp_split_peek(m, &piece)) {
        return;
    }
    track_piece(&m->track, piece.last);
    m->valid = !piece.last;
    m->req.src += piece.len;
    m->req.dst += piece.len;
    m->req.len -= piece.len;
}

void idma_mp_split_answer(IdmaMpSplit *m, IdmaMidError error)
{
    track_answer(&m->track, error);
}

bool idma_mp_split_done(IdmaMpSplit *m, IdmaMidError *error)
{
    return track_done(&m->track, error);
}

/*
 * mp_dist
 */

bool idma_mp_dist_init(IdmaMpDist *m, uint64_t size,
                       const IdmaMidRegion *region)
{
    if (!power_of_two(size) || size < 2) {
        return false;
    }
    memset(m, 0, sizeof(*m));
    m->size = size;
    m->region = *region;
    return true;
}

bool idma_mp_dist_put(IdmaMpDist *m, const IdmaMidReq *req)
{
    uint64_t half = m->size / 2;
    uint64_t offset = at(&m->region, req) & (m->size - 1);
    uint64_t lower;
    uint32_t i = slot(m->head, m->count);

    if (m->valid[0] || m->valid[1] || m->count == IDMA_MID_OUTSTANDING) {
        return false;
    }
    m->count++;
    m->error[i] = IDMA_MID_OK;
    m->waits[i][0] = m->waits[i][1] = false;
    if (req->len > m->size - offset) {
        m->error[i] = IDMA_MID_ERR_CROSSES;
        return true;
    }
    lower = offset < half ? half - offset : 0;
    if (lower > req->len) {
        lower = req->len;
    }
    /* of no bytes at all: to where they would have gone */
    m->valid[0] = lower || (!req->len && offset < half);
    m->valid[1] = req->len > lower || (!req->len && offset >= half);
    m->req[0] = m->req[1] = *req;
    m->req[0].len = lower;
    m->req[1].len -= lower;
    m->req[1].src += lower;
    m->req[1].dst += lower;
    m->waits[i][0] = m->valid[0];
    m->waits[i][1] = m->valid[1];
    return true;
}

bool idma_mp_dist_peek(const IdmaMpDist *m, unsigned port, IdmaMidReq *req)
{
    if (port > 1 || !m->valid[port]) {
        return false;
    }
    *req = m->req[port];
    return true;
}

void idma_mp_dist_pop(IdmaMpDist *m, unsigned port)
{
    if (port <= 1) {
        m->valid[port] = false;
    }
}

/* A port answers in order: this is the oldest request that waits for it. */
void idma_mp_dist_answer(IdmaMpDist *m, unsigned port, IdmaMidError error)
{
    uint32_t n;

    for (n = 0; port <= 1 && n < m->count; n++) {
        uint32_t i = slot(m->head, n);

        if (m->waits[i][port]) {
            m->waits[i][port] = false;
            if (!m->error[i]) {
                m->error[i] = error;
            }
            return;
        }
    }
}

bool idma_mp_dist_done(IdmaMpDist *m, IdmaMidError *error)
{
    uint32_t i = m->head;

    if (!m->count || m->waits[i][0] || m->waits[i][1]) {
        return false;
    }
    if (error) {
        *error = m->error[i];
    }
    m->head = slot(m->head, 1);
    m->count--;
    return true;
}

/*
 * A tree of mp_dist
 */

bool idma_mp_tree_init(IdmaMpTree *m, uint32_t leaves, uint64_t boundary,
                       const IdmaMidRegion *region)
{
    uint32_t i, level;

    if (!power_of_two(leaves) || leaves < 2 || leaves > IDMA_MID_MAX_PORTS ||
        !power_of_two(boundary) || boundary > UINT64_MAX / leaves) {
        return false;
    }
    m->leaves = leaves;
    for (i = 0; i < leaves - 1; i++) {
        /* nodes of a level, from the left: 2^level - 1 ... 2^(level+1) - 2 */
        level = 0;
        while ((2u << level) - 1 <= i) {
            level++;
        }
        idma_mp_dist_init(&m->node[i], boundary * (leaves >> level), region);
    }
    return true;
}

bool idma_mp_tree_put(IdmaMpTree *m, const IdmaMidReq *req)
{
    return idma_mp_dist_put(&m->node[0], req);
}

void idma_mp_tree_settle(IdmaMpTree *m)
{
    uint32_t i;
    unsigned port;

    /* from the root: what leaves a node may leave its child as well */
    for (i = 0; 2 * i + 2 < m->leaves - 1; i++) {
        for (port = 0; port < 2; port++) {
            IdmaMidReq req;

            if (idma_mp_dist_peek(&m->node[i], port, &req) &&
                idma_mp_dist_put(&m->node[2 * i + 1 + port], &req)) {
                idma_mp_dist_pop(&m->node[i], port);
            }
        }
    }
}

static IdmaMpDist *leaf_node(IdmaMpTree *m, uint32_t leaf)
{
    return &m->node[(m->leaves - 2 + leaf) / 2];
}

bool idma_mp_tree_peek(const IdmaMpTree *m, uint32_t leaf, IdmaMidReq *req)
{
    return leaf < m->leaves &&
           idma_mp_dist_peek(&m->node[(m->leaves - 2 + leaf) / 2], leaf & 1,
                             req);
}

void idma_mp_tree_pop(IdmaMpTree *m, uint32_t leaf)
{
    if (leaf < m->leaves) {
        idma_mp_dist_pop(leaf_node(m, leaf), leaf & 1);
    }
}

void idma_mp_tree_answer(IdmaMpTree *m, uint32_t leaf, IdmaMidError error)
{
    if (leaf < m->leaves) {
        idma_mp_dist_answer(leaf_node(m, leaf), leaf & 1, error);
    }
}

bool idma_mp_tree_done(IdmaMpTree *m, IdmaMidError *error)
{
    IdmaMidError err;
    uint32_t i;

    for (i = m->leaves - 2; i > 0; i--) {
        while (idma_mp_dist_done(&m->node[i], &err)) {
            idma_mp_dist_answer(&m->node[(i - 1) / 2], (i - 1) & 1, err);
        }
    }
    return idma_mp_dist_done(&m->node[0], error);
}

/*
 * tensor_ND
 */

bool idma_tensor_init(IdmaTensor *m, uint32_t dims)
{
    if (dims < 2 || dims > IDMA_MID_MAX_DIMS) {
        return false;
    }
    memset(m, 0, sizeof(*m));
    m->dims = dims;
    return true;
}

bool idma_tensor_put(IdmaTensor *m, const IdmaNdReq *req)
{
    bool zero = true;
    uint32_t d;

    if (m->valid || !track_open(&m->track)) {
        return false;
    }
    for (d = 0; d < m->dims - 1; d++) {
        zero &= !req->dim[d].reps;
        m->rep[d] = 1;
    }
    if (zero) {
        uint32_t i = slot(m->track.head, m->track.count - 1);

        m->track.closed[i] = true;
        m->track.error[i] = IDMA_MID_ERR_ZERO_REPS;
        return true;
    }
    m->req = *req;
    m->src = req->one.src;
    m->dst = req->one.dst;
    m->valid = true;
    return true;
}

/* The innermost dimension that has not been through, or the number of them. */
static uint32_t next_dim(const IdmaTensor *m)
{
    uint32_t d = 0;

    while (d < m->dims - 1 && m->rep[d] >= m->req.dim[d].reps) {
        d++;
    }
    return d;
}

bool idma_tensor_peek(const IdmaTensor *m, IdmaMidReq *piece)
{
    if (!m->valid) {
        return false;
    }
    *piece = m->req.one;
    piece->src = m->src;
    piece->dst = m->dst;
    piece->last = next_dim(m) == m->dims - 1;
    return true;
}

void idma_tensor_pop(IdmaTensor *m)
{
    uint32_t d = next_dim(m), i;

    if (!m->valid) {
        return;
    }
    m->valid = d < m->dims - 1;
    track_piece(&m->track, !m->valid);
    if (m->valid) {
        for (i = 0; i < d; i++) {
            m->rep[i] = 1;
        }
        m->rep[d]++;
        m->src += m->req.dim[d].src_stride;
        m->dst += m->req.dim[d].dst_stride;
    }
}

void idma_tensor_answer(IdmaTensor *m, IdmaMidError error)
{
    track_answer(&m->track, error);
}

bool idma_tensor_done(IdmaTensor *m, IdmaMidError *error)
{
    return track_done(&m->track, error);
}
