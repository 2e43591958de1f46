// bridge.h: one world.
#pragma once

#include "world.h"

class AiccBridge : public gd::Instance {
public:
    std::string world_name, listen_address = "127.0.0.1", listen_token;
    int64_t world_kind = AICC_WORLD_3D, tick_mode = AICC_TICK_HYBRID, pump_mode = 0, budget_usec = 0, listen_port = 0, second_agent = 0, log_level = AICC_WARN, random_seed = 0;
    double tick_rate = 10, heartbeat = 15, idle_timeout = 45, resume_window = 120;
    bool autostart = true, listen = true, inspector = false, fixed_agents = false, report_faults = true, lockstep = false, take_messages = false;
    gd::Strings allowed_origins, allowed_hosts;

    ~AiccBridge() override;
    void created() override;
    void notification(int what) override;
    void changed(const char *property) override;
    gd::Strings warnings() override;

    int64_t start();
    void stop(const std::string &reason);
    bool is_running() const { return world && world->running; }
    void pump(double delta);
    int64_t flush(double timeout);
    std::string get_address() const;
    std::string get_inspector_url() const;
    gd::Array get_characters() const;
    gd::Reference find_character(const std::string &name) const;
    int64_t add_tool(const gd::Reference &tool, const gd::CallableValue &callable);
    int64_t add_method(const gd::CallableValue &callable, int64_t tool_class);
    int64_t remove_tool(const std::string &id);
    int64_t set_tool_enabled(const std::string &id, bool enabled);
    gd::Array get_tools() const;
    int64_t emit_event(int64_t topic, const gd::Dictionary &payload, int64_t delivery);
    gd::Dictionary next_message();
    gd::Dictionary get_stats() const;
    gd::Array get_capability_documents();
    static std::string get_library_version() { return aicc_version(); }

    const std::shared_ptr<World> &running_world() const { return world; }
    static std::vector<gd::Object> all();                        // in the tree
    static std::vector<gd::Object> characters_below(gd::Object bridge);
    static void bind();
private:
    std::shared_ptr<World> world;
    std::map<std::string, Binding> kept; // the bridge's own tools, also while it does not run
    gd::Variant on_frame;                // what the tree calls each frame
    std::string on_signal;

    std::string shown_name() const;
    std::string who() const { return "AiccBridge \"" + shown_name() + "\": "; }
    Error refuse(Error error, const std::string &what) const;
    Error open_listener(aicc_listener *out, std::string *key);
    gd::Strings obstacles();             // why it cannot start
    std::string property_told(const aicc_error &error) const;
    Error put(const Binding &binding);
    void follow_frames(bool on);
    void frame();
};
GD_CLASS_DECLARE(AiccBridge)

void listeners_unload();
