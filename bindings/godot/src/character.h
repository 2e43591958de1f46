// character.h: a seat that an agent may take.
#pragma once

#include "event.h"

class AiccCharacter : public gd::Instance {
public:
    std::string character_name;
    gd::NodePath bridge_path;
    int64_t agent_model = AICC_CLOUD_MEDIUM, subscriptions = AICC_TOPIC_ALL;
    double expected_first_token = 0, expected_response = 0;
    gd::Strings capabilities;
    gd::Array tools;
    gd::NodePath target{ ".." };
    bool paused = false;

    AiccCharacter();
    ~AiccCharacter() override;
    void notification(int what) override;
    void changed(const char *property) override;
    gd::Strings warnings() override;

    int64_t add_tool(const gd::Reference &tool, const gd::CallableValue &callable);
    int64_t add_method(const gd::CallableValue &callable, int64_t tool_class);
    int64_t remove_tool(const std::string &id);
    int64_t set_tool_enabled(const std::string &id, bool enabled);
    bool is_tool_enabled(const std::string &id) const;
    gd::Reference get_tool(const std::string &id) const;
    gd::Strings get_tool_ids() const;
    int64_t grant(const std::string &capability) { return hold(capability, true); }
    int64_t revoke(const std::string &capability) { return hold(capability, false); }
    bool has_capability(const std::string &capability) const;
    bool is_seated() const { return seat->handle().id != 0; }
    bool has_agent() const { return is_seated() && aicc_session_has_agent(seat->handle()); }
    gd::Reference get_bridge_node() const;
    gd::Array get_calls() const;
    int64_t emit_event(int64_t topic, const gd::Dictionary &payload, int64_t delivery);
    gd::Reference bind_event(int64_t topic, const gd::Reference &source, const gd::Variant &properties, const gd::Dictionary &options);
    int64_t reset(const std::string &reason);
    int64_t attach();
    int64_t receive(const std::string &text);
    int64_t detach();

    std::string shown_name() const;      // in its bridge
    std::string who() const { return "AiccCharacter \"" + shown_name() + "\": "; }
    // The AiccBridge that it belongs to, by path, by ancestors, or as the only one that runs. null: none.
    gd::Object find_bridge(std::string *why = nullptr) const;
    const Binding *binding(const std::string &id) const;
    bool sit(World &world);              // false with a pushed error
    void unseat(bool tell_core);
    void keep_automatic(const gd::Variant &event, bool on);
    void emit_automatic();
    bool has_automatic() const { return !automatic.empty(); }
    bool inside_tree() const;
    bool waits = false;                  // that it found no bridge was told, or need not be
    static void bind();
private:
    struct Own { aicc_tool tool{ 0 }; std::string key; };
    std::shared_ptr<Seat> seat = std::make_shared<Seat>();
    std::vector<Binding> bound;          // its tools, in their order
    std::string shared;                  // key of the set that it shares
    std::map<std::string, std::string> shared_keys; // of each tool of it
    aicc_toolset own_set{ 0 };           // what is its own: tools that came later, changed, or were taken away
    std::map<std::string, Own> own;
    std::vector<gd::Variant> automatic;
    std::string no_seat;                 // why it got none
    bool exported_bound = false;
    gd::Strings exported;                // ids of those that are bound because `tools` has them

    int64_t hold(const std::string &capability, bool held);
    gd::Object target_node() const;
    void bind_exported();
    void bind_again();                   // when `tools` was set anew
    bool join_sets(World &world, std::vector<aicc_toolset> *sets);
    Error put(World &world, const Binding &binding, bool gone = false);  // into its own set
    void hold_sets(World &world);
    Error refuse(Error error, const std::string &what) const;
};
GD_CLASS_DECLARE(AiccCharacter)

// Gives seats to the characters of this world that wait for one, and takes them from those that left.
void settle(const std::shared_ptr<World> &world);
void emit_automatic(World &world);
