/* lockstep: with the frame's clock and a seed the same calls give the same bytes. Prints them all; the runner compares two runs. */
#include "t.h"

static aicc_call pending_call;
static int frame_no;

static aicc_status roll(const aicc_request *r, void *user) {
    char buf[128];
    int64_t sides = 6;
    int n;
    (void)user;
    STATUS(AICC_OK, aicc_value_integer(&r->input, aicc_s("sides"), &sides));
    if (sides == 13) return AICC_E_RANGE;
    if (sides == 20) { pending_call = r->call; return AICC_PENDING; }
    n = snprintf(buf, sizeof buf, "{\"rolled\":%d}", (int)((sides * 7 + frame_no) % sides));
    return aicc_call_succeed(r->call, aicc_sn(buf, (size_t)n));
}

int main(void) {
    aicc_bridge_options o;
    aicc_event_options eo;
    aicc_event hears, ticks;
    static t_world w[3];
    aicc_session to;
    static char msg[1 << 16];
    size_t len;
    int s;

    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("lockstep");
    o.clock = AICC_CLOCK_FRAME;
    o.seed = 7;
    o.heartbeat_ms = 500;
    MUST(aicc_bridge_create(&o, &w[0].bridge, NULL) == AICC_OK);
    t_tool(w[0].bridge, "roll", "{\"type\":\"object\",\"properties\":{\"sides\":{\"type\":\"integer\",\"minimum\":2,\"default\":6}}}", roll, NULL);
    aicc_event_options_init(&eo, sizeof eo);
    eo.topic = AICC_TOPIC_AUDIO;
    STATUS(AICC_OK, aicc_event_define(w[0].bridge, &eo, &hears, NULL));
    eo.topic = AICC_TOPIC_TICK;
    STATUS(AICC_OK, aicc_event_define(w[0].bridge, &eo, &ticks, NULL));
    for (s = 0; s < 3; s++) {
        aicc_session_options so;
        w[s].bridge = w[0].bridge;
        aicc_session_options_init(&so, sizeof so);
        so.model_class = AICC_EDGE_SMALL;
        STATUS(AICC_OK, aicc_session_open(w[s].bridge, &so, &w[s].session, NULL));
        STATUS(AICC_OK, aicc_session_attach(w[s].session));
    }
    for (frame_no = 0; frame_no < 600; frame_no++) {
        aicc_frame f;
        char json[64];
        int n = snprintf(json, sizeof json, "{\"frame\":%d}", frame_no);
        memset(&f, 0, sizeof f);
        f.struct_size = sizeof f;
        f.tick = (uint64_t)frame_no;
        f.now_ns = (int64_t)frame_no * 16666667;
        f.flags = frame_no > 300 && frame_no < 330 ? AICC_FRAME_PAUSED : 0;
        aicc_event_json(ticks, w[frame_no % 3].session, aicc_sn(json, (size_t)n));
        if (frame_no % 40 == 0) STATUS(AICC_OK, aicc_event_json(hears, w[1].session, aicc_sn(json, (size_t)n)));
        if (frame_no % 15 == 5 && aicc_session_has_agent(w[frame_no % 3].session) && w[frame_no % 3].sid[0]) t_call(&w[frame_no % 3], "roll", frame_no % 2 ? "{}" : frame_no % 4 ? "{\"sides\":13}" : frame_no % 8 ? "{\"sides\":\"20\"}" : "{\"sides\":1}");
        if (frame_no % 50 == 49 && pending_call.id) { aicc_call_succeed(pending_call, aicc_s("{\"rolled\":20}")); pending_call.id = 0; }
        if (frame_no == 400) STATUS(AICC_OK, aicc_session_detach(w[2].session));
        if (frame_no == 420) STATUS(AICC_OK, aicc_session_attach(w[2].session));
        STATUS(AICC_OK, aicc_bridge_pump(w[0].bridge, &f, NULL, NULL));
        while (aicc_bridge_next_message(w[0].bridge, &to, msg, sizeof msg, &len) == AICC_OK) {
            for (s = 0; s < 3; s++) if (to.id == w[s].session.id) {
                printf("%d %d %s\n", frame_no, s, msg);
                if (strstr(msg, "\"session_init\"")) t_copy_field(msg, "session_id", w[s].sid, sizeof w[s].sid);
            }
        }
    }
    STATUS(AICC_OK, aicc_bridge_destroy(w[0].bridge));
    T_END();
}
