// method.cpp: what a script says of its methods, and a tool made of one.
#include "tool.h"

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

static Variant script_of(Object object) { return object ? Variant(object).call(name("get_script")) : Variant(); }

// The names and values of an enum, of this script, one that it extends, or the engine.
static std::vector<std::pair<std::string, int64_t>> words_of(Object object, const std::string &class_name)
{
    std::vector<std::pair<std::string, int64_t>> words;
    const size_t dot = class_name.rfind('.');
    const std::string enumeration = dot == std::string::npos ? class_name : class_name.substr(dot + 1);
    for (Variant script = script_of(object); script.to_object(); script = script.call(name("get_base_script"))) {
        const Variant constants = script.call(name("get_script_constant_map"));
        const Variant found = constants.is(TYPE(DICTIONARY)) ? Dictionary(constants).get(Variant(Name(enumeration))) : Variant();
        const Variant other = found.is_nil() && constants.is(TYPE(DICTIONARY)) ? Dictionary(constants).get(Variant(enumeration)) : found;
        if (!other.is(TYPE(DICTIONARY)))
            continue;
        const Dictionary values(other);
        for (const Variant &key : values.keys())
            words.emplace_back(key.to_string(), values.get(key).to_int());
        return words;
    }
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
        if (a.type == TYPE(INT) && given.get("usage").to_int() & OF_ENUM)
            a.words = words_of(object, a.class_name);
        m.arguments.push_back(std::move(a));
    }
    for (size_t i = 0, n = defaults.size(); i < n; i++)
        m.defaults.push_back(defaults.at(i));
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
        Value typed(TYPE(ARRAY));
        api.array_set_typed(typed.ptr(), GDExtensionVariantType(element), Name("").ptr(), Variant().ptr());
        Array made{ Variant(typed) };
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

// ------------------------------------------------------------------------------------------------ doc comments

static std::string stripped(const std::string &line)
{
    const size_t from = line.find_first_not_of(" \t");
    if (from == std::string::npos)
        return "";
    return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

static bool begins(const std::string &line, const std::string &with) { return line.rfind(with, 0) == 0; }

static bool defines(const std::string &line, const std::string &function)
{
    std::string rest = line;
    for (const char *word : { "@", "static " })
        if (begins(rest, word) && *word != '@')
            rest = stripped(rest.substr(std::string(word).size()));
    if (!begins(rest, "func "))
        return false;
    rest = stripped(rest.substr(5));
    return begins(rest, function) && rest.size() > function.size() && (rest[function.size()] == '(' || rest[function.size()] == ' ');
}

// BBCode as plain words: [param speed] is speed, [b] nothing.
static std::string plain(const std::string &text)
{
    std::string out;
    for (size_t i = 0; i < text.size();) {
        const size_t close = text[i] == '[' ? text.find(']', i) : std::string::npos;
        if (close == std::string::npos) {
            out += text[i++];
            continue;
        }
        const std::string tag = text.substr(i + 1, close - i - 1);
        const size_t space = tag.find(' ');
        static const char *const marks[] = { "b", "/b", "i", "/i", "u", "/u", "code", "/code", "codeblock", "/codeblock", "kbd", "/kbd" };
        bool mark = false;
        for (const char *m : marks)
            mark = mark || tag == m;
        if (space != std::string::npos && tag.find_first_of(",\"") == std::string::npos)
            out += tag.substr(space + 1);
        else if (!mark)
            out += "[" + tag + "]";
        i = close + 1;
    }
    return out;
}

static std::map<std::string, std::string> sorted(const std::vector<std::string> &comment)
{
    std::map<std::string, std::string> doc;
    std::string about; // the argument that is being described; "": the method
    for (std::string line : comment) {
        if (begins(line, "[param ") && line.find(']') != std::string::npos) {
            const size_t close = line.find(']');
            about = line.substr(7, close - 7);
            line = stripped(line.substr(close + 1));
            if (!line.empty() && line[0] == ':')
                line = stripped(line.substr(1));
        } else if (line.empty()) {
            about = "";
        }
        std::string &text = doc[about];
        if (line.empty()) {
            if (!text.empty() && text.back() != '\n')
                text += '\n';
            continue;
        }
        if (!text.empty() && text.back() != '\n')
            text += ' ';
        text += plain(line);
    }
    for (auto &entry : doc)
        while (!entry.second.empty() && entry.second.back() == '\n')
            entry.second.pop_back();
    return doc;
}

std::map<std::string, std::string> doc_comment(Object object, const std::string &function)
{
    for (Variant script = script_of(object); script.to_object(); script = script.call(name("get_base_script"))) {
        const std::string source = script.call(name("get_source_code")).to_string();
        std::vector<std::string> comment;
        for (size_t at = 0; at < source.size();) {
            const size_t end = std::min(source.find('\n', at), source.size());
            const std::string line = stripped(source.substr(at, end - at));
            at = end + 1;
            if (begins(line, "##"))
                comment.push_back(stripped(line.substr(2)));
            else if (defines(line, function))
                return sorted(comment);
            else if (!begins(line, "@"))
                comment.clear();
        }
    }
    return {};
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
    const Object object = callable.call(name("get_object")).to_object();
    const std::string method = callable.call(name("get_method")).to_string();
    if (!callable.call(name("is_valid")).to_bool())
        return refuse("the callable is not valid: give a method of an object that lives, self.walk_to for instance.");
    Method m = Method::of(object, method);
    if (!m.known)
        return refuse("a lambda has no name and no types that can be read: give a method, or make an AiccTool by hand and add_tool it with the lambda.");
    const auto doc = doc_comment(object, method);
    const Variant made(create_own("AiccTool"));
    AiccTool &tool = *cast<AiccTool>(made.to_object());
    tool.id = method;
    while (!tool.id.empty() && tool.id[0] == '_')
        tool.id.erase(0, 1);
    tool.method = method == tool.id ? "" : method;
    tool.tool_class = tool_class;
    if (doc.count(""))
        tool.description = doc.at("");
    const int64_t bound = callable.call(name("get_bound_arguments_count")).to_int();
    for (int64_t i = 0; i < bound && !m.arguments.empty(); i++) {
        m.arguments.pop_back();
        if (!m.defaults.empty())
            m.defaults.pop_back();
    }
    if (m.takes_call())
        m.arguments.pop_back();
    if (m.arguments.size() == 1 && m.arguments[0].type == TYPE(DICTIONARY))
        return Reference(made); // takes the whole input; its schema cannot be read from it
    Dictionary properties;
    Array required;
    const size_t n = m.arguments.size(), first_default = n - std::min(n, m.defaults.size());
    for (size_t i = 0; i < n; i++) {
        const Argument &a = m.arguments[i];
        Dictionary schema;
        if (!argument_schema(a, &schema))
            return refuse("argument " + a.name + " of " + method + "() is of type " + (a.class_name.empty() ? type_name(a.type) : a.class_name) +
                          ", which has no meaning in JSON: take a name or an id, and look the object up.");
        if (doc.count(a.name))
            schema.set("description", doc.at(a.name));
        if (i >= first_default) {
            Variant value = m.defaults[i - first_default];
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
