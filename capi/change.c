/* change.c: what a running game changes: toolsets, which tools there are, what a session may use, how long a call may take. None of it waits:
 * each is one record. */
#include "front.h"

enum { MAX_NAME = 128 };

/* ---- toolsets */

aicc_status aicc_toolset_create(aicc_bridge world, aicc_str name, aicc_toolset *out, aicc_error *error)
{
    aicc_rec rec = {.kind = AICC_REC_SET_CREATE};
    payload p;
    slot *s;
    ref r;
    int text = aicc__text(&name, MAX_NAME);
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (out != NULL)
        out->id = 0;
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_toolset");
    if (text < 0)
        return aicc__fail(error, AICC_E_ARG, "name", "NULL with a length; give the text, or length 0");
    if (text == 0 || !aicc__utf8(name))
        return aicc__fail(error, AICC_E_NAME, "name", "%s", text == 0 ? "it is too long; use at most 128 bytes" : "it is not UTF-8");
    (void)aicc__payload(&p, name.ptr, name.len); /* short: cannot fail */
    status = aicc__hold(world.id, KIND_BRIDGE, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    s = aicc__table_new(&r.b->toolsets);
    if (s == NULL) {
        status = aicc__fail(error, AICC_E_FULL, "", "there are 64 toolsets, or memory is exhausted; destroy those that no session needs");
    } else {
        rec.object = s->index + 1;
        status = aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED);
        if (status != AICC_OK) {
            aicc__table_free(&r.b->toolsets, s);
            aicc__fail(error, status, "", "the queue to the core is full; try again after the next frame");
        } else {
            atomic_store(&s->word, atomic_load(&s->word) | SLOT_LIVE);
            out->id = handle_of(r.b, KIND_TOOLSET, s);
        }
    }
    aicc__drop(&r);
    if (status != AICC_OK)
        return status;
    aicc__wake(r.b);
    return aicc__ok(error);
}

aicc_status aicc_toolset_destroy(aicc_toolset handle)
{
    aicc_rec rec = {.kind = AICC_REC_SET_DESTROY};
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_TOOLSET, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    rec.object = r.s->index + 1;
    status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
    if (status == AICC_OK)
        aicc__table_free(&r.b->toolsets, r.s); /* records are in order, so the number may be used anew at once */
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

int aicc__toolset_number(const bridge *b, aicc_toolset set, int64_t *number)
{
    ref r;
    *number = 0;
    if (set.id == 0)
        return 1;
    if (aicc__peek(set.id, KIND_TOOLSET, 0, &r) != AICC_OK || r.b != b)
        return 0;
    *number = r.s->index + 1;
    return 1;
}

/* ---- records about one object: its number, an argument, a payload */

static aicc_status tell(uint64_t handle, uint32_t kind, unsigned how, aicc_rec rec, payload *p)
{
    ref r;
    aicc_status status = aicc__hold(handle, kind, how | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status == AICC_OK) {
        if (kind == KIND_SESSION)
            rec.session = r.s->index + 1;
        else
            rec.object = r.s->index + 1;
        status = aicc__put(r.b, LANE_MESSAGES, rec, p, BOUNDED);
        aicc__drop(&r);
        aicc__wake(r.b);
    }
    aicc__payload_free(p);
    return status;
}

aicc_status aicc_tool_set_enabled(aicc_tool handle, int32_t enabled)
{
    aicc_rec rec = {.kind = AICC_REC_TOOL_ENABLE, .arg = enabled != 0};
    payload none = {0};
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_TOOL, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    return (enabled & ~1) != 0 ? AICC_E_ARG : tell(handle.id, KIND_TOOL, HOLD_BRIDGE, rec, &none);
}

aicc_status aicc_session_grant(aicc_session handle, aicc_str capability, int32_t held)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_GRANT, .arg = held != 0};
    payload p;
    ref r;
    int text = aicc__text(&capability, MAX_CAPABILITY);
    aicc_status status = aicc__peek(handle.id, KIND_SESSION, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (text <= 0 || capability.len == 0 || !aicc__utf8(capability) || (held & ~1) != 0)
        return AICC_E_ARG;
    (void)aicc__payload(&p, capability.ptr, capability.len); /* short: cannot fail */
    return tell(handle.id, KIND_SESSION, HOLD_BRIDGE, rec, &p);
}

aicc_status aicc_session_reset(aicc_session handle, aicc_str reason)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_RESET};
    payload p;
    ref r;
    int text = aicc__text(&reason, MAX_REASON);
    aicc_status status = aicc__peek(handle.id, KIND_SESSION, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (text < 0)
        return AICC_E_ARG;
    if (text == 0)
        reason.len = aicc__utf8_cut(reason.ptr, MAX_REASON, MAX_REASON);
    (void)aicc__payload(&p, reason.ptr, reason.len); /* short: cannot fail */
    return tell(handle.id, KIND_SESSION, HOLD_BRIDGE, rec, &p);
}

aicc_status aicc_session_set_toolsets(aicc_session handle, const aicc_toolset *sets, size_t count)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_SETS};
    int64_t numbers[MAX_HELD];
    payload p;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_SESSION, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (count > MAX_HELD || (count > 0 && sets == NULL))
        return AICC_E_ARG;
    for (size_t i = 0; i < count; i++)
        if (sets[i].id == 0 || !aicc__toolset_number(r.b, sets[i], &numbers[i]))
            return AICC_E_HANDLE;
    if (aicc__pack(&p, numbers, count, NULL, 0) != AICC_OK)
        return AICC_E_FULL;
    return tell(handle.id, KIND_SESSION, HOLD_BRIDGE, rec, &p);
}

aicc_status aicc_session_set_topics(aicc_session handle, int32_t topics)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_TOPICS, .arg = (uint64_t)(uint32_t)topics};
    session *s;
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_SESSION, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    s = (session *)r.s;
    rec.session = r.s->index + 1;
    status = topics < 0 || topics > AICC_TOPIC_ALL ? AICC_E_ARG : aicc__put(r.b, LANE_MESSAGES, rec, NULL, BOUNDED);
    if (status == AICC_OK) {
        int attached = (word_state(atomic_load(&s->head.word)) & SLOT_ATTACHED) != 0;
        aicc__session_attached(r.b, s, 0); /* the counts of listeners follow */
        atomic_store(&s->topics, (uint32_t)topics);
        aicc__session_attached(r.b, s, attached);
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

aicc_status aicc_call_extend(aicc_call handle, int64_t timeout_ms)
{
    aicc_rec rec = {.kind = AICC_REC_EXTEND};
    payload p;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_CALL, 0, &r);
    if (status != AICC_OK)
        return status;
    if (timeout_ms != -1 && (timeout_ms < 1 || timeout_ms > 86400000))
        return AICC_E_ARG;
    if (aicc__pack(&p, &timeout_ms, 1, NULL, 0) != AICC_OK)
        return AICC_E_FULL;
    status = aicc__hold(handle.id, KIND_CALL, HOLD_MESSAGES, &r);
    if (status == AICC_OK) {
        status = aicc__call_state(&r, atomic_load(&r.s->word));
        if (status == AICC_OK) {
            rec.arg = atomic_load_explicit(&((call *)r.s)->no, memory_order_relaxed);
            status = aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED);
        }
        aicc__drop(&r);
        aicc__wake(r.b);
    }
    aicc__payload_free(&p);
    return status;
}
