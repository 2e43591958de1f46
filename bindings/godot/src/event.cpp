#include "event.h"

#include "character.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

constexpr uint32_t most_text = 4096; // bytes of a text that an event takes

// A property's name: "position", "position:x".
static std::vector<Name> path_of(const std::string &property)
{
    std::vector<Name> path;
    for (size_t at = 0; at <= property.size();) {
        const size_t end = std::min(property.find(':', at), property.size());
        path.emplace_back(std::string_view(property).substr(at, end - at));
        at = end + 1;
    }
    return path;
}

static Variant read(const Variant &source, const std::vector<Name> &path, bool *valid)
{
    Variant at = source.get(path[0], valid);
    for (size_t i = 1; *valid && i < path.size(); i++)
        at = at.get(path[i], valid);
    return at;
}

// The layout's fields, and the texts that they point to while it is defined.
struct Fields {
    std::vector<aicc_field> list;
    std::vector<std::unique_ptr<std::string>> texts;
    std::vector<std::unique_ptr<std::vector<aicc_str>>> lists;
    int decimals = 0, flags = 0;

    aicc_str keep(const std::string &text)
    {
        texts.push_back(std::make_unique<std::string>(text));
        return aicc_sn(texts.back()->data(), texts.back()->size());
    }
    aicc_field &add(const std::string &name, int type, uint32_t offset)
    {
        aicc_field f = {};
        f.name = keep(name);
        f.offset = offset;
        f.type = type;
        f.flags = flags;
        f.decimals = type == AICC_F32 || type == AICC_F64 ? decimals : 0;
        list.push_back(f);
        return list.back();
    }
};

static bool is_number(const Variant &v) { return v.is(TYPE(INT)) || v.is(TYPE(FLOAT)); }

// What is wrong with the options, "" when nothing is.
static std::string wrong_option(const Dictionary &options)
{
    for (const Variant &key : options.keys()) {
        const std::string option = key.to_string();
        const Variant v = options.get(key);
        const std::string is = v.is_nil() ? "null" : v.is_text() ? "\"" + v.to_string() + "\"" : type_name(v.type()) + " " + v.to_string();
        if (option == "kind") {
            if (!v.is_text() || v.to_string().size() > 64)
                return "kind is " + is + ": it is a String of at most 64 bytes";
        } else if (option == "delivery") {
            if (!v.is(TYPE(INT)) || v.to_int() < 0 || v.to_int() > AICC_EACH)
                return "delivery is " + is + ": it is one of AiccEvent.DELIVERY_*";
        } else if (option == "min_interval") {
            if (!is_number(v) || !(v.to_double() >= 0 && v.to_double() <= 3600))
                return "min_interval is " + is + ": it is 0 to 3600 seconds";
        } else if (option == "decimals") {
            if (!v.is(TYPE(INT)) || v.to_int() < 0 || v.to_int() > 9)
                return "decimals is " + is + ": it is an int, 1 to 9, or 0 for all of them";
        } else if (option == "names") {
            if (!v.is(TYPE(DICTIONARY)))
                return "names is " + is + ": it is a Dictionary from a property to its words, {\"mood\": [\"calm\", \"alert\"]} for instance";
        } else if (option == "omit_empty") {
            if (!v.is(TYPE(BOOL)))
                return "omit_empty is " + is + ": it is true or false";
        } else {
            return "there is no option \"" + option + "\": there are kind, delivery, min_interval, decimals, names and omit_empty";
        }
    }
    return "";
}

using Wanted = std::vector<std::pair<std::string, std::string>>; // name in JSON, property

static std::string wrong_names(const Dictionary &names, const Wanted &wanted)
{
    for (const Variant &key : names.keys()) {
        const std::string property = key.to_string();
        const Variant words = names.get(key);
        if (std::none_of(wanted.begin(), wanted.end(), [&](const auto &w) { return w.second == property; }))
            return "names has words for \"" + property + "\", which is not among the properties";
        if (!words.is(TYPE(ARRAY)) && !words.is(TYPE(PACKED_STRING_ARRAY)))
            return "names[\"" + property + "\"] is of type " + type_name(words.type()) + ": give an Array of words, of which the first is for 0";
        const Array list(words.is(TYPE(ARRAY)) ? words : Variant(Value(TYPE(ARRAY), words)));
        if (!list.size())
            return "names[\"" + property + "\"] is empty: give a word for each value, of which the first is for 0";
        for (size_t i = 0, n = list.size(); i < n; i++)
            if (!list.at(i).is_text())
                return "names[\"" + property + "\"][" + std::to_string(i) + "] is of type " + type_name(list.at(i).type()) + ": words are Strings";
    }
    return "";
}

