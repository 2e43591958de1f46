#include "bridge.h"

#include "call.h"
#include "character.h"

#include <algorithm>
#include <cmath>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

enum { PREDELETE = 1, ENTER_TREE = 10, EXIT_TREE = 11 };
enum { PUMP_PROCESS = 0, PUMP_PHYSICS = 1, PUMP_MANUAL = 2 };

constexpr aicc_owner owner_number = 0x676f646f74; // "godot"

// ------------------------------------------------------------------------------------------------ listeners, which bridges share

struct Listener {
    aicc_listener handle{ 0 };
    int users = 0;
    std::string options; // all of them, to be compared
};
static std::map<std::string, Listener> listeners;

static void release_listener(const std::string &key)
{
    const auto found = listeners.find(key);
    if (found == listeners.end() || --found->second.users > 0)
        return;
    aicc_listener_close(found->second.handle);
    listeners.erase(found);
}

void listeners_unload()
{
    for (const auto &entry : listeners)
        aicc_listener_close(entry.second.handle);
    listeners = {};
    aicc_shutdown(owner_number);
}

static std::vector<aicc_str> views(const Strings &list)
{
    std::vector<aicc_str> views;
    for (const std::string &s : list)
        views.push_back(aicc_sn(s.data(), s.size()));
    return views;
}

Error AiccBridge::open_listener(aicc_listener *out, std::string *key)
{
    std::string all = listen_token + "\n" + std::to_string(second_agent) + std::to_string(inspector) + std::to_string(fixed_agents);
    for (const Strings *list : { &allowed_origins, &allowed_hosts }) {
        all += "\n";
        for (const std::string &s : *list)
            all += s + ",";
    }
    static int64_t number = 0;
    *key = listen_address + ":" + (listen_port ? std::to_string(listen_port) : "any " + std::to_string(++number));
    const auto found = listeners.find(*key);
    if (found != listeners.end()) {
        if (found->second.options != all)
            return refuse(CANT_CREATE, "another AiccBridge listens at " + *key + " with other settings: give both the same token, second_agent, inspector, fixed_agents and allowed_*, or another port.");
        found->second.users++;
        *out = found->second.handle;
        return OK;
    }
    aicc_listen_options options;
    aicc_error error;
    aicc_listen_options_init(&options, sizeof options);
    const std::vector<aicc_str> origins = views(allowed_origins), hosts = views(allowed_hosts);
    options.port = int32_t(listen_port);
    options.address = aicc_sn(listen_address.data(), listen_address.size());
    options.token = aicc_sn(listen_token.data(), listen_token.size());
    options.owner = owner_number;
    options.second_agent = int32_t(second_agent);
    options.inspector = inspector;
    options.fixed_agents = fixed_agents;
    options.origins = origins.data();
    options.origins_count = origins.size();
    options.hosts = hosts.data();
    options.hosts_count = hosts.size();
    const aicc_status status = aicc_listen(&options, out, &error);
    if (status != AICC_OK)
        return refuse(status == AICC_E_ARG ? INVALID_PARAMETER : CANT_CREATE, "it cannot listen at " + listen_address + ":" + std::to_string(listen_port) + ": " + property_told(error) +
                                                                                  (status == AICC_E_IO ? ". Set listen_port to 0 for any free port, or listen to false." : "."));
    listeners[*key] = Listener{ *out, 1, all };
    return OK;
}

// ------------------------------------------------------------------------------------------------ its life

AiccBridge::~AiccBridge()
{
    if (world)
        world->close("the game is over");
}

void AiccBridge::created()
{
    constexpr int64_t always = 3;
    self().call(name("set_process_mode"), { Variant(always) });
}

Error AiccBridge::refuse(Error error, const std::string &what) const
{
    push_error(who() + what);
    return error;
}

std::string AiccBridge::shown_name() const
{
    if (!world_name.empty())
        return world_name;
    return Variant(singleton("ProjectSettings")).call(name("get_setting"), { Variant("application/config/name"), Variant("") }).to_string();
}

