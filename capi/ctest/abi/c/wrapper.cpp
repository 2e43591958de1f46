/* wrapper: aicc.hpp against the library, with an agent that is a few lines of text. */
#include <cstdio>
#include <cstring>
#include <thread>
#include <tuple>

#include "aicc.hpp"

static int failed;
#define CHECK(is) do { if (!(is)) { std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #is); failed++; } } while (0)

template <class F> static aicc_status thrown(F f)
{
    try {
        f();
    } catch (const aicc::error &e) {
        CHECK(std::strstr(e.what(), aicc_status_name(e.status)) == e.what());
        return e.status;
    }
    return AICC_OK;
}

/* What the agent of one session hears and says. */
struct agent {
    aicc::bridge &bridge;
    aicc::session session;
    std::string id, heard;
    int calls = 0;

    agent(aicc::bridge &b, aicc::session s) : bridge(b), session(s)
    {
        session.attach();
        CHECK(hears("\"session_init\""));
        const std::size_t at = heard.find("\"session_id\":\"");
        id = heard.substr(at + 14, 36);
    }
    bool hears(const char *needle)
    {
        aicc::session to;
        bridge.flush();
        while (bridge.next_message(to, heard))
            if (to == session && heard.find(needle) != std::string::npos) return true;
        heard.clear();
        return false;
    }
    std::string send(const char *tool, const std::string &input)
    {
        const std::string call = "call " + std::to_string(++calls);
        char message_id[37];
        std::snprintf(message_id, sizeof message_id, "00000000-0000-4000-8000-%012d", calls);
        session.receive(std::string(aicc::json().object().string("protocol", "aicc/0.1").string("type", "tool_call").string("session_id", id)
            .string("message_id", message_id).string("call_id", call).string("tool", tool).raw("input", input).end().text()));
        return call;
    }
    /* The result's message, once the frame has run. */
    std::string ask(const char *tool, const std::string &input, const aicc::bridge::item_function &other = {})
    {
        const std::string call = send(tool, input);
        bridge.flush();
        bridge.pump(other);
        CHECK(hears(("\"" + call + "\"").c_str()));
        return heard;
    }
};

static bool has(const std::string &text, const char *part)
{
    if (text.find(part) != std::string::npos) return true;
    std::fprintf(stderr, "%s\n  is not in %s\n", part, text.c_str());
    return false;
}

static aicc::tool_options options(const char *id, const char *schema = "")
{
    aicc::tool_options o;
    o.cls = AICC_ACTUATOR;
    o.id = id;
    o.description = "A tool of the test.";
    o.input_schema = schema;
    return o;
}

static void writing()
{
    aicc::json a;
    a.object().number("n", 1.25).number("p", 3.14159, 2).integer("i", -7).boolean("b", true).string("s", "x\n").null("z").raw("r", "[1]");
    a.array("l").number(1).integer(2).boolean(false).string("").null().object().end().raw("{}").end().end();
    const char *want = R"({"n":1.25,"p":3.14,"i":-7,"b":true,"s":"x\n","z":null,"r":[1],"l":[1,2,false,"",null,{},{}]})";
    CHECK(a.text() == want && a.text() == want);
    aicc::json moved = std::move(a);
    CHECK(moved.text() == want);
    const aicc::json copied = moved;
    CHECK(aicc::json(copied).text() == want);

    /* It grows, and what was written stays. */
    aicc::json big;
    std::string expected = "[";
    big.array();
    for (int i = 0; i < 3000; i++) {
        const std::string piece(static_cast<std::size_t>(i % 300), 'x');
        big.string(piece);
        expected += (i ? ",\"" : "\"") + piece + "\"";
    }
    CHECK(big.end().text() == expected + "]");
    CHECK(thrown([] { aicc::json().object().text(); }) == AICC_E_STATE);
    CHECK(thrown([] { aicc::json().object().number(1).end().text(); }) == AICC_E_NAME);
}

