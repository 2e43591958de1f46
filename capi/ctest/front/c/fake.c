#include "fake.h"

_Atomic(fake_hook) fake_look;
_Atomic(fake_ask_hook) fake_asked;
atomic_int fake_stop_reading;

static struct { uint32_t slot, session, tool; uint64_t no, ref; } calls[1 << 17];
static uint32_t n_calls;
static uint64_t last_no;
static uint64_t epochs[MAX_BRIDGES + 1];

static void drop_call(uint32_t i) { calls[i] = calls[--n_calls]; }

static void end_calls(uint32_t slot, uint32_t session, uint32_t tool, int32_t reason)
{
    for (uint32_t i = 0; i < n_calls;)
        if (calls[i].slot == slot && (session == 0 || calls[i].session == session) && (tool == 0 || calls[i].tool == tool) &&
            aicc_core_call_end(slot, calls[i].ref, reason) != 3)
            drop_call(i);
        else
            i++;
}

static void answered(uint32_t slot, uint64_t no)
{
    for (uint32_t i = 0; i < n_calls; i++)
        if (calls[i].slot == slot && calls[i].no == no) {
            aicc_core_call_done(slot, calls[i].ref);
            drop_call(i);
            return;
        }
    CHECK(!"an answer to a call that is not open");
}

static void received(uint32_t slot, const aicc_rec *rec, const char *data)
{
    char text[64] = {0};
    memcpy(text, data, rec->length < 63 ? rec->length : 63);
    if (strncmp(text, "call ", 5) == 0) {
        uint32_t tool = (uint32_t)atoi(text + 5);
        uint64_t ref = aicc_core_call(slot, rec->session, tool, ++last_no, rec->tick, INT64_MAX, "12345678", 8, "id", 2);
        if (ref != 0) {
            CHECK(n_calls < sizeof calls / sizeof *calls);
            calls[n_calls].slot = slot, calls[n_calls].session = rec->session, calls[n_calls].tool = tool;
            calls[n_calls].no = last_no, calls[n_calls++].ref = ref;
        }
    } else if (strncmp(text, "echo", 4) == 0) {
        aicc_core_message(slot, rec->session, rec->arg, data, rec->length);
    } else if (strncmp(text, "say ", 4) == 0) {
        aicc_core_item(slot, AICC_ITEM_AGENT_MESSAGE, rec->session, 0, 0, text + 4, strlen(text + 4));
    } else if (strncmp(text, "fault ", 6) == 0) {
        aicc_core_item(slot, AICC_ITEM_FAULT, rec->session, (uint32_t)atoi(text + 6), 0, "broken", 6);
    } else if (strncmp(text, "agent ", 6) == 0) {
        aicc_core_item(slot, AICC_ITEM_AGENT, rec->session, 0, atoi(text + 6), NULL, 0);
    } else if (strcmp(text, "end") == 0) {
        end_calls(slot, rec->session, 0, AICC_ENDED_TIMEOUT);
    } else if (strcmp(text, "drop") == 0) {
        aicc_core_detached(slot, rec->session, rec->arg);
    }
}

void fake_step(uint32_t slot, const aicc_rec *rec, const char *data)
{
    switch (rec->kind) {
    case AICC_REC_CREATE:
    case AICC_REC_FLUSH:
    case AICC_REC_TOOL_REGISTER:
        (void)aicc_core_reply(rec->arg, NULL);
        break;
    case AICC_REC_DESTROY:
        for (uint32_t i = 0; i < n_calls;)
            if (calls[i].slot == slot)
                drop_call(i);
            else
                i++;
        aicc_core_gone(slot);
        break;
    case AICC_REC_TOOL_REMOVE:
        end_calls(slot, 0, rec->object, AICC_ENDED_TOOL);
        aicc_core_item(slot, AICC_ITEM_TOOL_RELEASED, 0, rec->object, 0, NULL, 0);
        break;
    case AICC_REC_SESSION_CLOSE:
        end_calls(slot, rec->session, 0, AICC_ENDED_SESSION);
        aicc_core_item(slot, AICC_ITEM_SESSION_CLOSED, rec->session, 0, 0, NULL, 0);
        break;
    case AICC_REC_ATTACH:
        epochs[slot] = rec->arg;
        break;
    case AICC_REC_RECEIVE:
        received(slot, rec, data);
        break;
    case AICC_REC_ANSWER:
    case AICC_REC_FAIL:
        answered(slot, rec->arg);
        break;
    default:
        break;
    }
}

static const aicc_rec *next_rec(const aicc_chunk **c, size_t *at)
{
    while (*c != NULL && *at >= (*c)->used) {
        *c = (*c)->next;
        *at = 0;
    }
    return *c == NULL ? NULL : (const aicc_rec *)(const void *)((const char *)(*c + 1) + *at);
}

