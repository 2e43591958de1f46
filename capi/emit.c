/* emit.c: events as structs: to many sessions in one append under one lock, and which of them would hear of one now. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

/* ---- when an event with a least interval is sent next, by the rule of core/session/pace.go: the front's own guess, for aicc_event_due alone */

static int64_t clock_of(const bridge *b)
{
    return b->frame_clock ? atomic_load_explicit(&b->frame_now, memory_order_relaxed) : aicc__now();
}

/* With EVENTS. NULL: no memory, and then it is always due. */
static _Atomic int64_t *pace_at(event *e, uint32_t session_index, int make)
{
    _Atomic(_Atomic int64_t *) *place = &e->paces[session_index / PACE_CHUNK];
    _Atomic int64_t *chunk = atomic_load_explicit(place, memory_order_acquire);
    if (chunk == NULL && make) {
        chunk = calloc(PACE_CHUNK, sizeof *chunk);
        atomic_store_explicit(place, chunk, memory_order_release);
    }
    return chunk != NULL ? &chunk[session_index % PACE_CHUNK] : NULL;
}

static void note(_Atomic int64_t *pace, int64_t now, int64_t interval)
{
    int64_t next, waits;
    if (pace == NULL)
        return;
    next = atomic_load_explicit(pace, memory_order_relaxed);
    waits = next & 1;
    next &= ~(int64_t)1;
    if (waits && now >= next && now < next + interval)
        next += interval;        /* what waited was sent at its time */
    waits = now < next;
    if (!waits)
        next = now + interval;
    atomic_store_explicit(pace, (next & ~(int64_t)1) | waits, memory_order_relaxed);
}

static int over(const _Atomic int64_t *pace, int64_t now, int64_t interval)
{
    int64_t next = pace != NULL ? atomic_load_explicit(pace, memory_order_relaxed) : 0;
    if ((next & 1) != 0 && now >= (next & ~(int64_t)1))
        next += interval;
    return now >= (next & ~(int64_t)1);
}

void aicc__event_start(event *e)
{
    atomic_store(&e->next_all, 0);
    for (size_t i = 0; i < MAX_SESSIONS / PACE_CHUNK; i++) {
        _Atomic int64_t *chunk = atomic_load(&e->paces[i]);
        for (size_t k = 0; chunk != NULL && k < PACE_CHUNK; k++)
            atomic_store(&chunk[k], 0);
    }
}

void aicc__event_forget(bridge *b, uint32_t session_index)
{
    for (uint32_t i = 0; i < b->events_defined.used; i++) {
        _Atomic int64_t *pace = pace_at((event *)aicc__table_at(&b->events_defined, i), session_index, 0);
        if (pace != NULL)
            atomic_store(pace, 0);
    }
}

/* ---- who listens */

/* aicc__table_at, here without a call: at a thousand sessions a frame it is felt. */
static inline slot *slot_at(const table *t, uint32_t index)
{
    uint32_t scaled = index / TABLE_FIRST + 1, k = 31u - (uint32_t)__builtin_clz(scaled);
    char *chunk = atomic_load_explicit(&t->chunk[k], memory_order_acquire); /* 16 bits of index need fewer chunks than there are */
    return chunk != NULL ? (slot *)(void *)(chunk + (size_t)(index - ((1u << k) - 1) * TABLE_FIRST) * t->size) : NULL;
}

/* NULL: a handle that is no session of this bridge any more. */
static inline session *session_of(const bridge *b, aicc_session handle)
{
    uint32_t low = (uint32_t)handle.id;
    slot *s;
    uint64_t word;
    if ((low & ~0xffffu) != ((uint32_t)KIND_SESSION << 28 | b->index << 16))
        return NULL;
    s = slot_at(&b->sessions, low & 0xffff);
    if (s == NULL)
        return NULL;
    word = atomic_load_explicit(&s->word, memory_order_acquire);
    return word_gen(word) == word_gen(handle.id) && (word_state(word) & SLOT_LIVE) != 0 ? (session *)(void *)s : NULL;
}

static inline int listens(const session *s, uint32_t topic)
{
    return (atomic_load_explicit(&s->head.word, memory_order_relaxed) & SLOT_ATTACHED) != 0 &&
           (atomic_load_explicit(&s->topics, memory_order_relaxed) >> topic & 1) != 0;
}

/* ---- emit */

/* One emission: what it gives, the record that is being written, what came of it. */
typedef struct emission {
    bridge       *b;
    event        *e;
    const layout *l;
    uint32_t      topic;
    int64_t       interval, now;
    aicc_rec      rec;
    char         *start, *at;    /* of the record's payload; NULL: none is begun */
    char         *end;
    size_t        queued, dropped, stale;
} emission;

static void finish(emission *m)
{
    if (m->at != NULL)
        aicc__commit(m->b, LANE_EVENTS, m->rec, (size_t)(m->at - m->start));
    m->at = NULL;
}

