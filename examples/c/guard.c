/* guard.c: a night watchman whose character is played by an agent over aicc/0.1. All that a game says to libaicc; read it from top to bottom.
 *
 * The guard stands at the gate of a walled yard. It is dark, and his lantern is out. Somewhere glass breaks. That game is watch.c.
 * Messages go over stdin and stdout, one a line (host.h). What the guard does is told on stderr.
 * Watch:  ./build.sh demo
 * Build:  gcc -Iinclude examples/c/guard.c examples/c/watch.c examples/c/host.c -Lbuild/lib -laicc -lm -Wl,-rpath,$PWD/build/lib -o guard
 */
#include "aicc.h"
#include "host.h"
#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

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

static struct wire  wire;
static aicc_bridge  bridge;
static aicc_session session;
static aicc_event   heard, walking, thief;
static aicc_call    walk, pull, words;  /* the calls that he is busy with; id 0: none */
static int          over;

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
    CHECK(aicc_call_succeed(request->call, written(&out)));
    return AICC_OK;
}

static aicc_status AICC_CALL listen(const aicc_request *request, void *user_data)
{
    (void)user_data;
    tell("listens");
    CHECK(aicc_call_succeed(request->call, aicc_s(watch.thief == STEALING ? JSON({"sounds":[{"what":"breaking glass","from":"store"}]})
                                                                          : JSON({"sounds":[]}))));
    return AICC_OK;
}

/* ---- Four actuators */
static aicc_status AICC_CALL light_lantern(const aicc_request *request, void *user_data)
{
    (void)request, (void)user_data;
    watch.lit = 1;
    tell("strikes a match and lights his lantern");
    return AICC_OK;                     /* not answered, so `{}` is the answer */
}

/* What takes seconds is pending now, and tell_agent() answers when it is done. */
static aicc_status later(const aicc_request *request, aicc_call *call)
{
    *call = request->call;
    CHECK(aicc_call_set_user_data(request->call, call));    /* comes back if the call ends without us: see on_item */
    return AICC_PENDING;
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
    return later(request, &walk);
}

/* The rope is stiff and wants two seconds the first time; the tool has 0.8. The bridge keeps that time, nobody here does. */
static aicc_status AICC_CALL ring_bell(const aicc_request *request, void *user_data)
{
    (void)user_data;
    guard_pulls_rope();
    tell("hangs on the bell rope");
    return later(request, &pull);
}

static aicc_status AICC_CALL open_sack(const aicc_request *request, void *user_data)
{
    (void)user_data;
    tell("opens the sack");
    CHECK(aicc_call_succeed(request->call, aicc_s(JSON({"found":["two candlesticks","a cheese"]}))));
    return AICC_OK;
}

/* ---- One generator */
static aicc_status AICC_CALL say(const aicc_request *request, void *user_data)
{
    aicc_str text;
    (void)user_data;
    CHECK(aicc_value_string(&request->input, aicc_s("text"), &text));
    guard_speaks();
    tell("says: %.*s", (int)text.len, text.ptr);
    return later(request, &words);
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
/* This one is not there from the start: the thief must drop it first. */
}, sack = { AICC_ACTUATOR, "open_sack", open_sack, 0, 0, 0, NULL, "Opens the sack that the thief has dropped.", NULL,
            JSON({"type":"object","required":["found"],"properties":{"found":{"type":"array","items":{"type":"string"}}}}) };