static void turn(uint32_t slot)
{
    aicc_core_batch batch;
    const aicc_chunk *c[2];
    size_t at[2] = {0, 0};
    uint64_t last = 0;
    aicc_core_take(slot, &batch);
    c[0] = batch.messages;
    c[1] = batch.events;
    for (;;) {
        const aicc_rec *m = next_rec(&c[0], &at[0]), *e = next_rec(&c[1], &at[1]), *rec;
        const char *data;
        int from = m == NULL || (e != NULL && e->seq < m->seq);
        rec = from ? e : m;
        if (rec == NULL)
            return;
        CHECK(rec->seq > last);
        CHECK(rec->size % 8 == 0);
        last = rec->seq;
        data = (const char *)(rec + 1);
        if (rec->block != 0)
            memcpy(&data, rec + 1, sizeof data);
        at[from] += rec->size;
        fake_hook look = atomic_load(&fake_look);
        if (look == NULL || !look(slot, rec, data))
            fake_step(slot, rec, data);
        if (rec->kind == AICC_REC_DESTROY)
            return;
    }
}

/* What is asked outside of any bridge; without a hook nobody answers. */
static void asked(void)
{
    int32_t kind;
    size_t len;
    uint64_t waiter;
    const void *text;
    while ((text = aicc_core_ask(&kind, &len, &waiter)) != NULL) {
        fake_ask_hook hook = atomic_load(&fake_asked);
        if (hook != NULL)
            hook(kind, text, len, waiter);
    }
}

static void *core(void *unused)
{
    uint32_t slots[64];
    (void)unused;
    for (;;) {
        int32_t n = aicc_core_wait(slots, 64);
        while (atomic_load(&fake_stop_reading) != 0)
            sched_yield();
        for (int32_t i = 0; i < n; i++)
            if (slots[i] == 0)
                asked();
            else
                turn(slots[i]);
    }
    return NULL;
}

void fake_start(void)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, core, NULL) == 0);
    pthread_detach(t);
}

aicc_bridge fake_bridge(const char *name, int32_t clock, int64_t queue_bytes)
{
    aicc_bridge_options o;
    aicc_bridge b;
    aicc_error e;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s(name);
    o.clock = clock;
    if (queue_bytes > 0)
        o.queue_bytes = queue_bytes;
    EQUAL(aicc_bridge_create(&o, &b, &e), AICC_OK);
    CHECK(b.id != 0 && aicc_bridge_valid(b) == 1);
    return b;
}

aicc_tool fake_tool(aicc_bridge b, const char *id, aicc_tool_fn fn, void *user, int32_t while_paused)
{
    aicc_tool_options o;
    aicc_tool t;
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_ACTUATOR;
    o.id = aicc_s(id);
    o.description = aicc_s("does a thing");
    o.fn = fn;
    o.user_data = user;
    o.while_paused = while_paused;
    EQUAL(aicc_tool_register(b, &o, &t, NULL), AICC_OK);
    return t;
}

aicc_session fake_session(aicc_bridge b, void *user, int attach)
{
    aicc_session_options o;
    aicc_session s;
    aicc_session_options_init(&o, sizeof o);
    o.user_data = user;
    EQUAL(aicc_session_open(b, &o, &s, NULL), AICC_OK);
    if (attach)
        EQUAL(aicc_session_attach(s), AICC_OK);
    return s;
}

void fake_say(aicc_session s, const char *text) { EQUAL(aicc_session_receive(s, aicc_s(text)), AICC_OK); }
static void say_of(aicc_session s, const char *what, aicc_tool t)
{
    char text[32];
    snprintf(text, sizeof text, "%s %u", what, fake_number(t.id));
    fake_say(s, text);
}

void fake_call(aicc_session s, aicc_tool t)     { say_of(s, "call", t); }
void fake_fault(aicc_session s, aicc_tool t)    { say_of(s, "fault", t); }
void fake_flush(aicc_bridge b)                  { EQUAL(aicc_bridge_flush(b, 60000), AICC_OK); }
uint32_t fake_slot(aicc_bridge b)               { return ((uint32_t)(b.id >> 16) & 0xfff) + 1; }
uint32_t fake_number(uint64_t handle)           { return ((uint32_t)handle & 0xffff) + 1; }

int fake_next(aicc_bridge b, aicc_item *it)
{
    aicc_status status;
    it->struct_size = sizeof *it;
    status = aicc_bridge_next(b, it);
    CHECK(status == AICC_OK || status == AICC_EMPTY);
    return status == AICC_OK;
}