/* A place for so many bytes, in this record or in a new one; 0: the queue is full. */
static int space(emission *m, size_t need)
{
    size_t room = 0;
    if (m->at != NULL && need <= (size_t)(m->end - m->at))
        return 1;
    finish(m);
    m->start = m->at = aicc__begin(m->b, LANE_EVENTS, need, &room);
    if (m->at == NULL)
        return 0;
    m->end = m->at + room;
    return 1;
}

static char *put_word(char *at, size_t word)
{
    uint32_t w = (uint32_t)word;
    memcpy(at, &w, sizeof w);
    return at + sizeof w;
}

static void put_struct(emission *m, const void *data, size_t len)
{
    m->at = put_word(m->at, len);
    if (!m->l->has_text)
        memcpy(m->at, data, len);
    else
        len = aicc__gather(m->l, data, m->at, len);
    m->at += len;
}

/* To one session, or with number 0 to all. */
static void put_one(emission *m, uint32_t number, const void *data)
{
    size_t len = aicc__gather_size(m->l, data);
    if (!space(m, 8 + len)) {
        m->dropped++;
        return;
    }
    m->at = put_word(m->at, number);
    put_struct(m, data, len);
    m->queued++;
}

/* The same struct to one more session. */
static void put_number(emission *m, uint32_t number, const void *data)
{
    if (m->at == NULL || (size_t)(m->end - m->at) < 4) {
        size_t len = aicc__gather_size(m->l, data);
        finish(m);
        if (!space(m, 8 + len)) {
            m->dropped++;
            return;
        }
        put_struct(m, data, len);
    }
    m->at = put_word(m->at, number);
    m->queued++;
}

