// RapidJSON's SchemaValidator as a peer of core/schema's tests: one JSON request a line in, one JSON answer a line out.
//   {"schema", "inputs": [text], "rounds"}  ->  {"error"} or {"verdicts": "10.."} or, with rounds, {"ns": {...}}
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace rj = rapidjson;

static double cpu_ns() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

// from_text validates while it parses, without making a document.
static bool from_text(const char *text, size_t size, rj::SchemaValidator &validator, rj::Reader &reader) {
    rj::MemoryStream in(text, size);
    validator.Reset();
    return reader.Parse(in, validator) && validator.IsValid();
}

template <typename F> static double timed(int rounds, F f) {
    f();
    double from = cpu_ns();
    for (int i = 0; i < rounds; i++) f();
    return (cpu_ns() - from) / rounds;
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        rj::Document q;
        if (q.Parse(line.data(), line.size()).HasParseError()) {
            std::puts("{\"error\":\"not JSON\"}");
            std::fflush(stdout);
            continue;
        }
        rj::SchemaDocument schema(q["schema"]);
        rj::SchemaValidator validator(schema);
        rj::Reader reader;
        const rj::Value &inputs = q["inputs"];
        int rounds = q.HasMember("rounds") ? q["rounds"].GetInt() : 0;
        if (rounds == 0) {
            std::string verdicts;
            for (auto &v : inputs.GetArray()) verdicts += from_text(v.GetString(), v.GetStringLength(), validator, reader) ? '1' : '0';
            std::printf("{\"verdicts\":\"%s\"}\n", verdicts.c_str());
        } else {
            const rj::Value &v = inputs[0u];
            int fits = 0;
            double parse = timed(rounds, [&] { fits += from_text(v.GetString(), v.GetStringLength(), validator, reader); });
            rj::Document value;
            value.Parse(v.GetString(), v.GetStringLength());
            double only = timed(rounds, [&] { validator.Reset(); fits += value.Accept(validator); });
            double compile = timed(rounds > 200 ? 200 : rounds, [&] { rj::SchemaDocument again(q["schema"]); });
            std::printf("{\"ns\":{\"parse\":%.1f,\"only\":%.1f,\"compile\":%.1f},\"fits\":%s}\n", parse, only, compile, fits ? "true" : "false");
        }
        std::fflush(stdout);
    }
    return 0;
}
