/* How bridges end: within their own callback, by longjmp out of one, by another thread, by name, by owner; and that nothing is kept. */
#include "fake.h"

#include <setjmp.h>

static char long_input[2048];

static aicc_status destroys(const aicc_request *r, void *user)
{
    aicc_status status = aicc_bridge_destroy(r->bridge);
    CHECK(status == AICC_OK);
    memcpy(long_input, r->input.tape, 8); /* still ours to read */
    CHECK(memcmp(long_input, "12345678", 8) == 0 && strcmp(r->tool_id.ptr, "t") == 0 && strcmp(r->call_id.ptr, "id") == 0);
    CHECK(aicc_bridge_valid(r->bridge) == 0);
    EQUAL(aicc_call_succeed(r->call, aicc_s("{}")), AICC_E_HANDLE);
    *(int *)user += 1;
    return AICC_OK;
}

static aicc_status nested(const aicc_request *r, void *user)
{
    (void)user;
    EQUAL(aicc_call_succeed(r->call, aicc_s("{}")), AICC_OK);
    return aicc_bridge_pump(r->bridge, NULL, NULL, NULL); /* allowed, and takes the request away */
}

static jmp_buf out;
static aicc_status jumps(const aicc_request *r, void *user)
{
    if (user != NULL)
        (void)aicc_bridge_destroy(r->bridge);
    longjmp(out, 1);
}

static void in_callback(void)
{
    for (int i = 0; i < 600; i++) {
        aicc_bridge b = fake_bridge("end", 0, 0);
        int ran = 0;
        aicc_session s = fake_session(b, NULL, 1);
        aicc_tool t = fake_tool(b, "t", destroys, &ran, 0);
        fake_call(s, t);
        fake_call(s, t);
        fake_flush(b);
        EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
        EQUAL(ran, 1);
        EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_E_HANDLE);
    }
}

static void nested_pump(void)
{
    aicc_bridge b = fake_bridge("nested", 0, 0);
    aicc_session s = fake_session(b, NULL, 1);
    aicc_tool t = fake_tool(b, "t", nested, NULL, 0);
    for (int i = 0; i < 5; i++)
        fake_call(s, t);
    fake_flush(b);
    EQUAL(aicc_bridge_pump(b, NULL, NULL, NULL), AICC_OK);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
}

static void by_longjmp(void)
{
    for (volatile int i = 0; i < 700; i++) { /* past the bound of what is kept for such */
        aicc_bridge b = fake_bridge("jump", 0, 0);
        aicc_session s = fake_session(b, NULL, 1);
        aicc_tool t = fake_tool(b, "t", jumps, i % 2 ? &out : NULL, 0), u = fake_tool(b, "u", NULL, NULL, 0);
        aicc_item it;
        fake_call(s, t);
        fake_call(s, u);
        fake_flush(b);
        if (setjmp(out) == 0) {
            (void)aicc_bridge_pump(b, NULL, NULL, NULL);
            CHECK(!"no jump");
        }
        if (i % 2) {
            EQUAL(aicc_bridge_valid(b), 0);
            continue;
        }
        CHECK(fake_next(b, &it) && it.tool.id == u.id); /* the next pump goes on */
        EQUAL(aicc_bridge_destroy(b), AICC_OK);
    }
}

static void by_name_and_owner(void)
{
    aicc_bridge_options o;
    aicc_bridge a, b, c, d;
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("same");
    o.owner = 1;
    EQUAL(aicc_bridge_create(&o, &a, NULL), AICC_OK);
    o.owner = 2;
    EQUAL(aicc_bridge_create(&o, &b, NULL), AICC_OK);
    EQUAL(aicc_bridge_create(&o, &c, NULL), AICC_OK); /* the same name twice is no fault */
    o.name = aicc_s("same but longer");
    EQUAL(aicc_bridge_create(&o, &d, NULL), AICC_OK);
    o.name = aicc_s("same");
    o.replace = 1;
    aicc_bridge e;
    EQUAL(aicc_bridge_create(&o, &e, NULL), AICC_OK);
    CHECK(aicc_bridge_valid(a) && !aicc_bridge_valid(b) && !aicc_bridge_valid(c) && aicc_bridge_valid(d) && aicc_bridge_valid(e));
    EQUAL(aicc_shutdown(2), AICC_OK);
    CHECK(aicc_bridge_valid(a) && !aicc_bridge_valid(d) && !aicc_bridge_valid(e));
    EQUAL(aicc_shutdown(0), AICC_OK);
    CHECK(!aicc_bridge_valid(a));
}

