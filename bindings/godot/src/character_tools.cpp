// character_tools.cpp: which tools a character has. Characters with the same tools share one set of them in the library, so that a thousand cost
// little; what one of them has for itself stands in a set of its own, which counts before the shared one.
#include "character.h"

#include "bridge.h"
#include "call.h"

#include <algorithm>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

const Binding *AiccCharacter::binding(const std::string &id) const
{
    for (const Binding &b : bound)
        if (b.id == id)
            return &b;
    return nullptr;
}

Object AiccCharacter::target_node() const
{
    return self().call(name("get_node_or_null"), { Traits<NodePath>::to(target) }).to_object();
}

static Variant method_callable(Object object, const std::string &method)
{
    // Callable(object, method), by its constructor of two arguments.
    const Variant self(object), text{ Name(method) };
    const void *arguments[] = { self.ptr(), text.ptr() };
    Variant made;
    GDExtensionCallError error;
    api.variant_destroy(made.ptr());
    api.variant_construct(GDEXTENSION_VARIANT_TYPE_CALLABLE, made.ptr(), arguments, 2, &error);
    return made;
}

void AiccCharacter::bind_exported()
{
    exported_bound = true;
    exported.clear();
    for (size_t i = 0, n = tools.size(); i < n; i++) {
        const Variant tool = tools.at(i);
        AiccTool *t = cast<AiccTool>(tool.to_object());
        if (!t)
            refuse(INVALID_PARAMETER, "tools[" + std::to_string(i) + "] is empty: set it to an AiccTool, or remove it.");
        else if (!binding(t->id) && add_tool(Reference(tool), CallableValue()) == OK) // one that was added in a script comes first
            exported.push_back(t->id);
    }
}

void AiccCharacter::bind_again()
{
    const Strings before = exported;
    exported.clear();
    std::map<std::string, Variant> wanted;
    for (size_t i = 0, n = tools.size(); i < n; i++)
        if (AiccTool *t = cast<AiccTool>(tools.at(i).to_object()))
            wanted.emplace(t->id, tools.at(i));
    for (const std::string &id : before) {
        const Binding *b = binding(id);
        const auto again = wanted.find(id);
        if (!b)
            continue; // taken away by remove_tool
        if (again == wanted.end()) {
            remove_tool(id);
            continue;
        }
        const bool enabled = b->enabled;
        if (add_tool(Reference(again->second), CallableValue()) == OK && !enabled)
            set_tool_enabled(id, false);
    }
    bind_exported();
    for (const std::string &id : before)
        if (wanted.count(id) && binding(id) && std::find(exported.begin(), exported.end(), id) == exported.end())
            exported.push_back(id);
}

int64_t AiccCharacter::add_tool(const Reference &given, const CallableValue &callable)
{
    AiccTool *tool = cast<AiccTool>(given.object);
    if (!tool)
        return refuse(INVALID_PARAMETER, "add_tool() was given no AiccTool.");
    std::string why;
    ToolOptions options;
    if (!options.make(*tool, &why))
        return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: " + why);
    Variant run = callable;
    if (!run.is(TYPE(CALLABLE)) || run.call(name("is_null")).to_bool()) {
        const Object at = target_node();
        if (!at)
            return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: there is no node \"" + target.text + "\", which `target` names. Set it to the node that has the method, or give a callable.");
        run = method_callable(at, tool->method_name());
        if (!run.call(name("is_valid")).to_bool())
            return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: its target, a " + class_name(at) + ", has no method " + tool->method_name() + "(). Write it, or set the tool's `method`.");
    }
    Binding made;
    if (!made.make(*tool, run, &why))
        return refuse(INVALID_PARAMETER, "tool \"" + tool->id + "\" cannot be added: " + why + ".");
    auto at = std::find_if(bound.begin(), bound.end(), [&](const Binding &b) { return b.id == made.id; });
    if (const std::shared_ptr<World> world = is_seated() ? seat->in() : nullptr) {
        const auto in_shared = shared_keys.find(made.id);
        const bool same = in_shared != shared_keys.end() && in_shared->second == options.key() && !own.count(made.id);
        if (!same)
            if (const Error error = put(*world, made))
                return error;
    }
    if (at != bound.end())
        *at = std::move(made);
    else
        bound.push_back(std::move(made));
    exported.erase(std::remove(exported.begin(), exported.end(), tool->id), exported.end()); // it is the script's now
    return OK;
}

