#include "event.h"

#include "character.h"

#include <cmath>
#include <cstring>
#include <limits>

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

bool AiccEvent::make(uint64_t character, std::shared_ptr<Seat> place, int64_t topic, Object source, const Variant &properties, const Dictionary &options, std::string *why)
{
    character_id = character;
    seat = std::move(place);
    source_id = gd::id(source);
    const Variant self(source);
    Fields fields;
    fields.decimals = int(options.get("decimals").to_int());
    fields.flags = options.get("omit_empty").to_bool() ? AICC_FIELD_OMIT_EMPTY : 0;
    const Variant names_given = options.get("names");
    const Dictionary names = names_given.is(TYPE(DICTIONARY)) ? Dictionary(names_given) : Dictionary();
    std::vector<std::pair<std::string, std::string>> wanted; // name in JSON, property
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
    for (const auto &[json_name, property] : wanted) {
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
        if (const json::Parts *parts = json::parts(piece.type)) {
            piece.bytes = uint32_t(parts->list.size() * 4);
            for (const json::Part &part : parts->list)
                fields.add(json_name + "." + part.name, parts->integers ? AICC_I32 : AICC_F32, piece.offset + uint32_t(part.index) * 4);
        } else if (piece.type == TYPE(INT) && words.is(TYPE(ARRAY))) {
            piece.bytes = 8;
            fields.lists.push_back(std::make_unique<std::vector<aicc_str>>());
            for (const std::string &word : strings(words))
                fields.lists.back()->push_back(fields.keep(word));
            aicc_field &f = fields.add(json_name, AICC_ENUM32, piece.offset);
            f.names = fields.lists.back()->data();
            f.names_count = uint32_t(fields.lists.back()->size());
            piece.type = TYPE(NIL); // marks it: an index
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
    if (const Variant text = options.get("kind"); text.is_text())
        kind.kind = text.to_string();
    if (kind.delivery < 0 || kind.delivery > AICC_EACH || kind.min_interval_ms < 0 || kind.min_interval_ms > 3600000 || kind.kind.size() > 64) {
        *why = "an option is out of range: delivery is one of AiccEvent.DELIVERY_*, min_interval 0 to 3600 seconds, kind at most 64 bytes";
        return false;
    }
    return true;
}

void AiccEvent::complain(const std::string &what)
{
    if (!complained)
        push_error("AiccEvent: " + what);
    complained = true;
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

bool AiccEvent::gather()
{
    const Object object = from_id(source_id);
    if (!object) {
        complain("its source was freed: let go of the event with it, or set auto_emit to false before.");
        return false;
    }
    const Variant source(object);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(memory.data());
    for (const Piece &p : pieces) {
        bool valid = false;
        const Variant v = read(source, p.path, &valid);
        void *to = bytes + p.offset;
        if (p.text >= 0) {
            std::string &text = texts[size_t(p.text)];
            text = v.is_nil() ? std::string() : v.to_string();
            *static_cast<aicc_str *>(to) = aicc_sn(text.data(), text.size());
            continue;
        }
        switch (p.type) {
        case TYPE(NIL): {
            const int64_t index = v.to_int();
            *static_cast<uint32_t *>(to) = index < 0 || index > UINT32_MAX ? UINT32_MAX : uint32_t(index);
            continue;
        }
        case TYPE(BOOL): *static_cast<unsigned char *>(to) = v.to_bool(); continue;
        case TYPE(INT): *static_cast<int64_t *>(to) = v.to_int(); continue;
        case TYPE(FLOAT): *static_cast<double *>(to) = v.is(TYPE(FLOAT)) || v.is(TYPE(INT)) ? v.to_double() : std::numeric_limits<double>::quiet_NaN(); continue;
        default: break;
        }
        if (v.type() == p.type) {
            v.store(p.type, to);
        } else {
            memset(to, 0, p.bytes);
            complain("the property \"" + p.property + "\" was of type " + type_name(p.type) + " when it was bound, and is of type " + type_name(v.type()) + " now: it is told as zeros.");
        }
    }
    return true;
}

int64_t AiccEvent::emit_now()
{
    std::lock_guard<std::mutex> hold(lock);
    aicc_session session;
    if (!place(&session) || !aicc_session_has_agent(session))
        return OK; // nobody listens
    if (!gather())
        return DOES_NOT_EXIST;
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
