#include "tool.h"

#include <cmath>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

bool good_id(const std::string &id)
{
    if (id.empty() || id.size() > 64 || id[0] < 'a' || id[0] > 'z')
        return false;
    for (char c : id)
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    return true;
}

// A schema from its two properties. "": not given.
static std::string schema_text(const Dictionary &dictionary, const std::string &json, std::string *why)
{
    return dictionary.size() ? json::text(dictionary, why) : json;
}

static void check_schema(Strings *list, const char *name, const Dictionary &dictionary, const std::string &json)
{
    std::string why;
    Variant parsed;
    if (dictionary.size() && !json.empty())
        list->push_back(std::string("both ") + name + " and " + name + "_json are set: leave one of them empty.");
    else if (dictionary.size() && schema_text(dictionary, json, &why).empty())
        list->push_back(std::string(name) + " is no JSON Schema: " + why + ".");
    else if (!json.empty() && !json::parse(json, &parsed, &why))
        list->push_back(std::string(name) + "_json is not JSON: " + why + ".");
    else if (!json.empty() && !parsed.is(TYPE(DICTIONARY)))
        list->push_back(std::string(name) + "_json is not a JSON object.");
    else if (why = json.empty() ? schema_fault(dictionary, name) : schema_fault(parsed, name); !why.empty())
        list->push_back(why);
}

static void check_range(Strings *list, const char *name, int64_t value, int64_t most)
{
    if (value < 0 || value > most)
        list->push_back(std::string(name) + " is " + std::to_string(value) + ": it is at least 0 (no limit) and at most " + std::to_string(most) + ".");
}

Strings AiccTool::problems()
{
    Strings list;
    if (id.empty())
        list.push_back("id is empty: name the tool, walk_to for instance.");
    else if (!good_id(id))
        list.push_back("id is \"" + id + "\": it begins with a small letter and has small letters, digits and _ only, at most 64.");
    if (description.empty())
        list.push_back("description is empty: say what the tool does. A tool made of a method has its ## comment. It is all that an agent knows of it.");
    if (tool_class < AICC_SENSOR || tool_class > AICC_GENERATOR)
        list.push_back("tool_class is " + std::to_string(tool_class) + ": it is one of AiccTool.CLASS_SENSOR, CLASS_ACTUATOR, CLASS_GENERATOR.");
    if (!(timeout >= 0 && timeout <= 86400))
        list.push_back("timeout is out of range: it is at least 0 (none) and at most 86400 seconds.");
    check_range(&list, "calls_per_minute", calls_per_minute, 10000);
    check_range(&list, "calls_per_session", calls_per_session, INT32_MAX);
    check_range(&list, "max_in_flight", max_in_flight, 16);
    check_range(&list, "max_concurrent", max_concurrent, INT32_MAX);
    check_range(&list, "max_input_bytes", max_input_bytes, INT32_MAX);
    check_range(&list, "max_output_bytes", max_output_bytes, INT32_MAX);
    check_schema(&list, "input_schema", input_schema, input_schema_json);
    check_schema(&list, "output_schema", output_schema, output_schema_json);
    return list;
}

void AiccTool::changed(const char *) { self().call(name("emit_changed")); }

bool ToolOptions::make(AiccTool &tool, std::string *why)
{
    const Strings problems = tool.problems();
    if (!problems.empty()) {
        *why = problems[0];
        return false;
    }
    id = tool.id;
    description = tool.description;
    capability = tool.requires_capability;
    input = schema_text(tool.input_schema, tool.input_schema_json, why);
    output = schema_text(tool.output_schema, tool.output_schema_json, why);
    aicc_tool_options_init(&options, sizeof options);
    options.cls = int32_t(tool.tool_class);
    options.id = aicc_sn(id.data(), id.size());
    options.description = aicc_sn(description.data(), description.size());
    options.input_schema = aicc_sn(input.data(), input.size());
    options.output_schema = aicc_sn(output.data(), output.size());
    options.requires_capability = aicc_sn(capability.data(), capability.size());
    options.calls_per_minute = int32_t(tool.calls_per_minute);
    options.calls_per_session = int32_t(tool.calls_per_session);
    options.max_in_flight = int32_t(tool.max_in_flight);
    options.strict_input = tool.strict_input;
    options.while_paused = tool.while_paused;
    options.no_repair = !tool.repair;
    options.hide_without_capability = tool.hide_without_capability;
    options.timeout_ms = tool.timeout == 0 ? -1 : std::max<int64_t>(1, int64_t(std::llround(tool.timeout * 1000)));
    options.max_input_bytes = tool.max_input_bytes;
    options.max_output_bytes = tool.max_output_bytes;
    options.max_concurrent = tool.max_concurrent;
    return true;
}

