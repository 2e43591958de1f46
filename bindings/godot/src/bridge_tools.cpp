// bridge_tools.cpp: what every character of a bridge can do, and what is said to all of them.
#include "bridge.h"

#include "character.h"

using namespace gd;

Error AiccBridge::put(const Binding &b)
{
    std::string why;
    ToolOptions options;
    aicc_error error;
    AiccTool *tool = cast<AiccTool>(b.tool.to_object());
    if (!tool || !options.make(*tool, &why))
        return refuse(INVALID_PARAMETER, "tool \"" + b.id + "\" cannot be added: " + why);
    aicc_status status;
    if (const auto there = world->tools.find(b.id); there != world->tools.end()) {
        status = aicc_tool_update(there->second, &options.options, &error);
    } else {
        aicc_tool made = { 0 };
        status = aicc_tool_register(world->handle, &options.options, &made, &error);
        if (status == AICC_OK)
            world->tools[b.id] = made;
    }
    if (status != AICC_OK)
        return refuse(error_of(status), "tool \"" + b.id + "\" cannot be added: " + told(error) + (status == AICC_E_SCHEMA || status == AICC_E_JSON ? ": mend the schema." : ""));
    aicc_tool_set_enabled(world->tools[b.id], b.enabled);
    world->bindings[b.id] = b;
    return OK;
}

int64_t AiccBridge::add_tool(const Reference &given, const CallableValue &callable)
{
    AiccTool *tool = cast<AiccTool>(given.object);
    if (!tool)
        return refuse(INVALID_PARAMETER, "add_tool() was given no AiccTool.");
    std::string why;
    const Strings problems = tool->problems();
    Binding made;
    if (!problems.empty())
        return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: " + problems[0]);
    if (!made.make(*tool, callable, &why))
        return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: " + why + ".");
    if (is_running())
        if (const Error error = put(made))
            return error;
    kept[made.id] = made;
    return OK;
}

int64_t AiccBridge::add_method(const CallableValue &callable, int64_t tool_class)
{
    const Reference tool = AiccTool::for_add_method(callable, tool_class);
    return tool.object ? add_tool(tool, callable) : int64_t(INVALID_PARAMETER);
}

int64_t AiccBridge::remove_tool(const std::string &id)
{
    if (!kept.erase(id))
        return refuse(DOES_NOT_EXIST, "remove_tool(): it has no tool \"" + id + "\" of its own.");
    if (is_running()) {
        if (const auto there = world->tools.find(id); there != world->tools.end())
            aicc_tool_unregister(there->second);
        world->tools.erase(id);
        world->bindings.erase(id);
    }
    return OK;
}

int64_t AiccBridge::set_tool_enabled(const std::string &id, bool enabled)
{
    const auto found = kept.find(id);
    if (found == kept.end())
        return refuse(DOES_NOT_EXIST, "set_tool_enabled(): it has no tool \"" + id + "\" of its own.");
    found->second.enabled = enabled;
    if (is_running() && world->tools.count(id))
        return error_of(aicc_tool_set_enabled(world->tools[id], enabled));
    return OK;
}

Array AiccBridge::get_tools() const
{
    Array list;
    list.set_class("AiccTool");
    for (const auto &entry : kept)
        list.push(entry.second.tool);
    return list;
}

int64_t AiccBridge::emit_event(int64_t topic, const Dictionary &payload, int64_t delivery)
{
    if (!topic_is_one(topic))
        return refuse(INVALID_PARAMETER, "emit_event() takes one topic, AiccCharacter.TOPIC_STATE_CHANGE for instance.");
    if (delivery < 0 || delivery > AICC_EACH)
        return refuse(INVALID_PARAMETER, "emit_event() takes a delivery of AiccEvent.DELIVERY_DEFAULT, DELIVERY_LATEST or DELIVERY_EACH.");
    const std::shared_ptr<World> to = std::atomic_load(&world); // from any thread
    return to && to->running ? to->emit_json(int(topic), int(delivery), aicc_session{ 0 }, payload, "AiccBridge \"" + to->name + "\": ") : OK;
}

