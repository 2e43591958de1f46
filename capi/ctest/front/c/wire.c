/* The wire: messages out in order and in their window, connections and their epochs, what a buffer that is too small leaves alone. */
#include "fake.h"

static aicc_bridge world;
static char buf[5 << 20];

static void expect(aicc_session s, const char *text)
{
    aicc_session to = {0};
    size_t len = 0;
    EQUAL(aicc_bridge_next_message(world, &to, buf, sizeof buf, &len), AICC_OK);
    CHECK(to.id == s.id && len == strlen(text) && strcmp(buf, text) == 0);
}
static void expect_none(void)
{
    aicc_session to;
    size_t len;
    EQUAL(aicc_bridge_next_message(world, &to, buf, sizeof buf, &len), AICC_EMPTY);
}

static _Atomic uint64_t drained, drains;
static int count(uint32_t at, const aicc_rec *rec, const char *data)
{
    (void)at, (void)data;
    if (rec->kind == AICC_REC_DRAINED) {
        atomic_fetch_add(&drained, rec->arg);
        atomic_fetch_add(&drains, 1);
    }
    return 0;
}

int main(void)
{
    aicc_session s, other, to = {0};
    aicc_stats st = {.struct_size = sizeof st};
    aicc_item it;
    size_t len = 0;
    fake_start();
    world = fake_bridge("wire", 0, 0);
    s = fake_session(world, NULL, 0);
    other = fake_session(world, NULL, 1);

    EQUAL(aicc_session_receive(s, aicc_s("echo")), AICC_E_STATE);
    EQUAL(aicc_session_detach(s), AICC_E_STATE);
    EQUAL(aicc_session_has_agent(s), 0);
    EQUAL(aicc_session_attach(s), AICC_OK);
    EQUAL(aicc_session_attach(s), AICC_E_STATE);
    EQUAL(aicc_session_has_agent(s), 1);
    fake_say(s, "echo 1");
    fake_say(other, "echo 2");
    fake_say(s, "echo 3");
    fake_flush(world);
    EQUAL(aicc_bridge_next_message(world, &to, buf, 6, &len), AICC_E_SMALL); /* the NUL needs its place */
    EQUAL(len, 6);
    EQUAL(aicc_bridge_next_message(world, &to, NULL, 0, &len), AICC_E_SMALL);
    EQUAL(len, 6);
    EQUAL(aicc_bridge_next_message(world, NULL, buf, 7, &len), AICC_E_ARG);
    EQUAL(aicc_bridge_next_message(world, &to, buf, 7, NULL), AICC_E_ARG);
    EQUAL(aicc_bridge_next_message(world, &to, NULL, 7, &len), AICC_E_ARG);
    EQUAL(aicc_bridge_next_message(world, &to, buf, 7, &len), AICC_OK);
    CHECK(to.id == s.id && strcmp(buf, "echo 1") == 0);
    expect(other, "echo 2");
    expect(s, "echo 3");
    expect_none();

    /* Another connection does not get what the last one missed. */
    fake_say(s, "echo 4");
    fake_say(other, "echo 5");
    fake_flush(world);
    EQUAL(aicc_session_detach(s), AICC_OK);
    EQUAL(aicc_session_detach(s), AICC_E_STATE);
    EQUAL(aicc_session_attach(s), AICC_OK);
    fake_say(s, "echo 6");
    fake_flush(world);
    expect(other, "echo 5");
    expect(s, "echo 6");
    expect_none();

    /* The core lets one go: what it said before that still comes; the host's own detach drops it. */
    for (int i = 0; i < 2; i++) {
        fake_say(s, "echo 7");
        fake_say(s, "drop");
        fake_flush(world);
        EQUAL(aicc_session_has_agent(s), 0);
        EQUAL(aicc_session_receive(s, aicc_s("echo")), AICC_E_STATE);
        if (i == 0)
            expect(s, "echo 7");
        else
            EQUAL(aicc_session_detach(s), AICC_OK);
        expect_none();
        EQUAL(aicc_session_attach(s), AICC_OK);
    }
    EQUAL(aicc_bridge_stats(world, &st), AICC_OK);
    EQUAL(st.agents, 2);

    /* A closed session's last messages come, under its old handle, though its number waits for them. */
    fake_say(s, "echo 8");
    fake_flush(world);
    EQUAL(aicc_session_close(s, aicc_s("")), AICC_OK);
    fake_flush(world);
    CHECK(fake_next(world, &it) && it.kind == AICC_ITEM_SESSION_CLOSED && it.session.id == s.id);
    aicc_session next[3];
    for (int i = 0; i < 3; i++) {
        next[i] = fake_session(world, NULL, 0);
        CHECK(fake_number(next[i].id) != fake_number(s.id));
    }
    expect(s, "echo 8");
    expect_none();

    /* The window: everything that was given is accounted for, in quarters and when the queue is empty. */
    fake_flush(world);
    fake_look = count;
    static char big[300000];
    memset(big, 'x', sizeof big);
    memcpy(big, "echo", 4);
    uint64_t sum = 0;
    for (int i = 0; i < 12; i++) {
        size_t n = i % 3 == 0 ? sizeof big : i % 3 == 1 ? 70000 : 100;
        EQUAL(aicc_session_receive(other, aicc_sn(big, n)), AICC_OK);
        sum += n;
    }
    fake_flush(world);
    EQUAL(aicc_bridge_stats(world, &st), AICC_OK);
    EQUAL(st.outgoing_bytes, sum);
    for (int i = 0; i < 12; i++) {
        EQUAL(aicc_bridge_next_message(world, &to, buf, sizeof buf, &len), AICC_OK);
        EQUAL(len, i % 3 == 0 ? sizeof big : i % 3 == 1 ? 70000 : 100);
        CHECK(memcmp(buf, big, len) == 0 && buf[len] == 0);
    }
    expect_none();
    fake_flush(world);
    EQUAL(atomic_load(&drained), sum);
    EQUAL(atomic_load(&drains), 5); /* one for each that is over a quarter, and the end */
    for (int i = 0; i < 3; i++) /* what is skipped counts as drained */
        fake_say(other, "echo!");
    fake_flush(world);
    EQUAL(aicc_session_detach(other), AICC_OK);
    expect_none();
    fake_flush(world);
    EQUAL(atomic_load(&drained), sum + 15);
    fake_look = NULL;

    /* Sizes of what comes in. */
    static char whole[(1 << 20) + 2];
    memset(whole, 'y', sizeof whole);
    EQUAL(aicc_session_attach(other), AICC_OK);
    EQUAL(aicc_session_receive(other, aicc_sn(whole, sizeof whole)), AICC_E_RANGE);
    EQUAL(aicc_session_receive(other, aicc_sn(whole, sizeof whole - 1)), AICC_OK);
    EQUAL(aicc_session_receive(other, aicc_sn(NULL, 1)), AICC_E_ARG);
    EQUAL(aicc_session_receive(other, aicc_s("")), AICC_OK);
    fake_flush(world);
    EQUAL(aicc_bridge_destroy(world), AICC_OK);
    while (aicc_core_live() != 0)
        sched_yield();
    return 0;
}
