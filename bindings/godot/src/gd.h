// gd.h: the little of Godot's interface that the classes need, as C++ values. Only functions that Godot 4.2 has: tests/interface.sh checks it.
#pragma once

#include <gdextension_interface.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace gd {

// Every interface function that is used, once: name here, type in the header.
#define GD_FUNCTIONS(X) \
    X(get_godot_version, GetGodotVersion) X(mem_alloc, MemAlloc) X(mem_free, MemFree) X(print_error, PrintError) \
    X(variant_new_copy, VariantNewCopy) X(variant_new_nil, VariantNewNil) X(variant_destroy, VariantDestroy) X(variant_call, VariantCall) \
    X(variant_get_named, VariantGetNamed) X(variant_get_type, VariantGetType) X(variant_booleanize, VariantBooleanize) \
    X(variant_stringify, VariantStringify) X(variant_construct, VariantConstruct) X(variant_can_convert_strict, VariantCanConvertStrict) \
    X(get_variant_from_type_constructor, GetVariantFromTypeConstructor) X(get_variant_to_type_constructor, GetVariantToTypeConstructor) \
    X(variant_get_ptr_constructor, VariantGetPtrConstructor) X(variant_get_ptr_destructor, VariantGetPtrDestructor) \
    X(variant_get_ptr_utility_function, VariantGetPtrUtilityFunction) X(variant_get_type_name, VariantGetTypeName) \
    X(string_new_with_utf8_chars_and_len, StringNewWithUtf8CharsAndLen) X(string_to_utf8_chars, StringToUtf8Chars) \
    X(string_to_utf32_chars, StringToUtf32Chars) X(string_new_with_utf32_chars_and_len, StringNewWithUtf32CharsAndLen) \
    X(packed_byte_array_operator_index_const, PackedByteArrayOperatorIndexConst) X(packed_float32_array_operator_index_const, PackedFloat32ArrayOperatorIndexConst) \
    X(packed_float64_array_operator_index_const, PackedFloat64ArrayOperatorIndexConst) X(packed_int32_array_operator_index_const, PackedInt32ArrayOperatorIndexConst) \
    X(packed_int64_array_operator_index_const, PackedInt64ArrayOperatorIndexConst) \
    X(array_operator_index_const, ArrayOperatorIndexConst) X(array_set_typed, ArraySetTyped) \
    X(dictionary_operator_index, DictionaryOperatorIndex) X(dictionary_operator_index_const, DictionaryOperatorIndexConst) \
    X(object_destroy, ObjectDestroy) X(global_get_singleton, GlobalGetSingleton) X(object_get_instance_binding, ObjectGetInstanceBinding) \
    X(object_set_instance_binding, ObjectSetInstanceBinding) X(object_set_instance, ObjectSetInstance) X(object_cast_to, ObjectCastTo) \
    X(object_get_instance_from_id, ObjectGetInstanceFromId) X(object_get_instance_id, ObjectGetInstanceId) X(ref_set_object, RefSetObject) \
    X(callable_custom_create, CallableCustomCreate) X(classdb_construct_object, ClassdbConstructObject) X(classdb_get_class_tag, ClassdbGetClassTag) \
    X(classdb_register_extension_class2, ClassdbRegisterExtensionClass2) X(classdb_register_extension_class_method, ClassdbRegisterExtensionClassMethod) \
    X(classdb_register_extension_class_integer_constant, ClassdbRegisterExtensionClassIntegerConstant) \
    X(classdb_register_extension_class_property, ClassdbRegisterExtensionClassProperty) \
    X(classdb_register_extension_class_property_group, ClassdbRegisterExtensionClassPropertyGroup) \
    X(classdb_register_extension_class_signal, ClassdbRegisterExtensionClassSignal) X(classdb_unregister_extension_class, ClassdbUnregisterExtensionClass)

struct Api {
#define GD_DECLARE(name, type) GDExtensionInterface##type name;
    GD_FUNCTIONS(GD_DECLARE)
#undef GD_DECLARE
    void (*editor_help)(const char *xml, GDExtensionInt size); // since 4.3: asked for only there, and may be null
    GDExtensionClassLibraryPtr library;
    GDExtensionGodotVersion version;
    GDExtensionPtrUtilityFunction push_error, push_warning, print, is_instance_valid;
};
extern Api api;

using Object = GDExtensionObjectPtr;
using Type = int; // GDEXTENSION_VARIANT_TYPE_*
constexpr int types = 39;
constexpr Type packed_vector4_array = 38; // since 4.3

bool load(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library);
void load_help(GDExtensionInterfaceGetProcAddress get);
void unload();

class Variant;

// A StringName.
class Name {
public:
    Name() : Name(std::string_view()) {}
    Name(std::string_view text);
    Name(const Name &other);
    Name(Name &&other) noexcept : mem(other.mem) { other.mem = nullptr; }
    Name &operator=(Name other) noexcept { std::swap(mem, other.mem); return *this; }
    ~Name();
    void *ptr() const { return const_cast<void **>(&mem); }
private:
    void *mem;
};
// The one of this text, kept until unload.
const Name &name(const char *text);

