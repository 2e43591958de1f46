/* bridge.c: bridges come and go: their slots, create, close, destroy, shutdown, stats. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

static struct {
    plat_mutex       lock;
    plat_cond        freed;
    _Atomic(bridge *) all[MAX_BRIDGES];
    uint32_t         made, busy;           /* busy: from create until the core is done with it */
    uint32_t         dying;                /* of them those that were destroyed */
    uint32_t         free_head, free_tail; /* index + 1; reused oldest first */
} bridges = {.lock = PLAT_MUTEX};

static const aicc_bridge_options bridge_defaults = {
    .struct_size = sizeof bridge_defaults, .kind = AICC_WORLD_3D, .tick_mode = AICC_TICK_HYBRID, .tick_rate_hz = 10, .clock = AICC_CLOCK_LIBRARY,
    .queue_bytes = 4 << 20, .outbox_bytes = 512 << 10, .heartbeat_ms = 15000, .idle_ms = 45000, .resume_window_ms = 120000,
    .max_calls_in_flight = 16, .max_call_id_bytes = 256, .max_tool_id_bytes = 64, .max_description_bytes = 64 << 10, .max_manifest_bytes = 1 << 20,
    .max_output_bytes = 256 << 10
};

void aicc__bridges_start(void)
{
    aicc__cond_init(&bridges.freed);
}

bridge *aicc__bridge_at(uint32_t index)
{
    return index < MAX_BRIDGES ? atomic_load_explicit(&bridges.all[index], memory_order_acquire) : NULL;
}

uint64_t aicc__bridge_handle(const bridge *b)
{
    return (atomic_load(&b->word) & ~(uint64_t)0xffffffffu) | KIND_BRIDGE << 28 | b->index << 16;
}

static void set_state(bridge *b, uint32_t state)
{
    atomic_store(&b->word, word_of(word_gen(atomic_load(&b->word)), state));
}

static bridge *bridge_new(uint32_t index)
{
    bridge *b = calloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    b->index = index;
    aicc__mutex_init(&b->lock);
    aicc__mutex_init(&b->out.lock);
    aicc__lane_init(&b->lanes[LANE_MESSAGES]);
    aicc__lane_init(&b->lanes[LANE_EVENTS]);
    aicc__table_init(&b->tools, sizeof (tool), MAX_TOOLS);
    aicc__table_init(&b->sessions, sizeof (session), MAX_SESSIONS);
    aicc__table_init(&b->calls, sizeof (call), MAX_CALLS);
    aicc__table_init(&b->toolsets, sizeof (slot), MAX_TOOLSETS);
    aicc__table_init(&b->events_defined, sizeof (event), MAX_EVENTS);
    list_init(&b->ready_in);
    list_init(&b->ring);
    list_init(&b->held);
    list_init(&b->fresh);
    aicc__source_init(&b->own);
    return b;
}

/* A slot, or NULL: 4,096 bridges. Those that were destroyed give theirs back as soon as the core has heard of it, which is waited for. */
static bridge *slot_take(void)
{
    int64_t deadline = aicc__now() + atomic_load(&aicc__patience_ns);
    bridge *b = NULL;
    aicc__lock(&bridges.lock);
    while (bridges.busy >= MAX_BRIDGES && bridges.dying > 0 && aicc__now() < deadline)
        aicc__cond_wait(&bridges.freed, &bridges.lock, deadline);
    if (bridges.free_head != 0) {
        b = aicc__bridge_at(bridges.free_head - 1);
        bridges.free_head = b->next_free;
    } else if (bridges.made < MAX_BRIDGES && (b = bridge_new(bridges.made)) != NULL) {
        atomic_store_explicit(&bridges.all[bridges.made++], b, memory_order_release);
    }
    if (b != NULL)
        bridges.busy++;
    aicc__unlock(&bridges.lock);
    return b;
}

static void slot_give(bridge *b)
{
    aicc__lock(&bridges.lock);
    b->next_free = 0;
    if (bridges.free_head == 0)
        bridges.free_head = b->index + 1;
    else
        aicc__bridge_at(bridges.free_tail - 1)->next_free = b->index + 1;
    bridges.free_tail = b->index + 1;
    bridges.busy--;
    bridges.dying--;
    aicc__cond_signal(&bridges.freed);
    aicc__unlock(&bridges.lock);
}

