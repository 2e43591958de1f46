/* tool.c: tools: register, which waits for the core, and unregister, which does not. */
#include "front.h"

#include <string.h>

enum { MAX_ID = 64, MAX_DESCRIPTION = 64 << 10, MAX_SCHEMA = 256 << 10 };

static const aicc_tool_options tool_defaults = {.struct_size = sizeof tool_defaults, .timeout_ms = 30000};

void aicc_tool_options_init(aicc_tool_options *options, size_t size)
{
    aicc__init(options, size, &tool_defaults, sizeof tool_defaults);
}

static aicc_status check_text(aicc_str *text, const char *field, size_t max, aicc_status too_long, aicc_error *error)
{
    int good = aicc__text(text, max);
    if (good < 0)
        return aicc__fail(error, AICC_E_ARG, field, "NULL with a length; give the text, or length 0");
    if (good == 0)
        return aicc__fail(error, too_long, field, "it is too long; use at most %zu bytes", max);
    return AICC_OK;
}

/* A layout's schema stands for one that is not given. */
static aicc_status schema_of(aicc_layout handle, aicc_str *schema, const char *field, aicc_error *error)
{
    const layout *l = aicc__layout(handle);
    if (handle.id == 0)
        return AICC_OK;
    if (l == NULL)
        return aicc__fail(error, AICC_E_HANDLE, field, "it is no layout; give one that aicc_layout_define gave, or 0");
    if (schema->len > 0)
        return aicc__fail(error, AICC_E_ARG, field, "there is a schema too; give one of the two");
    *schema = aicc__view(l->schema, l->schema_len);
    return AICC_OK;
}

/* What costs nothing to see here. The core checks the rest: the id's form, UTF-8, the schemas. */
static aicc_status check(aicc_tool_options *o, aicc_error *error)
{
    aicc_status status;
    if (aicc__out_of_range(error, "cls", o->cls, AICC_SENSOR, AICC_GENERATOR) ||
        aicc__out_of_range(error, "calls_per_minute", o->calls_per_minute, 0, 10000) ||
        aicc__out_of_range(error, "calls_per_session", o->calls_per_session, 0, INT32_MAX) ||
        aicc__out_of_range(error, "max_in_flight", o->max_in_flight, 0, 16) ||
        aicc__out_of_range(error, "strict_input", o->strict_input, 0, 1) ||
        aicc__out_of_range(error, "while_paused", o->while_paused, 0, 1) ||
        aicc__out_of_range(error, "no_repair", o->no_repair, 0, 1) ||
        aicc__out_of_range(error, "hide_without_capability", o->hide_without_capability, 0, 1) ||
        aicc__out_of_range(error, "max_input_bytes", o->max_input_bytes, 0, INT64_MAX) ||
        aicc__out_of_range(error, "max_output_bytes", o->max_output_bytes, 0, INT64_MAX) ||
        aicc__out_of_range(error, "max_concurrent", o->max_concurrent, 0, INT64_MAX) ||
        (o->timeout_ms != -1 && aicc__out_of_range(error, "timeout_ms", o->timeout_ms, 1, 86400000)))
        return AICC_E_ARG;
    if ((status = check_text(&o->id, "id", MAX_ID, AICC_E_NAME, error)) != AICC_OK ||
        (status = check_text(&o->description, "description", MAX_DESCRIPTION, AICC_E_NAME, error)) != AICC_OK ||
        (status = check_text(&o->input_schema, "input_schema", MAX_SCHEMA, AICC_E_SCHEMA, error)) != AICC_OK ||
        (status = check_text(&o->output_schema, "output_schema", MAX_SCHEMA, AICC_E_SCHEMA, error)) != AICC_OK ||
        (status = check_text(&o->requires_capability, "requires_capability", MAX_CAPABILITY, AICC_E_ARG, error)) != AICC_OK)
        return status;
    if ((status = schema_of(o->input_layout, &o->input_schema, "input_layout", error)) != AICC_OK ||
        (status = schema_of(o->output_layout, &o->output_schema, "output_layout", error)) != AICC_OK)
        return status;
    if (o->id.len == 0)
        return aicc__fail(error, AICC_E_NAME, "id", "a tool needs an id: [a-z][a-z0-9_]*, at most 64 bytes");
    if (o->description.len == 0)
        return aicc__fail(error, AICC_E_NAME, "description", "a tool needs a description: it is all that an agent knows of it");
    return AICC_OK;
}

