#include "bind.h"

#include <cstring>
#include <memory>

namespace gd {

enum { USAGE_DEFAULT = 6, USAGE_NO_STORAGE = 4, USAGE_READ_ONLY = 1 << 28, USAGE_ENUM = 1 << 16, USAGE_BITFIELD = 1 << 9, USAGE_ANY = 1 << 17 };

static bool refuses_types(const Variant &v, Type type);

// One value that a method takes or gives, and the memory of its description.
struct Slot {
    Slot(const std::string &name, Type type, const std::string &class_name = "", int hint = HINT_NONE, const std::string &hint_text = "", uint32_t usage = USAGE_DEFAULT)
        : type(type), name(name), class_name(class_name), hint_text(GDEXTENSION_VARIANT_TYPE_STRING, Variant(hint_text)), text(class_name), hint(hint), usage(usage)
    {
        const bool array = type == GDEXTENSION_VARIANT_TYPE_ARRAY;
        if (array && class_name.rfind("Array[", 0) == 0) {
            const std::string of = class_name.substr(6, class_name.size() - 7);
            this->hint = HINT_ARRAY_TYPE;
            this->class_name = Name("");
            this->hint_text = std::make_unique<Value>(GDEXTENSION_VARIANT_TYPE_STRING, Variant(of));
        }
        if (type == GDEXTENSION_VARIANT_TYPE_INT && !class_name.empty())
            this->usage |= class_name == "AiccCharacter.Topic" ? USAGE_BITFIELD : USAGE_ENUM;
        if (type == GDEXTENSION_VARIANT_TYPE_NIL)
            this->usage |= USAGE_ANY;
    }
    GDExtensionPropertyInfo info() const
    {
        GDExtensionPropertyInfo i;
        i.type = GDExtensionVariantType(type);
        i.name = name.ptr();
        i.class_name = class_name.ptr();
        i.hint = uint32_t(hint);
        i.hint_string = hint_text.ptr();
        i.usage = usage;
        return i;
    }
    struct Text { // a movable String
        std::unique_ptr<Value> value;
        Text(Type type, const Variant &v) : value(std::make_unique<Value>(type, v)) {}
        Text &operator=(std::unique_ptr<Value> v) { value = std::move(v); return *this; }
        void *ptr() const { return value->ptr(); }
    };
    Type type;
    Name name, class_name;
    Text hint_text;
    std::string text; // the class as it was written
    int hint;
    uint32_t usage;
};

struct Method {
    Invoke invoke;
    bool returns;
    std::vector<Slot> slots; // what it returns first, if it does
    std::vector<Variant> defaults;
    const char *property = nullptr; // it is its setter
    std::string name, guarded_class = ""; // guarded_class: it belongs to the main thread
    size_t count() const { return slots.size() - returns; }
    const Slot &argument(size_t i) const { return slots[i + returns]; }
    Variant refused() const // what it returns instead
    {
        constexpr int64_t failed = 1; // of Error
        if (slots[0].text == "Error")
            return Variant(failed);
        return slots[0].type == GDEXTENSION_VARIANT_TYPE_NIL ? Variant() : slots[0].type == GDEXTENSION_VARIANT_TYPE_OBJECT ? Variant(Object(nullptr)) : Variant(Value(slots[0].type));
    }
};

struct Class {
    const char *name, *parent;
    Instance *(*make)();
    std::vector<std::pair<const char *, GDExtensionClassCallVirtual>> overridden = {};
};

static std::vector<std::unique_ptr<Method>> *methods;
static std::vector<std::unique_ptr<Class>> *classes;

static void *no_binding(void *, void *) { return nullptr; }
static void free_binding(void *, void *, void *) {}
static GDExtensionBool reference(void *, void *, GDExtensionBool) { return true; }
static const GDExtensionInstanceBindingCallbacks callbacks = { no_binding, free_binding, reference };

Instance *instance(Object object, const char *class_name)
{
    if (!object || !api.object_cast_to(object, api.classdb_get_class_tag(name(class_name).ptr())))
        return nullptr;
    return static_cast<Instance *>(api.object_get_instance_binding(object, api.library, &callbacks));
}

void Instance::emit(const char *signal, std::initializer_list<Variant> arguments) const
{
    const Variant text{ name(signal) };
    const Variant *pointers[8] = { &text };
    size_t count = 1;
    for (const Variant &a : arguments)
        pointers[count++] = &a;
    self().callv(name("emit_signal"), pointers, count, nullptr);
}

static GDExtensionObjectPtr create_instance(void *data)
{
    const Class *c = static_cast<Class *>(data);
    const Object object = api.classdb_construct_object(name(c->parent).ptr());
    Instance *made = c->make();
    made->owner = object;
    api.object_set_instance(object, name(c->name).ptr(), made);
    api.object_set_instance_binding(object, api.library, made, &callbacks);
    made->created();
    return object;
}

Object create_own(const char *class_name)
{
    for (const auto &c : *classes)
        if (strcmp(c->name, class_name) == 0)
            return create_instance(c.get());
    return nullptr;
}

static void give(const Variant &v, const Slot &slot, void *out)
{
    if (slot.type == GDEXTENSION_VARIANT_TYPE_NIL) {
        *static_cast<Variant *>(out) = v;
    } else if (slot.type == GDEXTENSION_VARIANT_TYPE_OBJECT) {
        const Object object = v.to_object();
        const bool counted = slot.text != "AiccBridge" && slot.text != "AiccCharacter" && slot.text != "Object";
        if (counted)
            api.ref_set_object(out, object);
        else
            *static_cast<Object *>(out) = object;
    } else {
        v.replace(slot.type, out);
    }
}

static void run(const Method &m, GDExtensionClassInstancePtr self, const Variant *const *arguments, Variant *result)
{
    if (!m.guarded_class.empty() && !on_main_thread()) {
        push_error(m.guarded_class + ": " + m.name + "() belongs to the main thread: from another one call it by call_deferred().");
        if (m.returns)
            *result = m.refused();
        return;
    }
    m.invoke(self, arguments, result);
    if (m.property)
        static_cast<Instance *>(self)->changed(m.property);
}

static void call(void *data, GDExtensionClassInstancePtr self, const GDExtensionConstVariantPtr *given, GDExtensionInt count, GDExtensionVariantPtr out, GDExtensionCallError *error)
{
    const Method &m = *static_cast<Method *>(data);
    const size_t n = m.count(), required = n - m.defaults.size();
    error->error = GDEXTENSION_CALL_OK;
    if (size_t(count) > n || size_t(count) < required) {
        error->error = size_t(count) > n ? GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS;
        error->expected = int32_t(size_t(count) > n ? n : required);
        return;
    }
    const Variant *arguments[8];
    for (size_t i = 0; i < n; i++) {
        arguments[i] = i < size_t(count) ? static_cast<const Variant *>(given[i]) : &m.defaults[i - required];
        if (refuses_types(*arguments[i], m.argument(i).type)) {
            error->error = GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT;
            error->argument = int32_t(i);
            error->expected = m.argument(i).type;
            return;
        }
    }
    Variant result;
    run(m, self, arguments, &result);
    *static_cast<Variant *>(out) = result;
}

static bool refuses_types(const Variant &v, Type type)
{
    const Type from = v.type();
    return type != GDEXTENSION_VARIANT_TYPE_NIL && from != type && !(type == GDEXTENSION_VARIANT_TYPE_OBJECT && v.is_nil()) &&
           !api.variant_can_convert_strict(GDExtensionVariantType(from), GDExtensionVariantType(type));
}

static void ptrcall(void *data, GDExtensionClassInstancePtr self, const GDExtensionConstTypePtr *given, GDExtensionTypePtr out)
{
    const Method &m = *static_cast<Method *>(data);
    Variant values[8];
    const Variant *arguments[8];
    for (size_t i = 0, n = m.count(); i < n; i++) {
        const Slot &slot = m.argument(i);
        values[i] = Variant(slot.type, given[i]);
        arguments[i] = &values[i];
    }
    Variant result;
    run(m, self, arguments, &result);
    if (m.returns && out)
        give(result, m.slots[0], out);
}

static void warnings(GDExtensionClassInstancePtr self, const GDExtensionConstTypePtr *, GDExtensionTypePtr out)
{
    strings(static_cast<Instance *>(self)->warnings()).replace(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY, out);
}

Registrar::Registrar(const char *name, const char *parent, Instance *(*make)(), bool creatable, bool exposed) : class_name(name)
{
    if (!classes) {
        classes = new std::vector<std::unique_ptr<Class>>;
        methods = new std::vector<std::unique_ptr<Method>>;
    }
    classes->push_back(std::make_unique<Class>(Class{ name, parent, make }));
    overrides("_get_configuration_warnings", warnings);
    GDExtensionClassCreationInfo2 info = {};
    info.is_abstract = !creatable;
    info.is_exposed = exposed;
    info.class_userdata = classes->back().get();
    info.create_instance_func = create_instance;
    info.free_instance_func = [](void *, GDExtensionClassInstancePtr self) { delete static_cast<Instance *>(self); };
    info.notification_func = [](GDExtensionClassInstancePtr self, int32_t what, GDExtensionBool) { static_cast<Instance *>(self)->notification(what); };
    info.get_virtual_func = [](void *data, GDExtensionConstStringNamePtr method) -> GDExtensionClassCallVirtual {
        for (const auto &[text, function] : static_cast<Class *>(data)->overridden)
            if (*static_cast<void *const *>(method) == *static_cast<void **>(gd::name(text).ptr()))
                return function;
        return nullptr;
    };
    api.classdb_register_extension_class2(api.library, gd::name(name).ptr(), gd::name(parent).ptr(), &info);
}

Registrar &Registrar::overrides(const char *method, GDExtensionClassCallVirtual function)
{
    classes->back()->overridden.emplace_back(method, function);
    return *this;
}

static std::string trimmed(std::string s)
{
    const size_t from = s.find_first_not_of(' ');
    return from == std::string::npos ? "" : s.substr(from, s.find_last_not_of(' ') - from + 1);
}

struct Signature {
    std::string name, returns;
    std::vector<std::pair<std::string, std::string>> arguments; // name and class, if any
};

// name(a, b: Class, c) -> Class
static Signature parse(const std::string &text)
{
    Signature s;
    const size_t open = text.find('('), close = text.find(')');
    s.name = text.substr(0, open);
    if (const size_t arrow = text.find("->"); arrow != std::string::npos)
        s.returns = trimmed(text.substr(arrow + 2));
    for (size_t at = open + 1; at < close;) {
        const size_t end = std::min(text.find(',', at), close);
        const std::string argument = text.substr(at, end - at);
        const size_t colon = argument.find(':');
        s.arguments.emplace_back(trimmed(argument.substr(0, colon)), colon == std::string::npos ? "" : trimmed(argument.substr(colon + 1)));
        at = end + 1;
    }
    return s;
}

void Registrar::guard() { methods->back()->guarded_class = class_name; }

void Registrar::add(const char *signature, std::vector<Type> types, bool returns, Invoke invoke, std::vector<Variant> defaults, bool is_static, bool is_const,
                    const char *property)
{
    const Signature s = parse(signature);
    auto m = std::make_unique<Method>();
    m->invoke = invoke;
    m->name = s.name;
    m->returns = returns;
    m->property = property;
    m->defaults = std::move(defaults);
    if (returns)
        m->slots.emplace_back("", types[0], s.returns);
    for (size_t i = 0; i < s.arguments.size(); i++)
        m->slots.emplace_back(s.arguments[i].first, types[i + returns], s.arguments[i].second);
    std::vector<GDExtensionPropertyInfo> infos;
    for (const Slot &slot : m->slots)
        infos.push_back(slot.info());
    std::vector<GDExtensionClassMethodArgumentMetadata> metadata(m->slots.size(), GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE);
    std::vector<GDExtensionVariantPtr> given;
    for (const Variant &v : m->defaults)
        given.push_back(v.ptr());
    const Name name(s.name);
    GDExtensionClassMethodInfo info = {};
    info.name = name.ptr();
    info.method_userdata = m.get();
    info.call_func = call;
    info.ptrcall_func = ptrcall;
    info.method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT | (is_static ? GDEXTENSION_METHOD_FLAG_STATIC : 0) | (is_const ? GDEXTENSION_METHOD_FLAG_CONST : 0);
    info.has_return_value = returns;
    info.return_value_info = infos.data();
    info.argument_count = uint32_t(m->count());
    info.arguments_info = infos.data() + returns;
    info.arguments_metadata = metadata.data() + returns;
    info.default_argument_count = uint32_t(given.size());
    info.default_arguments = given.data();
    api.classdb_register_extension_class_method(api.library, gd::name(class_name).ptr(), &info);
    methods->push_back(std::move(m));
}

void Registrar::add_property(const char *property, Type type, const Hint &hint, Invoke get, Invoke set)
{
    const std::string getter = std::string("get_") + property, setter = std::string("set_") + property;
    add((getter + "() -> " + hint.class_name).c_str(), { type }, true, get, {}, false, true, nullptr);
    add((setter + "(value:" + hint.class_name + ")").c_str(), { type }, false, set, {}, false, false, property);
    const Slot slot(property, type, hint.class_name, hint.kind, hint.text);
    GDExtensionPropertyInfo info = slot.info();
    api.classdb_register_extension_class_property(api.library, name(class_name).ptr(), &info, Name(setter).ptr(), Name(getter).ptr());
}

void Registrar::add_read_only(const char *property, Type type, const char *class_of, Invoke get)
{
    const std::string getter = std::string("get_") + property;
    add((getter + "() -> " + class_of).c_str(), { type }, true, get, {}, false, true, nullptr);
    const Slot slot(property, type, class_of, HINT_NONE, "", USAGE_READ_ONLY);
    GDExtensionPropertyInfo info = slot.info();
    api.classdb_register_extension_class_property(api.library, name(class_name).ptr(), &info, Name("").ptr(), Name(getter).ptr());
}

Registrar &Registrar::group(const char *text)
{
    const Value title(GDEXTENSION_VARIANT_TYPE_STRING, Variant(text)), prefix(GDEXTENSION_VARIANT_TYPE_STRING);
    api.classdb_register_extension_class_property_group(api.library, name(class_name).ptr(), title.ptr(), prefix.ptr());
    return *this;
}

static Type builtin(const std::string &text)
{
    for (Type t = 1; t < packed_vector4_array; t++)
        if (type_name(t) == text)
            return t;
    return text.find('.') != std::string::npos ? GDEXTENSION_VARIANT_TYPE_INT : GDEXTENSION_VARIANT_TYPE_OBJECT;
}

Registrar &Registrar::signal(const char *signature)
{
    const Signature s = parse(signature);
    std::vector<Slot> slots;
    for (const auto &[name, of] : s.arguments) {
        const Type type = builtin(of);
        slots.emplace_back(name, type, type == GDEXTENSION_VARIANT_TYPE_OBJECT || of.find('.') != std::string::npos ? of : "");
    }
    std::vector<GDExtensionPropertyInfo> infos;
    for (const Slot &slot : slots)
        infos.push_back(slot.info());
    api.classdb_register_extension_class_signal(api.library, name(class_name).ptr(), Name(s.name).ptr(), infos.data(), int64_t(infos.size()));
    return *this;
}

Registrar &Registrar::constants(const char *enumeration, std::initializer_list<Constant> list, bool bitfield)
{
    for (const Constant &c : list)
        api.classdb_register_extension_class_integer_constant(api.library, name(class_name).ptr(), name(enumeration).ptr(), name(c.name).ptr(), c.value, bitfield);
    return *this;
}

void unregister_all()
{
    if (!classes)
        return;
    for (auto c = classes->rbegin(); c != classes->rend(); ++c)
        api.classdb_unregister_extension_class(api.library, name((*c)->name).ptr());
    delete methods;
    delete classes;
    methods = nullptr;
    classes = nullptr;
}

} // namespace gd
