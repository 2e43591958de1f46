// world.h: what outlives its nodes. A World is a running bridge, a Seat is a character's place in one; nodes may be freed while a frame goes on.
#pragma once

#include "tool.h"

#include <atomic>
#include <mutex>

enum Error { OK = 0, FAILED = 1, UNAVAILABLE = 2, UNCONFIGURED = 3, OUT_OF_MEMORY = 6, ALREADY_IN_USE = 22, CANT_CREATE = 20, TIMEOUT = 24, INVALID_DATA = 30, INVALID_PARAMETER = 31,
             ALREADY_EXISTS = 32, DOES_NOT_EXIST = 33, BUSY = 44 };

class World;

constexpr char shared_set_name[] = "aicc shared";

// A character's place, shared with its events so that they need not ask the node.
struct Seat {
    std::atomic<uint64_t> session{ 0 };  // 0: none
    std::mutex lock;
    std::shared_ptr<World> world;        // under lock
    std::shared_ptr<World> in() { std::lock_guard<std::mutex> hold(lock); return world; }
    aicc_session handle() const { return aicc_session{ session.load(std::memory_order_acquire) }; }
};

// A set of tools that all characters with the same tools share.
struct SharedSet {
    aicc_toolset set{ 0 };
    int users = 0;
    std::map<std::string, aicc_tool> tools;
};

struct EventKind {
    int32_t topic, delivery, min_interval_ms;
    uint64_t layout;
    std::string kind;
    bool operator<(const EventKind &o) const
    {
        return std::tie(topic, delivery, min_interval_ms, layout, kind) < std::tie(o.topic, o.delivery, o.min_interval_ms, o.layout, o.kind);
    }
};

class World : public std::enable_shared_from_this<World> {
public:
    aicc_bridge handle{ 0 };
    uint64_t node = 0;                   // the AiccBridge
    std::string name;
    std::atomic<bool> running{ true };
    bool pumping = false, lockstep = false, take_messages = false;
    int log_level = 3;
    int64_t now_ns = 0, budget_usec = 0;
    std::string listener;                // key of the shared one, or ""
    std::map<std::string, SharedSet> sets;
    std::map<std::string, Binding> bindings; // of the bridge's own tools
    std::map<std::string, aicc_tool> tools;
    std::map<uint64_t, uint64_t> characters; // node of each session
    std::map<uint64_t, uint64_t> sessions_closed; // node of each that still may have messages
    std::vector<std::string> left;       // names of characters that are gone

    // Finds or defines a kind of event; any thread. 0 with a pushed error.
    aicc_event event(const EventKind &kind);
    Error emit_json(int topic, int delivery, aicc_session to, const gd::Variant &payload, const std::string &who);

    void add_call(uint64_t call, uint64_t object);
    void remove_call(uint64_t call);
    std::vector<uint64_t> calls();       // objects of those in flight

    void pump(double delta, bool paused, uint64_t frame);
    void close(const std::string &reason);
    void drain_messages();
    gd::Variant next_message();
private:
    std::mutex lock;
    std::map<EventKind, aicc_event> events;
    std::map<uint64_t, uint64_t> open;   // object of each call
    std::string buffer;                  // for messages

    void item(const aicc_item &item);
    void call(const aicc_item &item);
    void call_ended(const aicc_item &item);
    void agent(const aicc_item &item);
};

// Errors as Godot has them, from the library's. OK for outcomes.
Error error_of(aicc_status status);
// "input_schema/properties/x: what is wrong"
std::string told(const aicc_error &error);
void pull_log(int level, uint64_t bridge_node);
bool topic_is_one(int64_t topic);

// What waits to be settled by a pump: characters that are new, changed or gone.
void unsettle(uint64_t character);
std::vector<uint64_t> take_unsettled();
// The bridges that run, by node.
std::vector<uint64_t> &running_bridges();
void world_unload();
