/* queue.c: items, from the core to the engine: one queue for each session and one for the bridge's own, taken in turns. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AGENT_ITEMS = 4, GRAVES = 256 };

/* What was lent by bridges that ended meanwhile: freed when its callback returns, or, since that may have left by longjmp, as the oldest. */
static struct {
    plat_mutex lock;
    uint32_t   next;
    struct grave { item *it; uint64_t bridge, serial; } of[GRAVES];
} graves = {.lock = PLAT_MUTEX};

void aicc__source_init(source *src)
{
    memset(src, 0, sizeof *src);
    list_init(&src->in);
    list_init(&src->calls);
    list_init(&src->others);
}

item *aicc__item_new(int32_t kind, size_t extra)
{
    item *it = extra < UINT32_MAX ? malloc(sizeof *it + extra) : NULL;
    if (it == NULL)
        return NULL;
    memset(it, 0, sizeof *it);
    list_init(&it->in);
    it->kind = kind;
    return it;
}

void aicc__item_free(item *it)
{
    if (it != NULL && !it->embedded)
        free(it);
}

static void move(bridge *b, source *src, int32_t where)
{
    list_remove(&src->in);
    if (where != WHERE_NONE)
        list_push(where == WHERE_RING ? &b->ring : &b->held, &src->in);
    atomic_fetch_add_explicit(&b->offering, (where == WHERE_RING) - (src->where == WHERE_RING), memory_order_relaxed);
    src->where = where;
}

void aicc__place(bridge *b, source *src)
{
    int held = atomic_load_explicit(&b->paused, memory_order_relaxed) != 0 || src->paused;
    int32_t where = !list_empty(&src->others) ? WHERE_RING : list_empty(&src->calls) ? WHERE_NONE : held ? WHERE_HELD : WHERE_RING;
    if (where != src->where)
        move(b, src, where);
}

void aicc__unpause(bridge *b)
{
    node waiting;
    if (list_empty(&b->held))
        return;
    waiting = b->held;
    waiting.prev->next = waiting.next->prev = &waiting;
    list_init(&b->held);
    while (!list_empty(&waiting)) {
        source *src = OWNER(source, in, waiting.next);
        list_remove(&src->in);
        src->where = WHERE_NONE;
        aicc__place(b, src);
    }
}

static source *source_of(bridge *b, const item *it)
{
    session *s = session_at(b, it->session);
    return s != NULL ? &s->items : &b->own;
}

static void enqueue(bridge *b, source *src, item *it)
{
    int held_by_pause = 0;
    if (it->kind == AICC_ITEM_CALL) {
        tool *t = tool_at(b, it->tool);
        held_by_pause = t == NULL || !t->while_paused;
    }
    list_push(held_by_pause ? &src->calls : &src->others, &it->in);
    aicc__place(b, src);
}

/* At most so many agent items wait: the newest takes the last one's place. It comes after what came meanwhile. */
static void spare_an_agent_item(source *src)
{
    for (node *n = src->others.prev; src->agents >= MAX_AGENT_ITEMS && n != &src->others; n = n->prev) {
        item *it = OWNER(item, in, n);
        if (it->kind != AICC_ITEM_AGENT)
            continue;
        list_remove(&it->in);
        aicc__item_free(it);
        src->agents--;
        return;
    }
}

void aicc__item_push(bridge *b, source *src, item *it)
{
    tool *t = it->kind != AICC_ITEM_TOOL_RELEASED ? tool_at(b, it->tool) : NULL;
    it->serial = ++b->serial;
    if (t != NULL)
        t->refs++;
    if (it->kind == AICC_ITEM_AGENT) {
        spare_an_agent_item(src);
        src->agents++;
    } else if (it->kind == AICC_ITEM_AGENT_MESSAGE) {
        src->messages++;
    } else if (it->kind == AICC_ITEM_FAULT) {
        b->faults++;
    }
    if (b->frame_clock)
        list_push(&b->fresh, &it->in);
    else
        enqueue(b, src, it);
}

void aicc__item_publish(bridge *b)
{
    while (!list_empty(&b->fresh)) {
        item *it = OWNER(item, in, b->fresh.next);
        list_remove(&it->in);
        enqueue(b, source_of(b, it), it);
    }
}

/* The next item, out of its queue; NULL: none. */
static item *pick(bridge *b)
{
    while (!list_empty(&b->ring)) {
        source *src = OWNER(source, in, b->ring.next);
        int held = atomic_load_explicit(&b->paused, memory_order_relaxed) != 0 || src->paused;
        item *other = list_empty(&src->others) ? NULL : OWNER(item, in, src->others.next);
        item *it = list_empty(&src->calls) || held ? NULL : OWNER(item, in, src->calls.next);
        if (it == NULL || (other != NULL && other->serial < it->serial))
            it = other;
        if (it != NULL)
            list_remove(&it->in);
        move(b, src, WHERE_NONE); /* the next one is another source's turn */
        aicc__place(b, src);
        if (it != NULL)
            return it;
    }
    return NULL;
}

/* A call is delivered only while all that it names is there; otherwise the core is about to take it back. */
static int deliverable(bridge *b, const item *it, call *c, const session *s, const tool *t)
{
    uint64_t word = word_of((uint32_t)(it->call >> 32), CALL_QUEUED);
    c->waiting = NULL;
    return word_state(atomic_load(&b->word)) == BRIDGE_OPEN && s != NULL && t != NULL && (word_state(atomic_load(&s->head.word)) & SLOT_LIVE) != 0 &&
           (word_state(atomic_load(&t->head.word)) & SLOT_LIVE) != 0 &&
           atomic_compare_exchange_strong(&c->head.word, &word, word_of(word_gen(word), CALL_STARTED));
}

