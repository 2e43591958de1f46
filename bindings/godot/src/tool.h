// tool.h: what a character can do, as a resource, and a tool joined to the method that does it.
#pragma once

#include "json.h"

#include <map>
#include <memory>

class AiccTool : public gd::Instance {
public:
    std::string id, description, method, input_schema_json, output_schema_json, requires_capability;
    int64_t tool_class = AICC_ACTUATOR;
    gd::Strings arguments;
    gd::Dictionary input_schema, output_schema;
    double timeout = 30;
    int64_t calls_per_minute = 0, calls_per_session = 0, max_in_flight = 0, max_concurrent = 0, max_input_bytes = 0, max_output_bytes = 0;
    bool hide_without_capability = false, strict_input = false, repair = true, while_paused = false;

    gd::Strings problems();              // those for which it cannot be added
    gd::Strings all_problems();
    static gd::Reference from_method(const gd::CallableValue &callable, int64_t tool_class);
    static gd::Reference for_add_method(const gd::CallableValue &callable, int64_t tool_class); // ready to be added, or null with an engine error
    std::string method_name() const { return method.empty() ? id : method; }
    void changed(const char *property) override;
    static void bind();
private:
    // invented: there was no source to read the description from.
    static gd::Reference make(const gd::CallableValue &callable, int64_t tool_class, bool *invented);
};
GD_CLASS_DECLARE(AiccTool)
bool good_id(const std::string &id);
// A type in a schema that there is not; "": none.
std::string schema_fault(const gd::Variant &schema, const std::string &path, int depth = 0);

// The library's options of a tool, and the memory that they point to.
struct ToolOptions {
    aicc_tool_options options;
    std::string id, description, input, output, capability;
    // false: *why says what the tool lacks.
    bool make(AiccTool &tool, std::string *why);
    std::string key() const; // equal when everything is
    ToolOptions() = default;
    ToolOptions(const ToolOptions &) = delete;
};

// Where an input's numbers are floats: JSON has one kind of number, GDScript two.
struct Numbers {
    bool real = false;
    std::map<std::string, Numbers> members;
    std::shared_ptr<Numbers> elements;
    bool empty() const { return !real && members.empty() && !elements; }
    static Numbers of(const gd::Variant &schema, int depth = 0);
    gd::Variant apply(const gd::Variant &value) const;
};

// What is known of a method from its script.
struct Argument {
    std::string name, class_name;
    gd::Type type = GDEXTENSION_VARIANT_TYPE_NIL, element = GDEXTENSION_VARIANT_TYPE_NIL;
    std::vector<std::pair<std::string, int64_t>> words; // of an enum
    bool optional = false, secret = false; // secret: only the script knows the default
    gd::Variant fallback;                  // the default
    bool convert(const gd::Variant &value, gd::Variant *out) const;
};
struct Method {
    bool known = false, returns_nothing = false;
    gd::Type returns = GDEXTENSION_VARIANT_TYPE_NIL;
    std::vector<Argument> arguments;
    static Method of(gd::Object object, const std::string &name);
    bool takes_call() const { return !arguments.empty() && arguments.back().class_name == "AiccCall"; }
};
gd::Variant script_of(gd::Object object);
// The doc comment of a script's function: "" for its text, and by name of each argument. *unread: its script has no source, since it was exported.
std::map<std::string, std::string> doc_comment(gd::Object object, const std::string &function, bool *unread);
// An argument's default as it is written, without blanks; "": nobody knows.
std::string default_text(gd::Object object, const std::string &function, const std::string &argument);

// A tool and its callable.
struct Binding {
    gd::Variant tool, callable;
    std::string id, method;              // method: one that is declared to return a Dictionary, or nothing, else ""
    bool enabled = true;
    bool returns_nothing = false, takes_input = true, takes_call = false, asks = false; // asks: how many arguments it takes is found out when it is called
    bool known = false;           // the method's arguments are those of its script
    bool fills = false;           // no argument may be left out: others follow
    std::vector<Argument> spread; // takes these members instead of the whole input
    Numbers numbers;
    bool make(AiccTool &tool, const gd::Variant &callable, std::string *why);
    // The arguments of an input. false: *wrong says what does not fit, or *missing is a member that the method needs and the input has not.
    bool gather(const gd::Dictionary &input, std::vector<gd::Variant> *arguments, std::string *wrong, std::string *missing) const;
};
