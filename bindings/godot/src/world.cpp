#include "world.h"

#include "call.h"
#include "character.h"
#include "bridge.h"

#include <algorithm>
#include <chrono>

using namespace gd;

// ------------------------------------------------------------------------------------------------ what the files share

Error error_of(aicc_status status)
{
    switch (status) {
    case AICC_OK: case AICC_EMPTY: case AICC_ABSENT: case AICC_GONE: case AICC_PENDING: case AICC_PARTIAL: return OK;
    case AICC_E_ARG: return INVALID_PARAMETER;
    case AICC_E_HANDLE: return DOES_NOT_EXIST;
    case AICC_E_STATE: return UNAVAILABLE;
    case AICC_E_FULL: return OUT_OF_MEMORY;
    case AICC_E_NAME: return ALREADY_EXISTS;
    case AICC_E_TIME: return TIMEOUT;
    case AICC_E_SCHEMA: case AICC_E_JSON: case AICC_E_TYPE: case AICC_E_RANGE: return INVALID_DATA;
    default: return FAILED;
    }
}

std::string told(const aicc_error &error)
{
    const std::string place = std::string(error.field) + error.pointer;
    const std::string message = error.message[0] ? error.message : aicc_status_name(error.status);
    return place.empty() ? message : place + ": " + message;
}

bool topic_is_one(int64_t topic) { return topic == 1 || topic == 2 || topic == 4 || topic == 8 || topic == 16; }

static std::mutex unsettled_lock;
static std::vector<uint64_t> unsettled;

void unsettle(uint64_t character)
{
    std::lock_guard<std::mutex> hold(unsettled_lock);
    if (std::find(unsettled.begin(), unsettled.end(), character) == unsettled.end())
        unsettled.push_back(character);
}

std::vector<uint64_t> take_unsettled()
{
    std::lock_guard<std::mutex> hold(unsettled_lock);
    return std::move(unsettled);
}

std::vector<uint64_t> &running_bridges()
{
    static std::vector<uint64_t> bridges;
    return bridges;
}

void world_unload()
{
    unsettled = {};
    running_bridges() = {};
}

// Whom a line of the log is about.
static std::string about(const aicc_log &line)
{
    for (uint64_t id : running_bridges()) {
        AiccBridge *bridge = cast_id<AiccBridge>(id);
        const std::shared_ptr<World> world = bridge ? bridge->running_world() : nullptr;
        if (!world || world->handle.id != line.bridge.id)
            continue;
        const auto found = world->characters.find(line.session.id);
        if (AiccCharacter *character = found != world->characters.end() ? cast_id<AiccCharacter>(found->second) : nullptr)
            return " (AiccCharacter \"" + character->shown_name() + "\")";
    }
    return "";
}

// The library's words, as Godot has them.
static std::string translated(std::string text)
{
    static const std::pair<const char *, const char *> words[] = { { "outbox_bytes allows", "512 KiB" }, { "aicc_stats counts", "AiccBridge.get_stats() counts" } };
    for (const auto &[theirs, ours] : words)
        if (const size_t at = text.find(theirs); at != std::string::npos)
            text.replace(at, std::string(theirs).size(), ours);
    return text;
}

void pull_log(int level, uint64_t node)
{
    char text[2049];
    size_t len;
    aicc_log line = {};
    line.struct_size = sizeof line;
    while (aicc_log_next(&line, text, sizeof text, &len) == AICC_OK) {
        const std::string said = translated(std::string(text, len)) + (line.session.id ? about(line) : ""), told = "aicc: " + said;
        if (told.rfind(std::string("aicc: toolset \"") + shared_set_name + '"', 0) == 0)
            continue; // that a character's own tool stands before a shared one is meant
        if (line.level >= level) {
            if (line.level >= AICC_ERROR)
                push_error(told);
            else if (line.level == AICC_WARN)
                push_warning(told);
            else
                print(told);
        }
        if (AiccBridge *bridge = cast_id<AiccBridge>(node))
            bridge->emit("log_line", { Variant(int64_t(line.level)), Variant(said) });
    }
}

// ------------------------------------------------------------------------------------------------ events

aicc_event World::event(const EventKind &kind)
{
    std::lock_guard<std::mutex> hold(lock);
    const auto found = events.find(kind);
    if (found != events.end())
        return found->second;
    aicc_event_options options;
    aicc_error error;
    aicc_event_options_init(&options, sizeof options);
    options.topic = kind.topic;
    options.delivery = kind.delivery;
    options.min_interval_ms = kind.min_interval_ms;
    options.layout.id = kind.layout;
    options.kind = aicc_sn(kind.kind.data(), kind.kind.size());
    aicc_event event = { 0 };
    if (aicc_event_define(handle, &options, &event, &error) != AICC_OK) {
        if (running)
            push_error("AiccBridge \"" + name + "\": an event cannot be defined: " + told(error));
        return aicc_event{ 0 };
    }
    events.emplace(kind, event);
    return event;
}