int64_t AiccCharacter::add_method(const CallableValue &callable, int64_t tool_class)
{
    const Reference tool = AiccTool::for_add_method(callable, tool_class);
    return tool.object ? add_tool(tool, callable) : int64_t(INVALID_PARAMETER);
}

// Registers a tool, or what became of it, in the character's own set. gone: what stands there for one that others go on having; no agent sees it,
// since it wants a capability that nobody holds.
Error AiccCharacter::put(World &world, const Binding &b, bool gone)
{
    std::string why;
    ToolOptions options;
    aicc_error error;
    if (!options.make(*cast<AiccTool>(b.tool.to_object()), &why))
        return refuse(INVALID_PARAMETER, "tool \"" + b.id + "\" cannot be added: " + why);
    const bool first = own_set.id == 0;
    if (first && aicc_toolset_create(world.handle, aicc_s("a character's own"), &own_set, &error) != AICC_OK)
        return refuse(OUT_OF_MEMORY, "tool \"" + b.id + "\" cannot be added to this character alone: " + told(error) + ". Characters whose tools are the same when they take their seat share them.");
    if (first)
        hold_sets(world); // before the tool is in it: calls in flight of one that it replaces go on
    if (gone) {
        options.capability = "nobody holds this";
        options.options.requires_capability = aicc_sn(options.capability.data(), options.capability.size());
        options.options.hide_without_capability = 1;
    }
    options.options.set = own_set;
    aicc_status status = AICC_OK;
    const auto there = own.find(b.id);
    if (there != own.end()) {
        if (there->second.key != options.key())
            status = aicc_tool_update(there->second.tool, &options.options, &error);
    } else {
        Own entry;
        status = aicc_tool_register(world.handle, &options.options, &entry.tool, &error);
        if (status == AICC_OK)
            own.emplace(b.id, entry);
    }
    if (status != AICC_OK) {
        if (first) { // the next tool is to be the first one then
            aicc_toolset_destroy(own_set);
            own_set.id = 0;
        }
        return refuse(error_of(status), "tool \"" + b.id + "\" cannot be added: " + told(error) + (status == AICC_E_SCHEMA || status == AICC_E_JSON ? ": mend the schema." : ""));
    }
    Own &entry = own.at(b.id);
    entry.key = options.key();
    aicc_tool_set_enabled(entry.tool, b.enabled);
    return OK;
}

void AiccCharacter::hold_sets(World &world)
{
    std::vector<aicc_toolset> sets{ own_set };
    if (const auto found = world.sets.find(shared); found != world.sets.end())
        sets.push_back(found->second.set);
    aicc_session_set_toolsets(seat->handle(), sets.data(), sets.size()); // without a seat: not yet, see join_sets
}

