/* first.c: a character with one tool. Messages come in on stdin and go out on stdout, one a line. */
#include <aicc.h>
#include <stdio.h>

static double y;                            /* the whole game: how high the hero is */

static aicc_status AICC_CALL jump(const aicc_request *request, void *user_data)
{
    char text[64];
    aicc_writer out;
    aicc_str output;
    (void)user_data;
    aicc_value_number(&request->input, aicc_s("height"), &y);   /* is there and in range: the schema has seen to it */
    aicc_write_begin(&out, text, sizeof text);
    aicc_write_object(&out, aicc_s(NULL));
    aicc_write_number(&out, aicc_s("y"), y, 2);
    aicc_write_end(&out);
    aicc_write_done(&out, &output);
    return aicc_call_succeed(request->call, output);
}

int main(void)
{
    static char line[1 << 20];
    aicc_bridge_options world;
    aicc_tool_options tool;
    aicc_session_options hero;
    aicc_bridge bridge;
    aicc_tool handle;
    aicc_session session, to;
    aicc_error error;
    size_t len;

    aicc_bridge_options_init(&world, sizeof world);
    world.name = aicc_s("first steps");
    world.seed = 1;                         /* the same ids in each run, so that a file can know them. Not for players */
    aicc_tool_options_init(&tool, sizeof tool);
    tool.cls = AICC_ACTUATOR;
    tool.id = aicc_s("jump");
    tool.description = aicc_s("Jumps up, at most 2 metres.");
    tool.input_schema = aicc_s("{\"type\":\"object\",\"required\":[\"height\"],"
                               "\"properties\":{\"height\":{\"type\":\"number\",\"minimum\":0,\"maximum\":2}}}");
    tool.fn = jump;
    aicc_session_options_init(&hero, sizeof hero);
    hero.topics = 0;                        /* its agent gets no events: there are none yet */
    if (aicc_bridge_create(&world, &bridge, &error) || aicc_tool_register(bridge, &tool, &handle, &error)
        || aicc_session_open(bridge, &hero, &session, &error) || aicc_session_attach(session)) {
        fprintf(stderr, "%s%s: %s\n", error.field, error.pointer, error.message);
        return 1;
    }
    do {                                    /* a frame; this game waits for its lines and for the core, yours need not */
        aicc_bridge_flush(bridge, 1000);
        aicc_bridge_pump(bridge, NULL, NULL, NULL);     /* here jump is called */
        aicc_bridge_flush(bridge, 1000);
        while (aicc_bridge_next_message(bridge, &to, line, sizeof line, &len) == AICC_OK) puts(line);
        fflush(stdout);
    } while (fgets(line, sizeof line, stdin) && aicc_session_receive(session, aicc_s(line)) == AICC_OK);
    return aicc_bridge_destroy(bridge);
}
