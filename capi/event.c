/* event.c: events, from the game to agents: tested against the subscriptions before anything is copied. */
#include "front.h"

enum { MAX_KIND = 64, MAX_PAYLOAD = 64 << 10 };

static const aicc_event_options event_defaults = {.struct_size = sizeof event_defaults};

void aicc_event_options_init(aicc_event_options *options, size_t size)
{
    aicc__init(options, size, &event_defaults, sizeof event_defaults);
}

static aicc_status check(aicc_event_options *o, aicc_error *error)
{
    int text = aicc__text(&o->kind, MAX_KIND);
    if (o->topic <= 0 || o->topic > AICC_TOPIC_ALL || (o->topic & (o->topic - 1)) != 0)
        return aicc__fail(error, AICC_E_ARG, "topic", "%d is not one topic; give one of AICC_TOPIC_*", (int)o->topic);
    if (aicc__out_of_range(error, "delivery", o->delivery, 0, AICC_EACH) || aicc__out_of_range(error, "min_interval_ms", o->min_interval_ms, 0, 3600000))
        return AICC_E_ARG;
    if (o->layout.id != 0 && aicc__layout(o->layout) == NULL)
        return aicc__fail(error, AICC_E_HANDLE, "layout", "it is no layout; give one that aicc_layout_define gave, or 0");
    if (text < 0)
        return aicc__fail(error, AICC_E_ARG, "kind", "NULL with a length; give the text, or length 0");
    if (text == 0 || !aicc__utf8(o->kind))
        return aicc__fail(error, AICC_E_NAME, "kind", "%s", text == 0 ? "it is too long; use at most 64 bytes" : "it is not UTF-8");
    if (o->kind.len > 0 && o->layout.id != 0 && aicc__layout_has(aicc__layout(o->layout), "kind"))
        return aicc__fail(error, AICC_E_NAME, "kind", "the layout has a member kind already; give it another name, or leave kind out");
    if (o->delivery == 0)
        o->delivery = o->topic == AICC_TOPIC_TICK ? AICC_LATEST : AICC_EACH;
    return AICC_OK;
}

aicc_status aicc_event_define(aicc_bridge world, const aicc_event_options *options, aicc_event *out, aicc_error *error)
{
    aicc_event_options o = event_defaults;
    aicc_rec rec = {.kind = AICC_REC_EVENT_DEFINE};
    int64_t ints[AICC_EVENT_INTS] = {0};
    const layout *l;
    payload p;
    event *e;
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (out != NULL)
        out->id = 0;
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_event");
    status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK)
        status = check(&o, error);
    if (status != AICC_OK)
        return status;
    ints[AICC_EVENT_TOPIC] = o.topic;
    ints[AICC_EVENT_DELIVERY] = o.delivery;
    ints[AICC_EVENT_MIN_INTERVAL_MS] = o.min_interval_ms;
    l = aicc__layout(o.layout);
    ints[AICC_EVENT_LAYOUT] = l != NULL ? l->number : 0;
    if (aicc__pack(&p, ints, AICC_EVENT_INTS, &o.kind, 1) != AICC_OK)
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    status = aicc__hold(world.id, KIND_BRIDGE, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK) {
        aicc__payload_free(&p);
        return aicc__handle_error(error, status);
    }
    e = (event *)aicc__table_new(&r.b->events_defined);
    if (e != NULL) {
        atomic_store(&e->topic, (uint32_t)__builtin_ctz((unsigned)o.topic));
        atomic_store(&e->layout, l);
        atomic_store(&e->interval_ns, (int64_t)o.min_interval_ms * 1000000);
        aicc__event_start(e);
        rec.object = e->head.index + 1;
        status = aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED);
        if (status == AICC_OK) {
            atomic_store(&e->head.word, atomic_load(&e->head.word) | SLOT_LIVE);
            out->id = handle_of(r.b, KIND_EVENT, &e->head);
        } else {
            aicc__table_free(&r.b->events_defined, &e->head);
        }
    }
    aicc__drop(&r);
    aicc__payload_free(&p);
    if (out->id == 0)
        return aicc__fail(error, AICC_E_FULL, "", "%s", e == NULL ? "there are 256 kinds of events, or memory is exhausted; define each once"
                                                        : "the queue to the core is full; try again after the next frame");
    aicc__wake(r.b);
    return aicc__ok(error);
}

/* The session that an event goes to; s->b is NULL when it goes to all. */
static aicc_status find_session(const ref *e, aicc_session handle, ref *s)
{
    aicc_status status;
    s->b = NULL;
    if (handle.id == 0)
        return AICC_OK;
    status = aicc__peek(handle.id, KIND_SESSION, 0, s);
    return status == AICC_OK && s->b != e->b ? AICC_E_HANDLE : status;
}