/* Everything is as it was when the slot was new, but for generations. */
static void reset(bridge *b, const aicc_bridge_options *o)
{
    uint32_t gen = word_gen(atomic_load(&b->word)) + 1;
    for (int i = 0; i < 2; i++) {
        b->lanes[i].limit = (size_t)o->queue_bytes;
        b->lanes[i].dropped = 0;
    }
    for (int i = 0; i < TOPICS; i++)
        atomic_store(&b->listeners[i], 0);
    atomic_store(&b->seq, 0);
    atomic_store(&b->tick, 0);
    atomic_store(&b->frames, 0);
    atomic_store(&b->frame_now, 0);
    atomic_store(&b->want, INT64_MAX);
    atomic_store(&b->paused, 0);
    atomic_store(&b->unsent, 0);
    atomic_store(&b->events, 0);
    atomic_store(&b->answers_late, 0);
    b->synced = 0;
    atomic_store(&b->ticks, o->tick_mode != AICC_TICK_EVENT);
    atomic_store(&b->stale, 0);
    b->frame_clock = o->clock == AICC_CLOCK_FRAME;
    b->owner = o->owner;
    b->listener = o->listener.id;
    memset(b->name, 0, sizeof b->name);
    memcpy(b->name, o->name.ptr, o->name.len);
    b->open_sessions = b->agents = b->registered = b->faults = 0;
    b->serial = b->items_dropped = 0;
    memset(&b->counters, 0, sizeof b->counters);
    atomic_store(&b->word, word_of(gen != 0 ? gen : 1, BRIDGE_CREATING));
}

/* Ends a bridge that is in one of these states. */
static aicc_status end(bridge *b, const ref *only)
{
    uint32_t state;
    aicc_rec rec = {0};
    lane dropped[2];
    aicc__lock_all(b);
    state = word_state(atomic_load(&b->word));
    if (state == BRIDGE_FREE || state == BRIDGE_DEAD || (only != NULL && word_gen(atomic_load(&b->word)) != only->gen) ||
        (only != NULL && state == BRIDGE_CREATING)) {
        aicc__unlock_all(b);
        return AICC_E_HANDLE;
    }
    set_state(b, BRIDGE_DEAD);
    memset(dropped, 0, sizeof dropped);
    for (int i = 0; i < 2; i++) {
        dropped[i].head = b->lanes[i].head;
        dropped[i].blocks = b->lanes[i].blocks;
        b->lanes[i].head = b->lanes[i].tail = NULL;
        b->lanes[i].blocks = NULL;
        atomic_store(&b->lanes[i].bytes, 0);
    }
    rec.size = sizeof rec;
    rec.kind = AICC_REC_DESTROY;
    rec.seq = atomic_fetch_add(&b->seq, 1) + 1;
    rec.tick = atomic_load(&b->tick);
    memset(&b->last, 0, sizeof b->last);
    b->last.chunk.used = b->last.chunk.cap = sizeof rec;
    memcpy(b->last.room + sizeof (aicc_chunk), &rec, sizeof rec);
    b->lanes[LANE_MESSAGES].head = b->lanes[LANE_MESSAGES].tail = &b->last.chunk;
    aicc__bury(b);
    aicc__lock(&bridges.lock);
    bridges.dying++;
    aicc__unlock(&bridges.lock);
    aicc__waiters_end(b); /* with the locks: later the slot may be another bridge's */
    aicc__unlock_all(b);
    aicc__wake(b);
    aicc__lane_drop(&dropped[0], 0);
    aicc__lane_drop(&dropped[1], 0);
    return AICC_OK;
}

