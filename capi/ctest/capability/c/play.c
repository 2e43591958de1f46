/* play.c DOCUMENTS PUBLISHED: a world whose tools are those that the documents describe, played over stdin and stdout, one message a line. Their
 * answers are canned. What the world publishes in turn goes to a file. */
#include "../../host/c/t.h"

static char text[2 << 20], published[1 << 20], line[1 << 20];

static aicc_status AICC_CALL serve(const aicc_request *request, void *user_data)
{
    static const char *const answers[][2] = {
        {"look", "{\"at\":[4,9],\"light\":8,\"sees\":[],\"map\":{\"gate\":[4,9]}}"}, {"listen", "{\"sounds\":[]}"}, {"say", "{\"heard_by\":[\"thief\"]}"},
    };
    (void)user_data;
    fprintf(stderr, "%.*s\n", (int)request->tool_id.len, request->tool_id.ptr);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (strlen(answers[i][0]) == request->tool_id.len && memcmp(answers[i][0], request->tool_id.ptr, request->tool_id.len) == 0)
            return aicc_call_succeed(request->call, aicc_s(answers[i][1]));
    return AICC_OK;
}

static void send_all(aicc_bridge b)
{
    aicc_session to;
    size_t len;
    STATUS(AICC_OK, aicc_bridge_flush(b, 20000));
    while (aicc_bridge_next_message(b, &to, text, sizeof text, &len) == AICC_OK)
        puts(text);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    aicc_session_options so;
    aicc_session session;
    aicc_import_options o;
    aicc_tool_options t;
    aicc_tool tool;
    aicc_error e;
    aicc_str held = aicc_s("alarm");
    aicc_bridge b = t_bridge("another yard");
    size_t len;
    FILE *f;
    MUST(argc == 3);
    MUST((f = fopen(argv[1], "rb")) != NULL);
    len = fread(text, 1, sizeof text, f);
    fclose(f);
    aicc_tool_options_init(&t, sizeof t);
    t.fn = serve;
    aicc_import_options_init(&o, sizeof o);
    o.tool = &t;
    for (;; o.index++) {
        aicc_status status = aicc_tool_register_capability(b, aicc_sn(text, len), &o, &tool, &e);
        if (status == AICC_EMPTY)
            break;
        if (status != AICC_OK) { fprintf(stderr, "document %d: %s %s\n", (int)o.index, e.pointer, e.message); return 1; }
    }
    STATUS(AICC_OK, aicc_bridge_capabilities(b, NULL, published, sizeof published, &len, &e));
    MUST((f = fopen(argv[2], "wb")) != NULL);
    MUST(fwrite(published, 1, len, f) == len);
    fclose(f);
    aicc_session_options_init(&so, sizeof so);
    so.topics = 0;
    so.capabilities = &held;
    so.capabilities_count = 1;
    STATUS(AICC_OK, aicc_session_open(b, &so, &session, NULL));
    STATUS(AICC_OK, aicc_session_attach(session));
    do {
        STATUS(AICC_OK, aicc_bridge_flush(b, 20000));
        STATUS(AICC_OK, aicc_bridge_pump(b, NULL, NULL, NULL));
        send_all(b);
    } while (fgets(line, sizeof line, stdin) && aicc_session_receive(session, aicc_s(line)) == AICC_OK);
    STATUS(AICC_OK, aicc_bridge_destroy(b));
    return t_failed != 0;
}
