#include "json.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

namespace json {

constexpr int deepest = 64; // as the protocol has it

const Parts *parts(Type type)
{
    static const std::vector<Part> xy{ { "x", 0 }, { "y", 1 } }, xyz{ { "x", 0 }, { "y", 1 }, { "z", 2 } }, xyzw{ { "x", 0 }, { "y", 1 }, { "z", 2 }, { "w", 3 } };
    static const std::vector<Part> rect{ { "position.x", 0 }, { "position.y", 1 }, { "size.x", 2 }, { "size.y", 3 } };
    // A Basis lies in memory by rows, and is spoken of by columns.
    static const Parts of_vector2{ false, xy }, of_vector2i{ true, xy }, of_vector3{ false, xyz }, of_vector3i{ true, xyz }, of_vector4{ false, xyzw },
        of_vector4i{ true, xyzw }, of_rect{ false, rect }, of_recti{ true, rect }, of_color{ false, { { "r", 0 }, { "g", 1 }, { "b", 2 }, { "a", 3 } } },
        of_plane{ false, { { "normal.x", 0 }, { "normal.y", 1 }, { "normal.z", 2 }, { "d", 3 } } },
        of_aabb{ false, { { "position.x", 0 }, { "position.y", 1 }, { "position.z", 2 }, { "size.x", 3 }, { "size.y", 4 }, { "size.z", 5 } } },
        of_basis{ false, { { "x.x", 0 }, { "x.y", 3 }, { "x.z", 6 }, { "y.x", 1 }, { "y.y", 4 }, { "y.z", 7 }, { "z.x", 2 }, { "z.y", 5 }, { "z.z", 8 } } },
        of_transform2d{ false, { { "x.x", 0 }, { "x.y", 1 }, { "y.x", 2 }, { "y.y", 3 }, { "origin.x", 4 }, { "origin.y", 5 } } },
        of_transform3d{ false, { { "basis.x.x", 0 }, { "basis.x.y", 3 }, { "basis.x.z", 6 }, { "basis.y.x", 1 }, { "basis.y.y", 4 }, { "basis.y.z", 7 }, { "basis.z.x", 2 },
                                 { "basis.z.y", 5 }, { "basis.z.z", 8 }, { "origin.x", 9 }, { "origin.y", 10 }, { "origin.z", 11 } } },
        of_projection{ false, { { "x.x", 0 }, { "x.y", 1 }, { "x.z", 2 }, { "x.w", 3 }, { "y.x", 4 }, { "y.y", 5 }, { "y.z", 6 }, { "y.w", 7 }, { "z.x", 8 }, { "z.y", 9 },
                                { "z.z", 10 }, { "z.w", 11 }, { "w.x", 12 }, { "w.y", 13 }, { "w.z", 14 }, { "w.w", 15 } } };
    switch (type) {
    case TYPE(VECTOR2): return &of_vector2;
    case TYPE(VECTOR2I): return &of_vector2i;
    case TYPE(VECTOR3): return &of_vector3;
    case TYPE(VECTOR3I): return &of_vector3i;
    case TYPE(VECTOR4): case TYPE(QUATERNION): return &of_vector4;
    case TYPE(VECTOR4I): return &of_vector4i;
    case TYPE(RECT2): return &of_rect;
    case TYPE(RECT2I): return &of_recti;
    case TYPE(COLOR): return &of_color;
    case TYPE(PLANE): return &of_plane;
    case TYPE(AABB): return &of_aabb;
    case TYPE(BASIS): return &of_basis;
    case TYPE(TRANSFORM2D): return &of_transform2d;
    case TYPE(TRANSFORM3D): return &of_transform3d;
    case TYPE(PROJECTION): return &of_projection;
    default: return nullptr;
    }
}

float Memory::real(int i) const { return static_cast<const float *>(value.ptr())[i]; }
int32_t Memory::integer(int i) const { return static_cast<const int32_t *>(value.ptr())[i]; }

void write_text(std::string &out, std::string_view text)
{
    static const char hex[] = "0123456789abcdef";
    out += '"';
    size_t done = 0;
    for (size_t i = 0; i < text.size(); i++) {
        const unsigned char c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        out.append(text, done, i - done);
        done = i + 1;
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default: out += "\\u00"; out += hex[c >> 4]; out += hex[c & 15];
        }
    }
    out.append(text, done, text.size() - done);
    out += '"';
}

template <class T> static void number(std::string &out, T value)
{
    char buf[32];
    out.append(buf, size_t(std::to_chars(buf, buf + sizeof buf, value).ptr - buf));
}

void write_number(std::string &out, double value)
{
    if (std::isfinite(value))
        number(out, value);
    else
        out += "null";
}