/* Fills out, and lets go of what the item held. 0: it was not to be delivered after all. */
static int consume(bridge *b, item *it, aicc_item *out, delivery *how)
{
    session *s = session_at(b, it->session);
    tool *t = tool_at(b, it->tool);
    int deliver = 1;
    memset(out, 0, sizeof *out);
    out->kind = it->kind;
    out->reason = it->reason;
    out->call.id = it->call;
    out->text = it->text;
    how->fn = NULL;
    how->serial = it->serial;
    if (s != NULL) {
        out->session.id = handle_of(b, KIND_SESSION, &s->head);
        out->session_user = s->user;
    }
    if (t != NULL) {
        out->tool.id = handle_of(b, KIND_TOOL, &t->head);
        out->tool_user = t->user;
        how->fn = t->fn;
    }
    switch (it->kind) {
    case AICC_ITEM_CALL:
        deliver = deliverable(b, it, (call *)aicc__table_at(&b->calls, (uint32_t)it->call & 0xffff), s, t);
        out->request = it->request;
        if (deliver)
            it->request->session_user = s->user;
        break;
    case AICC_ITEM_CALL_ENDED:
        out->call_user = it->call_user;
        aicc__table_free(&b->calls, aicc__table_at(&b->calls, (uint32_t)it->call & 0xffff));
        break;
    case AICC_ITEM_AGENT:
        s->items.agents--;
        break;
    case AICC_ITEM_AGENT_MESSAGE:
        if (--s->items.messages == 0)
            s->items.dropped = 0;
        break;
    case AICC_ITEM_FAULT:
        if (--b->faults == 0)
            b->own.dropped = 0;
        break;
    case AICC_ITEM_SESSION_CLOSED:
        aicc__session_unref(b, s);
        break;
    default: /* AICC_ITEM_TOOL_RELEASED */
        aicc__table_free(&b->tools, &t->head);
        return 1;
    }
    if (t != NULL)
        aicc__tool_unref(b, t);
    return deliver;
}

static void release_current(bridge *b)
{
    aicc__item_free(b->current);
    b->current = NULL;
}

aicc_status aicc__next(aicc_bridge handle, aicc_item *out, delivery *how)
{
    ref r;
    item *it;
    int deliver = 0;
    aicc_status status = aicc__hold(handle.id, KIND_BRIDGE, HOLD_BRIDGE, &r);
    if (status != AICC_OK)
        return status;
    release_current(r.b);
    while (!deliver && (it = pick(r.b)) != NULL) {
        int embedded = it->embedded; /* in a slot that consume may give to somebody else */
        deliver = consume(r.b, it, out, how);
        if (!embedded && deliver)
            r.b->current = it;
        else if (!embedded)
            aicc__item_free(it);
    }
    aicc__drop(&r);
    return deliver ? AICC_OK : AICC_EMPTY;
}

int aicc__idle(aicc_bridge handle)
{
    ref r;
    return aicc__peek(handle.id, KIND_BRIDGE, 0, &r) != AICC_OK || atomic_load_explicit(&r.b->offering, memory_order_relaxed) == 0;
}

aicc_status aicc_bridge_next(aicc_bridge handle, aicc_item *out)
{
    aicc_item full;
    delivery how;
    aicc_status status;
    ref r;
    status = aicc__peek(handle.id, KIND_BRIDGE, 0, &r);
    if (status != AICC_OK)
        return status;
    if (aicc__options(out, &full, sizeof full, NULL) != AICC_OK)
        return AICC_E_ARG;
    status = aicc__next(handle, &full, &how);
    if (status == AICC_OK)
        aicc__give(out, &full, sizeof full);
    return status;
}

void aicc__settle(aicc_bridge handle, uint64_t serial)
{
    ref r;
    item *dead = NULL;
    aicc_status status = aicc__hold(handle.id, KIND_BRIDGE, HOLD_BRIDGE, &r);
    if (status == AICC_OK) {
        if (r.b->current != NULL && r.b->current->serial == serial)
            release_current(r.b);
        aicc__drop(&r);
        return;
    }
    if (status != AICC_E_HANDLE)
        return;
    aicc__lock(&graves.lock);
    for (int i = 0; i < GRAVES && dead == NULL; i++) {
        struct grave *g = &graves.of[i];
        if (g->it == NULL || g->bridge != handle.id || g->serial != serial)
            continue;
        dead = g->it;
        g->it = NULL;
    }
    aicc__unlock(&graves.lock);
    aicc__item_free(dead);
}

void aicc__bury(bridge *b)
{
    struct grave *g;
    item *oldest;
    if (b->current == NULL)
        return;
    aicc__lock(&graves.lock);
    g = &graves.of[graves.next++ % GRAVES];
    oldest = g->it;
    g->it = b->current;
    g->bridge = aicc__bridge_handle(b);
    g->serial = b->current->serial;
    aicc__unlock(&graves.lock);
    b->current = NULL;
    aicc__item_free(oldest);
}

static void free_items(node *queue)
{
    while (!list_empty(queue)) {
        item *it = OWNER(item, in, queue->next);
        list_remove(&it->in);
        aicc__item_free(it);
    }
}

void aicc__items_reset(bridge *b)
{
    node *lists[2] = {&b->ring, &b->held};
    free_items(&b->fresh);
    for (int i = 0; i < 2; i++)
        while (!list_empty(lists[i])) {
            source *src = OWNER(source, in, lists[i]->next);
            list_remove(&src->in);
            src->where = WHERE_NONE;
            free_items(&src->calls);
            free_items(&src->others);
        }
    aicc__source_init(&b->own);
    atomic_store(&b->offering, 0);
}
