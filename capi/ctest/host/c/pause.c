/* pause: paused frames and sessions, turns between sessions, bounds of a pump, deadlines that stand still, and time that is the frame's. */
#include "t.h"

enum { MS = 1000000 };
static int ran[8], order[64], n_order;
static aicc_call kept[64];
static int n_kept;

static aicc_status note(const aicc_request *r, void *user) {
    (void)user;
    ran[(uintptr_t)r->session_user]++;
    order[n_order++ % 64] = (int)(uintptr_t)r->session_user;
    return AICC_OK;
}
static aicc_status keep(const aicc_request *r, void *user) { (void)user; kept[n_kept++] = r->call; return AICC_PENDING; }

static aicc_frame at(int64_t ms, int32_t flags) {
    aicc_frame f;
    memset(&f, 0, sizeof f);
    f.struct_size = sizeof f;
    f.now_ns = ms * MS;
    f.tick = (uint64_t)ms;
    f.flags = flags;
    return f;
}
static void pump_at(aicc_bridge b, int64_t ms, int32_t flags) { aicc_frame f = at(ms, flags); STATUS(AICC_OK, aicc_bridge_pump(b, &f, NULL, NULL)); }

static void open_one(t_world *w, aicc_bridge b, uintptr_t user) {
    aicc_session_options o;
    memset(w, 0, sizeof *w);
    w->bridge = b;
    aicc_session_options_init(&o, sizeof o);
    o.user_data = (void *)user;
    STATUS(AICC_OK, aicc_session_open(b, &o, &w->session, NULL));
    STATUS(AICC_OK, aicc_session_attach(w->session));
}

int main(void) {
    aicc_bridge_options o;
    aicc_bridge b;
    aicc_tool_options to;
    aicc_tool t;
    aicc_frame f;
    static t_world a, c, d;
    int i;

    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("pause");
    o.clock = AICC_CLOCK_FRAME;
    o.seed = 42;
    o.tick_mode = AICC_TICK_EVENT;
    MUST(aicc_bridge_create(&o, &b, NULL) == AICC_OK);
    t_tool(b, "note", NULL, note, NULL);
    aicc_tool_options_init(&to, sizeof to);
    to.cls = AICC_SENSOR;
    to.id = aicc_s("menu");
    to.description = aicc_s("works while the game is paused");
    to.fn = note;
    to.while_paused = 1;
    STATUS(AICC_OK, aicc_tool_register(b, &to, &t, NULL));
    to.id = aicc_s("keep");
    to.fn = keep;
    to.while_paused = 0;
    to.timeout_ms = 1000;
    STATUS(AICC_OK, aicc_tool_register(b, &to, &t, NULL));
    open_one(&a, b, 1);
    pump_at(b, 0, 0);
    MUST(t_message(&a, "session_init")); t_copy_field(a.msg, "session_id", a.sid, sizeof a.sid);
    open_one(&c, b, 2);
    pump_at(b, 1, 0);
    MUST(t_message(&c, "session_init")); t_copy_field(c.msg, "session_id", c.sid, sizeof c.sid);
    open_one(&d, b, 3);
    pump_at(b, 2, 0);
    MUST(t_message(&d, "session_init")); t_copy_field(d.msg, "session_id", d.sid, sizeof d.sid);

    /* With the frame's clock nothing is delivered between frames. */
    { aicc_item item; item.struct_size = sizeof item; t_call(&a, "note", "{}"); pump_at(b, 3, 0); CHECK(ran[1] == 1); STATUS(AICC_EMPTY, aicc_bridge_next(b, &item)); }

    /* A paused frame holds calls, but not those of tools that work while paused. */
    t_call(&a, "note", "{}");
    t_call(&a, "menu", "{}");
    pump_at(b, 10, AICC_FRAME_PAUSED);
    CHECK(ran[1] == 2);
    pump_at(b, 11, AICC_FRAME_PAUSED);
    CHECK(ran[1] == 2);
    pump_at(b, 12, 0);
    CHECK(ran[1] == 3);

    /* So does a paused session, and only that one. */
    STATUS(AICC_OK, aicc_session_set_paused(c.session, 1));
    t_call(&c, "note", "{}");
    t_call(&a, "note", "{}");
    pump_at(b, 13, 0);
    CHECK(ran[2] == 0 && ran[1] == 4);
    STATUS(AICC_OK, aicc_session_set_paused(c.session, 0));
    pump_at(b, 14, 0);
    CHECK(ran[2] == 1);

    /* Sessions take turns: a busy one does not starve the others. */
    n_order = 0;
    for (i = 0; i < 5; i++) t_call(&a, "note", "{}");
    t_call(&c, "note", "{}");
    t_call(&d, "note", "{}");
    f = at(20, 0);
    f.max_items = 3;
    STATUS(AICC_OK, aicc_bridge_pump(b, &f, NULL, NULL));
    CHECK(n_order == 3);
    CHECK(order[0] + order[1] + order[2] == 6);              /* one each */
    f = at(21, 0);
    f.max_items = 1;
    STATUS(AICC_OK, aicc_bridge_pump(b, &f, NULL, NULL));
    CHECK(n_order == 4);
    pump_at(b, 22, 0);
    CHECK(n_order == 7);

    /* A deadline stands still while paused, and not otherwise. */
    while (t_message(&a, "\"type\"")) {}
    t_call(&a, "keep", "{}");
    pump_at(b, 100, 0);
    MUST(n_kept == 1);
    pump_at(b, 200, AICC_FRAME_PAUSED);
    pump_at(b, 9000, AICC_FRAME_PAUSED);
    pump_at(b, 9100, 0);
    CHECK(aicc_call_alive(kept[0]) == 1);
    pump_at(b, 9900, 0);
    CHECK(aicc_call_alive(kept[0]) == 1);
    pump_at(b, 10100, 0);
    CHECK(aicc_call_alive(kept[0]) == 0);
    CHECK(t_message(&a, "\"tool_result\"") && strstr(a.msg, "\"timeout\"") && strstr(a.msg, "\"retryable\":false"));
    STATUS(AICC_GONE, aicc_call_succeed(kept[0], aicc_s("{}")));

    /* One that was never delivered may be tried again. */
    t_call(&a, "keep", "{}");
    f = at(10200, AICC_FRAME_PAUSED);
    STATUS(AICC_OK, aicc_session_set_paused(a.session, 0));
    { aicc_frame g = at(10300, 0); STATUS(AICC_OK, aicc_bridge_frame(b, &g)); }   /* told of the frame, but nobody drains */
    { aicc_frame g = at(11400, 0); STATUS(AICC_OK, aicc_bridge_frame(b, &g)); }
    { aicc_frame g = at(11500, 0); STATUS(AICC_OK, aicc_bridge_frame(b, &g)); }
    CHECK(t_message(&a, "\"tool_result\"") && strstr(a.msg, "\"timeout\"") && strstr(a.msg, "\"retryable\":true"));
    pump_at(b, 11600, 0);
    CHECK(n_kept == 1);
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    T_END();
}