std::string ToolOptions::key() const
{
    std::string key;
    for (const std::string *s : { &id, &description, &input, &output, &capability })
        key += std::to_string(s->size()) + ":" + *s;
    for (int64_t n : { int64_t(options.cls), int64_t(options.calls_per_minute), int64_t(options.calls_per_session), int64_t(options.max_in_flight), int64_t(options.strict_input),
                       int64_t(options.while_paused), int64_t(options.no_repair), int64_t(options.hide_without_capability), options.timeout_ms, options.max_input_bytes,
                       options.max_output_bytes, options.max_concurrent })
        key += "," + std::to_string(n);
    return key + ";";
}

static bool names_type(const Variant &type, const char *name)
{
    if (type.is(TYPE(ARRAY))) {
        const Array list(type);
        for (size_t i = 0, n = list.size(); i < n; i++)
            if (list.at(i).to_string() == name)
                return true;
        return false;
    }
    return type.is_text() && type.to_string() == name;
}

Numbers Numbers::of(const Variant &schema, int depth)
{
    Numbers n;
    if (!schema.is(TYPE(DICTIONARY)) || depth > 16)
        return n;
    const Dictionary d(schema);
    n.real = names_type(d.get("type"), "number");
    if (const Variant properties = d.get("properties"); properties.is(TYPE(DICTIONARY))) {
        const Dictionary all(properties);
        for (const Variant &key : all.keys())
            if (Numbers member = of(all.get(key), depth + 1); !member.empty())
                n.members.emplace(key.to_string(), std::move(member));
    }
    if (Numbers elements = of(d.get("items"), depth + 1); !elements.empty())
        n.elements = std::make_shared<Numbers>(std::move(elements));
    return n;
}

Variant Numbers::apply(const Variant &value) const
{
    if (real && value.is(TYPE(INT)))
        return Variant(value.to_double());
    if (!members.empty() && value.is(TYPE(DICTIONARY))) {
        Dictionary d(value);
        for (const auto &[key, numbers] : members)
            if (const Variant *member = d.find(Variant(key)))
                d.set(Variant(key), numbers.apply(*member));
    }
    if (elements && value.is(TYPE(ARRAY))) {
        const Array list(value);
        Array changed;
        for (size_t i = 0, n = list.size(); i < n; i++)
            changed.push(elements->apply(list.at(i)));
        return changed;
    }
    return value;
}