Dictionary AiccBridge::next_message()
{
    if (is_running() && take_messages)
        return Dictionary(world->next_message());
    if (is_running())
        refuse(UNCONFIGURED, "next_message() is for bridges whose `take_messages` was true when they started: here messages come by AiccCharacter.message_ready.");
    return Dictionary();
}

Dictionary AiccBridge::get_stats() const
{
    Dictionary d;
    aicc_stats s = {};
    s.struct_size = sizeof s;
    if (!is_running() || aicc_bridge_stats(world->handle, &s) != AICC_OK)
        return d;
    const std::pair<const char *, uint64_t> numbers[] = {
        { "sessions", uint64_t(s.sessions) }, { "agents", uint64_t(s.agents) }, { "tools", uint64_t(s.tools) }, { "calls_in_flight", uint64_t(s.calls_in_flight) },
        { "frames", s.frames }, { "calls", s.calls }, { "calls_failed", s.calls_failed }, { "calls_timed_out", s.calls_timed_out }, { "calls_refused", s.calls_refused },
        { "messages_in", s.messages_in }, { "messages_out", s.messages_out }, { "messages_bad", s.messages_bad }, { "events", s.events },
        { "events_dropped", s.events_dropped }, { "answers_late", s.answers_late }, { "queue_bytes", s.queue_bytes }, { "outgoing_bytes", s.outgoing_bytes },
        { "handles_stale", s.handles_stale }, { "values_bad", s.values_bad },
    };
    for (const auto &[key, number] : numbers)
        d.set(key, Variant(int64_t(number)));
    return d;
}

Array AiccBridge::get_capability_documents()
{
    std::string text(64 << 10, 0);
    aicc_error error;
    size_t len = 0;
    if (!is_running())
        return Array();
    aicc_status status;
    while ((status = aicc_bridge_capabilities(world->handle, nullptr, text.data(), text.size(), &len, &error)) == AICC_E_SMALL)
        text.resize(len + 4096);
    Variant parsed;
    if (status < 0 || !json::parse(std::string_view(text).substr(0, len), &parsed, nullptr)) {
        refuse(error_of(status), "get_capability_documents(): " + told(error) + ".");
        return Array();
    }
    return Array(parsed);
}

