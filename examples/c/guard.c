/* guard.c: a night watchman whose character is played by an agent over aicc/0.1. All that a game says to libaicc; read it from top to bottom.
 *
 * The guard stands at the gate of a walled yard. It is dark, and his lantern is out. Somewhere glass breaks. That game is watch.c.
 * Agents connect by WebSocket to the URL that is the first line on stdout, the second is a page to watch by; what he does is told on stderr. One agent at a time plays him,
 * and each finds the night as it began. Ctrl-C ends the game.
 * Watch:  ./build.sh demo
 * Build:  gcc -Iinclude examples/c/guard.c examples/c/watch.c -Lbuild/lib -laicc -lm -Wl,-rpath,$PWD/build/lib -o guard
 */
#include "aicc.h"
#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define PORT       8765                 /* unless another is given; 0: any that is free */
#define JSON(...)  #__VA_ARGS__         /* lets JSON stand in C as it is */
#define NO_KEY     aicc_s(NULL)         /* "not given" */
#define tell(...)  (fprintf(stderr, "guard: " __VA_ARGS__), fputc('\n', stderr))

/* Every status is looked at, once, here. Positive ones are outcomes; negative ones are mistakes of ours, and the end of this small game. */
#define CHECK(call) check((call), #call, __LINE__)
static aicc_error fault;                /* what the last function that takes an aicc_error had to say */
static aicc_status check(aicc_status status, const char *call, int line)
{
    if (status >= 0) return status;
    fprintf(stderr, "guard.c:%d: %s: %s %s%s %s\n", line, call, aicc_status_name(status), fault.field, fault.pointer, fault.message);
    exit(1);
}

static aicc_listener listener;
static aicc_bridge   bridge;
static aicc_session  session;
static aicc_event    heard, walking, thief;
static aicc_call     walk, pull, words; /* what he is busy with, or was last */
static aicc_tool     dropped;           /* the sack's, while it lies there */
static volatile sig_atomic_t over;

/* ---- JSON that goes out: into a buffer of ours, without a heap */
static void write_point(aicc_writer *out, const char *key, double x, double y)
{
    aicc_write_array(out, aicc_s(key));
    aicc_write_number(out, NO_KEY, x, 1);
    aicc_write_number(out, NO_KEY, y, 1);
    aicc_write_end(out);
}

static aicc_str written(aicc_writer *out)
{
    aicc_str text;
    aicc_write_end(out);
    CHECK(aicc_write_done(out, &text)); /* the first fault of all the writing before, if there was one */
    return text;
}

/* ---- Two sensors: answered at once */
static aicc_status AICC_CALL look(const aicc_request *request, void *user_data)
{
    char text[512];
    aicc_writer out;
    (void)user_data;                    /* a game with a hundred guards keeps the guard in request->session_user */
    tell("looks around %s", watch.lit ? "by the light of his lantern" : "in the dark");
    aicc_write_begin(&out, text, sizeof text);
    aicc_write_object(&out, NO_KEY);
    write_point(&out, "at", watch.x, watch.y);
    aicc_write_integer(&out, aicc_s("light"), watch.lit ? LIGHT : 0);
    aicc_write_array(&out, aicc_s("sees"));
    if (guard_sees_thief()) {
        aicc_write_string(&out, NO_KEY, aicc_s("a thief with a sack"));
        CHECK(aicc_session_grant(request->session, aicc_s("alarm"), 1));    /* from now on he may ring the bell, and his agent is told so */
    }
    aicc_write_end(&out);
    aicc_write_object(&out, aicc_s("map"));
    for (size_t i = 0; i < PLACES; i++) write_point(&out, places[i].name, places[i].x, places[i].y);
    aicc_write_end(&out);
    return aicc_call_succeed(request->call, written(&out));
}

static aicc_status AICC_CALL listen(const aicc_request *request, void *user_data)
{
    (void)user_data;
    tell("listens");
    return aicc_call_succeed(request->call, aicc_s(watch.thief == STEALING ? JSON({"sounds":[{"what":"breaking glass","from":"store"}]})
                                                                           : JSON({"sounds":[]})));
}