static void reading(const aicc::value &v)
{
    CHECK(v["x"].number() == 1.5 && v["x"].number_or(7) == 1.5 && v["/list/1"].integer() == 2 && v["list"][1].integer() == 2 && v["list"][0].integer() == 1);
    CHECK(v["on"].boolean() && !v["off"].boolean_or(true) && v["name"].string() == "guard" && v["text"].string_or("?").empty());
    CHECK(v["none"].number_or(7) == 7 && v["none"].integer_or(7) == 7 && v["none"].boolean_or(true) && v["none"].string_or("d") == "d");
    CHECK(v["null"].number_or(7) == 7 && v["null"].exists() && v["null"].is_null() && !v["none"].exists() && !v["none"]["deeper"][3].exists());
    CHECK(v["none"].size() == 0 && v["none"].json().empty() && v["none"].copy().empty() && v["null"].json() == "null" && v["none"].kind() == 0);
    CHECK(thrown([&] { v["name"].number_or(7); }) == AICC_E_TYPE && thrown([&] { v["x"].integer(); }) == AICC_E_TYPE);
    CHECK(thrown([&] { v["big"].integer_or(0); }) == AICC_E_RANGE && thrown([&] { v["~"]; }) == AICC_E_NAME);
    try {
        v["none"].number();
        CHECK(!"thrown");
    } catch (const aicc::error &e) {
        CHECK(e.status == AICC_ABSENT);
    }
    CHECK(v["list"].size() == 3 && v["list"].numbers() == (std::vector<double>{1, 2, 3.5}) && v["list"].json() == "[1, 2, 3.5]");
    double sum = 0;
    for (const auto &[key, element] : v["list"]) sum += key.empty() ? element.number() : 100;
    CHECK(sum == 6.5);
    std::string keys;
    for (const auto &[key, element] : v["of"]) keys += std::string(key) + std::string(element.string());
    CHECK(keys == "abcd");
    for (const auto &member : v["none"]) CHECK(member.first == "?");
    const std::vector<std::uint64_t> kept = v["of"].copy();
    CHECK(aicc::value::open(kept)["c"].string() == "d");
    std::vector<std::uint64_t> damaged = kept;
    damaged[5] ^= 1;
    CHECK(thrown([&] { aicc::value::open(damaged); }) == AICC_E_JSON);
}

static const char *const everything =
    R"({"x":1.5,"list":[1, 2, 3.5],"on":true,"off":false,"name":"guard","text":"","null":null,"big":1e30,"of":{"a":"b","c":"d"}})";

/* Ends its bridge from within a tool's function; the function must outlive that. */
static void listens()
{
    aicc::listen_options options;
    options.token = "sesame";
    options.hosts = {"game.example"}, options.origins = {"https://studio.example", "https://other.example"};
    aicc::listener port(options);
    CHECK(port.address().rfind("127.0.0.1:", 0) == 0);
    CHECK(thrown([&] { port.inspector(); }) == AICC_E_STATE);
    aicc::bridge_options world("reached");
    world.listener = port.c();
    aicc::bridge bridge(world);
    CHECK(thrown([&] { bridge.open_session("one").attach(); }) == AICC_E_STATE);
    aicc::listen_options taken(std::stoi(port.address().substr(10)));
    CHECK(thrown([&] { aicc::listener second(taken); }) == AICC_E_IO);
    aicc::listener moved = std::move(port);
    CHECK(port.c().id == 0 && !moved.address().empty());
    moved = aicc::listener();
    CHECK(!moved.address().empty());
}

static void ends_from_within()
{
    auto bridge = std::make_unique<aicc::bridge>("ends");
    auto token = std::make_shared<int>(5);
    const std::weak_ptr<int> alive = token;
    bool ran = false;
    bridge->add_tool(options("end"), [&bridge, &ran, held = std::move(token)](const aicc::request &) {
        bridge.reset();
        ran = *held == 5;
        return aicc::later;
    });
    agent a(*bridge, bridge->open_session());
    a.send("end", "{}");
    bridge->flush();
    bridge->pump();
    CHECK(ran && !bridge && alive.expired());
}

