/* core.c: what is left of core.h: items that are no calls, the core's counters, the end of a slot. */
#include "front.h"

#include <string.h>

enum { MAX_FAULT_ITEMS = 256, MAX_MESSAGE_ITEMS = 64 };

void aicc_core_gone(uint32_t number)
{
    bridge *b = aicc__bridge_at(number - 1);
    if (b != NULL)
        aicc__bridge_gone(b);
}

void aicc_core_stats(uint32_t number, const aicc_core_counters *counters)
{
    bridge *b = aicc__bridge_at(number - 1);
    if (b == NULL)
        return;
    aicc__lock(&b->lock);
    b->counters = *counters;
    aicc__unlock(&b->lock);
}

/* Its user data is the engine's again with this item, which therefore needs no memory. All locks. */
static void session_closed(bridge *b, session *s)
{
    aicc__session_end(b, s);
    s->closed = 1;
    s->farewell.kind = AICC_ITEM_SESSION_CLOSED;
    s->farewell.session = s->head.index + 1;
    aicc__item_push(b, &s->items, &s->farewell);
}

/* Items with text are bounded, since an agent can make them. With BRIDGE. */
static int wanted(const bridge *b, const session *s, int32_t kind)
{
    if (kind == AICC_ITEM_FAULT)
        return b->faults < MAX_FAULT_ITEMS;
    return s != NULL && (kind != AICC_ITEM_AGENT_MESSAGE || s->items.messages < MAX_MESSAGE_ITEMS);
}

/* Counts what is dropped. 1: it is the first since the queue was empty, so that a flood of them is one line in the log. */
static int drop(bridge *b, session *s, int32_t kind)
{
    source *src = kind == AICC_ITEM_FAULT || s == NULL ? &b->own : &s->items;
    if (kind == AICC_ITEM_AGENT_MESSAGE)
        b->items_dropped++;
    return src->dropped++ == 0;
}

static void add(bridge *b, session *s, tool *t, item *it, int32_t reason, const void *text, size_t len)
{
    char *at = (char *)(it + 1);
    it->session = s != NULL ? s->head.index + 1 : 0;
    it->tool = t != NULL ? t->head.index + 1 : 0;
    it->reason = reason;
    if (len > 0)
        memcpy(at, text, len);
    at[len] = 0;
    if (it->kind != AICC_ITEM_AGENT)
        it->text = aicc__view(at, len);
    aicc__item_push(b, s != NULL ? &s->items : &b->own, it);
}

void aicc_core_item(uint32_t number, int32_t kind, uint32_t session_no, uint32_t tool_no, int32_t reason, const void *text, size_t len)
{
    bridge *b = aicc__bridge_at(number - 1);
    item *it = NULL;
    session *s;
    tool *t;
    int say = 0;
    if (b == NULL)
        return;
    if (kind != AICC_ITEM_SESSION_CLOSED && kind != AICC_ITEM_TOOL_RELEASED)
        it = aicc__item_new(kind, len + 1);
    aicc__lock_all(b);
    s = core_session(b, session_no);
    t = core_tool(b, tool_no);
    if (word_state(atomic_load(&b->word)) == BRIDGE_DEAD) {
        /* nobody will ask */
    } else if (kind == AICC_ITEM_SESSION_CLOSED) {
        if (s != NULL)
            session_closed(b, s);
    } else if (kind == AICC_ITEM_TOOL_RELEASED) {
        if (t != NULL)
            aicc__tool_released(b, t);
    } else if (it != NULL && wanted(b, s, kind)) {
        add(b, s, t, it, reason, text, len);
        it = NULL;
    } else {
        say = drop(b, s, kind);
    }
    aicc__unlock_all(b);
    aicc__item_free(it);
    if (say)
        aicc__log(AICC_WARN, b, session_no, tool_no, "items of kind %d are dropped from here on, since too many wait: is aicc_bridge_pump called each frame?",
                  (int)kind);
}