/* Does anybody listen: that session, or any. */
static aicc_status audience(const ref *e, const ref *s)
{
    uint32_t topic = atomic_load_explicit(&((event *)e->s)->topic, memory_order_relaxed);
    if (s->b == NULL)
        return atomic_load_explicit(&e->b->listeners[topic], memory_order_relaxed) > 0 ? AICC_OK : AICC_EMPTY;
    if ((word_state(atomic_load(&s->s->word)) & SLOT_ATTACHED) == 0 || (atomic_load_explicit(&((session *)s->s)->topics, memory_order_relaxed) >> topic & 1) == 0)
        return AICC_EMPTY;
    return AICC_OK;
}

/* Appends to the lane of events, whose lock is held; a lane half full wakes the core. */
static aicc_status emit(ref *r, aicc_rec rec, payload *p)
{
    lane *l = &r->b->lanes[LANE_EVENTS];
    aicc_status status = aicc__put(r->b, LANE_EVENTS, rec, p, BOUNDED);
    int wake = atomic_load_explicit(&l->bytes, memory_order_relaxed) >= l->limit / 2;
    if (status == AICC_OK)
        atomic_store_explicit(&r->b->events, atomic_load_explicit(&r->b->events, memory_order_relaxed) + 1, memory_order_relaxed);
    else
        l->dropped++;
    aicc__drop(r);
    if (wake)
        aicc__wake(r->b);
    return status;
}

/* The payload's length is known, its bytes are not copied yet. */
static aicc_status check_payload(aicc_str *text)
{
    int good = aicc__text(text, MAX_PAYLOAD);
    if (good == 0)
        return AICC_E_RANGE;
    return good < 0 || text->len == 0 ? AICC_E_ARG : AICC_OK;
}

aicc_status aicc_event_json(aicc_event handle, aicc_session to, aicc_str text)
{
    aicc_rec rec = {.kind = AICC_REC_EVENT_JSON};
    payload p = {0};
    ref r, s;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (status == AICC_OK && atomic_load_explicit(&((event *)r.s)->layout, memory_order_relaxed) != NULL)
        status = AICC_E_TYPE;
    if (status == AICC_OK)
        status = find_session(&r, to, &s);
    if (status == AICC_OK)
        status = audience(&r, &s);
    if (status == AICC_OK)
        status = check_payload(&text);
    if (status != AICC_OK)
        return status;
    if (aicc__payload(&p, text.ptr, text.len) != AICC_OK)
        return AICC_E_FULL;
    status = aicc__hold_found(&r, HOLD_EVENTS | NEED_OPEN);
    if (status == AICC_OK) {
        status = s.b != NULL ? aicc__still(&s) : AICC_OK;
        if (status == AICC_OK)
            status = audience(&r, &s); /* what it says stays true with the lock */
        rec.object = r.s->index + 1;
        rec.session = s.b != NULL ? s.s->index + 1 : 0;
        if (status == AICC_OK)
            status = emit(&r, rec, &p);
        else
            aicc__drop(&r);
    }
    aicc__payload_free(&p);
    return status;
}

aicc_status aicc_event_reply_json(aicc_event handle, aicc_call cause, aicc_str text)
{
    ref r, c;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (status == AICC_OK)
        status = aicc__peek(cause.id, KIND_CALL, NEED_OPEN, &c);
    if (status == AICC_OK && atomic_load_explicit(&((event *)r.s)->layout, memory_order_relaxed) != NULL)
        status = AICC_E_TYPE;
    if (status == AICC_OK)
        status = check_payload(&text);
    return status == AICC_OK ? aicc__event_reply(handle, cause, AICC_REC_EVENT_REPLY, text.ptr, text.len) : status;
}

aicc_status aicc__event_reply(aicc_event handle, aicc_call cause, uint16_t kind, const void *data, size_t len)
{
    aicc_rec rec = {.kind = kind};
    payload p = {0};
    ref r, c;
    aicc_status status = aicc__peek(handle.id, KIND_EVENT, NEED_OPEN, &r);
    if (status == AICC_OK)
        status = aicc__peek(cause.id, KIND_CALL, NEED_OPEN, &c);
    if (status == AICC_OK && c.b != r.b)
        status = AICC_E_HANDLE;
    if (status != AICC_OK)
        return status;
    if (aicc__payload(&p, data, len) != AICC_OK)
        return AICC_E_FULL;
    status = aicc__hold_found(&r, HOLD_EVENTS | NEED_OPEN);
    if (status == AICC_OK) {
        uint64_t word = word_of(c.gen, CALL_STARTED);
        rec.object = r.s->index + 1;
        rec.arg = atomic_load(&((call *)c.s)->no);
        if (atomic_load(&c.s->word) == word) /* read after the number: it is this call's */
            status = emit(&r, rec, &p);
        else {
            status = aicc__call_state(&c, atomic_load(&c.s->word));
            aicc__drop(&r);
        }
    }
    aicc__payload_free(&p);
    return status;
}
