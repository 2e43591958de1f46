/* instructions: a fixed amount of work, whose instructions the runner counts: FRAMES times an emission to SESSIONS sessions, a pump that tells
 * the core, as many that have nothing to do, and a message for each event. With the frame's clock, so that no run differs from another. */
#include "e.h"

enum { SESSIONS = 100, FRAMES = 50 };
typedef struct guard { uint32_t id; uint16_t hp; uint8_t state; bool alert; float x, y, z, heading; uint32_t target; int16_t mood; uint8_t level; bool armed; } guard;
static const aicc_str states[] = { { "idle", 4 }, { "patrol", 6 }, { "chase", 5 } };
#define G(text, member, t) { .name = { text, AICC_NTS }, .offset = offsetof(guard, member), .type = t }
static const aicc_field fields[] = {
    G("id", id, AICC_U32), G("hp", hp, AICC_U16), { .name = { "state", 5 }, .offset = offsetof(guard, state), .type = AICC_ENUM8, .names = states, .names_count = 3 },
    G("alert", alert, AICC_BOOL8), G("position.x", x, AICC_F32), G("position.y", y, AICC_F32), G("position.z", z, AICC_F32), G("heading", heading, AICC_F32),
    G("target", target, AICC_U32), G("mood", mood, AICC_I16), G("level", level, AICC_U8), G("armed", armed, AICC_BOOL8),
};
static guard a[SESSIONS];
static aicc_session s[SESSIONS];

int main(void) {
    static char msg[1 << 16];
    aicc_bridge world;
    aicc_bridge_options o;
    aicc_session to;
    size_t len, n;
    int events = 0;
    aicc_layout l = e_layout(sizeof (guard), fields, sizeof fields / sizeof *fields);
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("keep"), o.clock = AICC_CLOCK_FRAME, o.seed = 5, o.tick_mode = AICC_TICK_EVENT, o.heartbeat_ms = 3600000;
    MUST(aicc_bridge_create(&o, &world, NULL) == AICC_OK);
    aicc_event moved = e_event(world, AICC_TOPIC_STATE_CHANGE, "guard", AICC_LATEST, 0, l);
    for (int i = 0; i < SESSIONS; i++) {
        s[i] = t_session(world, NULL);
        STATUS(AICC_OK, aicc_session_attach(s[i]));
        a[i] = (guard){ (uint32_t)i, 87, (uint8_t)(i % 3), true, 12.5f + (float)i, -3.25f, 118.125f, 1.571f, 1042, -7, 12, false };
    }
    for (int i = 0; i < FRAMES + 1; i++) {
        aicc_frame f = { .struct_size = sizeof f, .tick = (uint64_t)i, .now_ns = (int64_t)(i + 1) * 16000000 };
        if (i > 0) {
            STATUS(AICC_OK, aicc_event_emit(moved, s, SESSIONS, a, sizeof *a, &n));
            CHECK(n == SESSIONS);
        }
        STATUS(AICC_OK, aicc_bridge_pump(world, &f, NULL, NULL));
        while (aicc_bridge_next_message(world, &to, msg, sizeof msg, &len) == AICC_OK) events += strstr(msg, "\"type\":\"event\"") != NULL;
        f.now_ns += 1000;
        STATUS(AICC_OK, aicc_bridge_pump(world, &f, NULL, NULL)); /* tells of what was drained */
    }
    for (int i = 0; i < FRAMES; i++) {
        aicc_frame f = { .struct_size = sizeof f, .tick = (uint64_t)i, .now_ns = (int64_t)FRAMES * 20000000 };
        STATUS(AICC_OK, aicc_bridge_frame(world, &f));
    }
    CHECK(events == FRAMES * SESSIONS);
    T_END();
}