/* The core has stepped DESTROY. The memory of the last chunk is the slot's own. */
void aicc__bridge_gone(bridge *b)
{
    aicc__hub_forget(b);
    aicc__lock_all(b);
    if (word_state(atomic_load(&b->word)) != BRIDGE_DEAD) {
        aicc__unlock_all(b);
        return;
    }
    for (int i = 0; i < 2; i++) {
        lane *l = &b->lanes[i];
        if (l->taken == &b->last.chunk)
            l->taken = NULL;
        if (l->head == &b->last.chunk)
            l->head = l->tail = NULL;
        aicc__lane_drop(l, 1);
    }
    aicc__items_reset(b);
    aicc__out_reset(&b->out);
    aicc__sessions_reset(b);
    aicc__table_reset(&b->tools);
    aicc__table_reset(&b->sessions);
    aicc__table_reset(&b->calls);
    aicc__table_reset(&b->toolsets);
    aicc__table_reset(&b->events_defined);
    set_state(b, BRIDGE_FREE);
    aicc__unlock_all(b);
    slot_give(b);
    aicc__log(AICC_DEBUG, NULL, 0, 0, "a bridge is gone with all that it had; %d bridges are left", (int)aicc_core_live());
}

static aicc_status check(aicc_bridge_options *o, aicc_error *error)
{
    int text = aicc__text(&o->name, 256);
    if (text < 0)
        return aicc__fail(error, AICC_E_ARG, "name", "NULL with a length; give the text, or length 0");
    if (text == 0 || o->name.len == 0 || !aicc__utf8(o->name))
        return aicc__fail(error, AICC_E_NAME, "name", o->name.len == 0 ? "a bridge needs a name: the world's"
                                                      : text == 0      ? "the name is too long; use at most 256 bytes" : "the name is not UTF-8");
    if (aicc__out_of_range(error, "kind", o->kind, AICC_WORLD_2D, AICC_WORLD_ABSTRACT) ||
        aicc__out_of_range(error, "replace", o->replace, 0, 1) ||
        aicc__out_of_range(error, "tick_mode", o->tick_mode, AICC_TICK_FIXED, AICC_TICK_HYBRID) ||
        aicc__out_of_range(error, "clock", o->clock, AICC_CLOCK_LIBRARY, AICC_CLOCK_FRAME) ||
        aicc__out_of_range(error, "debug", o->debug, 0, 1) ||
        aicc__out_of_range(error, "queue_bytes", o->queue_bytes, 64 << 10, 1 << 30) ||
        aicc__out_of_range(error, "outbox_bytes", o->outbox_bytes, 4 << 10, 64 << 20) ||
        aicc__out_of_range(error, "heartbeat_ms", o->heartbeat_ms, 100, 3600000) ||
        aicc__out_of_range(error, "idle_ms", o->idle_ms, 0, INT64_MAX / 1000000) ||
        aicc__out_of_range(error, "resume_window_ms", o->resume_window_ms, 0, 86400000) ||
        aicc__out_of_range(error, "any_tick_rate", o->any_tick_rate, 0, 1) ||
        aicc__out_of_range(error, "max_calls_in_flight", o->max_calls_in_flight, 1, 16) ||
        aicc__out_of_range(error, "max_call_id_bytes", o->max_call_id_bytes, 1, 256) ||
        aicc__out_of_range(error, "max_tool_id_bytes", o->max_tool_id_bytes, 1, 64) ||
        aicc__out_of_range(error, "max_description_bytes", o->max_description_bytes, 1, 64 << 10) ||
        aicc__out_of_range(error, "max_manifest_bytes", o->max_manifest_bytes, 32 << 10, 1 << 20) ||
        aicc__out_of_range(error, "max_output_bytes", o->max_output_bytes, 1 << 10, 256 << 10))
        return AICC_E_ARG;
    if (o->listener.id != 0 && o->clock == AICC_CLOCK_FRAME)
        return aicc__fail(error, AICC_E_ARG, "listener", "a bridge whose time is its frames' cannot have agents from outside; use AICC_CLOCK_LIBRARY, or a wire of your own");
    if (!(o->tick_rate_hz > 0 && o->tick_rate_hz <= 1000))
        return aicc__fail(error, AICC_E_ARG, "tick_rate_hz", "%g is out of range: above 0, at most 1000", o->tick_rate_hz);
    return AICC_OK;
}

