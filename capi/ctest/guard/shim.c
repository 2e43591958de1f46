//go:build ignore

/* What boehm.cs calls by P/Invoke: one bridge, one character with an agent, one event. The header is used here, so that no C# need know it. */
#include "../../../include/aicc.h"

static aicc_bridge bridge;
static aicc_session session;
static aicc_event event;
static char message[4u << 20];

__attribute__((visibility("default"))) int shim_open(void)
{
    aicc_bridge_options world;
    aicc_session_options seat;
    aicc_event_options kind;
    aicc_bridge_options_init(&world, sizeof world);
    world.name = aicc_s("boehm");
    aicc_session_options_init(&seat, sizeof seat);
    seat.name = aicc_s("guard");
    aicc_event_options_init(&kind, sizeof kind);
    kind.topic = AICC_TOPIC_STATE_CHANGE;
    kind.kind = aicc_s("hit");
    aicc_status status = aicc_bridge_create(&world, &bridge, (aicc_error *)0);
    if (status == AICC_OK)
        status = aicc_event_define(bridge, &kind, &event, (aicc_error *)0);
    if (status == AICC_OK)
        status = aicc_session_open(bridge, &seat, &session, (aicc_error *)0);
    if (status == AICC_OK)
        status = aicc_session_attach(session);
    return status;
}

/* 0 when the event was taken or its queue is full, which a fast loop makes it. */
__attribute__((visibility("default"))) int shim_emit(void)
{
    aicc_status status = aicc_event_json(event, session, aicc_s("{\"where\":[1,2,3],\"by\":\"a guard\"}"));
    return status == AICC_E_FULL ? AICC_OK : status;
}

/* A frame, and what is to be sent. How many messages, or a negative status. */
__attribute__((visibility("default"))) int shim_pump(void)
{
    aicc_session to;
    size_t size;
    int messages = 0;
    aicc_status status = aicc_bridge_pump(bridge, (const aicc_frame *)0, (aicc_item_fn)0, (void *)0);
    while (status == AICC_OK) {
        status = aicc_bridge_next_message(bridge, &to, message, sizeof message, &size);
        messages += status == AICC_OK;
    }
    return status == AICC_EMPTY ? messages : status;
}

__attribute__((visibility("default"))) int shim_close(void)
{
    return aicc_bridge_destroy(bridge);
}
