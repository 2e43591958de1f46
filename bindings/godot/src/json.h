// json.h: Variants as JSON and back.
#pragma once

#include "bind.h"

#include <aicc.h>

namespace json {

// Appends a value. false: it has no meaning in JSON, and *why says where and what.
bool write(std::string &out, const gd::Variant &value, std::string *why);
void write_text(std::string &out, std::string_view text);
void write_number(std::string &out, double value);
// The JSON of an object, for schemas and payloads; "" and *why when it has none.
std::string text(const gd::Variant &value, std::string *why);

bool parse(std::string_view text, gd::Variant *out, std::string *why);
gd::Variant read(const aicc_value &value);

// What was parsed, as a value of another type. false: it does not fit.
bool convert(const gd::Variant &value, gd::Type type, gd::Variant *out);
// The JSON Schema of a type's values; false: the type has no meaning in JSON.
bool schema(gd::Type type, gd::Dictionary *out);

// The numbers that a Vector3, a Transform2D and so on consist of: their names in JSON, dots making objects, and their places in memory.
struct Part { const char *name; int index; };
struct Parts { bool integers; std::vector<Part> list; };
const Parts *parts(gd::Type type); // null: it is no such type
struct Memory { gd::Value value; float real(int i) const; int32_t integer(int i) const; };

} // namespace json

class AiccJson : public gd::Instance {
public:
    static std::string stringify(const gd::Variant &value);
    static gd::Variant parse(const std::string &text);
    static std::string check(const gd::Variant &value);
    static gd::Variant convert(const gd::Variant &value, int64_t type);
    static gd::Dictionary schema(int64_t type);
    static void bind();
};
