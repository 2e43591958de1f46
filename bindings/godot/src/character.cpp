#include "character.h"

#include "bridge.h"
#include "call.h"

#include <algorithm>
#include <cmath>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

enum { PREDELETE = 1, ENTER_TREE = 10, EXIT_TREE = 11, READY = 13 };

AiccCharacter::AiccCharacter() { tools.set_class("AiccTool"); }
AiccCharacter::~AiccCharacter() { unseat(true); }

Error AiccCharacter::refuse(Error error, const std::string &what) const
{
    push_error(who() + what);
    return error;
}

std::string AiccCharacter::shown_name() const
{
    if (!character_name.empty())
        return character_name;
    const Variant parent = self().call(name("get_parent"));
    return (parent.to_object() ? parent : self()).get("name").to_string();
}

bool AiccCharacter::inside_tree() const { return self().call(name("is_inside_tree")).to_bool(); }

Object AiccCharacter::find_bridge(std::string *why) const
{
    if (!bridge_path.text.empty()) {
        const Object found = self().call(name("get_node_or_null"), { Traits<NodePath>::to(bridge_path) }).to_object();
        if (cast<AiccBridge>(found))
            return found;
        if (why)
            *why = "its property `bridge` is \"" + bridge_path.text + "\", and there is no AiccBridge: set it to one, or leave it empty.";
        return nullptr;
    }
    for (Variant node = self().call(name("get_parent")); node.to_object(); node = node.call(name("get_parent")))
        if (cast<AiccBridge>(node.to_object()))
            return node.to_object();
    const std::vector<Object> all = AiccBridge::all();
    if (all.size() == 1)
        return all[0];
    if (why)
        *why = all.empty() ? "there is no AiccBridge: add one to the main scene, or as an autoload." : "there are several AiccBridges: set `bridge` to the one that it belongs to.";
    return nullptr;
}

void AiccCharacter::notification(int what)
{
    if (in_editor()) {
        if (what == ENTER_TREE)
            self().call(name("update_configuration_warnings"));
        return;
    }
    switch (what) {
    case READY: bind_exported(); [[fallthrough]];
    case ENTER_TREE: {
        unsettle(id());
        const uint64_t me = id();
        // At the end of the frame every bridge of the scene is there.
        callable([me](const Variant *const *, size_t) {
            AiccCharacter *character = cast_id<AiccCharacter>(me);
            std::string why;
            if (character && character->inside_tree() && !character->is_seated() && !character->waits && !character->find_bridge(&why)) {
                character->waits = true;
                character->refuse(UNCONFIGURED, why);
            }
            return Variant();
        }).call(name("call_deferred"));
        break;
    }
    case EXIT_TREE:
        no_seat.clear();
        unsettle(id());
        break;
    case PREDELETE:
        unseat(true);
        automatic.clear();
        break;
    default: break;
    }
}

void AiccCharacter::changed(const char *property)
{
    if (in_editor()) {
        if (inside_tree())
            self().call(name("update_configuration_warnings"));
        return;
    }
    const std::string what = property;
    if (what == "tools" && exported_bound && !on_main_thread())
        refuse(FAILED, "its `tools` are not taken over: set them on the main thread, with set_deferred() for instance.");
    else if (what == "subscriptions" && is_seated())
        aicc_session_set_topics(seat->handle(), int32_t(subscriptions & AICC_TOPIC_ALL));
    else if (what == "tools" && exported_bound)
        bind_again();
    else if (what == "paused" && is_seated())
        aicc_session_set_paused(seat->handle(), paused);
}

Strings AiccCharacter::warnings()
{
    Strings list;
    std::string why;
    if (!find_bridge(&why))
        list.push_back("No bridge: " + why);
    const Object at = target_node();
    if (!at)
        list.push_back("`target` is \"" + target.text + "\", and there is no such node: set it to the node that has the tools' methods.");
    Strings ids;
    for (size_t i = 0, n = tools.size(); i < n; i++) {
        AiccTool *tool = cast<AiccTool>(tools.at(i).to_object());
        if (!tool) {
            list.push_back("tools[" + std::to_string(i) + "] is empty: set it to an AiccTool, or remove it.");
            continue;
        }
        for (const std::string &problem : tool->all_problems())
            list.push_back("Tool \"" + tool->id + "\": " + problem);
        if (std::find(ids.begin(), ids.end(), tool->id) != ids.end())
            list.push_back("Two tools have the id \"" + tool->id + "\": the first one counts.");
        ids.push_back(tool->id);
        if (at && !tool->id.empty() && !Method::of(at, tool->method_name()).known)
            list.push_back("Tool \"" + tool->id + "\": the " + class_name(at) + " that is the target has no method " + tool->method_name() + "().");
    }
    if (const Object bridge = find_bridge())
        for (const Object other : AiccBridge::characters_below(bridge))
            if (AiccCharacter *character = cast<AiccCharacter>(other); character && character != this && character->shown_name() == shown_name())
                list.push_back("Another character of the same bridge is called \"" + shown_name() + "\" too: set character_name.");
    if (!is_seated() && !no_seat.empty() && (list.empty() || list.back().rfind("Another character", 0) != 0))
        list.push_back("It got no seat: " + no_seat);
    return list;
}

