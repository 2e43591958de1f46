/* guard.c: a night watchman whose character is played by an agent over aicc/0.1. A whole game in one file; read it from top to bottom.
 *
 * The guard stands at the gate of a walled yard. It is dark, and his lantern is out. Somewhere glass breaks.
 * Messages go over stdin and stdout, one a line (host.h). What the guard does is told on stderr.
 * Watch:  ./build.sh demo
 * Build:  gcc -Iinclude examples/c/guard.c examples/c/host.c -Lbuild/lib -laicc -lm -Wl,-rpath,$PWD/build/lib -o guard
 */
#include "aicc.h"
#include "host.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON(...)  #__VA_ARGS__         /* lets JSON stand in C as it is */
#define COUNT(a)   (sizeof (a) / sizeof (a)[0])
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

/* ---- The world */
static const struct place { const char *name; double x, y; } places[] = {       /* in metres */
    { "gate", 4, 9 }, { "yard", 17, 6 }, { "tower", 5, 2 }, { "store", 31, 2 }, { "well", 28, 9 },
}, *const store = &places[3];
enum { LIGHT = 8, VOICE = 12 };         /* metres that his lantern and his voice reach */

static struct {
    double now, noise;                  /* seconds: since the start; when the glass breaks (0: nobody is there to hear it) */
    double x, y;                        /* where the guard is */
    int    lit, over;                   /* his lantern; the game */
    enum { AWAY, STEALING, CAUGHT } thief;
    struct { aicc_call call; const struct place *to; double speed, report; } walk;  /* call.id 0: he stands still */
    struct { aicc_call call; double done; } bell;
} world = { .x = 4, .y = 9 };

static struct wire  wire;
static aicc_bridge  bridge;
static aicc_session session;
static aicc_event   heard, walking, thief;

static double metres_to(const struct place *p) { return hypot(p->x - world.x, p->y - world.y); }

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
    tell("looks around %s", world.lit ? "by the light of his lantern" : "in the dark");
    aicc_write_begin(&out, text, sizeof text);
    aicc_write_object(&out, NO_KEY);
    write_point(&out, "at", world.x, world.y);
    aicc_write_integer(&out, aicc_s("light"), world.lit ? LIGHT : 0);
    aicc_write_array(&out, aicc_s("sees"));
    if (world.thief && world.lit && metres_to(store) < LIGHT) aicc_write_string(&out, NO_KEY, aicc_s("a thief with a sack"));
    aicc_write_end(&out);
    aicc_write_object(&out, aicc_s("map"));
    for (size_t i = 0; i < COUNT(places); i++) write_point(&out, places[i].name, places[i].x, places[i].y);
    aicc_write_end(&out);
    CHECK(aicc_call_succeed(request->call, written(&out)));
    return AICC_OK;
}

static aicc_status AICC_CALL listen(const aicc_request *request, void *user_data)
{
    (void)user_data;
    tell("listens");
    CHECK(aicc_call_succeed(request->call, aicc_s(world.thief == STEALING
        ? JSON({"sounds":[{"what":"breaking glass","from":"store"}]}) : JSON({"sounds":[]}))));
    return AICC_OK;
}

/* ---- Three actuators */
static aicc_status AICC_CALL light_lantern(const aicc_request *request, void *user_data)
{
    (void)request, (void)user_data;
    world.lit = 1;
    tell("strikes a match and lights his lantern");
    return AICC_OK;                     /* not answered, so `{}` is the answer */
}

/* Takes seconds: pending now, and move() answers when he is there. The input has passed its schema, so nothing is checked twice. */
static aicc_status AICC_CALL walk_to(const aicc_request *request, void *user_data)
{
    aicc_str name;
    (void)user_data;
    CHECK(aicc_value_string(&request->input, aicc_s("place"), &name));
    CHECK(aicc_value_number(&request->input, aicc_s("speed"), &world.walk.speed));  /* not sent: the schema's default is there */
    for (size_t i = 0; i < COUNT(places); i++) if (!strncmp(places[i].name, name.ptr, name.len)) world.walk.to = &places[i];
    world.walk.call = request->call;
    world.walk.report = world.now + 0.5;
    CHECK(aicc_call_set_user_data(request->call, &world.walk.call));   /* comes back if the call ends without us: see on_item */
    tell("sets out for the %s at %.1f m/s", world.walk.to->name, world.walk.speed);
    return AICC_PENDING;
}

/* The rope is stiff and wants two seconds; the tool has 0.8. The bridge keeps that time, nobody here does. */
static aicc_status AICC_CALL ring_bell(const aicc_request *request, void *user_data)
{
    (void)user_data;
    world.bell.call = request->call;
    world.bell.done = world.now + 2;
    CHECK(aicc_call_set_user_data(request->call, &world.bell.call));
    tell("hangs on the bell rope");
    return AICC_PENDING;
}

/* ---- One generator */
static aicc_status AICC_CALL say(const aicc_request *request, void *user_data)
{
    int hears = world.thief && metres_to(store) < VOICE, first = world.thief == STEALING;
    aicc_str words;
    (void)user_data;
    CHECK(aicc_value_string(&request->input, aicc_s("text"), &words));
    tell("says: %.*s", (int)words.len, words.ptr);
    CHECK(aicc_call_succeed(request->call, aicc_s(hears ? JSON({"heard_by":["thief"]}) : JSON({"heard_by":[]}))));
    if (!hears) return AICC_OK;
    world.thief = first ? CAUGHT : AWAY;
    CHECK(aicc_event_json(thief, session, aicc_s(first ? JSON({"does":"drops the sack"}) : JSON({"does":"runs away"}))));
    return AICC_OK;
}

