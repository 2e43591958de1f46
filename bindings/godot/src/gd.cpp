#include "gd.h"

#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace gd {

Api api;

static GDExtensionVariantFromTypeConstructorFunc from_type[types];
static GDExtensionTypeFromVariantConstructorFunc to_type[types];
static GDExtensionPtrConstructor construct_default[types];
static GDExtensionPtrDestructor destroy[types];
static GDExtensionPtrConstructor name_from_string, name_copy;
static std::map<std::string, Name> *names;
static std::mutex names_lock;
static std::thread::id main_thread;

bool load(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library)
{
#define GD_FETCH(name, type) api.name = reinterpret_cast<GDExtensionInterface##type>(get(#name)); if (!api.name) return false;
    GD_FUNCTIONS(GD_FETCH)
#undef GD_FETCH
    api.library = library;
    api.get_godot_version(&api.version);
    const int known = api.version.minor >= 3 ? types : packed_vector4_array;
    for (int i = 1; i < known; i++) {
        const auto type = GDExtensionVariantType(i);
        from_type[i] = api.get_variant_from_type_constructor(type);
        to_type[i] = api.get_variant_to_type_constructor(type);
        construct_default[i] = api.variant_get_ptr_constructor(type, 0);
        destroy[i] = api.variant_get_ptr_destructor(type);
    }
    name_copy = api.variant_get_ptr_constructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME, 1);
    name_from_string = api.variant_get_ptr_constructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME, 2);
    names = new std::map<std::string, Name>;
    main_thread = std::this_thread::get_id();
    constexpr GDExtensionInt vararg_utility = 2648703342;
    api.push_error = api.variant_get_ptr_utility_function(name("push_error").ptr(), vararg_utility);
    api.push_warning = api.variant_get_ptr_utility_function(name("push_warning").ptr(), vararg_utility);
    api.print = api.variant_get_ptr_utility_function(name("print").ptr(), vararg_utility);
    api.is_instance_valid = api.variant_get_ptr_utility_function(name("is_instance_valid").ptr(), 996128841);
    return api.push_error && api.push_warning && api.print && api.is_instance_valid;
}

void load_help(GDExtensionInterfaceGetProcAddress get)
{
    if (api.version.minor >= 3)
        api.editor_help = reinterpret_cast<void (*)(const char *, GDExtensionInt)>(get("editor_help_load_xml_from_utf8_chars_and_len"));
}

void unload()
{
    std::lock_guard<std::mutex> lock(names_lock);
    delete names;
    names = nullptr;
}

Name::Name(std::string_view text)
{
    void *string;
    api.string_new_with_utf8_chars_and_len(&string, text.data() ? text.data() : "", int64_t(text.size()));
    const void *arguments[] = { &string };
    name_from_string(&mem, arguments);
    destroy[GDEXTENSION_VARIANT_TYPE_STRING](&string);
}

Name::Name(const Name &other)
{
    const void *arguments[] = { &other.mem };
    name_copy(&mem, arguments);
}

Name::~Name()
{
    if (mem)
        destroy[GDEXTENSION_VARIANT_TYPE_STRING_NAME](&mem);
}

const Name &name(const char *text)
{
    std::lock_guard<std::mutex> lock(names_lock);
    auto found = names->find(text);
    if (found == names->end())
        found = names->emplace(text, Name(std::string_view(text))).first;
    return found->second;
}

Value::Value(Type t) : type(t) { construct_default[t](mem, nullptr); }
Value::Value(Type t, const Variant &variant) : type(t)
{
    if (variant.type() == t || api.variant_can_convert_strict(GDExtensionVariantType(variant.type()), GDExtensionVariantType(t)))
        to_type[t](mem, variant.ptr());
    else
        construct_default[t](mem, nullptr);
}
Value::Value(Value &&other) noexcept : type(other.type)
{
    memcpy(mem, other.mem, sizeof mem); // the engine's own values may be moved so
    other.type = GDEXTENSION_VARIANT_TYPE_NIL;
}
Value &Value::operator=(Value &&other) noexcept
{
    std::swap(type, other.type);
    unsigned char swap[sizeof mem];
    memcpy(swap, mem, sizeof mem);
    memcpy(mem, other.mem, sizeof mem);
    memcpy(other.mem, swap, sizeof mem);
    return *this;
}
Value::~Value()
{
    if (type != GDEXTENSION_VARIANT_TYPE_NIL && destroy[type])
        destroy[type](mem);
}