// ------------------------------------------------------------------------------------------------ its place

bool AiccCharacter::sit(World &world)
{
    aicc_session_options options;
    aicc_error error;
    aicc_session session = { 0 };
    std::vector<aicc_toolset> sets;
    if (!exported_bound)
        bind_exported();
    if (!join_sets(world, &sets))
        return false;
    aicc_session_options_init(&options, sizeof options);
    const std::string shown = shown_name();
    options.name = aicc_sn(shown.data(), shown.size());
    options.model_class = int32_t(agent_model);
    options.topics = int32_t(subscriptions & AICC_TOPIC_ALL);
    options.expected_first_token_ms = int32_t(std::llround(expected_first_token * 1000));
    options.expected_full_response_ms = int32_t(std::llround(expected_response * 1000));
    std::vector<aicc_str> held;
    for (const std::string &capability : capabilities)
        held.push_back(aicc_sn(capability.data(), capability.size()));
    options.capabilities = held.data();
    options.capabilities_count = held.size();
    options.toolsets = sets.data();
    options.toolsets_count = sets.size();
    options.user_data = reinterpret_cast<void *>(uintptr_t(id()));
    const aicc_status status = aicc_session_open(world.handle, &options, &session, &error);
    {
        std::lock_guard<std::mutex> hold(seat->lock);
        seat->world = world.shared_from_this();
    }
    if (status != AICC_OK) {
        unseat(false); // gives back the sets
        no_seat = status == AICC_E_NAME ? "another character of this bridge is called \"" + shown + "\" too, or the name is too long. Set character_name." : told(error);
        refuse(error_of(status), "it gets no seat: " + no_seat);
        return false;
    }
    no_seat.clear();
    seat->session = session.id;
    world.characters[session.id] = id();
    if (paused)
        aicc_session_set_paused(session, 1);
    return true;
}

void AiccCharacter::unseat(bool tell_core)
{
    std::shared_ptr<World> world;
    {
        std::lock_guard<std::mutex> hold(seat->lock);
        world = std::move(seat->world);
        seat->world = nullptr;
    }
    if (!world)
        return;
    const aicc_session session = seat->handle();
    seat->session = 0;
    if (session.id) {
        world->left.push_back(shown_name());
        world->characters.erase(session.id);
        if (tell_core && world->running) {
            world->sessions_closed[session.id] = id();
            aicc_session_close(session, aicc_s("the character is gone"));
        }
    }
    if (own_set.id)
        aicc_toolset_destroy(own_set);
    own_set.id = 0;
    own.clear();
    if (const auto set = world->sets.find(shared); set != world->sets.end() && --set->second.users == 0) {
        aicc_toolset_destroy(set->second.set);
        world->sets.erase(set);
    }
    shared.clear();
    shared_keys.clear();
    if (session.id)
        emit("unseated");
}

void settle(const std::shared_ptr<World> &world)
{
    std::vector<uint64_t> come, seated;
    for (uint64_t id : take_unsettled()) {
        AiccCharacter *character = cast_id<AiccCharacter>(id);
        if (!character)
            continue;
        if (character->is_seated() && !character->inside_tree())
            character->unseat(true);
        else if (!character->is_seated() && character->inside_tree())
            come.push_back(id);
    }
    for (uint64_t id : come) {
        AiccCharacter *character = cast_id<AiccCharacter>(id);
        if (!character || !world->running)
            continue;
        const Object bridge = character->find_bridge();
        if (!bridge || gd::id(bridge) != world->node) {
            unsettle(id); // another bridge's, or nobody's yet
            continue;
        }
        if (character->sit(*world))
            seated.push_back(id);
    }
    if (!seated.empty() && !world->listener.empty())
        aicc_bridge_flush(world->handle, 100); // when it is told, agents can reach them
    for (uint64_t id : seated) {
        if (AiccCharacter *character = cast_id<AiccCharacter>(id); character && character->is_seated())
            character->emit("seated");
        AiccBridge *node = cast_id<AiccBridge>(world->node);
        if (node && cast_id<AiccCharacter>(id))
            node->emit("character_joined", { Variant(from_id(id)) });
    }
}

void AiccCharacter::keep_automatic(const Variant &event, bool on)
{
    const Object object = event.to_object();
    automatic.erase(std::remove_if(automatic.begin(), automatic.end(), [object](const Variant &v) { return v.to_object() == object; }), automatic.end());
    if (on)
        automatic.push_back(event);
}