/* What the agent is told of them. Times and limits are the bridge's business: these functions never see a call too many. */
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
    { AICC_ACTUATOR, "ring_bell", ring_bell, 0, 1, 800, "alarm", "Rings the alarm bell. The rope is stiff.", NULL, NULL },
    { AICC_GENERATOR, "say", say, 2, 0, 0, NULL, "Speaks a line, heard 12 metres away. Two a minute: he is short of breath.",
      JSON({"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":120}}}),
      JSON({"type":"object","required":["heard_by"],"properties":{"heard_by":{"type":"array","items":{"type":"string"}}}}) },
};

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

/* ---- Each frame */
/* What pump has to say that is no call. */
static void AICC_CALL on_item(const aicc_item *item, void *user_data)
{
    (void)user_data;
    if (item->kind == AICC_ITEM_CALL_ENDED) {           /* out of time, or the agent left: stop working on it */
        tell("%s", item->call_user == &world.walk.call ? "stops where he is" : "lets go of the rope");
        ((aicc_call *)item->call_user)->id = 0;
    } else if (item->kind == AICC_ITEM_AGENT) {
        if (item->reason == AICC_AGENT_CONNECTED) world.noise = world.now + 1.5;
        else world.over = 1;                            /* one pipe, one agent */
    }
}

static void move(double seconds)
{
    double left, step = world.walk.speed * seconds;
    char text[128];
    aicc_writer out;
    world.now += seconds;
    if (world.noise > 0 && world.now >= world.noise) {
        world.noise = 0;
        world.thief = STEALING;
        CHECK(aicc_event_json(heard, session, aicc_s(JSON({"sound":"breaking glass"}))));
    }
    if (world.bell.call.id && world.now >= world.bell.done) {
        CHECK(aicc_call_succeed(world.bell.call, NO_KEY));
        world.bell.call.id = 0;
    }
    if (!world.walk.call.id) return;
    left = metres_to(world.walk.to);
    aicc_write_begin(&out, text, sizeof text);
    aicc_write_object(&out, NO_KEY);
    if (step < left) {
        world.x += (world.walk.to->x - world.x) * step / left;
        world.y += (world.walk.to->y - world.y) * step / left;
        if (world.now < world.walk.report) return;
        world.walk.report += 0.5;
        write_point(&out, "at", world.x, world.y);
        CHECK(aicc_event_reply_json(walking, world.walk.call, written(&out)));  /* caused by the call: always before its result */
        return;
    }
    world.x = world.walk.to->x, world.y = world.walk.to->y;
    tell("is at the %s", world.walk.to->name);
    aicc_write_string(&out, aicc_s("place"), aicc_s(world.walk.to->name));
    CHECK(aicc_call_succeed(world.walk.call, written(&out)));   /* AICC_GONE, its time was over meanwhile, is no mistake */
    world.walk.call.id = 0;
}

static void send_messages(void)
{
    static char text[(4 << 20) + 1];    /* no message is longer; log lines are short */
    aicc_session to;                    /* always ours here; with many characters it says which agent's wire */
    size_t len;
    while (CHECK(aicc_bridge_next_message(bridge, &to, text, sizeof text, &len)) == AICC_OK) world.over |= wire_write(text, len) < 0;
    while (CHECK(aicc_log_next(NULL, text, sizeof text, &len)) == AICC_OK) fprintf(stderr, "aicc: %s\n", text);
}

int main(void)
{
    aicc_bridge_options bridge_options;
    aicc_session_options session_options;
    aicc_str held = aicc_s("alarm"), line;

    signal(SIGPIPE, SIG_IGN);
    aicc_bridge_options_init(&bridge_options, sizeof bridge_options);
    bridge_options.name = aicc_s("night watch");
    bridge_options.kind = AICC_WORLD_2D;
    CHECK(aicc_bridge_create(&bridge_options, &bridge, &fault));
    for (size_t i = 0; i < COUNT(tools); i++) register_tool(&tools[i]);
    define_event(&heard, AICC_TOPIC_AUDIO, NULL);
    define_event(&walking, AICC_TOPIC_STATE_CHANGE, "walking");
    define_event(&thief, AICC_TOPIC_STATE_CHANGE, "thief");

    aicc_session_options_init(&session_options, sizeof session_options);
    session_options.name = aicc_s("guard");
    session_options.topics = AICC_TOPIC_AUDIO | AICC_TOPIC_STATE_CHANGE;
    session_options.capabilities = &held;
    session_options.capabilities_count = 1;
    CHECK(aicc_session_open(bridge, &session_options, &session, &fault));
    CHECK(aicc_session_attach(session));                /* the agent is at the other end of the pipe */

    while (!world.over) {
        int got = 0, lines = 0;
        while (lines++ < 100 && (got = wire_read(&wire, &line.ptr, &line.len)) > 0) {   /* a flood must not stretch the frame */
            aicc_status status = aicc_session_receive(session, line);
            if (status == AICC_E_FULL) break;           /* the same line again, after this frame */
            if (status != AICC_E_STATE) CHECK(status);  /* E_STATE: the agent has left already */
            wire_drop(&wire);
        }
        world.over |= got < 0;
        CHECK(aicc_bridge_pump(bridge, NULL, on_item, NULL));   /* NULL: a frame like any other; aicc_frame can say "paused" */
        move(1 / 60.0);                                 /* here your game does its work, and draws */
        send_messages();
        frame_wait();
    }
    CHECK(aicc_bridge_close(bridge));                   /* fails what is open, says good-bye */
    CHECK(aicc_bridge_flush(bridge, 1000));
    send_messages();
    CHECK(aicc_bridge_destroy(bridge));
    return 0;
}
