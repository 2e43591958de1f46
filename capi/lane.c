/* lane.c: from the engine's threads to the core: records in chunks, appended under a lane's lock and taken whole. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { SPARES = 8 };             /* of a lane; as many as it used lately */

static size_t padded(size_t n) { return (n + 7) & ~(size_t)7; }

static size_t record_size(size_t payload_len)
{
    return sizeof (aicc_rec) + (payload_len > AICC_INLINE_MAX ? sizeof (uint64_t) : padded(payload_len));
}

block *aicc__block_new(size_t len)
{
    block *k = len <= UINT32_MAX ? malloc(sizeof *k + len) : NULL;
    if (k != NULL) {
        k->next = NULL;
        k->len = len;
    }
    return k;
}

aicc_status aicc__payload(payload *p, const void *ptr, size_t len)
{
    p->ptr = ptr;
    p->len = len;
    p->own = NULL;
    if (len <= AICC_INLINE_MAX)
        return AICC_OK;
    p->own = aicc__block_new(len);
    if (p->own == NULL)
        return AICC_E_FULL;
    memcpy(block_bytes(p->own), ptr, len);
    p->ptr = block_bytes(p->own);
    return AICC_OK;
}

void aicc__payload_free(payload *p)
{
    free(p->own);
    p->own = NULL;
}