static aicc_status register_payload(bridge *b, payload *p, const aicc_tool_options *o, aicc_str origin, aicc_error *error)
{
    int64_t ints[AICC_TOOL_INTS] = {0};
    aicc_str strs[AICC_TOOL_STRS];
    if (!aicc__toolset_number(b, o->set, &ints[AICC_TOOL_SET]))
        return aicc__fail(error, AICC_E_HANDLE, "set", "the toolset is stale or of another bridge");
    ints[AICC_TOOL_CLASS] = o->cls;
    ints[AICC_TOOL_PER_MINUTE] = o->calls_per_minute;
    ints[AICC_TOOL_PER_SESSION] = o->calls_per_session;
    ints[AICC_TOOL_MAX_IN_FLIGHT] = o->max_in_flight;
    ints[AICC_TOOL_STRICT] = o->strict_input;
    ints[AICC_TOOL_NO_REPAIR] = o->no_repair;
    ints[AICC_TOOL_WHILE_PAUSED] = o->while_paused;
    ints[AICC_TOOL_HIDE] = o->hide_without_capability;
    ints[AICC_TOOL_TIMEOUT_MS] = o->timeout_ms;
    ints[AICC_TOOL_MAX_INPUT_BYTES] = o->max_input_bytes;
    ints[AICC_TOOL_MAX_OUTPUT_BYTES] = o->max_output_bytes;
    ints[AICC_TOOL_MAX_CONCURRENT] = o->max_concurrent;
    strs[AICC_TOOL_ID] = o->id;
    strs[AICC_TOOL_DESCRIPTION] = o->description;
    strs[AICC_TOOL_INPUT] = o->input_schema;
    strs[AICC_TOOL_OUTPUT] = o->output_schema;
    strs[AICC_TOOL_CAPABILITY] = o->requires_capability;
    strs[AICC_TOOL_ORIGIN] = origin;
    return aicc__pack(p, ints, AICC_TOOL_INTS, strs, AICC_TOOL_STRS) == AICC_OK ? AICC_OK : aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
}

/* With BRIDGE. It is live at once: a call may come before register returns, when another thread pumps. */
static tool *tool_new(bridge *b, const aicc_tool_options *o)
{
    tool *t = (tool *)aicc__table_new(&b->tools);
    if (t == NULL)
        return NULL;
    t->fn = o->fn;
    t->user = o->user_data;
    t->while_paused = o->while_paused;
    t->released = 0;
    t->pending = 1;
    t->refs = 0;
    memset(t->id, 0, sizeof t->id);
    memcpy(t->id, o->id.ptr, o->id.len);
    memset(&t->farewell, 0, sizeof t->farewell);
    list_init(&t->farewell.in);
    t->farewell.embedded = 1;
    t->farewell.kind = AICC_ITEM_TOOL_RELEASED;
    t->farewell.tool = t->head.index + 1;
    return t;
}