// From parts[*at] on those whose names begin with what names[*at] has up to `prefix`.
static void write_parts(std::string &out, const Parts &parts, const Memory &memory, size_t *at, size_t prefix)
{
    out += '{';
    const std::string_view whole(parts.list[*at].name);
    for (bool first = true; *at < parts.list.size(); first = false) {
        const std::string_view name(parts.list[*at].name);
        if (name.size() <= prefix || name.substr(0, prefix) != whole.substr(0, prefix))
            break;
        if (!first)
            out += ',';
        const size_t dot = name.find('.', prefix);
        out += '"';
        out.append(name, prefix, dot == std::string_view::npos ? dot : dot - prefix);
        out += "\":";
        if (dot != std::string_view::npos) {
            write_parts(out, parts, memory, at, dot + 1);
            continue;
        }
        const int index = parts.list[(*at)++].index;
        if (parts.integers)
            number(out, memory.integer(index));
        else if (std::isfinite(memory.real(index)))
            number(out, memory.real(index));
        else
            out += "null";
    }
    out += '}';
}

static void base64(std::string &out, const uint8_t *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t bits = uint32_t(data[i]) << 16 | (left > 1 ? uint32_t(data[i + 1]) << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        out += digits[bits >> 18];
        out += digits[bits >> 12 & 63];
        out += left > 1 ? digits[bits >> 6 & 63] : '=';
        out += left > 2 ? digits[bits & 63] : '=';
    }
}

// Where a value stands, as a JSON Pointer, made only when there is something to say of it.
struct Place {
    const Place *above;
    const Variant *key;
    size_t index;
    std::string pointer() const
    {
        if (!above)
            return "";
        std::string step;
        for (char c : key ? key->to_string() : std::to_string(index)) {
            if (c == '~' || c == '/')
                step += c == '~' ? "~0" : "~1";
            else
                step += c;
        }
        return above->pointer() + "/" + step;
    }
};

struct Writer {
    std::string &out;
    std::string *why;

    bool refuse(const Place &place, const std::string &what)
    {
        if (why) {
            const std::string at = place.pointer();
            *why = at.empty() ? what : at + ": " + what;
        }
        return false;
    }

    template <class T, class F> void packed(const Variant &v, F element)
    {
        const Value value(v.type(), v);
        const int64_t n = v.call(name("size")).to_int();
        const T *data = n ? static_cast<const T *>(element(value.ptr(), 0)) : nullptr;
        out += '[';
        for (int64_t i = 0; i < n; i++) {
            if (i)
                out += ',';
            if constexpr (std::is_floating_point_v<T>) {
                if (!std::isfinite(data[i])) {
                    out += "null";
                    continue;
                }
            }
            number(out, data[i]);
        }
        out += ']';
    }

    bool array(const Variant &v, const Place &place, int depth)
    {
        const Array list(v);
        out += '[';
        for (size_t i = 0, n = list.size(); i < n; i++) {
            if (i)
                out += ',';
            if (!value(list.at(i), Place{ &place, nullptr, i }, depth + 1))
                return false;
        }
        out += ']';
        return true;
    }

    bool object(const Variant &v, const Place &place, int depth)
    {
        const Dictionary members(v);
        const std::vector<Variant> keys = members.keys();
        out += '{';
        for (size_t i = 0; i < keys.size(); i++) {
            const Variant &key = keys[i];
            if (!key.is(TYPE(STRING)) && !key.is(TYPE(STRING_NAME)))
                return refuse(place, "a key is of type " + type_name(key.type()) + " (" + key.to_string() + "): the names of JSON's members are strings");
            if (i)
                out += ',';
            write_text(out, key.to_string());
            out += ':';
            const Variant *member = members.find(key);
            if (!value(member ? *member : Variant(), Place{ &place, &key, 0 }, depth + 1))
                return false;
        }
        out += '}';
        return true;
    }