static unsigned char *put_number(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

/* The packed fields of core/bridge/record.go. The strings have their lengths resolved. */
aicc_status aicc__pack(payload *p, const int64_t *ints, size_t n_ints, const aicc_str *strs, size_t n_strs)
{
    size_t len = 8 + 8 * n_ints;
    unsigned char *at;
    for (size_t i = 0; i < n_strs; i++)
        len += 4 + strs[i].len;
    p->len = len;
    p->own = aicc__block_new(len);
    if (p->own == NULL)
        return AICC_E_FULL;
    p->ptr = at = block_bytes(p->own);
    at = put_number(at, n_ints, 4);
    at = put_number(at, n_strs, 4);
    for (size_t i = 0; i < n_ints; i++)
        at = put_number(at, (uint64_t)ints[i], 8);
    for (size_t i = 0; i < n_strs; i++) {
        at = put_number(at, strs[i].len, 4);
        if (strs[i].len > 0)
            memcpy(at, strs[i].ptr, strs[i].len);
        at += strs[i].len;
    }
    return AICC_OK;
}

void aicc__lane_init(lane *l)
{
    aicc__mutex_init(&l->lock);
}

static int room(lane *l, size_t need)
{
    aicc_chunk *c = l->tail;
    if (c != NULL && c->cap - c->used >= need)
        return 1;
    c = l->spare;
    if (c != NULL && c->cap >= need) {
        l->spare = c->next;
        l->spares--;
    } else {
        size_t total = l->head == NULL ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
        if (need > total - sizeof *c)
            total = sizeof *c + need;
        c = malloc(total);
        if (c == NULL)
            return 0;
        c->cap = total - sizeof *c;
    }
    c->next = NULL;
    c->used = 0;
    c->reserved = 0;
    if (l->tail != NULL)
        l->tail->next = c;
    else
        l->head = c;
    l->tail = c;
    return 1;
}

/* A record's header, where there is room for it. */
static char *head(bridge *b, lane *l, aicc_rec *rec, size_t bytes, size_t payload_len)
{
    aicc_chunk *c = l->tail;
    char *at = (char *)(c + 1) + c->used;
    rec->size = (uint32_t)bytes;
    rec->length = (uint32_t)payload_len;
    rec->seq = atomic_fetch_add_explicit(&b->seq, 1, memory_order_relaxed) + 1;
    rec->tick = atomic_load_explicit(&b->tick, memory_order_relaxed);
    memcpy(at, rec, sizeof *rec);
    c->used += bytes;
    return at + sizeof *rec;
}

static void add_bytes(lane *l, size_t bytes)
{
    atomic_store_explicit(&l->bytes, atomic_load_explicit(&l->bytes, memory_order_relaxed) + bytes, memory_order_relaxed);
}

/* One record more, where there is room for it. */
static void put(bridge *b, lane *l, aicc_rec rec, payload *p)
{
    size_t inlined = p != NULL ? p->len : 0, bytes = record_size(inlined);
    char *at;
    rec.block = inlined > AICC_INLINE_MAX;
    at = head(b, l, &rec, bytes, inlined);
    if (rec.block != 0) {
        uint64_t address = (uint64_t)(uintptr_t)p->ptr;
        memcpy(at, &address, sizeof address);
        p->own->next = l->blocks;
        l->blocks = p->own;
        p->own = NULL;
        bytes += inlined;
    } else if (inlined > 0) {
        memset(at + padded(inlined) - 8, 0, 8);
        memcpy(at, p->ptr, inlined);
    }
    add_bytes(l, bytes);
}

/* With the frame clock time stands at the last frame that the core heard of. If it did not hear of the last one, because there was nothing to
 * do, then the next record must not be stepped at an older time. */
static int room_for_frame(bridge *b)
{
    return atomic_load_explicit(&b->unsent, memory_order_relaxed) != 0 ? (int)sizeof (aicc_rec) : 0;
}

static void tell_frame(bridge *b, lane *l)
{
    aicc_rec tell = {.kind = AICC_REC_FRAME};
    if (room_for_frame(b) == 0 || atomic_exchange(&b->unsent, 0) == 0)
        return;
    tell.flags = atomic_load(&b->paused) != 0 ? AICC_FRAME_PAUSED : 0;
    tell.arg = (uint64_t)atomic_load(&b->frame_now);
    put(b, l, tell, NULL);
}

int aicc__room(bridge *b, int which, size_t payload_len)
{
    return room(&b->lanes[which], record_size(payload_len) + (size_t)room_for_frame(b));
}

aicc_status aicc__put(bridge *b, int which, aicc_rec rec, payload *p, int bound)
{
    lane *l = &b->lanes[which];
    size_t len = p != NULL ? p->len : 0, bytes = record_size(len) + (len > AICC_INLINE_MAX ? len : 0);
    size_t waiting = atomic_load_explicit(&l->bytes, memory_order_relaxed), limit = bound == RESERVED ? 2 * l->limit : l->limit;
    int frame = room_for_frame(b);
    if (bound != EXEMPT && waiting > 0 && (waiting >= limit || bytes > limit - waiting))
        return AICC_E_FULL; /* an empty lane takes any one record */
    if (!room(l, record_size(len) + (size_t)frame))
        return AICC_E_FULL;
    if (frame != 0 && rec.kind != AICC_REC_FRAME)
        tell_frame(b, l);
    put(b, l, rec, p);
    return AICC_OK;
}

char *aicc__begin(bridge *b, int which, size_t least, size_t *space)
{
    lane *l = &b->lanes[which];
    size_t waiting = atomic_load_explicit(&l->bytes, memory_order_relaxed), bytes = sizeof (aicc_rec) + padded(least);
    if (waiting > 0 && (waiting >= l->limit || bytes > l->limit - waiting))
        return NULL;
    if (!room(l, bytes + (size_t)room_for_frame(b)))
        return NULL;
    tell_frame(b, l);
    *space = l->tail->cap - l->tail->used - sizeof (aicc_rec);
    if (waiting > 0 && *space > l->limit - waiting - sizeof (aicc_rec))
        *space = l->limit - waiting - sizeof (aicc_rec);
    if (*space < padded(least))
        *space = padded(least); /* the frame's record has taken some of the bound */
    return (char *)(l->tail + 1) + l->tail->used + sizeof (aicc_rec);
}

void aicc__commit(bridge *b, int which, aicc_rec rec, size_t len)
{
    lane *l = &b->lanes[which];
    size_t bytes = sizeof rec + padded(len);
    char *at;
    rec.block = 0;
    at = head(b, l, &rec, bytes, len);
    memset(at + len, 0, padded(len) - len);
    add_bytes(l, bytes);
}

static void free_blocks(block *k)
{
    while (k != NULL) {
        block *next = k->next;
        free(k);
        k = next;
    }
}

static void free_chunks(aicc_chunk *c)
{
    while (c != NULL) {
        aicc_chunk *next = c->next;
        free(c);
        c = next;
    }
}

void aicc__lane_drop(lane *l, int all)
{
    free_chunks(l->head);
    free_blocks(l->blocks);
    l->head = l->tail = NULL;
    l->blocks = NULL;
    atomic_store(&l->bytes, 0);
    if (!all)
        return;
    free_chunks(l->taken);
    free_blocks(l->taken_blocks);
    free_chunks(l->spare);
    l->taken = l->spare = NULL;
    l->taken_blocks = NULL;
    l->spares = 0;
}

/* Keeps of what the core has read as much as was used lately; the rest is for the caller to free. */
static aicc_chunk *recycle(lane *l)
{
    aicc_chunk *rest = l->taken;
    uint32_t used = 0, keep;
    for (const aicc_chunk *c = l->head; c != NULL && used < SPARES; c = c->next)
        used++;
    keep = used + 1 < l->spares ? l->spares - 1 : used + 1 < SPARES ? used + 1 : SPARES;
    while (rest != NULL && l->spares < keep) {
        aicc_chunk *c = rest;
        rest = c->next;
        c->next = l->spare;
        l->spare = c;
        l->spares++;
    }
    if (l->spares > keep) {
        aicc_chunk *c = l->spare;
        l->spare = c->next;
        l->spares--;
        c->next = rest;
        rest = c;
    }
    l->taken = l->head;
    l->head = l->tail = NULL;
    atomic_store_explicit(&l->bytes, 0, memory_order_relaxed);
    return rest;
}

void aicc_core_take(uint32_t number, aicc_core_batch *out)
{
    bridge *b = aicc__bridge_at(number - 1);
    aicc_chunk *chunks[2];
    block *blocks[2];
    memset(out, 0, sizeof *out);
    if (b == NULL)
        return;
    aicc__lock(&b->lanes[LANE_MESSAGES].lock);
    aicc__lock(&b->lanes[LANE_EVENTS].lock);
    for (int i = 0; i < 2; i++) {
        lane *l = &b->lanes[i];
        blocks[i] = l->taken_blocks;
        l->taken_blocks = l->blocks;
        l->blocks = NULL;
        if (l->taken == &b->last.chunk)
            l->taken = NULL;
        chunks[i] = recycle(l);
    }
    out->messages = b->lanes[LANE_MESSAGES].taken;
    out->events = b->lanes[LANE_EVENTS].taken;
    aicc__unlock(&b->lanes[LANE_EVENTS].lock);
    aicc__unlock(&b->lanes[LANE_MESSAGES].lock);
    for (int i = 0; i < 2; i++) {
        free_chunks(chunks[i]);
        free_blocks(blocks[i]);
    }
    out->now_ns = aicc__now();
    out->tick = atomic_load(&b->tick);
}