Error World::emit_json(int topic, int delivery, aicc_session to, const Variant &payload, const std::string &who)
{
    std::string why, text = json::text(payload, &why);
    if (text.empty()) {
        push_error(who + "the event's payload cannot be told: " + why + ". Give what it means instead, a name or a number.");
        return INVALID_DATA;
    }
    const aicc_event e = event(EventKind{ topic, delivery, 0, 0, "" });
    if (!e.id)
        return UNAVAILABLE;
    const aicc_status status = aicc_event_json(e, to, aicc_sn(text.data(), text.size()));
    if (status == AICC_E_RANGE)
        push_error(who + "the event's payload has " + std::to_string(text.size()) + " bytes, more than an event holds (64 KiB).");
    return status == AICC_E_HANDLE ? OK : error_of(status);
}

// ------------------------------------------------------------------------------------------------ calls

void World::add_call(uint64_t call, uint64_t object)
{
    std::lock_guard<std::mutex> hold(lock);
    open[call] = object;
}
void World::remove_call(uint64_t call)
{
    std::lock_guard<std::mutex> hold(lock);
    open.erase(call);
}
std::vector<uint64_t> World::calls()
{
    std::lock_guard<std::mutex> hold(lock);
    std::vector<uint64_t> list;
    for (const auto &entry : open)
        list.push_back(entry.second);
    return list;
}

void World::call(const aicc_item &item)
{
    const aicc_request &request = *item.request;
    const uint64_t node_id = reinterpret_cast<uintptr_t>(request.session_user);
    AiccCharacter *character = cast_id<AiccCharacter>(node_id);
    if (!character) {
        aicc_call_fail(request.call, AICC_CODE_TOOL_UNAVAILABLE, aicc_s("the character is gone"), 0);
        return;
    }
    const std::string id(request.tool_id.ptr, request.tool_id.len);
    const Binding *found = character->binding(id);
    if (const auto own = bindings.find(id); !found && own != bindings.end())
        found = &own->second;
    const Variant held(create_own("AiccCall"));
    AiccCall &call = *cast<AiccCall>(held.to_object());
    call.handle = request.call;
    call.world = shared_from_this();
    call.character_id = node_id;
    call.call_id.assign(request.call_id.ptr, request.call_id.len);
    call.tool = id;
    call.frame = int64_t(request.tick);
    const Variant input = json::read(request.input);
    call.arguments = Dictionary(found ? found->numbers.apply(input) : input);
    aicc_call_set_user_data(request.call, reinterpret_cast<void *>(uintptr_t(call.id())));
    add_call(request.call.id, call.id());
    if (!found) {
        call.fail(AICC_CODE_TOOL_UNAVAILABLE, "the character cannot do it now", false);
        return;
    }
    const Binding binding = *found; // a copy: callbacks may change everything
    character->emit("tool_called", { held });
    if (call.is_open())
        run_tool(binding, held);
}

void World::call_ended(const aicc_item &item)
{
    const Variant held(from_id(reinterpret_cast<uintptr_t>(item.call_user)));
    if (AiccCall *call = cast<AiccCall>(held.to_object()))
        call->end(running || item.reason != AICC_ENDED_SESSION ? item.reason : AICC_ENDED_BRIDGE); // close() ends the sessions first, to give its reason
}

void World::agent(const aicc_item &item)
{
    const uint64_t id = reinterpret_cast<uintptr_t>(item.session_user);
    AiccCharacter *character = cast_id<AiccCharacter>(id);
    if (!character)
        return;
    static const char *const signals[] = { nullptr, "agent_connected", "agent_disconnected", "agent_resumed", "agent_gone" };
    if (item.reason < 1 || item.reason > 4)
        return;
    character->emit(signals[item.reason]);
    if (AiccBridge *bridge = cast_id<AiccBridge>(node); bridge && item.reason != AICC_AGENT_GONE && cast_id<AiccCharacter>(id))
        bridge->emit(item.reason == AICC_AGENT_DETACHED ? "agent_disconnected" : "agent_connected", { Variant(from_id(id)) });
}

// ------------------------------------------------------------------------------------------------ a frame