// A value of any builtin type but Variant, in the engine's own form.
class Value {
public:
    explicit Value(Type type);                // the default one
    Value(Type type, const Variant &variant); // converts; the variant must be of this type or strictly convertible
    Value(Value &&other) noexcept;
    Value(const Value &) = delete;
    Value &operator=(Value &&other) noexcept;
    ~Value();
    void *ptr() const { return const_cast<unsigned char *>(mem); }
    Type type;
private:
    alignas(8) unsigned char mem[64]; // a Projection
};

class Variant {
public:
    Variant() { api.variant_new_nil(mem); }
    Variant(const Variant &other) { api.variant_new_copy(mem, other.mem); }
    Variant(Variant &&other) noexcept;
    Variant &operator=(Variant other) noexcept;
    ~Variant() { api.variant_destroy(mem); }

    Variant(bool value);
    Variant(int value) : Variant(int64_t(value)) {}
    Variant(int64_t value);
    Variant(double value);
    Variant(const char *text) : Variant(std::string_view(text)) {}
    Variant(const std::string &text) : Variant(std::string_view(text)) {}
    Variant(std::string_view text);
    Variant(const Name &name);
    Variant(Object object); // of a RefCounted: one more reference
    Variant(const Value &value);
    Variant(Type type, const void *builtin); // a copy of what the engine has there

    static const Variant &at(const void *engine) { return *static_cast<const Variant *>(engine); }
    Type type() const { return api.variant_get_type(mem); }
    bool is_nil() const { return type() == GDEXTENSION_VARIANT_TYPE_NIL; }
    bool is(Type t) const { return type() == t; }
    bool is_text() const;
    bool to_bool() const { return api.variant_booleanize(mem); }
    int64_t to_int() const;
    double to_double() const;
    std::string to_string() const; // what String(value) would be
    Object to_object() const;      // null if it is none, or it was freed
    void *ptr() const { return const_cast<unsigned char *>(mem); }
    void store(Type type, void *to) const;   // as this type, where nothing is
    void replace(Type type, void *to) const; // as this type, where one is

    // Calls a method; what it returned, or null. error: GDExtensionCallError, may be left out.
    Variant call(const Name &method, std::initializer_list<Variant> arguments = {}, GDExtensionCallError *error = nullptr) const;
    Variant callv(const Name &method, const Variant *const *arguments, size_t count, GDExtensionCallError *error) const;
    Variant get(const Name &member, bool *valid = nullptr) const;
    Variant get(const char *member) const { return get(name(member)); }
private:
    alignas(8) unsigned char mem[24]; // engines of double precision have 40: register.cpp refuses them
};

// A Dictionary and an Array, held.
class Dictionary {
public:
    Dictionary() : value(GDEXTENSION_VARIANT_TYPE_DICTIONARY) {}
    explicit Dictionary(const Variant &v) : value(GDEXTENSION_VARIANT_TYPE_DICTIONARY, v) {}
    Dictionary(const Dictionary &other) : Dictionary(Variant(other.value)) {} // the same one, as in GDScript
    Dictionary(Dictionary &&) = default;
    Dictionary &operator=(Dictionary &&) = default;
    void set(const Variant &key, const Variant &v);
    const Variant *find(const Variant &key) const; // null: no such member
    Variant get(const Variant &key) const { const Variant *v = find(key); return v ? *v : Variant(); }
    std::vector<Variant> keys() const;
    size_t size() const;
    operator Variant() const { return Variant(value); }
private:
    Value value;
};

class Array {
public:
    Array() : value(GDEXTENSION_VARIANT_TYPE_ARRAY) {}
    explicit Array(const Variant &v) : value(GDEXTENSION_VARIANT_TYPE_ARRAY, v) {}
    Array(const Array &other) : Array(Variant(other.value)) {}
    Array(Array &&) = default;
    Array &operator=(Array &&) = default;
    void push(const Variant &v);
    size_t size() const;
    const Variant &at(size_t i) const { return Variant::at(api.array_operator_index_const(value.ptr(), int64_t(i))); }
    void set_class(const char *class_name); // Array[class_name]
    operator Variant() const { return Variant(value); }
private:
    Value value;
};

std::vector<std::string> strings(const Variant &packed);
Variant strings(const std::vector<std::string> &list);

std::string type_name(Type type);
std::string class_name(Object object);
uint64_t id(Object object);
Object from_id(uint64_t id);
Object singleton(const char *name);
Object create(const char *class_name);

void push_error(const std::string &text);
void push_warning(const std::string &text);
void print(const std::string &text);

bool in_editor();
bool on_main_thread();

using CallFn = std::function<Variant(const Variant *const *arguments, size_t count)>;
// A Callable that runs fn; `freed` runs when nothing holds it any more.
Variant callable(CallFn fn, std::function<void()> freed = nullptr);

} // namespace gd
