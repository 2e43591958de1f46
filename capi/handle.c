/* handle.c: from a handle's value to its object, and to the locks that keep it good. Every function of the header that has one comes through here. */
#include "front.h"

static table *table_of(bridge *b, uint32_t kind)
{
    switch (kind) {
    case KIND_TOOL:    return &b->tools;
    case KIND_TOOLSET: return &b->toolsets;
    case KIND_SESSION: return &b->sessions;
    case KIND_CALL:    return &b->calls;
    default:           return &b->events_defined;
    }
}

static aicc_status find(uint64_t id, uint32_t kind, ref *r)
{
    uint32_t low = (uint32_t)id;
    r->b = NULL;
    r->s = NULL;
    r->gen = word_gen(id);
    r->kind = kind;
    r->held = 0;
    if (low >> 28 != kind || r->gen == 0 || (r->b = aicc__bridge_at(low >> 16 & 0xfff)) == NULL)
        return AICC_E_HANDLE;
    if (kind == KIND_BRIDGE)
        return (low & 0xffff) == 0 ? AICC_OK : AICC_E_HANDLE;
    r->s = aicc__table_at(table_of(r->b, kind), low & 0xffff);
    return r->s != NULL ? AICC_OK : AICC_E_HANDLE;
}

static aicc_status standing(const ref *r, unsigned how)
{
    uint64_t bridge_word = atomic_load(&r->b->word);
    uint32_t state = word_state(bridge_word);
    if (state != BRIDGE_OPEN && state != BRIDGE_CLOSED)
        return AICC_E_HANDLE;
    if (r->kind == KIND_BRIDGE) {
        if (word_gen(bridge_word) != r->gen)
            return AICC_E_HANDLE;
    } else {
        uint64_t word = atomic_load(&r->s->word);
        int good = r->kind == KIND_CALL ? r->gen > atomic_load(&r->s->floor) && r->gen <= word_gen(word)
                                        : r->gen == word_gen(word) && (word_state(word) & SLOT_LIVE) != 0;
        if (!good)
            return AICC_E_HANDLE;
    }
    return state == BRIDGE_CLOSED && (how & NEED_OPEN) != 0 ? AICC_E_STATE : AICC_OK;
}

aicc_status aicc__peek(uint64_t id, uint32_t kind, unsigned how, ref *r)
{
    aicc_status status;
    if (atomic_load_explicit(&aicc__forked, memory_order_relaxed) != 0)
        return AICC_E_STATE;
    status = find(id, kind, r);
    return status == AICC_OK ? standing(r, how) : status;
}

aicc_status aicc__still(const ref *r)
{
    return standing(r, 0);
}

static void lock(bridge *b, unsigned what)
{
    if ((what & HOLD_BRIDGE) != 0)
        aicc__lock(&b->lock);
    if ((what & HOLD_MESSAGES) != 0)
        aicc__lock(&b->lanes[LANE_MESSAGES].lock);
    if ((what & HOLD_EVENTS) != 0)
        aicc__lock(&b->lanes[LANE_EVENTS].lock);
    if ((what & HOLD_OUT) != 0)
        aicc__lock(&b->out.lock);
}

static void unlock(bridge *b, unsigned what)
{
    if ((what & HOLD_OUT) != 0)
        aicc__unlock(&b->out.lock);
    if ((what & HOLD_EVENTS) != 0)
        aicc__unlock(&b->lanes[LANE_EVENTS].lock);
    if ((what & HOLD_MESSAGES) != 0)
        aicc__unlock(&b->lanes[LANE_MESSAGES].lock);
    if ((what & HOLD_BRIDGE) != 0)
        aicc__unlock(&b->lock);
}

aicc_status aicc__hold_found(ref *r, unsigned how)
{
    aicc_status status;
    r->held = how & HOLD_ALL;
    lock(r->b, r->held);
    status = standing(r, how);
    if (status != AICC_OK)
        aicc__drop(r);
    return status;
}

aicc_status aicc__hold(uint64_t id, uint32_t kind, unsigned how, ref *r)
{
    aicc_status status = aicc__peek(id, kind, how, r);
    return status == AICC_OK ? aicc__hold_found(r, how) : status;
}

void aicc__drop(ref *r)
{
    unlock(r->b, r->held);
    r->held = 0;
}

void aicc__lock_all(bridge *b)   { lock(b, HOLD_ALL); }
void aicc__unlock_all(bridge *b) { unlock(b, HOLD_ALL); }