/* Another thread ends the bridge while this one does all that it can. */
static _Atomic uint64_t victim;
static atomic_int over;
static void *destroyer(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        aicc_bridge b = {atomic_exchange(&victim, 0)};
        for (volatile int i = (int)(b.id >> 32 & 511); i > 0; i--)
            ;
        if (b.id != 0)
            (void)aicc_bridge_destroy(b);
    }
    return NULL;
}
static void by_another_thread(void)
{
    pthread_t t;
    static char buf[4096];
    CHECK(pthread_create(&t, NULL, destroyer, NULL) == 0);
    for (int i = 0; i < ROUNDS_OF(1500); i++) {
        aicc_bridge b = fake_bridge("race", 0, 0);
        aicc_session s = fake_session(b, NULL, 1), to;
        aicc_tool k = fake_tool(b, "t", NULL, NULL, 0);
        aicc_status status = AICC_OK;
        size_t len;
        fake_call(s, k);
        fake_say(s, "echo me");
        atomic_store(&victim, b.id);
        while (status != AICC_E_HANDLE) {
            aicc_item it = {.struct_size = sizeof it};
            if (aicc_bridge_next(b, &it) == AICC_OK && it.kind == AICC_ITEM_CALL)
                (void)aicc_call_succeed(it.call, aicc_sn(buf, sizeof buf));
            (void)aicc_session_receive(s, aicc_s("echo again"));
            (void)aicc_bridge_next_message(b, &to, buf, sizeof buf, &len);
            (void)aicc_bridge_frame(b, NULL);
            status = aicc_bridge_flush(b, 1000);
        }
    }
    atomic_store(&over, 1);
    pthread_join(t, NULL);
}

static long resident(void)
{
    long pages = 0, unused;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%ld %ld", &unused, &pages) == 2);
    fclose(f);
    return pages * 4;
}

/* A thousand bridges with all that they may hold, again and again: memory stays. */
static void flat(void)
{
    static char text[300000];
    long before = 0;
    memset(text, 'e', sizeof text);
    memcpy(text, "echo", 4);
    for (int i = 0; i < ROUNDS_OF(3000); i++) {
        aicc_bridge b = fake_bridge("flat", i % 2, 0);
        aicc_tool t = fake_tool(b, "t", NULL, NULL, 0);
        aicc_item it = {.struct_size = sizeof it};
        for (int k = 0; k < 5; k++) {
            aicc_session_options so;
            aicc_session s;
            char name[8] = {(char)('a' + k), 0};
            aicc_session_options_init(&so, sizeof so);
            so.name = aicc_s(name);
            EQUAL(aicc_session_open(b, &so, &s, NULL), AICC_OK);
            EQUAL(aicc_session_attach(s), AICC_OK);
            fake_call(s, t);
            fake_fault(s, t);
            fake_say(s, "agent 1");
            EQUAL(aicc_session_receive(s, aicc_sn(text, k == 0 ? sizeof text : 500)), AICC_OK);
        }
        if (i % 3 != 0)
            fake_flush(b);
        (void)aicc_bridge_next(b, &it);
        EQUAL(aicc_bridge_destroy(b), AICC_OK);
        if (i == ROUNDS_OF(1000))
            before = resident();
    }
    while (aicc_core_live() != 0)
        sched_yield();
    printf("resident: %ld KiB after a third of the bridges, %ld after all\n", before, resident());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(resident() < before + 1024);
#endif
}

int main(void)
{
    fake_start();
    in_callback();
    nested_pump();
    by_longjmp();
    by_name_and_owner();
    by_another_thread();
    flat();
    return 0;
}