/* ---- Four actuators */
static aicc_status AICC_CALL light_lantern(const aicc_request *request, void *user_data)
{
    (void)request, (void)user_data;
    watch.lit = 1;
    tell("strikes a match and lights his lantern");
    return AICC_OK;                     /* not answered, so `{}` is the answer */
}

static aicc_status AICC_CALL walk_to(const aicc_request *request, void *user_data)
{
    aicc_str place;
    double speed;
    (void)user_data;                    /* the input has passed its schema, so nothing is checked twice */
    CHECK(aicc_value_string(&request->input, aicc_s("place"), &place));
    CHECK(aicc_value_number(&request->input, aicc_s("speed"), &speed));     /* not sent: the schema's default is there */
    guard_sets_out(place.ptr, place.len, speed);
    tell("sets out for the %s at %.1f m/s", watch.to->name, speed);
    walk = request->call;
    return AICC_PENDING;                /* it takes seconds: tell_agent() answers when he is there */
}

/* The rope is stiff and wants two seconds the first time; the tool has 0.8. The bridge keeps that time, nobody here does. */
static aicc_status AICC_CALL ring_bell(const aicc_request *request, void *user_data)
{
    (void)user_data;
    guard_pulls_rope();
    tell("hangs on the bell rope");
    pull = request->call;
    return AICC_PENDING;
}

static aicc_status AICC_CALL open_sack(const aicc_request *request, void *user_data)
{
    (void)user_data;
    tell("opens the sack");
    return aicc_call_succeed(request->call, aicc_s(JSON({"found":["two candlesticks","a cheese"]})));
}

/* ---- One generator */
static aicc_status AICC_CALL say(const aicc_request *request, void *user_data)
{
    aicc_str text;
    (void)user_data;
    CHECK(aicc_value_string(&request->input, aicc_s("text"), &text));
    guard_speaks();
    tell("says: %.*s", (int)text.len, text.ptr);
    words = request->call;
    return AICC_PENDING;
}

/* What the agent is told of them. Times, limits and capabilities are the bridge's business: these functions never see a call too many. */
static const struct tool {
    int32_t cls; const char *id; aicc_tool_fn fn; int32_t per_minute, at_once, timeout_ms; const char *capability, *description, *input, *output;
} tools[] = {
    { AICC_SENSOR, "look", look, 0, 0, 0, NULL, "Sees where the guard is, how far there is light, and who is in it.", NULL,
      JSON({"type":"object","properties":{"at":{"type":"array","items":{"type":"number"}},"light":{"type":"integer"},"sees":{"type":"array",
            "items":{"type":"string"}},"map":{"type":"object","additionalProperties":{"type":"array"}}},"required":["at","light","sees","map"]}) },
    { AICC_SENSOR, "listen", listen, 0, 0, 0, NULL, "Hears what there is to hear, and from which place.", NULL,
      JSON({"type":"object","required":["sounds"],"properties":{"sounds":{"type":"array","items":{"type":"object",
            "required":["what","from"],"properties":{"what":{"type":"string"},"from":{"type":"string"}}}}}}) },
    { AICC_ACTUATOR, "light_lantern", light_lantern, 0, 0, 0, NULL, "Lights the guard's lantern.", NULL, NULL },
    { AICC_ACTUATOR, "walk_to", walk_to, 0, 1, 20000, NULL, "Walks to a place; reports on the way. One walk at a time.",
      JSON({"type":"object","required":["place"],"properties":{"place":{"enum":["gate","yard","tower","store","well"]},
            "speed":{"type":"number","minimum":0.5,"maximum":9,"default":1.5,"description":"metres a second"}}}), NULL },
    { AICC_ACTUATOR, "ring_bell", ring_bell, 0, 1, 800, "alarm", "Rings the alarm bell, which is for thieves only.", NULL, NULL },
    { AICC_GENERATOR, "say", say, 2, 1, 0, NULL, "Speaks a line, heard 12 metres away. One at a time, two a minute.",
      JSON({"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":120}}}),
      JSON({"type":"object","required":["heard_by"],"properties":{"heard_by":{"type":"array","items":{"type":"string"}}}}) },
}, sack = { /* is not there from the start: the thief must drop it first */ AICC_ACTUATOR, "open_sack", open_sack, 0, 0, 0, NULL, "Opens the sack that the thief has dropped.", NULL,
            JSON({"type":"object","required":["found"],"properties":{"found":{"type":"array","items":{"type":"string"}}}}) };

