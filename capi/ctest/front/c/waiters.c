/* Requests that wait: no answer, a refusal, an answer that comes late, too many at once, a bridge that ends meanwhile. */
#include "fake.h"


static _Atomic uint64_t kept;
static atomic_int mute_kind; /* such records are not answered */
static atomic_int muted;
static int look(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    if (rec->kind != atomic_load(&mute_kind))
        return 0;
    kept = rec->arg;
    atomic_fetch_add(&muted, 1);
    return 1;
}
static void be_mute(int k) { atomic_store(&mute_kind, k); }

static aicc_status create(aicc_bridge *b, aicc_error *e)
{
    aicc_bridge_options o;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("w");
    return aicc_bridge_create(&o, b, e);
}

static aicc_status new_tool(aicc_bridge b, aicc_tool *t, aicc_error *e)
{
    aicc_tool_options o;
    aicc_tool_options_init(&o, sizeof o);
    o.cls = AICC_SENSOR;
    o.id = aicc_s("t");
    o.description = aicc_s("d");
    return aicc_tool_register(b, &o, t, e);
}

static int refuse(uint32_t at, const aicc_rec *rec, const char *data)
{
    aicc_error e;
    (void)at, (void)data;
    if (rec->kind != AICC_REC_TOOL_REGISTER && rec->kind != AICC_REC_CREATE)
        return 0;
    aicc__fail(&e, AICC_E_SCHEMA, "input_schema", "no");
    snprintf(e.pointer, sizeof e.pointer, "/type");
    e.offset = 9;
    EQUAL(aicc_core_reply(rec->arg, &e), 1);
    EQUAL(aicc_core_reply(rec->arg, NULL), 0); /* a second reply finds nobody */
    return 1;
}

static void *ender(void *arg)
{
    aicc_bridge *b = arg;
    while (atomic_load(&muted) == 0)
        sched_yield();
    EQUAL(aicc_bridge_destroy(*b), AICC_OK);
    return NULL;
}

static void *flusher(void *arg)
{
    aicc_bridge *b = arg;
    aicc_status status = aicc_bridge_flush(*b, 60000);
    CHECK(status == AICC_OK || status == AICC_E_FULL);
    return (void *)(intptr_t)status;
}

int main(void)
{
    aicc_bridge b, other;
    aicc_tool t;
    aicc_error e;
    aicc_stats s = {.struct_size = sizeof s};
    int64_t start;
    pthread_t end;
    fake_start();


    /* A core that never answers. */
    atomic_store(&aicc__patience_ns, 50000000);
    be_mute(AICC_REC_CREATE);
    fake_look = look;
    start = aicc__now();
    b.id = 7;
    memset(&e, 0x55, sizeof e);
    EQUAL(create(&b, &e), AICC_E_INTERNAL);
    CHECK(aicc__now() - start >= 50000000);
    CHECK(b.id == 0 && e.status == AICC_E_INTERNAL && strstr(e.message, "did not answer") != NULL && e.offset == 0 && e.pointer[0] == 0);
    EQUAL(aicc_core_reply(kept, NULL), 0); /* too late */
    fake_look = NULL;
    while (aicc_core_live() != 0)
        sched_yield(); /* its slot comes back all the same */

    b = fake_bridge("b", 0, 0);
    be_mute(AICC_REC_TOOL_REGISTER);
    atomic_store(&muted, 0);
    fake_look = look;
    EQUAL(new_tool(b, &t, &e), AICC_E_INTERNAL);
    CHECK(t.id == 0);
    EQUAL(aicc_bridge_stats(b, &s), AICC_OK);
    EQUAL(s.tools, 0);
    fake_look = NULL;
    atomic_store(&aicc__patience_ns, 5000000000);
    t = fake_tool(b, "t", NULL, NULL, 0); /* the number of the one that may yet be answered is not used */
    EQUAL(fake_number(t.id), 2);
    EQUAL(aicc_core_reply(kept, NULL), 0);
    EQUAL(aicc_core_reply(kept, NULL), 0);
    t = fake_tool(b, "u", NULL, NULL, 0); /* now it is free again */
    EQUAL(fake_number(t.id), 1);
    EQUAL(aicc_bridge_stats(b, &s), AICC_OK);
    EQUAL(s.tools, 2);

    /* A refusal comes whole, and leaves nothing. */
    fake_look = refuse;
    for (int i = 0; i < 2000; i++) {
        EQUAL(new_tool(b, &t, &e), AICC_E_SCHEMA);
        CHECK(t.id == 0 && e.status == AICC_E_SCHEMA && strcmp(e.field, "input_schema") == 0 && strcmp(e.pointer, "/type") == 0 && e.offset == 9);
        EQUAL(create(&other, &e), AICC_E_SCHEMA);
        CHECK(other.id == 0);
    }
    fake_look = NULL;
    while (aicc_core_live() != 1)
        sched_yield();
    EQUAL(new_tool(b, &t, &e), AICC_OK);
    CHECK(e.status == 0 && e.message[0] == 0);

    /* A flush that is not answered in its time, and one whose bridge ends. */
    be_mute(AICC_REC_FLUSH);
    fake_look = look;
    EQUAL(aicc_bridge_flush(b, 20), AICC_E_TIME);
    EQUAL(aicc_bridge_flush(b, -1), AICC_E_ARG);
    EQUAL(aicc_bridge_flush(b, 60001), AICC_E_ARG);
    EQUAL(aicc_core_reply(kept, NULL), 0);
    atomic_store(&muted, 0);
    CHECK(pthread_create(&end, NULL, ender, &b) == 0);
    EQUAL(aicc_bridge_flush(b, 60000), AICC_E_HANDLE);
    pthread_join(end, NULL);

    /* Sixty-four may wait; the rest are told so at once. */
    fake_look = NULL;
    b = fake_bridge("c", 0, 0);
    pthread_t many[80];
    int full = 0;
    be_mute(AICC_REC_FLUSH);
    atomic_store(&fake_stop_reading, 1);
    for (int i = 0; i < 80; i++)
        CHECK(pthread_create(&many[i], NULL, flusher, &b) == 0);
    struct timespec ms = {0, 1000000};
    for (uint64_t waiter; (waiter = aicc__waiter_new(NULL, 0)) != 0; nanosleep(&ms, NULL))
        aicc__waiter_cancel(waiter);
    EQUAL(new_tool(b, &t, &e), AICC_E_FULL);
    EQUAL(create(&other, &e), AICC_E_FULL);
    CHECK(e.message[0] != 0);
    atomic_store(&fake_stop_reading, 0);
    for (int i = 0; i < 80; i++) {
        void *status;
        pthread_join(many[i], &status);
        full += (intptr_t)status == AICC_E_FULL;
    }
    CHECK(full <= 16);
    fake_flush(b);
    EQUAL(aicc_shutdown(0), AICC_OK);
    while (aicc_core_live() != 0)
        sched_yield();
    return 0;
}
