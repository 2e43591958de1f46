// method.cpp: what a script says of its methods, and a tool made of one.
#include "tool.h"

#include <set>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

enum { HINT_OF_ARRAYS = 31, ANYTHING = 1 << 17, OF_ENUM = 1 << 16 };

static Type builtin_type(const std::string &text)
{
    const int known = api.version.minor >= 3 ? types : packed_vector4_array;
    for (Type t = 1; t < known; t++)
        if (type_name(t) == text)
            return t;
    return TYPE(NIL);
}

// The object of a static function is the script itself.
Variant script_of(Object object)
{
    const Variant self(object);
    return !object ? Variant() : class_name(object) == "GDScript" ? self : self.call(name("get_script"));
}

// The script that a name like "Guard" or "res://guard.gd" means.
static Variant script_named(const std::string &of)
{
    std::string path = of.rfind("res://", 0) == 0 ? of : "";
    if (path.empty()) {
        const Variant all = Variant(singleton("ProjectSettings")).call(name("get_global_class_list"));
        const Array list(all.is(TYPE(ARRAY)) ? all : Variant(Array()));
        for (size_t i = 0, n = list.size(); i < n && path.empty(); i++)
            if (const Dictionary known(list.at(i)); known.get("class").to_string() == of)
                path = known.get("path").to_string();
    }
    const Variant loader(singleton("ResourceLoader"));
    return !path.empty() && loader.call(name("exists"), { Variant(path) }).to_bool() ? loader.call(name("load"), { Variant(path) }) : Variant();
}

using Words = std::vector<std::pair<std::string, int64_t>>;

// false: neither this script nor one that it extends has such an enum.
static bool words_in(const Variant &first, const std::string &enumeration, Words *words)
{
    for (Variant script = first; script.to_object(); script = script.call(name("get_base_script"))) {
        const Variant constants = script.call(name("get_script_constant_map"));
        const Variant found = constants.is(TYPE(DICTIONARY)) ? Dictionary(constants).get(Variant(Name(enumeration))) : Variant();
        if (!found.is(TYPE(DICTIONARY)))
            continue;
        const Dictionary values(found);
        for (const Variant &key : values.keys())
            words->emplace_back(key.to_string(), values.get(key).to_int());
        return true;
    }
    return false;
}

// The names and values of an enum, of another script, this one or one that it extends, or the engine.
static Words words_of(Object object, const std::string &class_name)
{
    Words words;
    const size_t dot = class_name.rfind('.');
    const std::string enumeration = dot == std::string::npos ? class_name : class_name.substr(dot + 1);
    if (dot != std::string::npos && words_in(script_named(class_name.substr(0, dot)), enumeration, &words))
        return words;
    if (words_in(script_of(object), enumeration, &words))
        return words;
    if (dot == std::string::npos)
        return words;
    const Variant classes(singleton("ClassDB"));
    const std::string of = class_name.substr(0, dot);
    if (!classes.call(name("class_has_enum"), { Variant(Name(of)), Variant(Name(enumeration)) }).to_bool())
        return words;
    for (const std::string &constant : strings(classes.call(name("class_get_enum_constants"), { Variant(Name(of)), Variant(Name(enumeration)) })))
        words.emplace_back(constant, classes.call(name("class_get_integer_constant"), { Variant(Name(of)), Variant(Name(constant)) }).to_int());
    return words;
}

static bool is_container(Type t) { return t == TYPE(ARRAY) || t == TYPE(DICTIONARY) || (t >= TYPE(PACKED_BYTE_ARRAY) && t < types); }

static Variant empty(const Argument &a)
{
    Value made(a.type);
    if (a.type == TYPE(ARRAY) && a.element != TYPE(NIL))
        api.array_set_typed(made.ptr(), GDExtensionVariantType(a.element), Name("").ptr(), Variant().ptr());
    return Variant(made);
}

// What an argument is that is left out. The list of methods has null for all that is not constant, [] for one: then the source says whether it
// is an empty one. A script without source was one with source before it was exported, when the others were refused.
static void fall_back(Argument *a, const Variant &listed, Object object, const std::string &method)
{
    a->optional = true;
    a->fallback = listed;
    if (!listed.is_nil() || a->type == TYPE(OBJECT))
        return;
    const std::string text = default_text(object, method, a->name), type = type_name(a->type);
    const bool is_empty = text.empty() || text == "[]" || text == "{}" || text == type + "()" || text == type + "([])" || text == type + "({})";
    if (is_container(a->type) && is_empty)
        a->fallback = empty(*a);
    else
        a->secret = a->type != TYPE(NIL) || !(text.empty() || text == "null");
}