static std::vector<uint64_t> &in_tree()
{
    static std::vector<uint64_t> ids;
    return ids;
}

std::vector<Object> AiccBridge::all()
{
    std::vector<Object> list;
    for (uint64_t id : in_tree())
        if (const Object object = from_id(id))
            list.push_back(object);
    return list;
}

static void collect(const Variant &node, std::vector<Object> *list)
{
    const Array children(node.call(name("get_children")));
    for (size_t i = 0, n = children.size(); i < n; i++) {
        if (cast<AiccCharacter>(children.at(i).to_object()))
            list->push_back(children.at(i).to_object());
        collect(children.at(i), list);
    }
}

std::vector<Object> AiccBridge::characters_below(Object bridge)
{
    std::vector<Object> list;
    collect(Variant(bridge), &list);
    return list;
}

void AiccBridge::notification(int what)
{
    switch (what) {
    case ENTER_TREE:
        in_tree().push_back(id());
        if (autostart && !in_editor())
            start();
        break;
    case EXIT_TREE:
        in_tree().erase(std::remove(in_tree().begin(), in_tree().end(), id()), in_tree().end());
        stop("the game is over");
        break;
    case PREDELETE: stop("the game is over"); break;
    default: break;
    }
}

void AiccBridge::changed(const char *)
{
    if (in_editor() && self().call(name("is_inside_tree")).to_bool())
        self().call(name("update_configuration_warnings"));
}

static bool is_loopback(const std::string &address) { return address.empty() || address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0; }

// What the library says of an option, said of the property that it came of.
std::string AiccBridge::property_told(const aicc_error &error) const
{
    static const std::pair<const char *, const char *> properties[] = {
        { "name", "world_name" }, { "kind", "world_kind" }, { "tick_rate_hz", "tick_rate" }, { "heartbeat_ms", "heartbeat" }, { "idle_ms", "idle_timeout" },
        { "resume_window_ms", "resume_window" }, { "seed", "random_seed" }, { "debug", "report_faults" }, { "clock", "lockstep" }, { "port", "listen_port" },
        { "address", "listen_address" }, { "token", "listen_token" }, { "hosts", "allowed_hosts" }, { "origins", "allowed_origins" }, { "listener", "listen" },
    };
    const std::string field = error.field;
    for (const auto &[theirs, ours] : properties)
        if (field == theirs)
            return std::string(ours) + ": " + (error.message[0] ? error.message : aicc_status_name(error.status));
    return told(error);
}

static void check_number(Strings *list, const char *name, int64_t value, int64_t least, int64_t most, const char *values)
{
    if (value < least || value > most)
        list->push_back(std::string(name) + " is " + std::to_string(value) + ": it is " + values + ".");
}

Strings AiccBridge::warnings()
{
    constexpr int64_t disabled = 4;
    Strings list = obstacles();
    if (pump_mode != PUMP_MANUAL && self().get("process_mode").to_int() == disabled)
        list.push_back("process_mode is Disabled: so it does not pump, and no tool is ever called. Set it to Always.");
    return list;
}