static aicc_status create_payload(payload *p, const aicc_bridge_options *o)
{
    int64_t ints[AICC_CREATE_INTS], rate;
    memcpy(&rate, &o->tick_rate_hz, sizeof rate);
    ints[AICC_CREATE_KIND] = o->kind;
    ints[AICC_CREATE_TICK_MODE] = o->tick_mode;
    ints[AICC_CREATE_TICK_RATE] = rate;
    ints[AICC_CREATE_CLOCK] = o->clock;
    ints[AICC_CREATE_DEBUG] = o->debug;
    ints[AICC_CREATE_SEED] = (int64_t)o->seed;
    ints[AICC_CREATE_OUTBOX_BYTES] = o->outbox_bytes;
    ints[AICC_CREATE_HEARTBEAT_MS] = o->heartbeat_ms;
    ints[AICC_CREATE_IDLE_MS] = o->idle_ms;
    ints[AICC_CREATE_RESUME_MS] = o->resume_window_ms;
    ints[AICC_CREATE_MESSAGE_WINDOW] = MESSAGE_WINDOW;
    ints[AICC_CREATE_ANY_TICK_RATE] = o->any_tick_rate;
    ints[AICC_CREATE_MAX_CALLS] = o->max_calls_in_flight;
    ints[AICC_CREATE_MAX_CALL_ID] = o->max_call_id_bytes;
    ints[AICC_CREATE_MAX_TOOL_ID] = o->max_tool_id_bytes;
    ints[AICC_CREATE_MAX_DESCRIPTION] = o->max_description_bytes;
    ints[AICC_CREATE_MAX_MANIFEST] = o->max_manifest_bytes;
    ints[AICC_CREATE_MAX_OUTPUT] = o->max_output_bytes;
    ints[AICC_CREATE_LISTENER] = (int64_t)o->listener.id;
    return aicc__pack(p, ints, AICC_CREATE_INTS, &o->name, 1);
}

/* Ends what has this owner and, if one is given, this name. */
static void end_owned(aicc_owner owner, int any_owner, const aicc_str *name)
{
    for (uint32_t i = 0; i < MAX_BRIDGES; i++) {
        bridge *b = aicc__bridge_at(i);
        ref r = {.b = b};
        uint64_t word;
        int match;
        if (b == NULL)
            return;
        aicc__lock(&b->lock);
        word = atomic_load(&b->word);
        match = (any_owner || b->owner == owner) && (name == NULL || (strlen(b->name) == name->len && memcmp(b->name, name->ptr, name->len) == 0));
        aicc__unlock(&b->lock);
        r.gen = word_gen(word);
        if (match)
            (void)end(b, &r);
    }
}

/* Agents name a listener's bridges by their names. */
static int listener_has(uint64_t listener, aicc_str name)
{
    int found = 0;
    for (uint32_t i = 0; i < MAX_BRIDGES && !found && listener != 0; i++) {
        bridge *b = aicc__bridge_at(i);
        if (b == NULL)
            return 0;
        aicc__lock(&b->lock);
        found = word_state(atomic_load(&b->word)) == BRIDGE_OPEN && b->listener == listener && strlen(b->name) == name.len &&
                memcmp(b->name, name.ptr, name.len) == 0;
        aicc__unlock(&b->lock);
    }
    return found;
}

void aicc_bridge_options_init(aicc_bridge_options *options, size_t size)
{
    aicc__init(options, size, &bridge_defaults, sizeof bridge_defaults);
}