void World::item(const aicc_item &item)
{
    switch (item.kind) {
    case AICC_ITEM_CALL: call(item); break;
    case AICC_ITEM_CALL_ENDED: call_ended(item); break;
    case AICC_ITEM_AGENT: agent(item); break;
    case AICC_ITEM_SESSION_CLOSED: sessions_closed.erase(item.session.id); break;
    case AICC_ITEM_FAULT:
        if (log_level > AICC_ERROR) // else the log says it
            push_error("AiccBridge \"" + name + "\": " + std::string(item.text.ptr, item.text.len));
        break;
    case AICC_ITEM_AGENT_MESSAGE:
        if (AiccCharacter *character = cast_id<AiccCharacter>(reinterpret_cast<uintptr_t>(item.session_user))) {
            Variant payload;
            if (json::parse(std::string_view(item.text.ptr, item.text.len), &payload, nullptr))
                character->emit("agent_message", { payload });
        }
        break;
    default: break;
    }
}

void World::pump(double delta, bool paused, uint64_t tick)
{
    if (pumping || !running)
        return;
    const std::shared_ptr<World> self = shared_from_this(); // its nodes may go while it pumps
    pumping = true;
    now_ns += int64_t(delta * 1e9);
    settle(self);
    aicc_frame frame = {};
    frame.struct_size = sizeof frame;
    frame.flags = paused ? AICC_FRAME_PAUSED : 0;
    frame.tick = tick;
    frame.now_ns = now_ns;
    aicc_bridge_frame(handle, &frame);
    const auto begun = std::chrono::steady_clock::now();
    for (;;) {
        aicc_item next = {};
        next.struct_size = sizeof next;
        if (!running || aicc_bridge_next(handle, &next) != AICC_OK)
            break;
        item(next);
        if (budget_usec > 0 && next.kind == AICC_ITEM_CALL && std::chrono::steady_clock::now() - begun >= std::chrono::microseconds(budget_usec))
            break;
    }
    if (running)
        emit_automatic(*this);
    if (running && !take_messages)
        drain_messages();
    const std::vector<std::string> names = std::move(left);
    left.clear();
    for (const std::string &character : names)
        if (AiccBridge *bridge = cast_id<AiccBridge>(node))
            bridge->emit("character_left", { Variant(character) });
    pull_log(log_level, node);
    pumping = false;
}

Variant World::next_message()
{
    aicc_session to = { 0 };
    size_t len = 0;
    if (buffer.empty())
        buffer.resize(64 << 10);
    aicc_status status = aicc_bridge_next_message(handle, &to, buffer.data(), buffer.size(), &len);
    if (status == AICC_E_SMALL) {
        buffer.resize(len + 1);
        status = aicc_bridge_next_message(handle, &to, buffer.data(), buffer.size(), &len);
    }
    Dictionary message;
    if (status != AICC_OK)
        return message;
    auto found = characters.find(to.id);
    uint64_t id = found != characters.end() ? found->second : 0;
    if (found = sessions_closed.find(to.id); !id && found != sessions_closed.end())
        id = found->second;
    message.set("character", Variant(from_id(id)));
    message.set("text", Variant(std::string_view(buffer.data(), len)));
    return message;
}

void World::drain_messages()
{
    if (!listener.empty())
        return;
    for (;;) {
        const Dictionary message(next_message());
        if (!message.size())
            return;
        if (AiccCharacter *character = cast<AiccCharacter>(message.get("character").to_object()))
            character->emit("message_ready", { message.get("text") });
    }
}

void World::close(const std::string &reason)
{
    if (!running)
        return;
    const std::shared_ptr<World> self = shared_from_this();
    running = false;
    for (const auto &entry : characters)
        aicc_session_close(aicc_session{ entry.first }, aicc_sn(reason.data(), reason.size()));
    aicc_bridge_close(handle);
    aicc_bridge_flush(handle, 500);
    for (;;) { // the ends of calls and agents; nothing is run any more
        aicc_item next = {};
        next.struct_size = sizeof next;
        if (aicc_bridge_next(handle, &next) != AICC_OK)
            break;
        if (next.kind == AICC_ITEM_CALL)
            aicc_call_fail(next.request->call, AICC_CODE_TOOL_UNAVAILABLE, aicc_s("the game has ended"), 0);
        else if (next.kind != AICC_ITEM_AGENT_MESSAGE)
            item(next);
    }
    if (!take_messages)
        drain_messages();
    for (const auto &entry : std::map<uint64_t, uint64_t>(characters))
        if (AiccCharacter *character = cast_id<AiccCharacter>(entry.second)) {
            character->unseat(false);
            unsettle(entry.second); // for a bridge that starts later
        }
    characters.clear();
    for (uint64_t id : calls()) // those whose end was not told
        if (AiccCall *call = cast_id<AiccCall>(id))
            call->end(AICC_ENDED_BRIDGE);
    aicc_bridge_destroy(handle);
    pull_log(log_level, node);
}
