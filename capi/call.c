/* call.c: calls: one atomic word each, in which the engine's answer and the core's end race, and one of them wins. */
#include "front.h"

#include <string.h>

enum { MAX_OUTPUT = 256 << 10, MAX_MESSAGE = 4 << 10 };

static int live(const slot *s) { return (word_state(atomic_load(&s->word)) & SLOT_LIVE) != 0; }

/* Its session, its tool and its bridge are there. If not, the core is about to end the call; for the engine it is over at once, so that what
 * one thread does has one outcome and not the one of a race. */
static int wanted(const ref *r)
{
    const call *c = (const call *)r->s;
    const session *s = session_at(r->b, atomic_load(&c->session));
    const tool *t = tool_at(r->b, atomic_load(&c->tool));
    return s != NULL && t != NULL && live(&s->head) && live(&t->head) && word_state(atomic_load(&r->b->word)) == BRIDGE_OPEN;
}

aicc_status aicc__call_state(const ref *r, uint64_t word)
{
    if (word == word_of(r->gen, CALL_STARTED))
        return wanted(r) ? AICC_OK : AICC_GONE;
    return word == word_of(r->gen, CALL_QUEUED) ? AICC_E_STATE : AICC_GONE;
}

aicc_status aicc__answer(aicc_call handle, uint16_t kind, uint16_t flags, aicc_str text, int quiet)
{
    aicc_rec rec = {.kind = kind, .flags = flags};
    payload p;
    ref r;
    aicc_status status;
    text.len = text.len == AICC_NTS ? strlen(text.ptr) : text.len;
    if (aicc__payload(&p, text.ptr, text.len) != AICC_OK)
        return AICC_E_FULL;
    status = aicc__hold(handle.id, KIND_CALL, HOLD_MESSAGES, &r);
    if (status == AICC_OK) {
        call *c = (call *)r.s;
        uint64_t word = word_of(r.gen, CALL_STARTED);
        if (!aicc__room(r.b, LANE_MESSAGES, p.len)) {
            status = AICC_E_FULL;
        } else if (wanted(&r) && atomic_compare_exchange_strong(&c->head.word, &word, word_of(r.gen, CALL_ANSWERED))) {
            rec.arg = atomic_load_explicit(&c->no, memory_order_relaxed);
            (void)aicc__put(r.b, LANE_MESSAGES, rec, &p, EXEMPT); /* there is room */
        } else {
            status = aicc__call_state(&r, atomic_load(&c->head.word));
            if (status == AICC_GONE && !quiet)
                atomic_fetch_add_explicit(&r.b->answers_late, 1, memory_order_relaxed);
        }
        aicc__drop(&r);
        if (status == AICC_OK)
            aicc__wake(r.b);
    }
    aicc__payload_free(&p);
    return status;
}

aicc_status aicc_call_succeed(aicc_call handle, aicc_str output)
{
    int text = aicc__text(&output, MAX_OUTPUT);
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_CALL, 0, &r);
    if (status != AICC_OK)
        return status;
    if (text <= 0)
        return text < 0 ? AICC_E_ARG : AICC_E_RANGE;
    return aicc__answer(handle, AICC_REC_ANSWER, 0, output.len > 0 ? output : aicc__view("{}", 2), 0);
}

aicc_status aicc_call_fail(aicc_call handle, int32_t code, aicc_str message, int32_t retryable)
{
    int text = aicc__text(&message, MAX_MESSAGE);
    uint16_t flags;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_CALL, 0, &r);
    if (status != AICC_OK)
        return status;
    if (text < 0 || code < AICC_CODE_TOOL_UNAVAILABLE || code > AICC_CODE_INTERNAL_ERROR || (retryable & ~1) != 0)
        return AICC_E_ARG;
    if (text == 0)
        message.len = aicc__utf8_cut(message.ptr, MAX_MESSAGE, MAX_MESSAGE);
    flags = (uint16_t)((unsigned)code | (retryable != 0 ? (unsigned)AICC_REC_FAIL_RETRYABLE : 0u));
    return aicc__answer(handle, AICC_REC_FAIL, flags, message, 0);
}

int32_t aicc_call_alive(aicc_call handle)
{
    ref r;
    return aicc__peek(handle.id, KIND_CALL, 0, &r) == AICC_OK && aicc__call_state(&r, atomic_load(&r.s->word)) == AICC_OK;
}

aicc_status aicc_call_set_user_data(aicc_call handle, void *user_data)
{
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_CALL, HOLD_BRIDGE, &r);
    if (status != AICC_OK)
        return status;
    status = aicc__call_state(&r, atomic_load(&r.s->word));
    if (status == AICC_OK)
        ((call *)r.s)->user = user_data;
    aicc__drop(&r);
    return status;
}

/* ---- the core's side */

static char *append(char *at, const void *text, size_t len)
{
    if (len > 0)
        memcpy(at, text, len);
    at[len] = 0;
    return at + len + 1;
}