Strings AiccBridge::obstacles()
{
    Strings list;
    if (shown_name().empty())
        list.push_back("world_name is empty and the project has no name: name the world.");
    if (shown_name().size() > 256)
        list.push_back("world_name is too long: it has at most 256 bytes.");
    check_number(&list, "world_kind", world_kind, AICC_WORLD_2D, AICC_WORLD_ABSTRACT, "one of AiccBridge.WORLD_*");
    check_number(&list, "tick_mode", tick_mode, AICC_TICK_FIXED, AICC_TICK_HYBRID, "one of AiccBridge.TICK_*");
    check_number(&list, "pump_mode", pump_mode, PUMP_PROCESS, PUMP_MANUAL, "one of AiccBridge.PUMP_*");
    check_number(&list, "second_agent", second_agent, AICC_SECOND_REFUSE, AICC_SECOND_REPLACE, "one of AiccBridge.SECOND_AGENT_*");
    check_number(&list, "log_level", log_level, 1, 5, "one of AiccBridge.LOG_*");
    check_number(&list, "budget_usec", budget_usec, 0, INT64_MAX, "0 (no limit) or more");
    if (listen && std::any_of(listen_token.begin(), listen_token.end(), [](char c) { return c <= ' ' || c > '~'; }))
        list.push_back("listen_token has a blank or a letter that is not ASCII: it travels in a header, so that it has ASCII letters, digits and signs only.");
    if (listen && !is_loopback(listen_address) && listen_token.empty())
        list.push_back("listen_address \"" + listen_address + "\" can be reached from other machines: set a listen_token, or listen at 127.0.0.1.");
    if (listen && lockstep)
        list.push_back("lockstep does not go with listen: time stands still between frames. Switch one of them off.");
    if (listen_port < 0 || listen_port > 65535)
        list.push_back("listen_port is " + std::to_string(listen_port) + ": it is 0 (any free one) to 65535.");
    if (!(tick_rate > 0 && tick_rate <= 1000))
        list.push_back("tick_rate is out of range: it is above 0 and at most 1000.");
    if (!(heartbeat >= 0.1 && heartbeat <= 3600) || !(idle_timeout >= 0 && idle_timeout <= 1e9) || !(resume_window >= 0 && resume_window <= 86400))
        list.push_back("a time is out of range: heartbeat is 0.1 to 3600 s, idle_timeout 0 or more, resume_window 0 to 86400.");
    return list;
}

int64_t AiccBridge::start()
{
    if (is_running())
        return refuse(ALREADY_IN_USE, "start(): it runs already.");
    if (in_editor())
        return UNAVAILABLE;
    for (const std::string &warning : obstacles())
        return refuse(UNCONFIGURED, "it cannot start: " + warning);
    aicc_bridge_options options;
    aicc_error error;
    aicc_listener listener = { 0 };
    std::string key;
    if (listen)
        if (const Error failed = open_listener(&listener, &key))
            return failed;
    const std::string shown = shown_name();
    aicc_bridge_options_init(&options, sizeof options);
    options.name = aicc_sn(shown.data(), shown.size());
    options.owner = owner_number;
    options.kind = int32_t(world_kind);
    options.tick_mode = int32_t(tick_mode);
    options.tick_rate_hz = tick_rate;
    options.clock = lockstep ? AICC_CLOCK_FRAME : AICC_CLOCK_LIBRARY;
    options.debug = report_faults;
    options.seed = uint64_t(random_seed);
    options.heartbeat_ms = std::llround(heartbeat * 1000);
    options.idle_ms = std::llround(idle_timeout * 1000);
    options.resume_window_ms = std::llround(resume_window * 1000);
    options.listener = listener;
    aicc_bridge handle = { 0 };
    const aicc_status status = aicc_bridge_create(&options, &handle, &error);
    if (status != AICC_OK) {
        if (!key.empty())
            release_listener(key);
        if (status == AICC_E_NAME && listener.id) // too long it is not: see obstacles
            return refuse(CANT_CREATE, "it cannot start: another AiccBridge that listens at the same port has this world_name too: give each its own world_name, or its own listen_port.");
        return refuse(status == AICC_E_ARG ? UNCONFIGURED : CANT_CREATE, "it cannot start: " + property_told(error) + ".");
    }
    const std::shared_ptr<World> made = std::make_shared<World>();
    made->handle = handle;
    made->node = id();
    made->name = shown;
    made->listener = key;
    made->lockstep = lockstep;
    made->take_messages = take_messages;
    made->log_level = int(log_level);
    made->budget_usec = budget_usec;
    std::atomic_store(&world, made);
    running_bridges().push_back(id());
    for (const auto &entry : kept)
        put(entry.second);
    follow_frames(true);
    emit("started");
    return OK;
}