static Method described(Object object, const Dictionary &info)
{
    Method m;
    m.known = true;
    const Dictionary returned(info.get("return"));
    m.returns = Type(returned.get("type").to_int());
    m.returns_nothing = returned.get("type").to_int() == TYPE(NIL) && !(returned.get("usage").to_int() & ANYTHING);
    const Array arguments(info.get("args")), defaults(info.get("default_args"));
    for (size_t i = 0, n = arguments.size(); i < n; i++) {
        const Dictionary given(arguments.at(i));
        Argument a;
        a.name = given.get("name").to_string();
        a.type = Type(given.get("type").to_int());
        a.class_name = given.get("class_name").to_string();
        if (a.type == TYPE(ARRAY) && given.get("hint").to_int() == HINT_OF_ARRAYS)
            a.element = builtin_type(given.get("hint_string").to_string());
        if (a.type == TYPE(ARRAY) && a.element == TYPE(NIL) && given.get("hint").to_int() == HINT_OF_ARRAYS) {
            a.type = TYPE(OBJECT); // of a class, or an enum: what is read from JSON is neither
            a.class_name = "Array[" + given.get("hint_string").to_string() + "]";
        }
        if (a.type == TYPE(INT) && given.get("usage").to_int() & OF_ENUM)
            a.words = words_of(object, a.class_name);
        m.arguments.push_back(std::move(a));
    }
    for (size_t n = std::min(defaults.size(), m.arguments.size()), i = 0; i < n; i++)
        fall_back(&m.arguments[m.arguments.size() - n + i], defaults.at(defaults.size() - n + i), object, info.get("name").to_string());
    return m;
}

static bool look_up(Object object, const Variant &list, const std::string &method, Method *out)
{
    if (!list.is(TYPE(ARRAY)))
        return false;
    const Array methods(list);
    for (size_t i = 0, n = methods.size(); i < n; i++) {
        const Dictionary info(methods.at(i));
        if (info.get("name").to_string() != method)
            continue;
        *out = described(object, info);
        return true;
    }
    return false;
}

Method Method::of(Object object, const std::string &method)
{
    Method m;
    if (!object || method.empty() || method[0] == '<')
        return m;
    const Variant script = script_of(object), self(object);
    if (script.to_object() && look_up(object, script.call(name("get_script_method_list")), method, &m))
        return m;
    look_up(object, self.call(name("get_method_list")), method, &m);
    return m;
}

bool Binding::gather(const Dictionary &input, std::vector<Variant> *arguments, std::string *wrong, std::string *missing) const
{
    size_t given = 0;
    for (const Argument &a : spread) {
        const Variant *member = input.find(Variant(a.name));
        Variant value = a.fallback;
        if (member && !a.convert(*member, &value)) {
            *wrong = "/" + a.name + ": it is not what the tool takes: wanted " + type_name(a.type);
            return false;
        }
        if (!member && !a.optional && missing->empty())
            *missing = a.name;
        arguments->push_back(value);
        if (member)
            given = arguments->size();
    }
    if (!fills)
        arguments->resize(given); // those that are left out at the end have the method's own defaults
    return !(known && !missing->empty());
}

bool Argument::convert(const Variant &value, Variant *out) const
{
    if (!words.empty() && value.is(TYPE(STRING))) {
        const std::string word = value.to_string();
        for (const auto &[text, number] : words)
            if (text == word) {
                *out = Variant(number);
                return true;
            }
        return false;
    }
    if (type == TYPE(ARRAY) && element != TYPE(NIL) && value.is(TYPE(ARRAY))) {
        const Array list(value);
        Array made{ empty(*this) };
        for (size_t i = 0, n = list.size(); i < n; i++) {
            Variant v;
            if (!json::convert(list.at(i), element, &v))
                return false;
            made.push(v);
        }
        *out = made;
        return true;
    }
    return json::convert(value, type, out);
}

// ------------------------------------------------------------------------------------------------ a tool of a method

static bool argument_schema(const Argument &a, Dictionary *schema)
{
    if (!a.words.empty()) {
        Array words;
        for (const auto &word : a.words)
            words.push(Variant(word.first));
        schema->set("type", "string");
        schema->set("enum", words);
        return true;
    }
    if (!json::schema(a.type, schema))
        return false;
    Dictionary items;
    if (a.type == TYPE(ARRAY) && a.element != TYPE(NIL)) {
        if (!json::schema(a.element, &items))
            return false;
        schema->set("items", items);
    }
    return true;
}

