/* frame.c: what the engine does each frame: tell the core, run what came of it. */
#include "front.h"

#include <string.h>

enum { MAX_FLUSH_MS = 60000 };

static aicc_status checked(const bridge *b, const aicc_frame *given, aicc_frame *f)
{
    memset(f, 0, sizeof *f);
    if (given == NULL) {
        f->tick = atomic_load_explicit(&b->tick, memory_order_relaxed) + 1;
        return b->frame_clock ? AICC_E_ARG : AICC_OK;
    }
    if (aicc__options(given, f, sizeof *f, NULL) != AICC_OK)
        return AICC_E_ARG;
    if ((f->flags & ~AICC_FRAME_PAUSED) != 0 || f->max_items < 0 || f->budget_us < 0 ||
        (b->frame_clock && f->now_ns < atomic_load_explicit(&b->frame_now, memory_order_relaxed)))
        return AICC_E_ARG;
    return AICC_OK;
}

/* Is there something that the core must hear of now? */
static int due(const bridge *b, const aicc_frame *f)
{
    if (b->frame_clock)
        return atomic_load_explicit(&b->seq, memory_order_relaxed) != b->synced || f->now_ns >= atomic_load_explicit(&b->want, memory_order_relaxed);
    return atomic_load_explicit(&b->lanes[LANE_EVENTS].bytes, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&b->lanes[LANE_MESSAGES].bytes, memory_order_relaxed) != 0;
}

/* Appends a FRAME record, and with the frame clock a FLUSH that is waited for. */
static aicc_status append_frame(bridge *b, int32_t paused, uint64_t waiter)
{
    aicc_rec frame = {.kind = AICC_REC_FRAME}, flush = {.kind = AICC_REC_FLUSH, .arg = waiter};
    aicc_status status;
    frame.flags = paused ? AICC_FRAME_PAUSED : 0;
    frame.arg = b->frame_clock ? (uint64_t)atomic_load(&b->frame_now) : 0;
    status = aicc__put(b, LANE_MESSAGES, frame, NULL, EXEMPT);
    if (status != AICC_OK)
        return status;
    atomic_store(&b->unsent, 0);
    if (paused != atomic_load(&b->paused)) {
        atomic_store(&b->paused, paused);
        if (!paused)
            aicc__unpause(b);
    }
    if (waiter != 0)
        status = aicc__put(b, LANE_MESSAGES, flush, NULL, EXEMPT);
    b->synced = atomic_load(&b->seq);
    return status;
}

static aicc_status tell(const bridge *b, aicc_bridge handle, int32_t paused)
{
    aicc_error reply;
    uint64_t waiter = 0;
    ref r;
    /* BRIDGE, which the core takes for each message, is needed only for the end of a pause. */
    unsigned pausing = paused != atomic_load_explicit(&b->paused, memory_order_relaxed) ? HOLD_BRIDGE : 0;
    aicc_status status = aicc__hold(handle.id, KIND_BRIDGE, pausing | HOLD_MESSAGES, &r);
    if (status != AICC_OK)
        return status;
    if (r.b->frame_clock && (waiter = aicc__waiter_new(r.b, 1)) == 0)
        status = AICC_E_FULL;
    else
        status = append_frame(r.b, paused, waiter);
    aicc__drop(&r);
    aicc__wake(r.b);
    if (status == AICC_OK && waiter != 0)
        return aicc__no_answer(NULL, aicc__waiter_wait(waiter, atomic_load(&aicc__patience_ns), 0, &reply));
    aicc__waiter_cancel(waiter);
    return status;
}

static aicc_status step(aicc_bridge handle, const aicc_frame *given, aicc_frame *f)
{
    ref r;
    bridge *b;
    int32_t paused;
    aicc_status status = aicc__peek(handle.id, KIND_BRIDGE, 0, &r);
    if (status != AICC_OK)
        return status;
    b = r.b;
    status = checked(b, given, f);
    if (status != AICC_OK)
        return status;
    atomic_store_explicit(&b->tick, f->tick, memory_order_relaxed);
    atomic_store_explicit(&b->frames, atomic_load_explicit(&b->frames, memory_order_relaxed) + 1, memory_order_relaxed);
    if (b->frame_clock)
        atomic_store(&b->frame_now, f->now_ns);
    paused = (f->flags & AICC_FRAME_PAUSED) != 0;
    if (paused != atomic_load_explicit(&b->paused, memory_order_relaxed) || due(b, f))
        return tell(b, handle, paused);
    if (b->frame_clock)
        atomic_store(&b->unsent, 1);
    return AICC_OK;
}