/* Sends the request; the slot's number and the waiter are for what follows. */
static aicc_status send_register(aicc_bridge world, const aicc_tool_options *o, payload *p, aicc_tool *handle, uint64_t *waiter, aicc_error *error)
{
    aicc_rec rec = {.kind = AICC_REC_TOOL_REGISTER};
    tool *t;
    ref r;
    aicc_status status = aicc__hold(world.id, KIND_BRIDGE, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    t = tool_new(r.b, o);
    rec.arg = *waiter = t != NULL ? aicc__waiter_new(r.b, 0) : 0;
    if (rec.arg != 0) {
        rec.object = t->head.index + 1;
        status = aicc__put(r.b, LANE_MESSAGES, rec, p, BOUNDED);
    }
    if (rec.arg == 0 || status != AICC_OK) {
        status = aicc__fail(error, AICC_E_FULL, "", "%s", t == NULL ? "there are 1024 tools, or memory is exhausted"
                                                        : "the queue to the core is full; try again after the next frame");
        aicc__waiter_cancel(rec.arg);
        if (t != NULL)
            aicc__table_free(&r.b->tools, &t->head);
    } else {
        atomic_store(&t->head.word, atomic_load(&t->head.word) | SLOT_LIVE | SLOT_USED);
        r.b->registered++;
        handle->id = handle_of(r.b, KIND_TOOL, &t->head);
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

/* The handle is stale. With BRIDGE. */
static void retire(bridge *b, tool *t)
{
    uint64_t word = atomic_load(&t->head.word);
    if ((word & SLOT_LIVE) == 0)
        return;
    atomic_store(&t->head.word, word & ~(uint64_t)SLOT_LIVE);
    b->registered--;
}

/* With BRIDGE. */
static void forget(bridge *b, tool *t)
{
    if (!t->pending)
        return;
    t->pending = 0;
    retire(b, t);
    aicc__table_free(&b->tools, &t->head);
}

/* The core refused it, or gave no answer in time; then it may name the tool until its late reply, and the number stays taken. */
static void give_up(aicc_tool handle, aicc_status status)
{
    ref r;
    if (aicc__hold(handle.id, KIND_TOOL, HOLD_BRIDGE, &r) != AICC_OK)
        return;
    if (status == AICC_E_TIME)
        retire(r.b, (tool *)r.s);
    else
        forget(r.b, (tool *)r.s);
    aicc__drop(&r);
}

void aicc__tool_forget(uint64_t handle)
{
    bridge *b = aicc__bridge_at((uint32_t)handle >> 16 & 0xfff);
    tool *t = tool_at(b, ((uint32_t)handle & 0xffff) + 1);
    aicc__lock(&b->lock);
    if (word_gen(atomic_load(&t->head.word)) == word_gen(handle) && word_state(atomic_load(&b->word)) != BRIDGE_FREE)
        forget(b, t);
    aicc__unlock(&b->lock);
}

static void settled(aicc_tool handle)
{
    ref r;
    if (aicc__hold(handle.id, KIND_TOOL, HOLD_BRIDGE, &r) != AICC_OK)
        return;
    ((tool *)r.s)->pending = 0;
    aicc__drop(&r);
}

static const aicc_str no_origin = {NULL, 0};

aicc_status aicc__tool_target(aicc_bridge world, aicc_tool *out, aicc_error *error)
{
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (out != NULL)
        out->id = 0;
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    return out != NULL ? AICC_OK : aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_tool");
}

aicc_status aicc__tool_register(aicc_bridge world, aicc_tool_options *o, aicc_str origin, aicc_tool *out, aicc_error *error)
{
    aicc_tool handle = {0};
    aicc_error reply;
    uint64_t waiter = 0;
    payload p;
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    status = check(o, error);
    if (status == AICC_OK)
        status = register_payload(r.b, &p, o, origin, error);
    if (status != AICC_OK)
        return status;
    status = send_register(world, o, &p, &handle, &waiter, error);
    aicc__payload_free(&p);
    if (status != AICC_OK)
        return status;
    status = aicc__waiter_wait(waiter, atomic_load(&aicc__patience_ns), handle.id, &reply);
    if (status == AICC_OK) {
        settled(handle);
        *out = handle;
        return aicc__ok(error);
    }
    give_up(handle, status);
    status = aicc__no_answer(&reply, status);
    if (error != NULL)
        *error = reply;
    return status;
}

aicc_status aicc_tool_register(aicc_bridge world, const aicc_tool_options *options, aicc_tool *out, aicc_error *error)
{
    aicc_tool_options o = tool_defaults;
    aicc_status status = aicc__tool_target(world, out, error);
    if (status == AICC_OK)
        status = aicc__options(options, &o, sizeof o, error);
    return status == AICC_OK ? aicc__tool_register(world, &o, no_origin, out, error) : status;
}

/* Its new function and data count from when the core has taken the change over. */
static void adopt(aicc_tool handle, const aicc_tool_options *o)
{
    ref r;
    if (aicc__hold(handle.id, KIND_TOOL, HOLD_BRIDGE, &r) != AICC_OK)
        return;
    ((tool *)r.s)->fn = o->fn;
    ((tool *)r.s)->user = o->user_data;
    ((tool *)r.s)->while_paused = o->while_paused;
    aicc__drop(&r);
}

aicc_status aicc_tool_update(aicc_tool handle, const aicc_tool_options *options, aicc_error *error)
{
    aicc_tool_options o = tool_defaults;
    aicc_rec rec = {.kind = AICC_REC_TOOL_UPDATE};
    aicc_error reply;
    payload p;
    ref r;
    aicc_status status = aicc__peek(handle.id, KIND_TOOL, NEED_OPEN, &r);
    if (status != AICC_OK)
        return aicc__fail(error, status, "tool", "%s", status == AICC_E_HANDLE ? "the handle is zero, stale or of another kind" : "the bridge is closed, or this is a forked child");
    status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK && o.id.len == 0)
        o.id = aicc_s(((tool *)r.s)->id);
    if (status == AICC_OK)
        status = check(&o, error);
    if (status == AICC_OK && (o.id.len != strlen(((tool *)r.s)->id) || memcmp(o.id.ptr, ((tool *)r.s)->id, o.id.len) != 0))
        status = aicc__fail(error, AICC_E_NAME, "id", "an update keeps the tool's id; leave it out, or unregister the tool and register another");
    if (status == AICC_OK)
        status = register_payload(r.b, &p, &o, no_origin, error);
    if (status != AICC_OK)
        return status;
    status = aicc__hold(handle.id, KIND_TOOL, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status == AICC_OK) {
        rec.object = r.s->index + 1;
        rec.arg = aicc__waiter_new(r.b, 0);
        status = rec.arg != 0 ? aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED) : AICC_E_FULL;
        if (status != AICC_OK)
            aicc__waiter_cancel(rec.arg);
        aicc__drop(&r);
        aicc__wake(r.b);
    }
    aicc__payload_free(&p);
    if (status != AICC_OK)
        return aicc__fail(error, status, "", "%s", status == AICC_E_FULL ? "the queue to the core is full; try again after the next frame" : "the tool or its bridge has ended meanwhile");
    status = aicc__waiter_wait(rec.arg, atomic_load(&aicc__patience_ns), 0, &reply);
    if (status == AICC_OK) {
        adopt(handle, &o);
        return aicc__ok(error);
    }
    status = aicc__no_answer(&reply, status);
    if (error != NULL)
        *error = reply;
    return status;
}

aicc_status aicc_tool_unregister(aicc_tool handle)
{
    aicc_rec rec = {.kind = AICC_REC_TOOL_REMOVE};
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_TOOL, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    rec.object = r.s->index + 1;
    status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
    if (status == AICC_OK)
        retire(r.b, (tool *)r.s);
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

/* A released tool is told of once no item names it. */
static void farewell(bridge *b, tool *t)
{
    if (t->released && t->refs == 0)
        aicc__item_push(b, &b->own, &t->farewell);
}

void aicc__tool_unref(bridge *b, tool *t)
{
    t->refs--;
    farewell(b, t);
}

void aicc__tool_released(bridge *b, tool *t)
{
    retire(b, t);
    t->released = 1;
    farewell(b, t);
}