// The sets for a seat that is taken: the one that all with the same tools share, and one for those that are switched off.
bool AiccCharacter::join_sets(World &world, std::vector<aicc_toolset> *sets)
{
    std::map<std::string, const Binding *> by_id;
    std::string key;
    for (const Binding &b : bound)
        by_id[b.id] = &b;
    for (auto at = by_id.begin(); at != by_id.end();) {
        std::string why;
        ToolOptions options;
        AiccTool *tool = cast<AiccTool>(at->second->tool.to_object());
        if (!tool || !options.make(*tool, &why)) {
            refuse(INVALID_PARAMETER, "tool \"" + at->first + "\" is left out: " + why);
            at = by_id.erase(at);
            continue;
        }
        key += options.key();
        shared_keys[at->first] = options.key();
        ++at;
    }
    if (by_id.empty())
        return true;
    SharedSet &set = world.sets[key];
    aicc_error error;
    if (!set.users) {
        if (aicc_toolset_create(world.handle, aicc_s(shared_set_name), &set.set, &error) != AICC_OK) {
            world.sets.erase(key);
            shared_keys.clear();
            refuse(OUT_OF_MEMORY, "it gets no seat: " + told(error) + ". A world has at most 64 different sets of tools: let characters have the same ones, and switch off what one cannot do.");
            return false;
        }
        for (const auto &entry : by_id) {
            std::string why;
            ToolOptions options;
            aicc_tool made = { 0 };
            options.make(*cast<AiccTool>(entry.second->tool.to_object()), &why);
            options.options.set = set.set;
            const aicc_status status = aicc_tool_register(world.handle, &options.options, &made, &error);
            if (status == AICC_OK)
                set.tools[entry.first] = made;
            else
                refuse(error_of(status), "tool \"" + entry.first + "\" is left out: " + told(error) + (status == AICC_E_SCHEMA || status == AICC_E_JSON ? ": mend the schema." : ""));
        }
    }
    set.users++;
    shared = key;
    sets->push_back(set.set);
    for (const auto &entry : by_id)
        if (!entry.second->enabled && set.tools.count(entry.first) && put(world, *entry.second) == OK && sets->size() == 1)
            sets->insert(sets->begin(), own_set);
    return true;
}

int64_t AiccCharacter::remove_tool(const std::string &id)
{
    const auto at = std::find_if(bound.begin(), bound.end(), [&](const Binding &b) { return b.id == id; });
    if (at == bound.end())
        return refuse(DOES_NOT_EXIST, "remove_tool(): it has no tool \"" + id + "\".");
    const Binding gone = std::move(*at);
    bound.erase(at);
    exported.erase(std::remove(exported.begin(), exported.end(), id), exported.end());
    const std::shared_ptr<World> world = is_seated() ? seat->in() : nullptr;
    if (!world)
        return OK;
    if (shared_keys.count(id)) {
        const Error error = put(*world, gone, true);
        for (uint64_t object : world->calls())
            if (AiccCall *call = cast_id<AiccCall>(object); call && call->character_id == this->id() && call->tool == id && call->is_open()) {
                const Variant held = call->self();
                aicc_call_fail(call->handle, AICC_CODE_TOOL_UNAVAILABLE, aicc_s("the character has lost the tool of this call: use another one"), 0);
                call->end(AICC_ENDED_TOOL);
            }
        return error;
    }
    if (const auto mine = own.find(id); mine != own.end()) {
        aicc_tool_unregister(mine->second.tool);
        own.erase(mine);
    }
    return OK;
}

int64_t AiccCharacter::set_tool_enabled(const std::string &id, bool enabled)
{
    const auto at = std::find_if(bound.begin(), bound.end(), [&](const Binding &b) { return b.id == id; });
    if (at == bound.end())
        return refuse(DOES_NOT_EXIST, "set_tool_enabled(): it has no tool \"" + id + "\".");
    if (at->enabled == enabled)
        return OK;
    at->enabled = enabled;
    const std::shared_ptr<World> world = is_seated() ? seat->in() : nullptr;
    if (!world)
        return OK;
    if (const auto mine = own.find(id); mine != own.end())
        return error_of(aicc_tool_set_enabled(mine->second.tool, enabled));
    return put(*world, *at);
}

bool AiccCharacter::is_tool_enabled(const std::string &id) const
{
    const Binding *b = binding(id);
    return b && b->enabled;
}

Reference AiccCharacter::get_tool(const std::string &id) const
{
    const Binding *b = binding(id);
    return b ? Reference(b->tool) : Reference();
}

Strings AiccCharacter::get_tool_ids() const
{
    Strings list;
    for (const Binding &b : bound)
        list.push_back(b.id);
    return list;
}

