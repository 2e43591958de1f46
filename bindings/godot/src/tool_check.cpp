// tool_check.cpp: what can be said of a tool's schemas. Their types are looked at wherever the tool is, also in the editor; all of it the library
// says, which is there in the running game.
#include "bridge.h"

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

static bool is_type(const Variant &word)
{
    static const char *const words[] = { "object", "array", "string", "number", "integer", "boolean", "null" };
    for (const char *known : words)
        if (word.is_text() && word.to_string() == known)
            return true;
    return false;
}

static std::string unknown_type(const Variant &type, const std::string &path)
{
    if (type.is(TYPE(ARRAY))) {
        const Array list(type);
        for (size_t i = 0, n = list.size(); i < n; i++)
            if (!is_type(list.at(i)))
                return unknown_type(list.at(i), path + "/" + std::to_string(i));
        return "";
    }
    return is_type(type) ? "" : path + " is \"" + type.to_string() + "\": it is object, array, string, number, integer, boolean or null.";
}

std::string schema_fault(const Variant &schema, const std::string &path, int depth)
{
    if (!schema.is(TYPE(DICTIONARY)) || depth > 32)
        return "";
    const Dictionary d(schema);
    std::string fault;
    if (const Variant *type = d.find("type"); type && !(fault = unknown_type(*type, path + "/type")).empty())
        return fault;
    else if (type && depth == 0 && type->is_text() && type->to_string() != "object")
        return path + "/type is \"" + type->to_string() + "\": inputs and outputs are objects, so it is object; what you have in mind is a member, below properties.";
    for (const char *members : { "properties", "patternProperties", "$defs", "definitions" })
        if (const Variant all = d.get(members); all.is(TYPE(DICTIONARY)))
            for (const Variant &key : Dictionary(all).keys())
                if (!(fault = schema_fault(Dictionary(all).get(key), path + "/" + members + "/" + key.to_string(), depth + 1)).empty())
                    return fault;
    for (const char *one : { "items", "additionalProperties", "not", "contains" })
        if (!(fault = schema_fault(d.get(one), path + "/" + one, depth + 1)).empty())
            return fault;
    for (const char *several : { "anyOf", "oneOf", "allOf", "prefixItems" })
        if (const Variant list = d.get(several); list.is(TYPE(ARRAY)))
            for (size_t i = 0, n = Array(list).size(); i < n; i++)
                if (!(fault = schema_fault(Array(list).at(i), path + "/" + several + "/" + std::to_string(i), depth + 1)).empty())
                    return fault;
    return "";
}

// What the library says to a bridge that runs, in a set that nobody holds. "": nothing, or there is none.
static std::string compiled_fault(AiccTool &tool)
{
    std::string why;
    ToolOptions options;
    if (!on_main_thread() || !options.make(tool, &why))
        return why;
    for (uint64_t node : running_bridges()) {
        AiccBridge *bridge = cast_id<AiccBridge>(node);
        const std::shared_ptr<World> world = bridge ? bridge->running_world() : nullptr;
        aicc_error error;
        aicc_tool made = { 0 };
        if (!world || aicc_toolset_create(world->handle, aicc_s("a check"), &options.options.set, &error) != AICC_OK)
            continue;
        const aicc_status status = aicc_tool_register(world->handle, &options.options, &made, &error);
        aicc_toolset_destroy(options.options.set);
        return status == AICC_E_SCHEMA || status == AICC_E_JSON ? told(error) : "";
    }
    return "";
}

Strings AiccTool::all_problems()
{
    Strings list = problems();
    std::string why;
    Variant schema = input_schema;
    if (!list.empty())
        return list;
    if (!input_schema_json.empty())
        json::parse(input_schema_json, &schema, &why);
    const Dictionary members(Dictionary(schema).get("properties"));
    for (const std::string &argument : arguments)
        if (!members.find(Variant(argument)))
            list.push_back("arguments has \"" + argument + "\", which is no member of input_schema's properties, so that it never comes.");
    if (why = compiled_fault(*this); !why.empty())
        list.push_back(why + ": mend the schema.");
    return list;
}