int main()
{
    writing();
    CHECK(thrown([] { aicc::bridge nameless(""); }) == AICC_E_NAME);
    aicc::bridge_options world("cpp");
    world.tick_mode = AICC_TICK_EVENT;
    aicc::bridge bridge(world);
    CHECK(aicc_bridge_valid(bridge.c()) == 1);

    int seen = 0;
    aicc::call waiting;
    auto token = std::make_shared<int>(1);
    const std::weak_ptr<int> alive = token;
    bridge.add_tool(options("read", R"({"type":"object"})"), [&](const aicc::request &r) {
        reading(r.input());
        CHECK(r.tool_id() == "read" && r.call_id() == "call 1");
        CHECK(*r.user<int>() == 42);
        seen++;
        return aicc::json().object().string("said", "ja").end();
    });
    bridge.add_tool(options("text"), [](const aicc::request &) { return std::string(R"({"a":1})"); });
    bridge.add_tool(options("nothing"), [n = 0](const aicc::request &) mutable { CHECK(++n == 1); });
    bridge.add_tool(options("self"), [](const aicc::request &r) { CHECK(r.call().fail("not today", AICC_CODE_INVALID_INPUT, true)); });
    bridge.add_tool(options("status"), [](const aicc::request &) -> aicc_status { return AICC_E_RANGE; });
    bridge.add_tool(options("throws"), [](const aicc::request &) { throw std::runtime_error("the door is \"stuck\""); });
    bridge.add_tool(options("odd"), [](const aicc::request &) { throw 5; });
    bridge.add_tool(options("broken"), [](const aicc::request &) { return aicc::json().object(); });
    bridge.add_tool(options("later"), [&](const aicc::request &r) { waiting = r.call(); return aicc::later; });
    const aicc::tool gone = bridge.add_tool(options("gone"), [held = std::move(token)](const aicc::request &) { (void)*held; });
    try {
        bridge.add_tool(options("bad", R"({"type":"objekt"})"), [](const aicc::request &) {});
        CHECK(!"thrown");
    } catch (const aicc::error &e) {
        CHECK(e.status == AICC_E_SCHEMA && std::strcmp(e.details.field, "input_schema") == 0 && std::strstr(e.what(), "input_schema/type"));
    }
    CHECK(thrown([&] { bridge.add_tool(options("read"), [](const aicc::request &) {}); }) == AICC_E_NAME);

    int user = 42;
    aicc::session_options seat("guard");
    seat.capabilities = {"sneak", "fly"};
    seat.user_data = &user;
    agent a(bridge, bridge.open_session(seat));
    CHECK(a.session.has_agent() && thrown([&] { a.session.attach(); }) == AICC_E_STATE && thrown([&] { bridge.open_session("guard"); }) == AICC_E_NAME);

    aicc_frame frame{};
    frame.struct_size = sizeof frame;
    frame.tick = 99;
    int connected = 0;
    bridge.pump(frame, [&](const aicc_item &i) { connected += i.kind == AICC_ITEM_AGENT && i.reason == AICC_AGENT_CONNECTED; });
    CHECK(connected == 1);
    a.send("read", everything);
    bridge.flush();
    bridge.pump(frame);
    CHECK(a.hears("\"call 1\"") && has(a.heard, R"("output":{"said":"ja"})") && seen == 1);
    CHECK(has(a.ask("text", "{}"), R"("output":{"a":1})"));
    CHECK(has(a.ask("nothing", "{}"), R"("output":{})"));
    CHECK(has(a.ask("self", "{}"), "not today") && has(a.heard, "\"invalid_input\"") && has(a.heard, R"("retryable":true)"));
    CHECK(has(a.ask("status", "{}"), "\"execution_failed\"") && has(a.heard, "AICC_E_RANGE"));
    CHECK(has(a.ask("throws", "{}"), "\"execution_failed\"") && has(a.heard, R"(the door is \"stuck\")"));
    CHECK(has(a.ask("odd", "{}"), "\"execution_failed\"") && has(a.heard, "no std::exception"));
    CHECK(has(a.ask("broken", "{}"), "\"execution_failed\"") && has(a.heard, "AICC_E_STATE"));

    /* An answer from another thread, an event before it. */
    const aicc::event progress = bridge.define_event(aicc::event_options(AICC_TOPIC_STATE_CHANGE, "progress"));
    const std::string call = a.send("later", "{}");
    bridge.flush();
    bridge.pump();
    CHECK(waiting.alive() && progress.reply(waiting, aicc::json().object().number("part", 0.5).end()));
    CHECK(progress.send(aicc::json().object().end(), a.session) && progress.send("{}"));
    std::thread([&] { CHECK(waiting.succeed(aicc::json().object().integer("done", 1).end())); }).join();
    CHECK(a.hears("\"part\":0.5") && a.hears(("\"" + call + "\"").c_str()) && has(a.heard, R"("done":1)"));
    CHECK(!waiting.alive() && !waiting.succeed() && !waiting.fail("late"));

    /* A tool's function goes when the tool has gone. */
    gone.unregister();
    CHECK(!alive.expired());
    bridge.flush();
    int released = 0;
    try {
        bridge.pump([&](const aicc_item &i) {
            released += i.kind == AICC_ITEM_TOOL_RELEASED;
            throw std::runtime_error("from an item");
        });
        CHECK(!"thrown");
    } catch (const std::runtime_error &e) {
        CHECK(std::strcmp(e.what(), "from an item") == 0);
    }
    CHECK(released == 1 && alive.expired());

    CHECK(bridge.stats().sessions == 1 && bridge.stats().tools == 9);
    std::string line;
    while (aicc::next_log(line)) CHECK(!line.empty());
    a.session.set_paused(true);
    a.session.set_paused(false);
    a.session.detach();
    a.session.close("enough");
    CHECK(thrown([&] { a.session.close(); }) == AICC_E_HANDLE);

    const aicc_bridge old = bridge.c();
    bridge = aicc::bridge("another");
    CHECK(aicc_bridge_valid(old) == 0 && aicc_bridge_valid(bridge.c()) == 1);
    aicc::bridge last = std::move(bridge);
    CHECK(bridge.c().id == 0 && aicc_bridge_valid(last.c()) == 1);
    last.close();
    CHECK(thrown([&] { last.open_session(); }) == AICC_E_STATE);
    ends_from_within();
    listens();
    if (failed == 0) std::puts("ok");
    return failed != 0;
}