void AiccCharacter::bind()
{
    const Variant by_default{ int64_t(0) }, actuator{ int64_t(AICC_ACTUATOR) };
    Registrar::make<AiccCharacter>("AiccCharacter", "Node")
        .constants("AgentModel", { { "AGENT_EDGE_SMALL", 1 }, { "AGENT_EDGE_MEDIUM", 2 }, { "AGENT_CLOUD_MEDIUM", 3 }, { "AGENT_CLOUD_LARGE", 4 } })
        .constants("Topic", { { "TOPIC_TICK", 1 }, { "TOPIC_COLLISION", 2 }, { "TOPIC_AUDIO", 4 }, { "TOPIC_STATE_CHANGE", 8 }, { "TOPIC_AGENT_MESSAGE", 16 }, { "TOPIC_ALL", 31 } }, true)
        .property<&AiccCharacter::character_name>("character_name")
        .property<&AiccCharacter::bridge_path>("bridge", { HINT_NODE_PATH_VALID_TYPES, "AiccBridge" })
        .property<&AiccCharacter::agent_model>("agent_model", { HINT_ENUM, "Edge small:1,Edge medium:2,Cloud medium:3,Cloud large:4", "AiccCharacter.AgentModel" })
        .property<&AiccCharacter::expected_first_token>("expected_first_token", { HINT_RANGE, "0,60,0.001,or_greater,suffix:s" })
        .property<&AiccCharacter::expected_response>("expected_response", { HINT_RANGE, "0,60,0.001,or_greater,suffix:s" })
        .property<&AiccCharacter::subscriptions>("subscriptions", { HINT_FLAGS, "Tick:1,Collision:2,Audio:4,State change:8,Agent message:16", "AiccCharacter.Topic" })
        .property<&AiccCharacter::capabilities>("capabilities")
        .property<&AiccCharacter::tools>("tools", { HINT_ARRAY_TYPE, "24/17:AiccTool" })
        .property<&AiccCharacter::target>("target")
        .property<&AiccCharacter::paused>("paused")
        .main<&AiccCharacter::warnings>("get_problems()")
        .main<&AiccCharacter::add_tool>("add_tool(tool:AiccTool, callable) -> Error", { Variant(Value(TYPE(CALLABLE))) })
        .main<&AiccCharacter::add_method>("add_method(callable, tool_class:AiccTool.ToolClass) -> Error", { actuator })
        .main<&AiccCharacter::remove_tool>("remove_tool(id) -> Error")
        .main<&AiccCharacter::set_tool_enabled>("set_tool_enabled(id, enabled) -> Error")
        .main<&AiccCharacter::is_tool_enabled>("is_tool_enabled(id)")
        .main<&AiccCharacter::get_tool>("get_tool(id) -> AiccTool")
        .main<&AiccCharacter::get_tool_ids>("get_tool_ids()")
        .main<&AiccCharacter::grant>("grant(capability) -> Error")
        .main<&AiccCharacter::revoke>("revoke(capability) -> Error")
        .main<&AiccCharacter::has_capability>("has_capability(capability)")
        .method<&AiccCharacter::is_seated>("is_seated()")
        .method<&AiccCharacter::has_agent>("has_agent()")
        .main<&AiccCharacter::get_bridge_node>("get_bridge_node() -> AiccBridge")
        .main<&AiccCharacter::get_calls>("get_calls() -> Array[AiccCall]")
        .method<&AiccCharacter::emit_event>("emit_event(topic:AiccCharacter.Topic, payload, delivery:AiccEvent.Delivery) -> Error", { by_default })
        .main<&AiccCharacter::bind_event>("bind_event(topic:AiccCharacter.Topic, source:Object, properties, options) -> AiccEvent", { Variant(Dictionary()) })
        .main<&AiccCharacter::reset>("reset(reason) -> Error", { Variant("") })
        .main<&AiccCharacter::attach>("attach() -> Error")
        .method<&AiccCharacter::receive>("receive(text) -> Error")
        .main<&AiccCharacter::detach>("detach() -> Error")
        .signal("seated()")
        .signal("unseated()")
        .signal("agent_connected()")
        .signal("agent_disconnected()")
        .signal("agent_resumed()")
        .signal("agent_gone()")
        .signal("tool_called(call: AiccCall)")
        .signal("tool_finished(call: AiccCall, ok: bool)")
        .signal("call_ended(call: AiccCall, reason: AiccCall.EndReason)")
        .signal("agent_message(payload: Dictionary)")
        .signal("message_ready(text: String)");
}