void AiccBridge::stop(const std::string &reason)
{
    if (!world)
        return;
    const std::shared_ptr<World> ending = std::atomic_exchange(&world, std::shared_ptr<World>());
    const Variant held = self();
    follow_frames(false);
    running_bridges().erase(std::remove(running_bridges().begin(), running_bridges().end(), id()), running_bridges().end());
    ending->close(reason);
    if (!ending->listener.empty())
        release_listener(ending->listener);
    emit("stopped");
}

// The tree says when a frame begins. Not the node's own notification: a tool may free the node while it pumps.
void AiccBridge::follow_frames(bool on)
{
    if (on && pump_mode != PUMP_MANUAL) {
        const uint64_t me = id();
        on_signal = pump_mode == PUMP_PHYSICS ? "physics_frame" : "process_frame";
        on_frame = callable([me](const Variant *const *, size_t) {
            if (AiccBridge *bridge = cast_id<AiccBridge>(me))
                bridge->frame();
            return Variant();
        });
        self().call(name("get_tree")).call(name("connect"), { Variant(Name(on_signal)), on_frame });
    } else if (!on && !on_signal.empty()) {
        const Variant tree = Variant(singleton("Engine")).call(name("get_main_loop"));
        if (tree.to_object() && tree.call(name("is_connected"), { Variant(Name(on_signal)), on_frame }).to_bool())
            tree.call(name("disconnect"), { Variant(Name(on_signal)), on_frame });
        on_signal.clear();
        on_frame = Variant();
    }
}

void AiccBridge::frame()
{
    if (!self().call(name("can_process")).to_bool())
        return;
    pump(self().call(on_signal == "physics_frame" ? name("get_physics_process_delta_time") : name("get_process_delta_time")).to_double());
}

void AiccBridge::pump(double delta)
{
    const std::shared_ptr<World> pumped = world;
    if (!pumped)
        return;
    const Variant tree = self().call(name("is_inside_tree")).to_bool() ? self().call(name("get_tree")) : Variant();
    const bool paused = tree.to_object() && tree.call(name("is_paused")).to_bool();
    const Variant engine(singleton("Engine"));
    const int64_t tick = engine.call(pump_mode == PUMP_PHYSICS ? name("get_physics_frames") : name("get_process_frames")).to_int();
    pumped->pump(delta, paused, uint64_t(tick));
}

int64_t AiccBridge::flush(double timeout)
{
    if (!is_running())
        return UNCONFIGURED;
    return error_of(aicc_bridge_flush(world->handle, std::clamp<int64_t>(std::llround(timeout * 1000), 0, 60000)));
}

// ------------------------------------------------------------------------------------------------ where it is

static std::string listener_text(const std::string &key, aicc_status (AICC_CALL *ask)(aicc_listener, char *, size_t, size_t *))
{
    const auto found = listeners.find(key);
    char text[1024];
    size_t len = 0;
    if (found == listeners.end() || ask(found->second.handle, text, sizeof text, &len) != AICC_OK)
        return "";
    return std::string(text, len);
}

std::string AiccBridge::get_address() const
{
    const std::string at = is_running() ? listener_text(world->listener, aicc_listener_address) : "";
    return at.empty() ? "" : "ws://" + at + "/aicc/" + Variant(world->name).call(name("uri_encode")).to_string();
}

std::string AiccBridge::get_inspector_url() const { return is_running() && inspector ? listener_text(world->listener, aicc_listener_inspector) : ""; }

Array AiccBridge::get_characters() const
{
    Array list;
    list.set_class("AiccCharacter");
    if (is_running())
        for (const auto &entry : world->characters)
            if (const Object object = from_id(entry.second))
                list.push(Variant(object));
    return list;
}

Reference AiccBridge::find_character(const std::string &text) const
{
    if (is_running())
        for (const auto &entry : world->characters)
            if (AiccCharacter *character = cast_id<AiccCharacter>(entry.second); character && character->shown_name() == text)
                return Reference(character->self());
    return Reference();
}