Variant::Variant(Variant &&other) noexcept
{
    memcpy(mem, other.mem, sizeof mem);
    api.variant_new_nil(other.mem);
}
Variant &Variant::operator=(Variant other) noexcept
{
    unsigned char swap[sizeof mem];
    memcpy(swap, mem, sizeof mem);
    memcpy(mem, other.mem, sizeof mem);
    memcpy(other.mem, swap, sizeof mem);
    return *this;
}
Variant::Variant(bool value)
{
    GDExtensionBool b = value;
    from_type[GDEXTENSION_VARIANT_TYPE_BOOL](mem, &b);
}
Variant::Variant(int64_t value) { from_type[GDEXTENSION_VARIANT_TYPE_INT](mem, &value); }
Variant::Variant(double value) { from_type[GDEXTENSION_VARIANT_TYPE_FLOAT](mem, &value); }
Variant::Variant(std::string_view text)
{
    void *string;
    api.string_new_with_utf8_chars_and_len(&string, text.data() ? text.data() : "", int64_t(text.size()));
    from_type[GDEXTENSION_VARIANT_TYPE_STRING](mem, &string);
    destroy[GDEXTENSION_VARIANT_TYPE_STRING](&string);
}
Variant::Variant(const Name &name) { from_type[GDEXTENSION_VARIANT_TYPE_STRING_NAME](mem, name.ptr()); }
Variant::Variant(Object object) { from_type[GDEXTENSION_VARIANT_TYPE_OBJECT](mem, &object); }
Variant::Variant(const Value &value) { from_type[value.type](mem, value.ptr()); }
Variant::Variant(Type type, const void *builtin)
{
    if (type == GDEXTENSION_VARIANT_TYPE_NIL)
        api.variant_new_copy(mem, builtin);
    else
        from_type[type](mem, const_cast<void *>(builtin));
}

bool Variant::is_text() const
{
    const Type t = type();
    return t == GDEXTENSION_VARIANT_TYPE_STRING || t == GDEXTENSION_VARIANT_TYPE_STRING_NAME || t == GDEXTENSION_VARIANT_TYPE_NODE_PATH;
}

int64_t Variant::to_int() const
{
    int64_t value = 0;
    switch (type()) {
    case GDEXTENSION_VARIANT_TYPE_BOOL: return to_bool();
    case GDEXTENSION_VARIANT_TYPE_INT: to_type[GDEXTENSION_VARIANT_TYPE_INT](&value, ptr()); return value;
    case GDEXTENSION_VARIANT_TYPE_FLOAT: {
        const double d = to_double();
        return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? int64_t(d) : 0;
    }
    default: return 0;
    }
}

double Variant::to_double() const
{
    double value = 0;
    switch (type()) {
    case GDEXTENSION_VARIANT_TYPE_FLOAT: to_type[GDEXTENSION_VARIANT_TYPE_FLOAT](&value, ptr()); return value;
    case GDEXTENSION_VARIANT_TYPE_BOOL:
    case GDEXTENSION_VARIANT_TYPE_INT: return double(to_int());
    default: return 0;
    }
}

void Variant::store(Type type, void *to) const { to_type[type](to, ptr()); }
void Variant::replace(Type type, void *to) const
{
    if (destroy[type])
        destroy[type](to);
    to_type[type](to, ptr());
}

static std::string utf8(const void *string)
{
    std::string text;
    text.resize(size_t(api.string_to_utf8_chars(string, nullptr, 0)));
    api.string_to_utf8_chars(string, text.data(), int64_t(text.size()));
    return text;
}

std::string Variant::to_string() const
{
    void *string = nullptr;
    if (is(GDEXTENSION_VARIANT_TYPE_STRING))
        to_type[GDEXTENSION_VARIANT_TYPE_STRING](&string, ptr());
    else
        api.variant_stringify(mem, &string);
    std::string text = utf8(&string);
    destroy[GDEXTENSION_VARIANT_TYPE_STRING](&string);
    return text;
}

Object Variant::to_object() const
{
    if (!is(GDEXTENSION_VARIANT_TYPE_OBJECT))
        return nullptr;
    GDExtensionBool good = false; // the pointer in a Variant may be of an object that was freed
    const void *arguments[] = { ptr() };
    api.is_instance_valid(&good, arguments, 1);
    Object object = nullptr;
    if (!good)
        return object;
    to_type[GDEXTENSION_VARIANT_TYPE_OBJECT](&object, ptr());
    return object;
}

Variant Variant::callv(const Name &method, const Variant *const *arguments, size_t count, GDExtensionCallError *error) const
{
    GDExtensionCallError own;
    if (!error)
        error = &own;
    alignas(8) unsigned char result[sizeof(Variant)];
    api.variant_new_nil(result);
    const void *pointers[24];
    if (count > 24)
        count = 24;
    for (size_t i = 0; i < count; i++)
        pointers[i] = arguments[i]->ptr();
    error->error = GDEXTENSION_CALL_OK;
    api.variant_call(ptr(), method.ptr(), pointers, int64_t(count), result, error);
    Variant value(std::move(*reinterpret_cast<Variant *>(result)));
    return value;
}

Variant Variant::call(const Name &method, std::initializer_list<Variant> arguments, GDExtensionCallError *error) const
{
    const Variant *pointers[24] = {};
    size_t count = 0;
    for (const Variant &a : arguments)
        pointers[count++] = &a;
    return callv(method, pointers, count, error);
}