/* Before a session opens or while agents watch: they get the new manifest. */
static void register_tool(const struct tool *tool)
{
    aicc_tool_options options;
    aicc_tool handle;                   /* only needed to take the tool away again */
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
static void AICC_CALL on_item(const aicc_item *item, void *user_data)
{
    (void)user_data;
    if (item->kind == AICC_ITEM_CALL_ENDED) {           /* out of time, or the agent left for good: stop working on it */
        if (item->call_user == &walk) guard_stops(), tell("stops where he is");
        else if (item->call_user == &pull) guard_lets_go(), tell("lets go of the rope");
        else guard_breaks_off(), tell("breaks off");
        ((aicc_call *)item->call_user)->id = 0;
    } else if (item->kind == AICC_ITEM_AGENT) {
        if (item->reason == AICC_AGENT_CONNECTED) watch_begin();
        if (item->reason == AICC_AGENT_DETACHED) tell("hears no more orders, and goes on with the last");   /* his calls stay open */
        if (item->reason == AICC_AGENT_RESUMED) tell("hears orders again");
        over |= item->reason == AICC_AGENT_GONE;        /* it said good-bye, or did not come back in time */
    }
}

static void words_out(void)
{
    int hears = thief_hears();
    CHECK(aicc_call_succeed(words, aicc_s(hears ? JSON({"heard_by":["thief"]}) : JSON({"heard_by":[]}))));
    words.id = 0;
    if (!hears) return;
    CHECK(aicc_event_json(thief, session, aicc_s(watch.thief == CAUGHT ? JSON({"does":"drops the sack"}) : JSON({"does":"runs away"}))));
    if (watch.thief == CAUGHT) register_tool(&sack);
}

/* AICC_GONE, the time of a call was over meanwhile, is no mistake. */
static void tell_agent(unsigned happened)
{
    char text[128];
    aicc_writer out;
    if (happened & GLASS_BREAKS) CHECK(aicc_event_json(heard, session, aicc_s(JSON({"sound":"breaking glass"}))));
    if (happened & BELL_RINGS) {
        tell("rings the bell");
        CHECK(aicc_call_succeed(pull, NO_KEY));
        pull.id = 0;
    }
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
        walk.id = 0;
    }
}

static void send_messages(void)
{
    static char text[(4 << 20) + 1];    /* no message is longer; log lines are short */
    aicc_session to;                    /* always ours here; with many characters it says which agent's wire */
    size_t len;
    while (CHECK(aicc_bridge_next_message(bridge, &to, text, sizeof text, &len)) == AICC_OK) over |= wire_write(text, len) < 0;
    while (CHECK(aicc_log_next(NULL, text, sizeof text, &len)) == AICC_OK) fprintf(stderr, "aicc: %s\n", text);
}

int main(void)
{
    aicc_bridge_options bridge_options;
    aicc_session_options session_options;
    aicc_str line;
    signal(SIGPIPE, SIG_IGN);
    aicc_bridge_options_init(&bridge_options, sizeof bridge_options);
    bridge_options.name = aicc_s("night watch");
    bridge_options.kind = AICC_WORLD_2D;
    CHECK(aicc_bridge_create(&bridge_options, &bridge, &fault));
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) register_tool(&tools[i]);
    define_event(&heard, AICC_TOPIC_AUDIO, NULL);
    define_event(&walking, AICC_TOPIC_STATE_CHANGE, "walking");
    define_event(&thief, AICC_TOPIC_STATE_CHANGE, "thief");

    aicc_session_options_init(&session_options, sizeof session_options);
    session_options.name = aicc_s("guard");
    session_options.topics = AICC_TOPIC_AUDIO | AICC_TOPIC_STATE_CHANGE;
    CHECK(aicc_session_open(bridge, &session_options, &session, &fault));
    CHECK(aicc_session_attach(session));                /* the agent is at the other end of the pipe */

    while (!over) {
        enum wire_got got = WIRE_NOTHING;
        for (int lines = 0; lines < 100 && (got = wire_read(&wire, &line.ptr, &line.len)) > WIRE_NOTHING; lines++) { /* a flood waits */
            if (got == WIRE_LINE) {
                aicc_status status = aicc_session_receive(session, line);
                if (status == AICC_E_FULL) break;       /* the same line again, after this frame */
                if (status != AICC_E_STATE) CHECK(status);  /* E_STATE: the agent has left already */
                wire_drop(&wire);
            } else if (got == WIRE_CUT) CHECK(aicc_session_detach(session));    /* calls go on, results are kept: it may come back */
            else CHECK(aicc_session_attach(session));
        }
        over |= got == WIRE_CLOSED;
        CHECK(aicc_bridge_pump(bridge, NULL, on_item, NULL));   /* NULL: a frame like any other; aicc_frame can say "paused" */
        tell_agent(watch_step(1 / 60.0));               /* here your game does its work, and draws */
        send_messages();
        frame_wait();
    }
    CHECK(aicc_bridge_close(bridge));                   /* fails what is open, says good-bye */
    CHECK(aicc_bridge_flush(bridge, 1000));
    send_messages();
    CHECK(aicc_bridge_destroy(bridge));
    return 0;
}