bool Binding::make(AiccTool &t, const Variant &c, std::string *why)
{
    tool = t.self();
    callable = c;
    id = t.id;
    Variant schema = t.input_schema;
    if (!t.input_schema_json.empty() && !json::parse(t.input_schema_json, &schema, why))
        return false;
    numbers = Numbers::of(schema);
    if (!c.is(TYPE(CALLABLE)) || !c.call(name("is_valid")).to_bool()) {
        *why = "the callable for tool \"" + id + "\" is not valid: its object was freed, or has no such method";
        return false;
    }
    const std::string method_name = c.call(name("get_method")).to_string();
    Method method = Method::of(c.call(name("get_object")).to_object(), method_name);
    const int64_t bound = c.call(name("get_bound_arguments_count")).to_int();
    if (!method.known) {
        GDExtensionCallError error;
        const int64_t count = c.call(name("get_argument_count"), {}, &error).to_int(); // since 4.3
        asks = error.error != GDEXTENSION_CALL_OK || count == 0;
        fills = takes_call = count == int64_t(t.arguments.size() ? t.arguments.size() : 1) + 1;
        for (const std::string &argument : t.arguments) {
            spread.emplace_back();
            spread.back().name = argument;
        }
        if (!asks && count > 2 && spread.empty()) {
            *why = "the callable for tool \"" + id + "\" takes " + std::to_string(count) + " arguments: it is called with the input, and with the AiccCall if it takes two";
            return false;
        }
        return true;
    }
    known = true;
    returns_nothing = method.returns_nothing;
    if (method.returns == TYPE(DICTIONARY) || returns_nothing)
        this->method = method_name;
    while (bound > 0 && method.arguments.size() > size_t(0) && method.arguments.size() > 0 && size_t(bound) <= method.arguments.size()) {
        method.arguments.resize(method.arguments.size() - size_t(bound));
        break;
    }
    std::vector<Argument> &arguments = method.arguments;
    const bool whole = t.arguments.empty() && (arguments.empty() || arguments[0].type == TYPE(DICTIONARY) || (arguments[0].type == TYPE(NIL) && arguments.size() <= 2));
    if (method.takes_call() || (whole && arguments.size() == 2)) {
        takes_call = true;
        arguments.pop_back();
    }
    if (whole) {
        takes_input = !arguments.empty();
        if (arguments.size() > 1) {
            *why = "the method " + method_name + "() of tool \"" + id + "\" takes " + std::to_string(arguments.size() + takes_call) +
                   " arguments: let it take the input as a Dictionary, and the AiccCall if it wants that; or give each argument the type of an input's member";
            return false;
        }
        return true;
    }
    takes_input = false;
    fills = takes_call || bound > 0;
    for (const Argument &a : arguments) {
        spread.push_back(a);
        if (a.secret && (fills || &a != &arguments.back())) {
            *why = "argument " + a.name + " of " + method_name + "() has a default that is no constant, which only the script knows, and others follow it: let it be the last one, or give it a constant, " +
                   "const OF_OLD := ... for instance, or take the whole input as a Dictionary";
            return false;
        }
    }
    if (!t.arguments.empty()) {
        bool same = t.arguments.size() == spread.size();
        for (size_t i = 0; same && i < spread.size(); i++)
            same = t.arguments[i] == spread[i].name;
        if (!same) {
            *why = "the method " + method_name + "() of tool \"" + id + "\" has not the arguments that the tool's `arguments` lists: make the tool anew with AiccTool.from_method";
            return false;
        }
    }
    return true;
}

void AiccTool::bind()
{
    Registrar::make<AiccTool>("AiccTool", "Resource")
        .constants("ToolClass", { { "CLASS_SENSOR", AICC_SENSOR }, { "CLASS_ACTUATOR", AICC_ACTUATOR }, { "CLASS_GENERATOR", AICC_GENERATOR } })
        .property<&AiccTool::id>("id")
        .property<&AiccTool::tool_class>("tool_class", { HINT_ENUM, "Sensor:1,Actuator:2,Generator:3", "AiccTool.ToolClass" })
        .property<&AiccTool::description>("description", { HINT_MULTILINE_TEXT })
        .property<&AiccTool::method>("method")
        .property<&AiccTool::arguments>("arguments")
        .property<&AiccTool::input_schema>("input_schema")
        .property<&AiccTool::input_schema_json>("input_schema_json", { HINT_MULTILINE_TEXT })
        .property<&AiccTool::output_schema>("output_schema")
        .property<&AiccTool::output_schema_json>("output_schema_json", { HINT_MULTILINE_TEXT })
        .group("Limits")
        .property<&AiccTool::timeout>("timeout", { HINT_RANGE, "0,86400,0.001,or_greater,suffix:s" })
        .property<&AiccTool::calls_per_minute>("calls_per_minute", { HINT_RANGE, "0,10000" })
        .property<&AiccTool::calls_per_session>("calls_per_session", { HINT_RANGE, "0,10000,or_greater" })
        .property<&AiccTool::max_in_flight>("max_in_flight", { HINT_RANGE, "0,16" })
        .property<&AiccTool::max_concurrent>("max_concurrent", { HINT_RANGE, "0,10000,or_greater" })
        .property<&AiccTool::max_input_bytes>("max_input_bytes", { HINT_RANGE, "0,1048576,or_greater,suffix:B" })
        .property<&AiccTool::max_output_bytes>("max_output_bytes", { HINT_RANGE, "0,262144,or_greater,suffix:B" })
        .group("Rules")
        .property<&AiccTool::requires_capability>("requires_capability")
        .property<&AiccTool::hide_without_capability>("hide_without_capability")
        .property<&AiccTool::strict_input>("strict_input")
        .property<&AiccTool::repair>("repair")
        .property<&AiccTool::while_paused>("while_paused")
        .method<&AiccTool::all_problems>("get_problems()")
        .method<&AiccTool::from_method>("from_method(callable, tool_class:AiccTool.ToolClass) -> AiccTool", { Variant(int64_t(AICC_ACTUATOR)) });
}