void AiccCharacter::emit_automatic()
{
    for (const Variant &held : std::vector<Variant>(automatic))
        if (AiccEvent *event = cast<AiccEvent>(held.to_object()); event && event->is_due())
            event->emit_now();
}

void emit_automatic(World &world)
{
    for (const auto &entry : std::map<uint64_t, uint64_t>(world.characters))
        if (AiccCharacter *character = cast_id<AiccCharacter>(entry.second); character && world.running && character->has_automatic())
            character->emit_automatic();
}

// ------------------------------------------------------------------------------------------------ what it holds and says

int64_t AiccCharacter::hold(const std::string &capability, bool held)
{
    if (capability.empty() || capability.size() > 64)
        return refuse(INVALID_PARAMETER, "a capability's name has 1 to 64 bytes.");
    const auto at = std::find(capabilities.begin(), capabilities.end(), capability);
    if (held && at == capabilities.end())
        capabilities.push_back(capability);
    else if (!held && at != capabilities.end())
        capabilities.erase(at);
    return is_seated() ? error_of(aicc_session_grant(seat->handle(), aicc_sn(capability.data(), capability.size()), held)) : OK;
}

bool AiccCharacter::has_capability(const std::string &capability) const
{
    return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

Reference AiccCharacter::get_bridge_node() const
{
    const std::shared_ptr<World> world = seat->in();
    return Reference(Variant(world ? from_id(world->node) : find_bridge()));
}

Array AiccCharacter::get_calls() const
{
    Array list;
    list.set_class("AiccCall");
    if (const std::shared_ptr<World> world = seat->in())
        for (uint64_t object : world->calls())
            if (AiccCall *call = cast_id<AiccCall>(object); call && call->character_id == id() && call->is_alive())
                list.push(call->self());
    return list;
}

int64_t AiccCharacter::emit_event(int64_t topic, const Dictionary &payload, int64_t delivery)
{
    if (!topic_is_one(topic))
        return refuse(INVALID_PARAMETER, "emit_event() takes one topic, AiccCharacter.TOPIC_STATE_CHANGE for instance.");
    if (delivery < 0 || delivery > AICC_EACH)
        return refuse(INVALID_PARAMETER, "emit_event() takes a delivery of AiccEvent.DELIVERY_DEFAULT, DELIVERY_LATEST or DELIVERY_EACH.");
    const aicc_session session = seat->handle();
    const std::shared_ptr<World> world = session.id ? seat->in() : nullptr;
    if (!world || !aicc_session_has_agent(session))
        return OK; // nobody listens
    return world->emit_json(int(topic), int(delivery), session, payload, "AiccCharacter: ");
}

Reference AiccCharacter::bind_event(int64_t topic, const Reference &source, const Variant &properties, const Dictionary &options)
{
    std::string why;
    const Variant held(create_own("AiccEvent"));
    if (!topic_is_one(topic))
        why = "it takes one topic, AiccCharacter.TOPIC_TICK for instance";
    else if (!source.object)
        why = "its source is null: give the node that has the properties";
    else if (cast<AiccEvent>(held.to_object())->make(id(), seat, topic, source.object, properties, options, &why))
        return Reference(held);
    refuse(INVALID_PARAMETER, "bind_event(): " + why + ".");
    return Reference();
}

int64_t AiccCharacter::reset(const std::string &reason)
{
    if (!is_seated())
        return OK;
    return error_of(aicc_session_reset(seat->handle(), aicc_sn(reason.data(), reason.size())));
}

int64_t AiccCharacter::attach()
{
    if (!is_seated()) {
        std::string why;
        if (!inside_tree())
            why = "it has no seat yet: wait for the signal `seated`, which comes when it is in the tree.";
        else if (const Object found = find_bridge(&why); found && !cast<AiccBridge>(found)->is_running())
            why = "it has no seat, since its AiccBridge does not run: start() that.";
        else if (found)
            why = no_seat.empty() ? "it has no seat yet: wait for the signal `seated`." : "it got no seat: " + no_seat;
        return refuse(UNCONFIGURED, "attach(): " + why);
    }
    const aicc_status status = aicc_session_attach(seat->handle());
    if (status != AICC_E_STATE)
        return error_of(status);
    const std::shared_ptr<World> world = seat->in();
    if (world && !world->listener.empty())
        return refuse(UNAVAILABLE, "attach(): its bridge listens, so agents come by the port. Set the bridge's `listen` to false to bring your own.");
    return refuse(ALREADY_IN_USE, "attach(): an agent is there already: detach() it first.");
}

int64_t AiccCharacter::receive(const std::string &text)
{
    return is_seated() ? error_of(aicc_session_receive(seat->handle(), aicc_sn(text.data(), text.size()))) : UNCONFIGURED;
}

int64_t AiccCharacter::detach() { return is_seated() ? error_of(aicc_session_detach(seat->handle())) : UNCONFIGURED; }