Variant Variant::get(const Name &member, bool *valid) const
{
    GDExtensionBool good = false;
    alignas(8) unsigned char result[sizeof(Variant)];
    api.variant_get_named(mem, member.ptr(), result, &good);
    if (valid)
        *valid = good;
    return Variant(std::move(*reinterpret_cast<Variant *>(result)));
}

void Dictionary::set(const Variant &key, const Variant &v)
{
    *static_cast<Variant *>(api.dictionary_operator_index(value.ptr(), key.ptr())) = v;
}

const Variant *Dictionary::find(const Variant &key) const
{
    const Variant held(value);
    if (!held.call(name("has"), { key }).to_bool())
        return nullptr;
    return static_cast<const Variant *>(api.dictionary_operator_index_const(value.ptr(), key.ptr()));
}

std::vector<Variant> Dictionary::keys() const
{
    const Array list(Variant(value).call(name("keys")));
    std::vector<Variant> keys;
    keys.reserve(list.size());
    for (size_t i = 0, n = list.size(); i < n; i++)
        keys.push_back(list.at(i));
    return keys;
}

size_t Dictionary::size() const { return size_t(Variant(value).call(name("size")).to_int()); }
size_t Array::size() const { return size_t(Variant(value).call(name("size")).to_int()); }
void Array::push(const Variant &v) { Variant(value).call(name("push_back"), { v }); }
void Array::set_class(const char *class_name)
{
    api.array_set_typed(value.ptr(), GDEXTENSION_VARIANT_TYPE_OBJECT, name(class_name).ptr(), Variant().ptr());
}

std::vector<std::string> strings(const Variant &packed)
{
    std::vector<std::string> list;
    const Variant array = packed.is(GDEXTENSION_VARIANT_TYPE_ARRAY) ? packed : Variant(Value(GDEXTENSION_VARIANT_TYPE_ARRAY, packed));
    const Array values(array);
    for (size_t i = 0, n = values.size(); i < n; i++)
        list.push_back(values.at(i).to_string());
    return list;
}

Variant strings(const std::vector<std::string> &list)
{
    // By its own methods, since a packed array in a Variant is shared: push_back works on the one in this Variant.
    Variant packed{ Value(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY) };
    for (const std::string &s : list)
        packed.call(name("push_back"), { s });
    return packed;
}

std::string type_name(Type type)
{
    if (type == GDEXTENSION_VARIANT_TYPE_NIL)
        return "null";
    void *string = nullptr;
    api.variant_get_type_name(GDExtensionVariantType(type), &string);
    std::string text = utf8(&string);
    destroy[GDEXTENSION_VARIANT_TYPE_STRING](&string);
    return text;
}

std::string class_name(Object object) { return object ? Variant(object).call(name("get_class")).to_string() : "null"; }
uint64_t id(Object object) { return object ? api.object_get_instance_id(object) : 0; }
Object from_id(uint64_t id) { return id ? api.object_get_instance_from_id(id) : nullptr; }
Object singleton(const char *text) { return api.global_get_singleton(name(text).ptr()); }
Object create(const char *class_name) { return api.classdb_construct_object(name(class_name).ptr()); }

static void utility(GDExtensionPtrUtilityFunction function, const std::string &text)
{
    const Variant v(text);
    const void *arguments[] = { v.ptr() };
    function(nullptr, arguments, 1);
}
void push_error(const std::string &text) { utility(api.push_error, text); }
void push_warning(const std::string &text) { utility(api.push_warning, text); }
void print(const std::string &text) { utility(api.print, text); }

bool in_editor()
{
    static const bool yes = Variant(singleton("Engine")).call(name("is_editor_hint")).to_bool();
    return yes;
}
bool on_main_thread() { return std::this_thread::get_id() == main_thread; }

struct Held {
    CallFn fn;
    std::function<void()> freed;
};

Variant callable(CallFn fn, std::function<void()> freed)
{
    GDExtensionCallableCustomInfo info = {};
    info.callable_userdata = new Held{ std::move(fn), std::move(freed) };
    info.token = api.library;
    info.call_func = [](void *data, const GDExtensionConstVariantPtr *arguments, GDExtensionInt count, GDExtensionVariantPtr result, GDExtensionCallError *error) {
        error->error = GDEXTENSION_CALL_OK;
        const CallFn run = static_cast<Held *>(data)->fn; // a copy: the callable may be freed while it runs
        *static_cast<Variant *>(result) = run(reinterpret_cast<const Variant *const *>(arguments), size_t(count));
    };
    info.free_func = [](void *data) {
        Held *held = static_cast<Held *>(data);
        if (held->freed)
            held->freed();
        delete held;
    };
    Value value(GDEXTENSION_VARIANT_TYPE_CALLABLE);
    api.callable_custom_create(value.ptr(), &info);
    return Variant(value);
}

} // namespace gd