static Reference refuse(const std::string &what)
{
    push_error("AiccTool.from_method: " + what);
    return Reference();
}

Reference AiccTool::from_method(const CallableValue &callable, int64_t tool_class)
{
    bool invented = false;
    return make(callable, tool_class, &invented);
}

Reference AiccTool::for_add_method(const CallableValue &callable, int64_t tool_class)
{
    bool invented = false;
    const Reference made = make(callable, tool_class, &invented);
    if (!made.object)
        return made;
    const AiccTool &tool = *cast<AiccTool>(made.object);
    const std::string method = tool.method_name();
    const std::string by_hand = "var t := AiccTool.from_method(" + method + "); ";
    if (!good_id(tool.id))
        return refuse("the name of " + method + "() is no id for a tool, which begins with a small letter and has small letters, digits and _ only, at most 64: " + by_hand +
                      "t.id = \"a_good_id\"; add_tool(t, " + method + "). AiccTool.method keeps the method's name.");
    if (tool.description.empty())
        return refuse(method + "() has no description: write a ## comment above it that says what it does. It is all that an agent knows of the tool.");
    static std::set<std::string> told;
    if (invented && told.insert(method).second)
        push_warning("AiccTool: the tool " + tool.id + " has only its name as a description: the script of " + method +
                     "() has no source here, as in exported projects, and so no ## comments. Give it one in code: " + by_hand + "t.description = \"...\"; add_tool(t, " + method +
                     "). Or save the tool as .tres.");
    return made;
}

Reference AiccTool::make(const CallableValue &callable, int64_t tool_class, bool *invented)
{
    const Object object = callable.call(name("get_object")).to_object();
    const std::string method = callable.call(name("get_method")).to_string();
    if (!callable.call(name("is_valid")).to_bool())
        return refuse("the callable is not valid: give a method of an object that lives, self.walk_to for instance.");
    Method m = Method::of(object, method);
    if (!m.known)
        return refuse("a lambda has no name and no types that can be read: give a method, or make an AiccTool by hand and add_tool it with the lambda.");
    const auto doc = doc_comment(object, method, invented);
    const Variant made(create_own("AiccTool"));
    AiccTool &tool = *cast<AiccTool>(made.to_object());
    tool.id = method;
    while (!tool.id.empty() && tool.id[0] == '_')
        tool.id.erase(0, 1);
    tool.method = method == tool.id && good_id(method) ? "" : method;
    tool.tool_class = tool_class;
    if (doc.count(""))
        tool.description = doc.at("");
    if (*invented) {
        tool.description = tool.id;
        for (char &c : tool.description)
            c = c == '_' ? ' ' : c;
    }
    const int64_t bound = callable.call(name("get_bound_arguments_count")).to_int();
    for (int64_t i = 0; i < bound && !m.arguments.empty(); i++)
        m.arguments.pop_back();
    if (m.takes_call())
        m.arguments.pop_back();
    if (m.arguments.size() == 1 && m.arguments[0].type == TYPE(DICTIONARY))
        return Reference(made); // takes the whole input; its schema cannot be read from it
    Dictionary properties;
    Array required;
    for (const Argument &a : m.arguments) {
        Dictionary schema;
        if (!argument_schema(a, &schema))
            return refuse("argument " + a.name + " of " + method + "() is of type " + (a.class_name.empty() ? type_name(a.type) : a.class_name) +
                          ", which has no meaning in JSON: take a name or an id, and look the object up.");
        if (doc.count(a.name))
            schema.set("description", doc.at(a.name));
        if (a.optional) {
            Variant value = a.fallback;
            for (const auto &word : a.words)
                if (value.is(TYPE(INT)) && word.second == value.to_int()) {
                    value = Variant(word.first);
                    break;
                }
            std::string why, text = json::text(value, &why);
            Variant plain;
            if (text.empty() || !json::parse(text, &plain, &why))
                return refuse("the default of argument " + a.name + " of " + method + "() has no meaning in JSON: " + why + ".");
            if (!plain.is_nil())
                schema.set("default", plain);
        } else {
            required.push(Variant(a.name));
        }
        properties.set(Variant(a.name), schema);
        tool.arguments.push_back(a.name);
    }
    tool.input_schema.set("type", "object");
    tool.input_schema.set("properties", properties);
    if (required.size())
        tool.input_schema.set("required", required);
    return Reference(made);
}