static inline void copy(char *to, const char *from, size_t len)
{
    for (; len >= 16; len -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (len > 0)
        memcpy(to, from, len);
}

/* emit_to where it is most of the work: a struct without text for each. What changes is kept out of memory. */
static void emit_plain(emission *m, const aicc_session *to, size_t n, const char *structs, size_t stride)
{
    const size_t size = m->l->size, need = 8 + size;
    char *at = NULL, *end = NULL;
    for (size_t i = 0; i < n; i++, structs += stride) {
        const session *s = session_of(m->b, to[i]);
        if (s == NULL) {
            m->stale++;
            continue;
        }
        if (!listens(s, m->topic))
            continue;
        if ((size_t)(end - at) < need) {
            m->at = at;
            if (!space(m, need)) {
                m->dropped++;
                at = end = NULL;
                continue;
            }
            at = m->at;
            end = m->end;
        }
        at = put_word(put_word(at, s->head.index + 1), size);
        copy(at, structs, size);
        at += size;
        m->queued++;
    }
    m->at = at;
}

static void emit_to(emission *m, const aicc_session *to, size_t n, const char *structs, size_t stride)
{
    m->rec.flags = stride == 0 ? AICC_EMIT_ONE : 0;
    if (stride > 0 && !m->l->has_text && m->interval == 0) {
        emit_plain(m, to, n, structs, stride);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const session *s = session_of(m->b, to[i]);
        size_t queued = m->queued;
        if (s == NULL) {
            m->stale++;
            continue;
        }
        if (!listens(s, m->topic))
            continue;
        if (stride == 0)
            put_number(m, s->head.index + 1, structs);
        else
            put_one(m, s->head.index + 1, structs + i * stride);
        if (m->interval > 0 && m->queued > queued)
            note(pace_at(m->e, s->head.index, 1), m->now, m->interval);
    }
}

static void emit_all(emission *m, size_t n, const char *structs, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        put_one(m, 0, structs + i * stride);
    if (m->interval > 0 && m->queued > 0)
        note(&m->e->next_all, m->now, m->interval);
}

static void count(_Atomic uint64_t *counter, size_t n)
{
    if (n > 0)
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

aicc_status aicc_event_emit(aicc_event handle, const aicc_session *to, size_t n, const void *structs, size_t stride, size_t *taken)
{
    emission m = {0};
    lane *l;
    ref r;
    int wake;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (taken != NULL)
        *taken = 0;
    if (status != AICC_OK)
        return status;
    m.b = r.b;
    m.e = (event *)r.s;
    m.l = atomic_load_explicit(&m.e->layout, memory_order_relaxed);
    m.topic = atomic_load_explicit(&m.e->topic, memory_order_relaxed);
    m.interval = atomic_load_explicit(&m.e->interval_ns, memory_order_relaxed);
    if (m.l == NULL)
        return AICC_E_TYPE;
    if (n > 0 && (structs == NULL || (stride != 0 && stride < m.l->size) || (to == NULL && stride == 0 && n > 1)))
        return AICC_E_ARG;
    if (n == 0 || (to == NULL && atomic_load_explicit(&r.b->listeners[m.topic], memory_order_relaxed) == 0))
        return AICC_EMPTY;
    if (m.interval > 0)
        m.now = clock_of(r.b);
    status = aicc__hold_found(&r, HOLD_EVENTS | NEED_OPEN);
    if (status != AICC_OK)
        return status;
    m.rec.kind = AICC_REC_EVENT_STRUCT;
    m.rec.object = r.s->index + 1;
    if (to != NULL)
        emit_to(&m, to, n, structs, stride);
    else
        emit_all(&m, n, structs, stride);
    finish(&m);
    l = &r.b->lanes[LANE_EVENTS];
    l->dropped += m.dropped;
    count(&r.b->events, m.queued);
    count(&r.b->stale, m.stale);
    wake = m.queued + m.dropped > 0 && atomic_load_explicit(&l->bytes, memory_order_relaxed) >= l->limit / 2;
    aicc__drop(&r);
    if (wake)
        aicc__wake(r.b);
    if (taken != NULL)
        *taken = m.queued;
    if (m.dropped > 0)
        return m.queued > 0 ? AICC_PARTIAL : AICC_E_FULL;
    return m.queued > 0 ? AICC_OK : AICC_EMPTY;
}

/* ---- due */

aicc_status aicc_event_due(aicc_event handle, const aicc_session *to, size_t n, uint32_t *index, size_t *due)
{
    ref r;
    event *e;
    uint32_t topic;
    int64_t interval, now = 0;
    int ticks, all;
    size_t found = 0;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (due == NULL || (n > 0 && (to == NULL || index == NULL)) || n > UINT32_MAX)
        return AICC_E_ARG;
    e = (event *)r.s;
    topic = atomic_load_explicit(&e->topic, memory_order_relaxed);
    interval = atomic_load_explicit(&e->interval_ns, memory_order_relaxed);
    ticks = topic == 0 && atomic_load_explicit(&r.b->ticks, memory_order_relaxed) != 0;
    if (ticks || interval > 0)
        now = clock_of(r.b);
    all = (!ticks || atomic_load_explicit(&r.b->paused, memory_order_relaxed) == 0) && (interval == 0 || over(&e->next_all, now, interval));
    for (size_t i = 0; all && i < n; i++) {
        const session *s = session_of(r.b, to[i]);
        if (s == NULL || !listens(s, topic))
            continue;
        if (ticks ? now < atomic_load_explicit(&s->tick_due, memory_order_relaxed)
                  : interval > 0 && !over(pace_at(e, s->head.index, 0), now, interval))
            continue;
        index[found++] = (uint32_t)i;
    }
    *due = found;
    return found > 0 ? AICC_OK : AICC_EMPTY;
}

void aicc_core_tick_due(uint32_t number, uint32_t session_no, int64_t at_ns)
{
    bridge *b = aicc__bridge_at(number - 1);
    session *s = b != NULL ? session_at(b, session_no) : NULL;
    if (s != NULL)
        atomic_store_explicit(&s->tick_due, at_ns, memory_order_relaxed);
}

/* ---- structs where else there is JSON */

/* What is given on: the struct itself, or it and its texts in memory that is the caller's to free. NULL: no memory. */
static const void *whole(const layout *l, const void *data, size_t *len, void **own)
{
    *own = NULL;
    *len = l->size;
    if (!l->has_text)
        return data;
    *len = aicc__gather_size(l, data);
    *own = malloc(*len);
    if (*own != NULL)
        *len = aicc__gather(l, data, *own, *len);
    return *own;
}

aicc_status aicc_event_reply(aicc_event handle, aicc_call cause, const void *data, size_t size)
{
    const layout *l;
    const void *given;
    void *own;
    size_t len;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    l = atomic_load_explicit(&((event *)r.s)->layout, memory_order_relaxed);
    if (l == NULL)
        return AICC_E_TYPE;
    if (data == NULL || size != l->size)
        return AICC_E_ARG;
    given = whole(l, data, &len, &own);
    status = given != NULL ? aicc__event_reply(handle, cause, AICC_REC_EVENT_REPLY_STRUCT, given, len) : AICC_E_FULL;
    free(own);
    return status;
}

aicc_status aicc_call_succeed_struct(aicc_call handle, aicc_layout output, const void *data, size_t size)
{
    const layout *l = aicc__layout(output);
    const void *given;
    void *own;
    size_t len;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_CALL, 0, &r);
    if (status != AICC_OK)
        return status;
    if (l == NULL)
        return AICC_E_HANDLE;
    if (data == NULL || size != l->size)
        return AICC_E_ARG;
    given = whole(l, data, &len, &own);
    status = given != NULL ? aicc__answer(handle, AICC_REC_ANSWER_STRUCT, (uint16_t)l->number, aicc__view(given, len), 0) : AICC_E_FULL;
    free(own);
    return status;
}
