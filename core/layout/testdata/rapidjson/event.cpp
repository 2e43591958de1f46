// Writes the event of guard_test.go as one message with RapidJSON, into a buffer that is used again, and says how long that takes.
// Usage: event SESSION_ID MESSAGE_ID ROUNDS. It prints the message, then the least processor time of one, in nanoseconds, of nine tries.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct guard {
    uint32_t id;
    uint16_t hp;
    uint8_t state, alert;
    double x, y, z, heading;        // doubles: RapidJSON would write a float's digits as those of a double
    uint32_t target;
    int16_t mood;
    uint8_t level, armed;
};

static const char *const states[] = { "idle", "patrol", "chase", "attack", "flee" };

static void write(rapidjson::StringBuffer &buffer, const char *session, const char *message, const guard &g, uint64_t tick)
{
    buffer.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
    w.StartObject();
    w.Key("protocol", 8), w.String("aicc/0.1", 8);
    w.Key("type", 4), w.String("event", 5);
    w.Key("session_id", 10), w.String(session, 36);
    w.Key("message_id", 10), w.String(message, 36);
    w.Key("topic", 5), w.String("state_change", 12);
    w.Key("payload", 7), w.StartObject();
    w.Key("kind", 4), w.String("guard", 5);
    w.Key("id", 2), w.Uint(g.id);
    w.Key("hp", 2), w.Uint(g.hp);
    w.Key("state", 5), w.String(states[g.state]);
    w.Key("alert", 5), w.Bool(g.alert != 0);
    w.Key("position", 8), w.StartObject();
    w.Key("x", 1), w.Double(g.x);
    w.Key("y", 1), w.Double(g.y);
    w.Key("z", 1), w.Double(g.z);
    w.EndObject();
    w.Key("heading", 7), w.Double(g.heading);
    w.Key("target", 6), w.Uint(g.target);
    w.Key("mood", 4), w.Int(g.mood);
    w.Key("level", 5), w.Uint(g.level);
    w.Key("armed", 5), w.Bool(g.armed != 0);
    w.EndObject();
    w.Key("meta", 4), w.StartObject();
    w.Key("tick", 4), w.Uint64(tick);
    w.Key("source", 6), w.String("keep", 4);
    w.EndObject();
    w.EndObject();
}

static double processor_ns()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    long rounds = std::atol(argv[3]);
    guard g = { 4711, 87, 3, 1, 12.5, -3.25, 118.125, 1.571, 1042, -7, 12, 0 };
    rapidjson::StringBuffer buffer;
    write(buffer, argv[1], argv[2], g, 123456);
    std::puts(buffer.GetString());
    double least = 0;
    size_t bytes = 0;
    for (int attempt = 0; attempt < 9; attempt++) {
        double from = processor_ns();
        for (long i = 0; i < rounds; i++) {
            write(buffer, argv[1], argv[2], g, 123456 + uint64_t(i & 1));
            bytes += buffer.GetSize();
        }
        double one = (processor_ns() - from) / double(rounds);
        if (attempt == 0 || one < least) least = one;
    }
    std::printf("%.2f\n", least);
    return bytes == 0;
}
