// What the libraries that one would else use take for the same work: name, nanoseconds a line. The best of nine tries each, in processor time.
// The event is that of capi/bench/events.c and of core/layout's benchmark; the call is that of core/bridge's.
#include <nlohmann/json.hpp>
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {
const char *const session = "6f0c1b9e-55ab-4b07-9f5e-0d9c7f6a1234", *const message = "00000000-0000-4000-8000-000000000001";
const char *const states[] = { "idle", "patrol", "chase", "attack", "flee" };
struct guard { uint32_t id; uint16_t hp; uint8_t state; bool alert; double x, y, z, heading; uint32_t target; int16_t mood; uint8_t level; bool armed; };
volatile unsigned long sink;

double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

template <class F> void measure(const char *name, int rounds, F f)
{
    double best = 1e18;
    for (int attempt = 0; attempt < 9; attempt++) {
        const double from = now();
        for (int i = 0; i < rounds; i++) f(i);
        const double took = (now() - from) / rounds;
        if (took < best) best = took;
    }
    std::printf("%s %.3f\n", name, best);
}

void with_writer(rapidjson::StringBuffer &b, const guard &g, uint64_t tick)
{
    b.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> w(b);
    w.StartObject();
    w.Key("protocol", 8), w.String("aicc/0.1", 8), w.Key("type", 4), w.String("event", 5);
    w.Key("session_id", 10), w.String(session, 36), w.Key("message_id", 10), w.String(message, 36), w.Key("topic", 5), w.String("state_change", 12);
    w.Key("payload", 7), w.StartObject(), w.Key("kind", 4), w.String("guard", 5), w.Key("id", 2), w.Uint(g.id), w.Key("hp", 2), w.Uint(g.hp);
    w.Key("state", 5), w.String(states[g.state]), w.Key("alert", 5), w.Bool(g.alert);
    w.Key("position", 8), w.StartObject(), w.Key("x", 1), w.Double(g.x), w.Key("y", 1), w.Double(g.y), w.Key("z", 1), w.Double(g.z), w.EndObject();
    w.Key("heading", 7), w.Double(g.heading), w.Key("target", 6), w.Uint(g.target), w.Key("mood", 4), w.Int(g.mood), w.Key("level", 5), w.Uint(g.level);
    w.Key("armed", 5), w.Bool(g.armed), w.EndObject();
    w.Key("meta", 4), w.StartObject(), w.Key("tick", 4), w.Uint64(tick), w.Key("source", 6), w.String("keep", 4), w.EndObject(), w.EndObject();
    sink = sink + b.GetSize();
}

void with_snprintf(char *out, size_t cap, const guard &g, uint64_t tick)
{
    sink = sink + static_cast<unsigned long>(std::snprintf(out, cap,
        "{\"protocol\":\"aicc/0.1\",\"type\":\"event\",\"session_id\":\"%s\",\"message_id\":\"%s\",\"topic\":\"state_change\",\"payload\":{\"kind\":\"guard\",\"id\":%u,"
        "\"hp\":%u,\"state\":\"%s\",\"alert\":%s,\"position\":{\"x\":%.9g,\"y\":%.9g,\"z\":%.9g},\"heading\":%.9g,\"target\":%u,\"mood\":%d,\"level\":%u,\"armed\":%s},"
        "\"meta\":{\"tick\":%llu,\"source\":\"keep\"}}", session, message, g.id, g.hp, states[g.state], g.alert ? "true" : "false", g.x, g.y, g.z, g.heading, g.target,
        g.mood, g.level, g.armed ? "true" : "false", static_cast<unsigned long long>(tick)));
}

void with_nlohmann(const guard &g, uint64_t tick)
{
    const nlohmann::json j = { { "protocol", "aicc/0.1" }, { "type", "event" }, { "session_id", session }, { "message_id", message }, { "topic", "state_change" },
        { "payload", { { "kind", "guard" }, { "id", g.id }, { "hp", g.hp }, { "state", states[g.state] }, { "alert", g.alert },
            { "position", { { "x", g.x }, { "y", g.y }, { "z", g.z } } }, { "heading", g.heading }, { "target", g.target }, { "mood", g.mood }, { "level", g.level },
            { "armed", g.armed } } }, { "meta", { { "tick", tick }, { "source", "keep" } } } };
    sink = sink + j.dump().size();
}

// A tool call from its text to the text of its result: parsed, the input validated, read, the output validated, the result written.
class tool {
public:
    tool() : in_(schema(in_text, in_doc_)), out_(schema(out_text, out_doc_)) {}
    void call(rapidjson::StringBuffer &b)
    {
        rapidjson::Document d;
        d.Parse(call_text);
        if (d.HasParseError()) std::abort();
        rapidjson::SchemaValidator v(in_);
        if (!d["input"].Accept(v)) std::abort();
        sink = sink + static_cast<unsigned long>(d["input"]["x"].GetDouble());
        rapidjson::Document o;
        o.Parse("{\"at\":12.5}");
        rapidjson::SchemaValidator ov(out_);
        if (!o.Accept(ov)) std::abort();
        b.Clear();
        rapidjson::Writer<rapidjson::StringBuffer> w(b);
        w.StartObject(), w.Key("protocol"), w.String("aicc/0.1"), w.Key("type"), w.String("tool_result"), w.Key("session_id"), w.String(session, 36);
        w.Key("message_id"), w.String(message, 36), w.Key("call_id"), w.String(d["call_id"].GetString(), d["call_id"].GetStringLength());
        w.Key("ok"), w.Bool(true), w.Key("output"), o.Accept(w);
        w.Key("meta"), w.StartObject(), w.Key("tick"), w.Uint(0), w.Key("latency_ms"), w.Uint(0), w.Key("source"), w.String("yard"), w.EndObject(), w.EndObject();
        sink = sink + b.GetSize();
    }

private:
    static rapidjson::SchemaDocument schema(const char *text, rapidjson::Document &d) { d.Parse(text); return rapidjson::SchemaDocument(d); }
    static constexpr const char *in_text = R"({"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"run":{"type":"boolean"}},"required":["x","y"]})";
    static constexpr const char *out_text = R"({"type":"object","properties":{"at":{"type":"number"}}})";
    static constexpr const char *call_text = R"({"protocol":"aicc/0.1","type":"tool_call","session_id":"6f0c1b9e-55ab-4b07-9f5e-0d9c7f6a1234","message_id":)"
        R"("00000000-0000-4000-8000-000000000001","call_id":"c00000000","tool":"walk","input":{"x":12.5,"y":-3,"run":true}})";
    rapidjson::Document in_doc_, out_doc_;
    rapidjson::SchemaDocument in_, out_;
};
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 100000;
    const guard g = { 4711, 87, 3, true, 12.5, -3.25, 118.125, 1.571, 1042, -7, 12, false };
    rapidjson::StringBuffer b;
    char text[1024];
    tool t;
    measure("rapidjson_event", rounds, [&](int i) { with_writer(b, g, 123456 + static_cast<uint64_t>(i & 1)); });
    measure("snprintf_event", rounds, [&](int i) { with_snprintf(text, sizeof text, g, 123456 + static_cast<uint64_t>(i & 1)); });
    measure("nlohmann_event", rounds / 10, [&](int i) { with_nlohmann(g, 123456 + static_cast<uint64_t>(i & 1)); });
    measure("rapidjson_call", rounds / 2, [&](int) { t.call(b); });
    return 0;
}
