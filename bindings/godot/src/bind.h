// bind.h: C++ classes as Godot classes. A method is bound with its signature as GDScript would write it, types left out where C++ knows them.
#pragma once

#include "gd.h"

#include <type_traits>
#include <utility>

namespace gd {

// What an object of one of our classes has beside it.
class Instance {
public:
    virtual ~Instance() = default;
    virtual void created() {}              // owner is there now
    virtual void notification(int what) { (void)what; }
    virtual void changed(const char *property) { (void)property; }
    virtual std::vector<std::string> warnings() { return {}; }
    Object owner = nullptr;
    Variant self() const { return Variant(owner); }
    uint64_t id() const { return gd::id(owner); }
    void emit(const char *signal, std::initializer_list<Variant> arguments = {}) const;
};

// The instance of an object, null when it is of another class.
template <class T> T *cast(Object object);
template <class T> T *cast_id(uint64_t id) { return cast<T>(from_id(id)); } // null too when it was freed
Instance *instance(Object object, const char *class_name);
#define GD_CLASS_DECLARE(T) \
    template <> inline T *gd::cast<T>(gd::Object object) { return static_cast<T *>(gd::instance(object, #T)); }

// Types that C++ has no name for.
struct CallableValue : Variant { CallableValue() = default; CallableValue(const Variant &v) : Variant(v) {} };
struct NodePath { std::string text; };
struct Reference { Object object = nullptr; Variant held; Reference() = default; Reference(const Variant &v) : object(v.to_object()), held(v) {} };
using Strings = std::vector<std::string>;

// An object of one of our classes, also of one that scripts cannot make.
Object create_own(const char *class_name);

template <class T> struct Traits;
#define GD_TRAITS(T, TYPE, FROM, TO) \
    template <> struct Traits<T> { \
        static constexpr Type type = GDEXTENSION_VARIANT_TYPE_##TYPE; \
        static T from(const Variant &v) { return FROM; } \
        static Variant to(const T &v) { return TO; } \
    };
GD_TRAITS(bool, BOOL, v.to_bool(), Variant(v))
GD_TRAITS(int64_t, INT, v.to_int(), Variant(v))
GD_TRAITS(double, FLOAT, v.to_double(), Variant(v))
GD_TRAITS(std::string, STRING, v.is_nil() ? std::string() : v.to_string(), Variant(v))
GD_TRAITS(Variant, NIL, v, v)
GD_TRAITS(Dictionary, DICTIONARY, Dictionary(v), Variant(v))
GD_TRAITS(Array, ARRAY, Array(v), Variant(v))
GD_TRAITS(Strings, PACKED_STRING_ARRAY, strings(v), strings(v))
GD_TRAITS(CallableValue, CALLABLE, v, v)
GD_TRAITS(NodePath, NODE_PATH, NodePath{ v.to_string() }, Variant(Value(GDEXTENSION_VARIANT_TYPE_NODE_PATH, Variant(v.text))))
GD_TRAITS(Reference, OBJECT, Reference(v), v.object ? v.held : Variant(Object(nullptr)))
#undef GD_TRAITS

using Invoke = void (*)(void *self, const Variant *const *arguments, Variant *result);

template <auto F> struct Bound;
template <class T> using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

template <class R, class... A> struct Shape {
    static constexpr bool returns = !std::is_void_v<R>;
    static std::vector<Type> types()
    {
        std::vector<Type> list;
        if constexpr (returns)
            list.push_back(Traits<Plain<R>>::type);
        (list.push_back(Traits<Plain<A>>::type), ...);
        return list;
    }
    template <class F, size_t... I> static void run(F f, const Variant *const *arguments, Variant *result, std::index_sequence<I...>)
    {
        (void)arguments;
        if constexpr (returns)
            *result = Traits<Plain<R>>::to(f(Traits<Plain<A>>::from(*arguments[I])...));
        else
            f(Traits<Plain<A>>::from(*arguments[I])...);
    }
};
template <class R, class C, class... A, R (C::*F)(A...)> struct Bound<F> : Shape<R, A...> {
    static constexpr bool is_static = false, is_const = false;
    static void invoke(void *self, const Variant *const *arguments, Variant *result)
    {
        Shape<R, A...>::run([&](auto &&...a) -> R { return (static_cast<C *>(static_cast<Instance *>(self))->*F)(a...); }, arguments, result, std::index_sequence_for<A...>());
    }
};
template <class R, class C, class... A, R (C::*F)(A...) const> struct Bound<F> : Shape<R, A...> {
    static constexpr bool is_static = false, is_const = true;
    static void invoke(void *self, const Variant *const *arguments, Variant *result)
    {
        Shape<R, A...>::run([&](auto &&...a) -> R { return (static_cast<C *>(static_cast<Instance *>(self))->*F)(a...); }, arguments, result, std::index_sequence_for<A...>());
    }
};
template <class R, class... A, R (*F)(A...)> struct Bound<F> : Shape<R, A...> {
    static constexpr bool is_static = true, is_const = false;
    static void invoke(void *, const Variant *const *arguments, Variant *result)
    {
        Shape<R, A...>::run([&](auto &&...a) -> R { return F(a...); }, arguments, result, std::index_sequence_for<A...>());
    }
};

template <auto F> struct Field;
template <class T, class C, T C::*F> struct Field<F> {
    using Of = C;
    static constexpr Type type = Traits<T>::type;
    static void get(void *self, const Variant *const *, Variant *result) { *result = Traits<T>::to(static_cast<C *>(static_cast<Instance *>(self))->*F); }
    static void set(void *self, const Variant *const *arguments, Variant *) { static_cast<C *>(static_cast<Instance *>(self))->*F = Traits<T>::from(*arguments[0]); }
};

enum { HINT_NONE = 0, HINT_RANGE = 1, HINT_ENUM = 2, HINT_FLAGS = 6, HINT_MULTILINE_TEXT = 18, HINT_NODE_PATH_VALID_TYPES = 26, HINT_ARRAY_TYPE = 31, HINT_PASSWORD = 36 };
struct Hint { int kind = HINT_NONE; const char *text = ""; const char *class_name = ""; };
struct Constant { const char *name; int64_t value; };

// Registers a class; what it is given lives until `unregister_all`.
class Registrar {
public:
    // creatable: by scripts; create_own makes others too. exposed: scripts and the help know of it.
    template <class T> static Registrar make(const char *name, const char *parent, bool creatable = true, bool exposed = true)
    {
        return Registrar(name, parent, [] () -> Instance * { return new T; }, creatable, exposed);
    }
    template <auto F> Registrar &method(const char *signature, std::vector<Variant> defaults = {})
    {
        add(signature, Bound<F>::types(), Bound<F>::returns, Bound<F>::invoke, std::move(defaults), Bound<F>::is_static, Bound<F>::is_const, nullptr);
        return *this;
    }
    // One that belongs to the main thread: from another it does nothing, with an engine error.
    template <auto F> Registrar &main(const char *signature, std::vector<Variant> defaults = {})
    {
        method<F>(signature, std::move(defaults));
        guard();
        return *this;
    }
    template <auto F> Registrar &property(const char *name, Hint hint = {})
    {
        add_property(name, Field<F>::type, hint, Field<F>::get, Field<F>::set);
        return *this;
    }
    template <auto Get, auto Set> Registrar &accessors(const char *name, Hint hint = {})
    {
        add_property(name, Bound<Get>::types()[0], hint, Bound<Get>::invoke, Bound<Set>::invoke);
        return *this;
    }
    template <auto F> Registrar &read_only(const char *name, const char *class_name = "")
    {
        add_read_only(name, Bound<F>::types()[0], class_name, Bound<F>::invoke);
        return *this;
    }
    // A virtual method of the engine's class.
    Registrar &overrides(const char *name, GDExtensionClassCallVirtual function);
    Registrar &group(const char *name);
    // "agent_message(payload: Dictionary)"
    Registrar &signal(const char *signature);
    Registrar &constants(const char *enumeration, std::initializer_list<Constant> list, bool bitfield = false);
private:
    Registrar(const char *name, const char *parent, Instance *(*make)(), bool creatable, bool exposed);
    void add(const char *signature, std::vector<Type> types, bool returns, Invoke invoke, std::vector<Variant> defaults, bool is_static, bool is_const, const char *property);
    void guard(); // the method that was added last
    void add_property(const char *name, Type type, const Hint &hint, Invoke get, Invoke set);
    void add_read_only(const char *name, Type type, const char *class_name, Invoke get);
    const char *class_name;
};
void unregister_all();

} // namespace gd