/* Before a session opens or while agents watch: they get the new manifest. The handle is only needed to take the tool away again. */
static aicc_tool register_tool(const struct tool *tool)
{
    aicc_tool_options options;
    aicc_tool handle;
    aicc_tool_options_init(&options, sizeof options);
    options.cls = tool->cls;
    options.id = aicc_s(tool->id);
    options.description = aicc_s(tool->description);
    options.input_schema = aicc_s(tool->input);
    options.output_schema = aicc_s(tool->output);
    options.requires_capability = aicc_s(tool->capability);
    options.calls_per_minute = tool->per_minute;
    options.max_in_flight = tool->at_once;
    if (tool->timeout_ms) options.timeout_ms = tool->timeout_ms;
    options.fn = tool->fn;
    CHECK(aicc_tool_register(bridge, &options, &handle, &fault));
    return handle;
}

static void define_event(aicc_event *event, int32_t topic, const char *kind)
{
    aicc_event_options options;
    aicc_event_options_init(&options, sizeof options);
    options.topic = topic;
    options.kind = aicc_s(kind);        /* becomes the payload's member "kind" */
    CHECK(aicc_event_define(bridge, &options, event, &fault));
}

/* ---- Each frame: what pump has to say that is no call */
static void begin_anew(void)            /* for the next agent */
{
    watch_reset();
    CHECK(aicc_session_grant(session, aicc_s("alarm"), 0));
    if (dropped.id) CHECK(aicc_tool_unregister(dropped));
    dropped.id = 0;
    if (!aicc_session_has_agent(session)) CHECK(aicc_session_reset(session, NO_KEY));   /* limits too, unless the next one is there already */
}

static void AICC_CALL on_item(const aicc_item *item, void *user_data)
{
    (void)user_data;
    if (item->kind == AICC_ITEM_CALL_ENDED) {           /* out of time, or the agent left for good: stop working on it */
        if (item->call.id == walk.id) guard_stops(), tell("stops where he is");
        if (item->call.id == pull.id) guard_lets_go(), tell("lets go of the rope");
        if (item->call.id == words.id) guard_breaks_off(), tell("breaks off");
    } else if (item->kind == AICC_ITEM_AGENT) {
        if (item->reason == AICC_AGENT_CONNECTED) watch_begin();
        if (item->reason == AICC_AGENT_DETACHED) tell("hears no more orders, and goes on with the last");   /* his calls stay open */
        if (item->reason == AICC_AGENT_RESUMED) tell("hears orders again");
        if (item->reason == AICC_AGENT_GONE) begin_anew();      /* it said good-bye, or did not come back in time */
    }
}

static void words_out(void)
{
    int hears = thief_hears();
    CHECK(aicc_call_succeed(words, aicc_s(hears ? JSON({"heard_by":["thief"]}) : JSON({"heard_by":[]}))));
    if (hears) CHECK(aicc_event_json(thief, session, aicc_s(watch.thief == CAUGHT ? JSON({"does":"drops the sack"}) : JSON({"does":"runs away"}))));
    if (hears && watch.thief == CAUGHT) dropped = register_tool(&sack);
}