void AiccBridge::bind()
{
    const Variant by_default{ int64_t(0) }, actuator{ int64_t(AICC_ACTUATOR) };
    Registrar::make<AiccBridge>("AiccBridge", "Node")
        .constants("WorldKind", { { "WORLD_2D", 1 }, { "WORLD_3D", 2 }, { "WORLD_TEXT", 3 }, { "WORLD_ABSTRACT", 4 } })
        .constants("TickMode", { { "TICK_FIXED", 1 }, { "TICK_EVENT", 2 }, { "TICK_HYBRID", 3 } })
        .constants("PumpMode", { { "PUMP_PROCESS", 0 }, { "PUMP_PHYSICS", 1 }, { "PUMP_MANUAL", 2 } })
        .constants("SecondAgent", { { "SECOND_AGENT_REFUSE", AICC_SECOND_REFUSE }, { "SECOND_AGENT_REPLACE", AICC_SECOND_REPLACE } })
        .constants("LogLevel", { { "LOG_DEBUG", 1 }, { "LOG_INFO", 2 }, { "LOG_WARN", 3 }, { "LOG_ERROR", 4 }, { "LOG_NONE", 5 } })
        .property<&AiccBridge::world_name>("world_name")
        .property<&AiccBridge::world_kind>("world_kind", { HINT_ENUM, "2D:1,3D:2,Text:3,Abstract:4", "AiccBridge.WorldKind" })
        .property<&AiccBridge::tick_rate>("tick_rate", { HINT_RANGE, "0.1,1000,0.1,suffix:Hz" })
        .property<&AiccBridge::tick_mode>("tick_mode", { HINT_ENUM, "Fixed:1,Event:2,Hybrid:3", "AiccBridge.TickMode" })
        .property<&AiccBridge::pump_mode>("pump_mode", { HINT_ENUM, "Process:0,Physics process:1,Manual:2", "AiccBridge.PumpMode" })
        .property<&AiccBridge::budget_usec>("budget_usec", { HINT_RANGE, "0,16000,or_greater" })
        .property<&AiccBridge::autostart>("autostart")
        .group("Listen")
        .property<&AiccBridge::listen>("listen")
        .property<&AiccBridge::listen_address>("listen_address")
        .property<&AiccBridge::listen_port>("listen_port", { HINT_RANGE, "0,65535" })
        .property<&AiccBridge::listen_token>("listen_token", { HINT_PASSWORD })
        .property<&AiccBridge::second_agent>("second_agent", { HINT_ENUM, "Refuse:0,Replace:1", "AiccBridge.SecondAgent" })
        .property<&AiccBridge::fixed_agents>("fixed_agents")
        .property<&AiccBridge::inspector>("inspector")
        .property<&AiccBridge::allowed_origins>("allowed_origins")
        .property<&AiccBridge::allowed_hosts>("allowed_hosts")
        .group("Advanced")
        .property<&AiccBridge::heartbeat>("heartbeat", { HINT_RANGE, "0.1,3600,0.1,suffix:s" })
        .property<&AiccBridge::idle_timeout>("idle_timeout", { HINT_RANGE, "0,3600,0.1,or_greater,suffix:s" })
        .property<&AiccBridge::resume_window>("resume_window", { HINT_RANGE, "0,86400,0.1,suffix:s" })
        .property<&AiccBridge::report_faults>("report_faults")
        .property<&AiccBridge::log_level>("log_level", { HINT_ENUM, "Debug:1,Info:2,Warn:3,Error:4,None:5", "AiccBridge.LogLevel" })
        .property<&AiccBridge::lockstep>("lockstep")
        .property<&AiccBridge::random_seed>("random_seed")
        .property<&AiccBridge::take_messages>("take_messages")
        .main<&AiccBridge::warnings>("get_problems()")
        .main<&AiccBridge::start>("start() -> Error")
        .main<&AiccBridge::stop>("stop(reason)", { Variant("") })
        .method<&AiccBridge::is_running>("is_running()")
        .main<&AiccBridge::pump>("pump(delta)", { Variant(0.0) })
        .main<&AiccBridge::flush>("flush(timeout) -> Error", { Variant(1.0) })
        .main<&AiccBridge::get_address>("get_address()")
        .main<&AiccBridge::get_inspector_url>("get_inspector_url()")
        .main<&AiccBridge::get_characters>("get_characters() -> Array[AiccCharacter]")
        .main<&AiccBridge::find_character>("find_character(name) -> AiccCharacter")
        .main<&AiccBridge::add_tool>("add_tool(tool:AiccTool, callable) -> Error")
        .main<&AiccBridge::add_method>("add_method(callable, tool_class:AiccTool.ToolClass) -> Error", { actuator })
        .main<&AiccBridge::remove_tool>("remove_tool(id) -> Error")
        .main<&AiccBridge::set_tool_enabled>("set_tool_enabled(id, enabled) -> Error")
        .main<&AiccBridge::get_tools>("get_tools() -> Array[AiccTool]")
        .method<&AiccBridge::emit_event>("emit_event(topic:AiccCharacter.Topic, payload, delivery:AiccEvent.Delivery) -> Error", { by_default })
        .method<&AiccBridge::next_message>("next_message()")
        .main<&AiccBridge::get_stats>("get_stats()")
        .main<&AiccBridge::get_capability_documents>("get_capability_documents()")
        .method<&AiccBridge::get_library_version>("get_library_version()")
        .signal("started()")
        .signal("stopped()")
        .signal("character_joined(character: AiccCharacter)")
        .signal("character_left(character_name: String)")
        .signal("agent_connected(character: AiccCharacter)")
        .signal("agent_disconnected(character: AiccCharacter)")
        .signal("log_line(level: AiccBridge.LogLevel, text: String)");
}