bool AiccEvent::make(uint64_t character, std::shared_ptr<Seat> place, int64_t topic, Object source, const Variant &properties, const Dictionary &options, std::string *why)
{
    character_id = character;
    seat = std::move(place);
    source_id = gd::id(source);
    const Variant self(source);
    if (*why = wrong_option(options); !why->empty())
        return false;
    Fields fields;
    fields.decimals = int(options.get("decimals").to_int());
    fields.flags = options.get("omit_empty").to_bool() ? AICC_FIELD_OMIT_EMPTY : 0;
    const Variant names_given = options.get("names"), kind_given = options.get("kind");
    const Dictionary names = names_given.is(TYPE(DICTIONARY)) ? Dictionary(names_given) : Dictionary();
    if (kind_given.is_text())
        kind.kind = kind_given.to_string();
    Wanted wanted;
    if (properties.is(TYPE(DICTIONARY))) {
        const Dictionary map(properties);
        for (const Variant &key : map.keys())
            wanted.emplace_back(key.to_string(), map.get(key).to_string());
    } else if (properties.is(TYPE(ARRAY)) || properties.is(TYPE(PACKED_STRING_ARRAY))) {
        for (const std::string &property : strings(properties)) {
            std::string name = property;
            for (char &c : name)
                c = c == ':' ? '.' : c;
            wanted.emplace_back(name, property);
        }
    } else {
        *why = "properties is of type " + type_name(properties.type()) + ": give an Array of names, or a Dictionary from the name in JSON to the property's";
        return false;
    }
    if (wanted.empty()) {
        *why = "properties is empty: name at least one";
        return false;
    }
    if (*why = wrong_names(names, wanted); !why->empty())
        return false;
    for (const auto &[json_name, property] : wanted) {
        if (!kind.kind.empty() && json_name.substr(0, json_name.find('.')) == "kind") {
            *why = "the property \"" + property + "\" is told as \"kind\", and so is the option kind: give it another name, {\"what\": \"" + property + "\"}, or leave the option out";
            return false;
        }
        Piece piece;
        bool valid = false;
        piece.path = path_of(property);
        piece.property = property;
        const Variant now = read(self, piece.path, &valid);
        if (!valid) {
            *why = "there is no property \"" + property + "\" in the " + class_name(source) + " that is the source";
            return false;
        }
        piece.type = now.type();
        piece.offset = uint32_t(size);
        const Variant words = names.get(Variant(property));
        if (!words.is_nil() && piece.type != TYPE(INT)) {
            *why = "names has words for the property \"" + property + "\", which is of type " + type_name(piece.type) + " now: words are for an int";
            return false;
        }
        if (const json::Parts *parts = json::parts(piece.type)) {
            piece.bytes = uint32_t(parts->list.size() * 4);
            for (const json::Part &part : parts->list)
                fields.add(json_name + "." + part.name, parts->integers ? AICC_I32 : AICC_F32, piece.offset + uint32_t(part.index) * 4);
        } else if (!words.is_nil()) {
            piece.bytes = 8;
            fields.lists.push_back(std::make_unique<std::vector<aicc_str>>());
            for (const std::string &word : strings(words))
                fields.lists.back()->push_back(fields.keep(word));
            aicc_field &f = fields.add(json_name, AICC_ENUM32, piece.offset);
            f.names = fields.lists.back()->data();
            f.names_count = uint32_t(fields.lists.back()->size());
            piece.is_index = true;
            enums.push_back(json_name);
        } else if (piece.type == TYPE(BOOL) || piece.type == TYPE(INT) || piece.type == TYPE(FLOAT)) {
            piece.bytes = 8;
            fields.add(json_name, piece.type == TYPE(BOOL) ? AICC_BOOL8 : piece.type == TYPE(INT) ? AICC_I64 : AICC_F64, piece.offset);
        } else if (now.is_text()) {
            piece.bytes = sizeof(aicc_str);
            piece.text = int(texts.size());
            texts.emplace_back();
            fields.add(json_name, AICC_TEXT, piece.offset).count = most_text;
        } else {
            *why = "the property \"" + property + "\" is of type " + type_name(piece.type) + " now, which cannot be bound: bind its parts (\"" + property + ":x\"), or use emit_event";
            return false;
        }
        size += (piece.bytes + 7) / 8 * 8;
        pieces.push_back(std::move(piece));
    }
    memory.resize(size / 8);
    aicc_layout_options layout;
    aicc_error error;
    aicc_layout made = { 0 };
    aicc_layout_options_init(&layout, sizeof layout);
    layout.field_size = sizeof(aicc_field);
    layout.size = uint32_t(size);
    layout.count = uint32_t(fields.list.size());
    layout.fields = fields.list.data();
    if (aicc_layout_define(&layout, &made, &error) != AICC_OK) {
        *why = told(error);
        return false;
    }
    kind.topic = int32_t(topic);
    kind.delivery = int32_t(options.get("delivery").to_int());
    kind.min_interval_ms = int32_t(std::llround(options.get("min_interval").to_double() * 1000));
    kind.layout = made.id;
    return true;
}

void AiccEvent::complain(const std::string &what)
{
    if (complained.insert(what).second)
        push_error("AiccEvent: " + what);
}

