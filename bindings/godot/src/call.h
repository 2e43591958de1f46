// call.h: one call in flight, and how a tool's callable is run for it.
#pragma once

#include "world.h"

class AiccCall : public gd::Instance {
public:
    aicc_call handle{ 0 };
    std::shared_ptr<World> world;
    uint64_t character_id = 0;
    std::string call_id, tool;
    gd::Dictionary arguments;
    int64_t frame = 0;

    ~AiccCall() override;
    std::string id_text() const { return call_id; }
    std::string tool_id() const { return tool; }
    gd::Dictionary input() const { return arguments; }
    int64_t tick() const { return frame; }
    gd::Reference character() const { return gd::Reference(gd::Variant(gd::from_id(character_id))); }
    int64_t succeed(const gd::Dictionary &output);
    int64_t fail(int64_t code, const std::string &message, bool retryable);
    int64_t extend(double timeout);
    bool is_alive() const { return state == OPEN && aicc_call_alive(handle); }
    int64_t emit_event(int64_t topic, const gd::Dictionary &payload);

    bool is_open() const { return state == OPEN; }
    void end(int reason);                // without the game
    void drop(const char *message);      // nobody will answer; says nothing to scripts now
    std::string who() const;
    static void bind();
private:
    enum { OPEN, ANSWERED, ENDED };
    std::atomic<int> state{ OPEN };
    bool answer(aicc_status status, bool ok);
    int64_t answered_before() const;
};
GD_CLASS_DECLARE(AiccCall)

// Runs the callable with the call's input, now; the call is answered by what it returns, now or later.
void run_tool(const Binding &binding, const gd::Variant &call);
