// json_read.cpp: JSON text as Variants, and what was read as values of the types that JSON does not know.
#include "json.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

namespace json {

constexpr int deepest = 64;

struct Reader {
    const char *at, *begin, *end;
    std::string why;

    bool fail(const char *what)
    {
        if (why.empty())
            why = std::string(what) + " at byte " + std::to_string(at - begin);
        return false;
    }
    void space()
    {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
            at++;
    }
    bool eat(char c)
    {
        space();
        if (at == end || *at != c)
            return false;
        at++;
        return true;
    }
    bool word(const char *w)
    {
        const size_t n = strlen(w);
        if (size_t(end - at) < n || memcmp(at, w, n) != 0)
            return fail("no value");
        at += n;
        return true;
    }

    bool hex(uint32_t *unit)
    {
        if (end - at < 4)
            return fail("a \\u escape is cut off");
        const auto r = std::from_chars(at, at + 4, *unit, 16);
        if (r.ptr != at + 4)
            return fail("a \\u escape wants four hex digits");
        at += 4;
        return true;
    }
    static void put(std::string &out, uint32_t c)
    {
        if (c < 0x80) {
            out += char(c);
        } else if (c < 0x800) {
            out += char(0xc0 | c >> 6);
            out += char(0x80 | (c & 63));
        } else if (c < 0x10000) {
            out += char(0xe0 | c >> 12);
            out += char(0x80 | (c >> 6 & 63));
            out += char(0x80 | (c & 63));
        } else {
            out += char(0xf0 | c >> 18);
            out += char(0x80 | (c >> 12 & 63));
            out += char(0x80 | (c >> 6 & 63));
            out += char(0x80 | (c & 63));
        }
    }
    bool escape(std::string &out)
    {
        static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
        if (at == end)
            return fail("a string is cut off");
        const char c = *at++;
        if (const char *simple = strchr(from, c); simple && c) {
            out += to[simple - from];
            return true;
        }
        if (c != 'u')
            return fail("an unknown escape");
        uint32_t unit = 0, low = 0;
        if (!hex(&unit))
            return false;
        if (unit >= 0xd800 && unit < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
            at += 2;
            if (!hex(&low))
                return false;
            if (low >= 0xdc00 && low < 0xe000) {
                put(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                return true;
            }
            at -= 6; // a character of its own
        }
        put(out, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
        return true;
    }
    bool string(std::string *out)
    {
        for (;;) {
            const char *from = at;
            while (at < end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20)
                at++;
            out->append(from, size_t(at - from));
            if (at == end)
                return fail("a string is cut off");
            if (*at == '"') {
                at++;
                return true;
            }
            if (*at != '\\')
                return fail("a control character stands in a string");
            at++;
            if (!escape(*out))
                return false;
        }
    }
    size_t digits()
    {
        const char *from = at;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
        return size_t(at - from);
    }
    bool number(Variant *out)
    {
        const char *from = at;
        if (*at == '-')
            at++;
        const char *first = at;
        const size_t n = digits();
        if (!n || (n > 1 && *first == '0'))
            return fail("no number");
        bool whole = true;
        if (at < end && *at == '.') {
            whole = false;
            at++;
            if (!digits())
                return fail("no number");
        }
        if (at < end && (*at == 'e' || *at == 'E')) {
            whole = false;
            at++;
            if (at < end && (*at == '+' || *at == '-'))
                at++;
            if (!digits())
                return fail("no number");
        }
        int64_t i = 0;
        if (whole && std::from_chars(from, at, i).ec == std::errc()) {
            *out = Variant(i);
            return true;
        }
        double d = 0;
        const auto r = std::from_chars(from, at, d);
        if (r.ec == std::errc::result_out_of_range) {
            d = strtod(std::string(from, at).c_str(), nullptr);
            if (!std::isfinite(d))
                return fail("a number is too large");
        }
        *out = Variant(d);
        return true;
    }

    bool array(Variant *out, int depth)
    {
        Array list;
        if (!eat(']')) {
            do {
                Variant element;
                if (!value(&element, depth + 1))
                    return false;
                list.push(element);
            } while (eat(','));
            if (!eat(']'))
                return fail("wanted , or ]");
        }
        *out = list;
        return true;
    }
    bool object(Variant *out, int depth)
    {
        Dictionary members;
        if (!eat('}')) {
            do {
                std::string key;
                Variant member;
                if (!eat('"'))
                    return fail("wanted a member's name");
                if (!string(&key))
                    return false;
                if (members.find(Variant(key)))
                    return fail("a member comes twice");
                if (!eat(':'))
                    return fail("wanted :");
                if (!value(&member, depth + 1))
                    return false;
                members.set(Variant(key), member);
            } while (eat(','));
            if (!eat('}'))
                return fail("wanted , or }");
        }
        *out = members;
        return true;
    }
    bool value(Variant *out, int depth)
    {
        space();
        if (at == end)
            return fail("no value");
        if (depth > deepest)
            return fail("deeper than 64 levels");
        switch (*at) {
        case '{': at++; return object(out, depth);
        case '[': at++; return array(out, depth);
        case '"': {
            std::string s;
            at++;
            if (!string(&s))
                return false;
            *out = Variant(s);
            return true;
        }
        case 't': *out = Variant(true); return word("true");
        case 'f': *out = Variant(false); return word("false");
        case 'n': *out = Variant(); return word("null");
        default: return number(out);
        }
    }
};

bool parse(std::string_view text, Variant *out, std::string *why)
{
    Reader r{ text.data(), text.data(), text.data() + text.size(), "" };
    bool good = r.value(out, 1);
    if (good) {
        r.space();
        good = r.at == r.end || r.fail("something follows the value");
    }
    if (!good && why)
        *why = r.why;
    return good;
}

// The member of nested objects that a dotted name means.
static Variant member(const Variant &object, std::string_view dotted)
{
    Variant at = object;
    while (!dotted.empty() && at.is(TYPE(DICTIONARY))) {
        const size_t dot = dotted.find('.');
        at = Dictionary(at).get(Variant(dotted.substr(0, dot)));
        dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
    }
    return dotted.empty() ? at : Variant();
}

static bool is_number(const Variant &v) { return v.is(TYPE(INT)) || v.is(TYPE(FLOAT)); }

static bool whole(const Variant &v, int64_t *out)
{
    if (v.is(TYPE(INT))) {
        *out = v.to_int();
        return true;
    }
    const double d = v.to_double();
    *out = v.to_int();
    return v.is(TYPE(FLOAT)) && double(*out) == d;
}

static bool fits_float(double d) { return std::fabs(d) <= std::numeric_limits<float>::max(); }

// What the engine would take without a word, or with one in the game's log that an agent wrote.
static bool is_base64(const std::string &text)
{
    size_t n = text.size();
    if (n % 4)
        return false;
    for (int i = 0; i < 2 && n && text[n - 1] == '='; i++)
        n--;
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") >= n;
}

static bool compound(const Variant &value, Type type, const Parts &parts, Variant *out)
{
    Value made(type);
    for (const Part &part : parts.list) {
        const Variant number = member(value, part.name);
        int64_t i = 0;
        if (!is_number(number) || (parts.integers && (!whole(number, &i) || i != int32_t(i))))
            return false;
        if (!parts.integers && !fits_float(number.to_double()))
            return false;
        if (parts.integers)
            static_cast<int32_t *>(made.ptr())[part.index] = int32_t(i);
        else
            static_cast<float *>(made.ptr())[part.index] = float(number.to_double());
    }
    *out = Variant(made);
    return true;
}

static Type element_of(Type packed)
{
    switch (packed) {
    case TYPE(PACKED_INT32_ARRAY): case TYPE(PACKED_INT64_ARRAY): return TYPE(INT);
    case TYPE(PACKED_FLOAT32_ARRAY): case TYPE(PACKED_FLOAT64_ARRAY): return TYPE(FLOAT);
    case TYPE(PACKED_STRING_ARRAY): return TYPE(STRING);
    case TYPE(PACKED_VECTOR2_ARRAY): return TYPE(VECTOR2);
    case TYPE(PACKED_VECTOR3_ARRAY): return TYPE(VECTOR3);
    case TYPE(PACKED_COLOR_ARRAY): return TYPE(COLOR);
    case packed_vector4_array: return TYPE(VECTOR4);
    default: return TYPE(NIL);
    }
}

bool convert(const Variant &value, Type type, Variant *out)
{
    if (value.type() == type || type == TYPE(NIL)) {
        *out = value;
        return true;
    }
    if (type == TYPE(COLOR) && value.is(TYPE(STRING))) {
        const Variant text = value.to_string();
        // Color.from_string gives its second argument for what it cannot read: asked with two, that tells.
        const Variant black{ Value(TYPE(COLOR)) };
        Variant a = black.call(name("from_string"), { text, black }), b = black.call(name("from_string"), { text, black.call(name("inverted")) });
        *out = a;
        return AiccJson::check(a).empty() && json::text(a, nullptr) == json::text(b, nullptr);
    }
    if (const Parts *p = parts(type))
        return compound(value, type, *p, out);
    switch (type) {
    case TYPE(FLOAT):
        *out = Variant(value.to_double());
        return value.is(TYPE(INT));
    case TYPE(INT): {
        int64_t i = 0;
        const bool good = whole(value, &i);
        *out = Variant(i);
        return good;
    }
    case TYPE(STRING_NAME): case TYPE(NODE_PATH):
        if (!value.is(TYPE(STRING)))
            return false;
        *out = Variant(Value(type, value));
        return true;
    case TYPE(PACKED_BYTE_ARRAY):
        if (!value.is(TYPE(STRING)) || !is_base64(value.to_string()))
            return false;
        if (value.to_string().empty())
            *out = Variant(Value(type));
        else
            *out = Variant(singleton("Marshalls")).call(name("base64_to_raw"), { value });
        return true;
    default: break;
    }
    const Type element = element_of(type);
    if (element == TYPE(NIL) || !value.is(TYPE(ARRAY)) || (type == packed_vector4_array && api.version.minor < 3))
        return false;
    const Array list(value);
    Array converted;
    for (size_t i = 0, n = list.size(); i < n; i++) {
        Variant v;
        if (!convert(list.at(i), element, &v))
            return false;
        if ((type == TYPE(PACKED_INT32_ARRAY) && v.to_int() != int32_t(v.to_int())) || (type == TYPE(PACKED_FLOAT32_ARRAY) && !fits_float(v.to_double())))
            return false;
        converted.push(v);
    }
    *out = Variant(Value(type, Variant(converted)));
    return true;
}

static Dictionary of_type(const char *type)
{
    Dictionary d;
    d.set("type", type);
    return d;
}

// An object of the parts whose names begin with what parts[*at] has up to `prefix`.
static Dictionary object_schema(const Parts &parts, size_t *at, size_t prefix)
{
    Dictionary schema = of_type("object"), properties;
    Array required;
    const std::string_view whole(parts.list[*at].name);
    while (*at < parts.list.size()) {
        const std::string_view name(parts.list[*at].name);
        if (name.size() <= prefix || name.substr(0, prefix) != whole.substr(0, prefix))
            break;
        const size_t dot = name.find('.', prefix);
        const Variant key(name.substr(prefix, dot == std::string_view::npos ? dot : dot - prefix));
        required.push(key);
        if (dot != std::string_view::npos) {
            properties.set(key, object_schema(parts, at, dot + 1));
            continue;
        }
        properties.set(key, of_type(parts.integers ? "integer" : "number"));
        ++*at;
    }
    schema.set("properties", properties);
    schema.set("required", required);
    return schema;
}

bool schema(Type type, Dictionary *out)
{
    if (const Parts *p = parts(type)) {
        size_t at = 0;
        *out = object_schema(*p, &at, 0);
        return true;
    }
    switch (type) {
    case TYPE(NIL): *out = Dictionary(); return true;
    case TYPE(BOOL): *out = of_type("boolean"); return true;
    case TYPE(INT): *out = of_type("integer"); return true;
    case TYPE(FLOAT): *out = of_type("number"); return true;
    case TYPE(STRING): case TYPE(STRING_NAME): case TYPE(NODE_PATH): *out = of_type("string"); return true;
    case TYPE(DICTIONARY): *out = of_type("object"); return true;
    case TYPE(ARRAY): *out = of_type("array"); return true;
    case TYPE(PACKED_BYTE_ARRAY):
        *out = of_type("string");
        out->set("contentEncoding", "base64");
        return true;
    default: break;
    }
    Dictionary items;
    const Type element = element_of(type);
    if (element == TYPE(NIL) || !schema(element, &items))
        return false;
    *out = of_type("array");
    out->set("items", items);
    return true;
}

} // namespace json