// Where it is emitted to now; false: nowhere.
bool AiccEvent::place(aicc_session *session)
{
    *session = seat->handle();
    if (!session->id)
        return false;
    if (session->id != known_session) {
        const std::shared_ptr<World> world = seat->in();
        if (!world || !world->running)
            return false;
        event = world->event(kind);
        known_session = session->id;
    }
    return event.id != 0;
}

// Would this value be told as what it is, where one of the type was bound?
static bool tells(Type bound, const Variant &v)
{
    const auto text = [](Type t) { return t == TYPE(STRING) || t == TYPE(STRING_NAME) || t == TYPE(NODE_PATH); };
    return v.type() == bound || (bound == TYPE(FLOAT) && v.is(TYPE(INT))) || (text(bound) && text(v.type()));
}

Error AiccEvent::gather()
{
    const Object object = from_id(source_id);
    if (!object) {
        complain("its source was freed: let go of the event with it, or set auto_emit to false before.");
        return DOES_NOT_EXIST;
    }
    const Variant source(object);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(memory.data());
    for (const Piece &p : pieces) {
        bool valid = false;
        const Variant v = read(source, p.path, &valid);
        void *to = bytes + p.offset;
        if (!tells(p.type, v)) {
            complain("the property \"" + p.property + "\" was of type " + type_name(p.type) + " when it was bound, and is of type " + type_name(v.type()) +
                     " now: nothing is told. Declare its type, or use emit_event.");
            return INVALID_DATA;
        }
        if (p.text >= 0) {
            std::string &text = texts[size_t(p.text)];
            text = v.to_string();
            *static_cast<aicc_str *>(to) = aicc_sn(text.data(), text.size());
            continue;
        }
        switch (p.type) {
        case TYPE(BOOL): *static_cast<unsigned char *>(to) = v.to_bool(); break;
        case TYPE(INT):
            if (p.is_index)
                *static_cast<uint32_t *>(to) = uint32_t(std::min<uint64_t>(uint64_t(v.to_int()), UINT32_MAX)); // below 0 is above all
            else
                *static_cast<int64_t *>(to) = v.to_int();
            break;
        case TYPE(FLOAT): *static_cast<double *>(to) = v.to_double(); break;
        default: v.store(p.type, to);
        }
    }
    return OK;
}

int64_t AiccEvent::emit_now()
{
    std::lock_guard<std::mutex> hold(lock);
    aicc_session session;
    if (!place(&session) || !aicc_session_has_agent(session))
        return OK; // nobody listens
    if (const Error error = gather())
        return error;
    const aicc_status status = aicc_event_emit(event, &session, 1, memory.data(), 0, nullptr);
    return status == AICC_E_HANDLE ? OK : error_of(status); // the bridge has ended meanwhile
}

bool AiccEvent::is_due()
{
    std::lock_guard<std::mutex> hold(lock);
    aicc_session session;
    uint32_t index;
    size_t due = 0;
    return place(&session) && aicc_event_due(event, &session, 1, &index, &due) == AICC_OK && due == 1;
}

// A value that has no word is told as null, of which the layout's schema does not speak.
static void allow_null(const Dictionary &schema, const std::string &dotted)
{
    const size_t dot = dotted.find('.');
    const Variant properties = schema.get("properties"), member = properties.is(TYPE(DICTIONARY)) ? Dictionary(properties).get(Variant(dotted.substr(0, dot))) : Variant();
    if (!member.is(TYPE(DICTIONARY)))
        return;
    Dictionary of(member);
    if (dot != std::string::npos)
        return allow_null(of, dotted.substr(dot + 1));
    Array words(of.get("enum").call(name("duplicate")));
    words.push(Variant());
    of.set("enum", words);
}

Dictionary AiccEvent::schema() const
{
    std::string text(4096, 0);
    size_t len = 0;
    if (aicc_layout_schema(aicc_layout{ kind.layout }, text.data(), text.size(), &len) == AICC_E_SMALL) {
        text.resize(len + 1);
        aicc_layout_schema(aicc_layout{ kind.layout }, text.data(), text.size(), &len);
    }
    Variant parsed;
    json::parse(std::string_view(text).substr(0, len), &parsed, nullptr);
    for (const std::string &dotted : enums)
        allow_null(Dictionary(parsed), dotted);
    return Dictionary(parsed);
}

void AiccEvent::set_auto(bool on)
{
    automatic = on;
    if (AiccCharacter *character = cast_id<AiccCharacter>(character_id))
        character->keep_automatic(self(), on);
}

void AiccEvent::bind()
{
    Registrar::make<AiccEvent>("AiccEvent", "RefCounted", false)
        .constants("Delivery", { { "DELIVERY_DEFAULT", 0 }, { "DELIVERY_LATEST", AICC_LATEST }, { "DELIVERY_EACH", AICC_EACH } })
        .accessors<&AiccEvent::get_auto, &AiccEvent::set_auto>("auto_emit")
        .method<&AiccEvent::emit_now>("emit() -> Error")
        .method<&AiccEvent::is_due>("is_due()")
        .method<&AiccEvent::schema>("get_schema()")
        .method<&AiccEvent::source>("get_source() -> Object");
}