aicc_status aicc_bridge_frame(aicc_bridge world, const aicc_frame *frame)
{
    aicc_frame f;
    return step(world, frame, &f);
}

/* What a tool's function returned becomes the answer, unless the call was answered or is over. */
static void conclude(aicc_call handle, aicc_status returned)
{
    if (returned == AICC_PENDING)
        return;
    if (returned == AICC_OK) {
        (void)aicc__answer(handle, AICC_REC_ANSWER, 0, aicc__view("{}", 2), 1);
        return;
    }
    (void)aicc__answer(handle, AICC_REC_FAIL, AICC_CODE_EXECUTION_FAILED, aicc_s(aicc_status_name(returned < 0 ? returned : AICC_E_ARG)), 1);
}

static void refuse(const aicc_item *it)
{
    ref r;
    (void)aicc__answer(it->call, AICC_REC_FAIL, AICC_CODE_INTERNAL_ERROR, aicc_s("the game has no function for this tool"), 1);
    if (aicc__peek(it->tool.id, KIND_TOOL, 0, &r) == AICC_OK)
        aicc__log(AICC_WARN, r.b, 0, r.s->index + 1, "tool %s has no function, and aicc_bridge_pump was given none for items: the call failed; set "
                  "aicc_tool_options.fn, or give pump a function", ((tool *)r.s)->id);
}

/* Nothing is held here, and nothing of this is needed after a callback that leaves by an exception or longjmp. */
static void run(const aicc_item *it, const delivery *how, aicc_item_fn other, void *user_data)
{
    if (it->kind == AICC_ITEM_CALL && how->fn != NULL)
        conclude(it->call, how->fn(it->request, it->tool_user));
    else if (other != NULL)
        other(it, user_data);
    else if (it->kind == AICC_ITEM_CALL)
        refuse(it);
}

aicc_status aicc_bridge_pump(aicc_bridge world, const aicc_frame *frame, aicc_item_fn other, void *user_data)
{
    aicc_frame f;
    int64_t end;
    aicc_status status = step(world, frame, &f);
    if (status != AICC_OK)
        return status;
    end = f.budget_us > 0 ? aicc__now() + (int64_t)f.budget_us * 1000 : INT64_MAX;
    for (int32_t n = 0; f.max_items == 0 || n < f.max_items; n++) {
        aicc_item it;
        delivery how;
        if (aicc__idle(world))
            break;
        if (n > 0 && end != INT64_MAX && aicc__now() >= end)
            break; /* the first always runs, or a small budget would starve all */
        status = aicc__next(world, &it, &how);
        if (status != AICC_OK)
            break; /* nothing more, or the bridge is gone, which is good too */
        it.struct_size = sizeof it;
        run(&it, &how, other, user_data);
        aicc__settle(world, how.serial);
    }
    return AICC_OK;
}

aicc_status aicc_bridge_flush(aicc_bridge world, int64_t timeout_ms)
{
    aicc_rec rec = {.kind = AICC_REC_FLUSH};
    aicc_error reply;
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, 0, &r);
    if (status != AICC_OK)
        return status;
    if (timeout_ms < 0 || timeout_ms > MAX_FLUSH_MS)
        return AICC_E_ARG;
    rec.arg = aicc__waiter_new(r.b, 1);
    if (rec.arg == 0)
        return AICC_E_FULL;
    status = aicc__hold(world.id, KIND_BRIDGE, HOLD_MESSAGES, &r);
    if (status == AICC_OK) {
        status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
        aicc__drop(&r);
    }
    if (status != AICC_OK) {
        aicc__waiter_cancel(rec.arg);
        return status;
    }
    aicc__wake(r.b);
    return aicc__waiter_wait(rec.arg, timeout_ms * 1000000, 0, &reply);
}