/* AICC_GONE, the time of a call was over meanwhile, is no mistake. */
static void tell_agent(unsigned happened)
{
    char text[128];
    aicc_writer out;
    if (happened & GLASS_BREAKS) CHECK(aicc_event_json(heard, session, aicc_s(JSON({"sound":"breaking glass"}))));
    if (happened & BELL_RINGS) tell("rings the bell"), CHECK(aicc_call_succeed(pull, NO_KEY));
    if (happened & WORDS_OUT) words_out();
    if (!(happened & (ON_THE_WAY | ARRIVED))) return;
    aicc_write_begin(&out, text, sizeof text);
    aicc_write_object(&out, NO_KEY);
    if (happened & ON_THE_WAY) {
        write_point(&out, "at", watch.x, watch.y);
        CHECK(aicc_event_reply_json(walking, walk, written(&out)));     /* caused by the call: always before its result */
    } else {
        tell("is at the %s", watch.at->name);
        aicc_write_string(&out, aicc_s("place"), aicc_s(watch.at->name));
        CHECK(aicc_call_succeed(walk, written(&out)));
    }
}

/* ---- From the start to the end */
static void open_port(int port)
{
    aicc_listen_options options;
    aicc_listen_options_init(&options, sizeof options);
    options.port = port;                /* on this machine only: another address needs a token too */
    options.inspector = 1;              /* a page to watch it by; not for what you ship */
    if (aicc_listen(&options, &listener, &fault) < 0) fprintf(stderr, "guard: %s\n", fault.message), exit(1);
}

static void open_world(void)
{
    aicc_bridge_options world;
    aicc_session_options guard;
    char address[64], page[256];
    size_t len;
    aicc_bridge_options_init(&world, sizeof world);
    world.name = aicc_s("night watch");
    world.kind = AICC_WORLD_2D;
    world.listener = listener;
    world.resume_window_ms = 30000;     /* an agent that was cut off has so long to come back; until then the guard is nobody else's */
    CHECK(aicc_bridge_create(&world, &bridge, &fault));
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) register_tool(&tools[i]);
    define_event(&heard, AICC_TOPIC_AUDIO, NULL);
    define_event(&walking, AICC_TOPIC_STATE_CHANGE, "walking");
    define_event(&thief, AICC_TOPIC_STATE_CHANGE, "thief");
    aicc_session_options_init(&guard, sizeof guard);
    guard.name = aicc_s("guard");       /* the URL's character */
    guard.topics = AICC_TOPIC_AUDIO | AICC_TOPIC_STATE_CHANGE;
    CHECK(aicc_session_open(bridge, &guard, &session, &fault));
    CHECK(aicc_bridge_flush(bridge, 5000));         /* now he is there for whoever connects */
    CHECK(aicc_listener_address(listener, address, sizeof address, &len));
    CHECK(aicc_listener_inspector(listener, page, sizeof page, &len));
    printf("ws://%s/aicc?character=guard\nwatch it: %s\n", address, page), fflush(stdout);
}

static void on_signal(int number) { over = 1, signal(number, SIG_DFL); }    /* the second one ends it at once */

int main(int argc, char **argv)
{
    char line[2048], *rest = "";
    size_t len;
    long port = argc < 2 ? PORT : strtol(argv[1], &rest, 10);
    if (argc > 2 || *rest || rest == argv[1] || port < 0 || port > 65535)
        return fprintf(stderr, "usage: guard [PORT], from 0, which is any that is free, to 65535; without it %d\n", PORT), 2;
    signal(SIGINT, on_signal), signal(SIGTERM, on_signal);
    open_port((int)port);
    open_world();
    while (!over) {
        CHECK(aicc_bridge_pump(bridge, NULL, on_item, NULL));   /* NULL: a frame like any other; aicc_frame can say "paused" */
        tell_agent(watch_step(1 / 60.0));               /* here your game does its work, and draws */
        while (CHECK(aicc_log_next(NULL, line, sizeof line, &len)) == AICC_OK) fprintf(stderr, "aicc: %s\n", line);
        frame_wait();
    }
    CHECK(aicc_bridge_close(bridge));                   /* fails what is open, says good-bye */
    CHECK(aicc_bridge_flush(bridge, 1000));
    CHECK(aicc_bridge_destroy(bridge));
    return CHECK(aicc_listener_close(listener));
}