    bool value(const Variant &v, const Place &place, int depth)
    {
        const Type type = v.type();
        if (const Parts *p = parts(type)) {
            size_t at = 0;
            write_parts(out, *p, Memory{ Value(type, v) }, &at, 0);
            return true;
        }
        if (depth > deepest)
            return refuse(place, "more than 64 levels deep: does it contain itself?");
        switch (type) {
        case TYPE(NIL): out += "null"; return true;
        case TYPE(BOOL): out += v.to_bool() ? "true" : "false"; return true;
        case TYPE(INT): number(out, v.to_int()); return true;
        case TYPE(FLOAT): write_number(out, v.to_double()); return true;
        case TYPE(STRING): case TYPE(STRING_NAME): case TYPE(NODE_PATH): write_text(out, v.to_string()); return true;
        case TYPE(DICTIONARY): return object(v, place, depth);
        case TYPE(ARRAY): return array(v, place, depth);
        case TYPE(PACKED_BYTE_ARRAY): {
            const Value bytes(type, v);
            const int64_t n = v.call(name("size")).to_int();
            out += '"';
            if (n)
                base64(out, api.packed_byte_array_operator_index_const(bytes.ptr(), 0), size_t(n));
            out += '"';
            return true;
        }
        case TYPE(PACKED_INT32_ARRAY): packed<int32_t>(v, api.packed_int32_array_operator_index_const); return true;
        case TYPE(PACKED_INT64_ARRAY): packed<int64_t>(v, api.packed_int64_array_operator_index_const); return true;
        case TYPE(PACKED_FLOAT32_ARRAY): packed<float>(v, api.packed_float32_array_operator_index_const); return true;
        case TYPE(PACKED_FLOAT64_ARRAY): packed<double>(v, api.packed_float64_array_operator_index_const); return true;
        case TYPE(PACKED_STRING_ARRAY): case TYPE(PACKED_VECTOR2_ARRAY): case TYPE(PACKED_VECTOR3_ARRAY): case TYPE(PACKED_COLOR_ARRAY): case packed_vector4_array:
            return array(Variant(Value(TYPE(ARRAY), v)), place, depth);
        default: return refuse(place, "a value of type " + type_name(type) + " has no meaning in JSON");
        }
    }
};

bool write(std::string &out, const Variant &value, std::string *why) { return Writer{ out, why }.value(value, Place{ nullptr, nullptr, 0 }, 1); }

std::string text(const Variant &value, std::string *why)
{
    std::string out;
    return write(out, value, why) ? out : "";
}

Variant read(const aicc_value &value)
{
    switch (value.kind) {
    case AICC_KIND_BOOL: {
        int32_t b = 0;
        aicc_value_bool(&value, aicc_s(nullptr), &b);
        return Variant(b != 0);
    }
    case AICC_KIND_INTEGER: {
        int64_t i = 0;
        aicc_value_integer(&value, aicc_s(nullptr), &i);
        return Variant(i);
    }
    case AICC_KIND_NUMBER: {
        double d = 0;
        aicc_value_number(&value, aicc_s(nullptr), &d);
        return Variant(d);
    }
    case AICC_KIND_STRING: {
        aicc_str s = {};
        aicc_value_string(&value, aicc_s(nullptr), &s);
        return Variant(std::string_view(s.ptr ? s.ptr : "", s.len));
    }
    case AICC_KIND_ARRAY: {
        Array list;
        aicc_value element;
        uint32_t place = 0;
        while (aicc_value_next(&value, &place, nullptr, &element) == AICC_OK)
            list.push(read(element));
        return list;
    }
    case AICC_KIND_OBJECT: {
        Dictionary members;
        aicc_value member;
        aicc_str key;
        uint32_t place = 0;
        while (aicc_value_next(&value, &place, &key, &member) == AICC_OK)
            members.set(Variant(std::string_view(key.ptr ? key.ptr : "", key.len)), read(member));
        return members;
    }
    default: return Variant();
    }
}

} // namespace json

using namespace json;

std::string AiccJson::check(const Variant &value)
{
    std::string out, why;
    return write(out, value, &why) ? "" : why;
}

std::string AiccJson::stringify(const Variant &value)
{
    std::string out, why;
    if (write(out, value, &why))
        return out;
    push_error("AiccJson.stringify: " + why + ". Give what it means instead, a name or a number.");
    return "";
}

Variant AiccJson::parse(const std::string &text)
{
    Variant value;
    std::string why;
    if (json::parse(text, &value, &why))
        return value;
    push_error("AiccJson.parse: not JSON: " + why + ".");
    return Variant();
}

Variant AiccJson::convert(const Variant &value, int64_t type)
{
    Variant out;
    return json::convert(value, Type(type), &out) ? out : Variant();
}

Dictionary AiccJson::schema(int64_t type)
{
    Dictionary out;
    if (!json::schema(Type(type), &out))
        push_error("AiccJson.schema: a value of type " + (type > 0 && type < types ? type_name(Type(type)) : std::to_string(type)) + " has no meaning in JSON.");
    return out;
}

void AiccJson::bind()
{
    Registrar::make<AiccJson>("AiccJson", "Object", false)
        .method<&AiccJson::stringify>("stringify(value)")
        .method<static_cast<Variant (*)(const std::string &)>(&AiccJson::parse)>("parse(text)")
        .method<&AiccJson::check>("check(value)")
        .method<&AiccJson::convert>("convert(value, type:Variant.Type)")
        .method<&AiccJson::schema>("schema(type:Variant.Type)");
}