aicc_status aicc_bridge_create(const aicc_bridge_options *options, aicc_bridge *out, aicc_error *error)
{
    aicc_bridge_options o = bridge_defaults;
    aicc_rec rec = {.kind = AICC_REC_CREATE};
    aicc_error reply;
    aicc_status status;
    payload p;
    bridge *b;
    if (out != NULL)
        out->id = 0;
    if (atomic_load(&aicc__forked) != 0)
        return aicc__handle_error(error, AICC_E_STATE);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_bridge");
    aicc__setup();
    status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK)
        status = check(&o, error);
    if (status != AICC_OK)
        return status;
    if (o.replace)
        end_owned(o.owner, 0, &o.name);
    if (listener_has(o.listener.id, o.name))
        return aicc__fail(error, AICC_E_NAME, "name", "another bridge of this listener has this name; destroy it first, or, if it is of the same owner, set replace");
    if (create_payload(&p, &o) != AICC_OK || (b = slot_take()) == NULL) {
        aicc__payload_free(&p);
        return aicc__fail(error, AICC_E_FULL, "", "there are 4096 bridges, or memory is exhausted; destroy bridges that are no longer used");
    }
    aicc__fix_config();
    aicc__lock_all(b);
    reset(b, &o);
    rec.arg = aicc__waiter_new(b, 0);
    status = rec.arg != 0 ? aicc__put(b, LANE_MESSAGES, rec, &p, EXEMPT) : AICC_E_FULL;
    aicc__unlock_all(b);
    aicc__payload_free(&p);
    if (status == AICC_OK) {
        aicc__wake(b);
        status = aicc__waiter_wait(rec.arg, atomic_load(&aicc__patience_ns), 0, &reply);
        status = aicc__no_answer(&reply, status);
    } else {
        aicc__waiter_cancel(rec.arg);
        aicc__fail(&reply, status, "", "too many requests wait for the core, or memory is exhausted; try again later");
    }
    if (status != AICC_OK) {
        (void)end(b, NULL);
        if (error != NULL)
            *error = reply;
        return status;
    }
    aicc__lock_all(b);
    set_state(b, BRIDGE_OPEN);
    out->id = aicc__bridge_handle(b);
    aicc__unlock_all(b);
    return aicc__ok(error);
}

aicc_status aicc_bridge_close(aicc_bridge world)
{
    aicc_rec rec = {.kind = AICC_REC_CLOSE};
    ref r;
    aicc_status status = aicc__hold(world.id, KIND_BRIDGE, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
    if (status == AICC_OK)
        set_state(r.b, BRIDGE_CLOSED);
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

aicc_status aicc_bridge_destroy(aicc_bridge world)
{
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, 0, &r);
    return status == AICC_OK ? end(r.b, &r) : status;
}

int32_t aicc_bridge_valid(aicc_bridge world)
{
    ref r;
    return aicc__peek(world.id, KIND_BRIDGE, 0, &r) == AICC_OK;
}

aicc_status aicc_shutdown(aicc_owner owner)
{
    if (atomic_load(&aicc__forked) != 0)
        return AICC_E_STATE;
    end_owned(owner, owner == 0, NULL);
    aicc__listeners_end(owner);
    return AICC_OK;
}

int32_t aicc_core_live(void)
{
    uint32_t n;
    aicc__lock(&bridges.lock);
    n = bridges.busy;
    aicc__unlock(&bridges.lock);
    return (int32_t)n;
}

aicc_status aicc_bridge_stats(aicc_bridge world, aicc_stats *stats)
{
    aicc_stats full = {0};
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, 0, &r);
    if (status != AICC_OK)
        return status;
    if (aicc__options(stats, &full, sizeof full, NULL) != AICC_OK)
        return AICC_E_ARG;
    status = aicc__hold(world.id, KIND_BRIDGE, HOLD_ALL, &r);
    if (status != AICC_OK)
        return status;
    full.sessions = r.b->open_sessions;
    full.agents = r.b->agents;
    full.tools = r.b->registered;
    full.calls_in_flight = r.b->counters.calls_in_flight;
    full.frames = atomic_load(&r.b->frames);
    full.calls = r.b->counters.calls;
    full.calls_failed = r.b->counters.calls_failed;
    full.calls_timed_out = r.b->counters.calls_timed_out;
    full.calls_refused = r.b->counters.calls_refused;
    full.messages_in = r.b->counters.messages_in;
    full.messages_out = r.b->counters.messages_out;
    full.messages_bad = r.b->counters.messages_bad;
    full.events = atomic_load(&r.b->events);
    full.events_dropped = r.b->counters.events_dropped + r.b->lanes[LANE_EVENTS].dropped + r.b->items_dropped;
    full.answers_late = atomic_load(&r.b->answers_late);
    full.queue_bytes = atomic_load(&r.b->lanes[LANE_MESSAGES].bytes) + atomic_load(&r.b->lanes[LANE_EVENTS].bytes);
    full.outgoing_bytes = r.b->out.bytes;
    full.handles_stale = atomic_load(&r.b->stale);
    full.values_bad = r.b->counters.values_bad;
    aicc__drop(&r);
    aicc__give(stats, &full, sizeof full);
    return AICC_OK;
}