/* A call's item with its request; what follows it in memory: the request, the tape (aligned to 8), the call's id, the tool's. */
static item *call_item(const void *tape, size_t tape_len, const void *call_id, size_t call_id_len)
{
    size_t tape_room = (tape_len + 7) & ~(size_t)7;
    item *it = aicc__item_new(AICC_ITEM_CALL, sizeof (aicc_request) + tape_room + call_id_len + 1 + 65);
    aicc_request *q;
    char *at;
    if (it == NULL)
        return NULL;
    q = it->request = (aicc_request *)(void *)(it + 1);
    memset(q, 0, sizeof *q);
    at = (char *)(q + 1);
    memcpy(at, tape, tape_len);
    q->struct_size = sizeof *q;
    q->input.tape = at;
    q->input.kind = AICC_KIND_OBJECT;
    at += tape_room;
    q->call_id = aicc__view(at, call_id_len);
    q->tool_id.ptr = append(at, call_id, call_id_len);
    return it;
}

uint64_t aicc_core_call(uint32_t number, uint32_t session_no, uint32_t tool_no, uint64_t no, uint64_t tick, int64_t deadline_ns,
                        const void *tape, size_t tape_len, const void *call_id, size_t call_id_len)
{
    bridge *b = aicc__bridge_at(number - 1);
    item *it = b != NULL ? call_item(tape, tape_len, call_id, call_id_len) : NULL;
    session *s;
    tool *t;
    call *c = NULL;
    uint64_t handle = 0;
    if (it == NULL)
        return 0;
    aicc__lock(&b->lock);
    s = core_session(b, session_no);
    t = core_tool(b, tool_no);
    if (s != NULL && t != NULL && word_state(atomic_load(&b->word)) != BRIDGE_DEAD)
        c = (call *)aicc__table_new(&b->calls);
    if (c != NULL) {
        aicc_request *q = it->request;
        it->session = session_no;
        it->tool = tool_no;
        it->call = handle = handle_of(b, KIND_CALL, &c->head);
        q->bridge.id = aicc__bridge_handle(b);
        q->session.id = handle_of(b, KIND_SESSION, &s->head);
        q->tool.id = handle_of(b, KIND_TOOL, &t->head);
        q->call.id = handle;
        q->tick = tick;
        q->deadline_ns = deadline_ns;
        q->tool_id.len = strlen(t->id);
        (void)append((char *)(uintptr_t)q->tool_id.ptr, t->id, q->tool_id.len);
        c->session = session_no;
        c->tool = tool_no;
        c->user = NULL;
        c->waiting = it;
        atomic_store_explicit(&c->no, no, memory_order_relaxed);
        memset(&c->farewell, 0, sizeof c->farewell);
        list_init(&c->farewell.in);
        c->farewell.embedded = 1;
        atomic_store(&c->head.word, word_of(word_gen(handle), CALL_QUEUED));
        aicc__item_push(b, &s->items, it);
        it = NULL;
    }
    aicc__unlock(&b->lock);
    aicc__item_free(it);
    return handle;
}

/* The slot of a call that the core has; with BRIDGE. */
static call *core_call(bridge *b, uint64_t handle)
{
    call *c = (call *)aicc__table_at(&b->calls, (uint32_t)handle & 0xffff);
    return c != NULL && word_gen(atomic_load(&c->head.word)) == word_gen(handle) ? c : NULL;
}

static void withdraw(bridge *b, call *c)
{
    item *it = c->waiting;
    session *s = session_at(b, c->session);
    c->waiting = NULL;
    if (it != NULL) {
        list_remove(&it->in);
        aicc__place(b, &s->items);
        aicc__item_free(it);
        aicc__tool_unref(b, tool_at(b, c->tool));
    }
    aicc__table_free(&b->calls, &c->head);
}

static void end_started(bridge *b, call *c, uint64_t handle, int32_t reason)
{
    session *s = core_session(b, c->session); /* closed already only by a fault of the core */
    item *it = &c->farewell;
    it->kind = AICC_ITEM_CALL_ENDED;
    it->reason = reason;
    it->session = s != NULL ? c->session : 0;
    it->tool = core_tool(b, c->tool) != NULL ? c->tool : 0;
    it->call = handle;
    it->call_user = c->user;
    aicc__item_push(b, s != NULL ? &s->items : &b->own, it);
}

int32_t aicc_core_call_end(uint32_t number, uint64_t handle, int32_t reason)
{
    bridge *b = aicc__bridge_at(number - 1);
    int32_t was = 1;
    call *c;
    if (b == NULL)
        return was;
    aicc__lock(&b->lock);
    c = core_call(b, handle);
    if (c != NULL) {
        uint64_t word = word_of(word_gen(handle), CALL_STARTED);
        if (atomic_compare_exchange_strong(&c->head.word, &word, word_of(word_gen(handle), CALL_OVER))) {
            was = 2;
            end_started(b, c, handle, reason);
        } else if (word_state(word) == CALL_QUEUED) {
            withdraw(b, c); /* it cannot be started meanwhile: that takes this lock */
        } else if (word_state(word) == CALL_ANSWERED) {
            was = 3;
        }
    }
    aicc__unlock(&b->lock);
    return was;
}

void aicc_core_call_done(uint32_t number, uint64_t handle)
{
    bridge *b = aicc__bridge_at(number - 1);
    call *c;
    if (b == NULL)
        return;
    aicc__lock(&b->lock);
    c = core_call(b, handle);
    if (c != NULL && word_state(atomic_load(&c->head.word)) == CALL_ANSWERED)
        aicc__table_free(&b->calls, &c->head);
    aicc__unlock(&b->lock);
}
