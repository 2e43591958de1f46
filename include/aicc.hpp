/* aicc.hpp: aicc.h for C++17. Header only; links with the same library.
 *
 *   aicc::bridge bridge("night watch");
 *   aicc::tool_options look;
 *   look.cls = AICC_SENSOR, look.id = "look", look.description = "What the character sees within a range, in meters.";
 *   look.input_schema = R"({"type":"object","properties":{"range":{"type":"number","default":10}}})";
 *   bridge.add_tool(look, [&](const aicc::request &r) {
 *       return aicc::json().object().integer("seen", world.count(r.input()["range"].number_or(10))).end();
 *   });
 *   aicc::session guard = bridge.open_session("guard");
 *   bridge.pump();                  // once a frame
 *
 * What a tool's function returns is the answer: an aicc::json or a std::string. Void: what it said by request::call(), else `{}`. aicc::later: the
 * answer comes by a copy of request::call(), from any thread. An aicc_status: as from an aicc_tool_fn. An exception that leaves it stays here:
 * the call fails with execution_failed and what(). Errors come as aicc::error; outcomes that are no errors are return values.
 *
 * Threads, ownership and lifetimes are those of aicc.h: views and values that come out are borrowed as they are there. Handles (session, tool,
 * event, call) are copied as you like. A bridge ends with its object, which only one thread at a time may move or destroy. */
#ifndef AICC_HPP
#define AICC_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#include "aicc.h"

namespace aicc {
/* An empty view is one that is not given. */
inline aicc_str str(std::string_view s) { return aicc_sn(s.data(), s.size()); }
inline std::string_view view(aicc_str s) { return s.len == 0 ? std::string_view() : std::string_view(s.ptr, s.len); }

/* ---- errors */
class error : public std::runtime_error {
public:
    explicit error(aicc_status s) : std::runtime_error(aicc_status_name(s)), status(s), details() {}
    error(aicc_status s, const aicc_error &e)
        : std::runtime_error(std::string(aicc_status_name(s)) + ": " + e.message + " (" + e.field + e.pointer + ")"), status(s), details(e) {}
    aicc_status status;
    aicc_error  details;            /* where the function gives them */
};

/* Throws what is an error; gives back what is none. */
inline aicc_status check(aicc_status s) { return s < 0 ? throw error(s) : s; }
inline aicc_status check(aicc_status s, const aicc_error &e) { return s < 0 ? throw error(s, e) : s; }

/* ---- reading */
/* A place in a JSON value. [] never throws over what is not there: it gives a value that does not exist. The _or functions give
 * the fallback for what is absent or null; a value of another type, or one that does not fit, is an error. */
class value {
public:
    value() : v_() {}
    value(const aicc_value &v) : v_(v) {}
    const aicc_value &c() const { return v_; }
    bool exists() const { return v_.tape != nullptr; }
    bool is_null() const { return v_.kind == AICC_KIND_NULL; }
    int32_t kind() const { return v_.kind; }                /* AICC_KIND_*; 0: there is none */
    /* By JSON Pointer or plain name, as everywhere in aicc.h. */
    value operator[](std::string_view pointer) const { value out; check(aicc_value_find(&v_, str(pointer), &out.v_)); return out; }
    value operator[](std::size_t index) const { return (*this)["/" + std::to_string(index)]; }
    double number() const { return get<double>(aicc_value_number); }
    std::int64_t integer() const { return get<std::int64_t>(aicc_value_integer); }
    bool boolean() const { return get<std::int32_t>(aicc_value_bool) != 0; }
    std::string_view string() const { return view(get<aicc_str>(aicc_value_string)); }
    double number_or(double fallback) const { return get_or(aicc_value_number, fallback); }
    std::int64_t integer_or(std::int64_t fallback) const { return get_or(aicc_value_integer, fallback); }
    bool boolean_or(bool fallback) const { return get_or<std::int32_t>(aicc_value_bool, fallback) != 0; }
    std::string_view string_or(std::string_view fallback) const { return view(get_or(aicc_value_string, str(fallback))); }
    std::size_t size() const { return get_or<std::size_t>(aicc_value_count, 0); }
    std::vector<double> numbers() const
    {
        std::size_t n = size();
        std::vector<double> out(n);
        there(aicc_value_numbers(&v_, str({}), out.data(), n, &n));
        return out;
    }
    std::string json() const
    {
        std::size_t n = 0;
        if (aicc_value_json(&v_, str({}), nullptr, 0, &n) == AICC_ABSENT) return {};
        std::string out(n + 1, '\0');
        check(aicc_value_json(&v_, str({}), &out[0], out.size(), &n));
        out.resize(n);
        return out;
    }
    /* A tape of its own, to keep or to send. What is opened lasts as long as the vector does, unchanged. */
    std::vector<std::uint64_t> copy() const
    {
        std::size_t n = 0;
        if (aicc_value_copy(&v_, nullptr, 0, &n) == AICC_ABSENT) return {};
        std::vector<std::uint64_t> out(n / 8);
        check(aicc_value_copy(&v_, out.data(), n, &n));
        return out;
    }
    static value open(const std::vector<std::uint64_t> &tape) { value out; check(aicc_value_open(tape.data(), tape.size() * 8, &out.v_)); return out; }
    /* for (const auto &[key, element] : value): an object's members, or an array's elements with empty keys; nothing of what is not there. */
    class iterator;
    iterator begin() const;
    iterator end() const;
private:
    static void there(aicc_status s) { if (check(s) != AICC_OK) throw error(s); }
    template <class T> using getter = aicc_status (AICC_CALL *)(const aicc_value *, aicc_str, T *);
    template <class T> T get(getter<T> f) const { T out{}; there(f(&v_, str({}), &out)); return out; }
    template <class T> T get_or(getter<T> f, T out) const { check(f(&v_, str({}), &out)); return out; }
    aicc_value v_;
};

class value::iterator {
public:
    using pair = std::pair<std::string_view, value>;
    iterator() : of_() {}
    explicit iterator(const aicc_value &of) : of_(of) { ++*this; }
    const pair &operator*() const { return now_; }
    bool operator!=(const iterator &other) const { return now_.second.exists() != other.now_.second.exists(); }
    iterator &operator++()
    {
        aicc_value out;
        aicc_str key;
        now_ = check(aicc_value_next(&of_, &place_, &key, &out)) == AICC_OK ? pair(view(key), out) : pair();
        return *this;
    }
private:
    aicc_value of_;
    std::uint32_t place_ = 0;
    pair now_;
};
inline value::iterator value::begin() const { return iterator(v_); }
inline value::iterator value::end() const { return iterator(); }

/* ---- writing */
/* A JSON text, in memory that grows. In an object each function takes a key first, in an array and at the root none. */
class json {
public:
    json() : buf_(256, '\0') { aicc_write_begin(&w_, &buf_[0], buf_.size()); }
    json &object(std::string_view key = {}) { return put([&](aicc_writer *w) { aicc_write_object(w, str(key)); }); }
    json &array(std::string_view key = {}) { return put([&](aicc_writer *w) { aicc_write_array(w, str(key)); }); }
    json &end() { return put([&](aicc_writer *w) { aicc_write_end(w); }); }
    json &null(std::string_view key = {}) { return put([&](aicc_writer *w) { aicc_write_null(w, str(key)); }); }
    json &number(std::string_view key, double v, int decimals = -1) { return put([&](aicc_writer *w) { aicc_write_number(w, str(key), v, decimals); }); }
    json &number(double v, int decimals = -1) { return number({}, v, decimals); }
    json &integer(std::string_view key, std::int64_t v) { return put([&](aicc_writer *w) { aicc_write_integer(w, str(key), v); }); }
    json &integer(std::int64_t v) { return integer({}, v); }
    json &boolean(std::string_view key, bool v) { return put([&](aicc_writer *w) { aicc_write_bool(w, str(key), v); }); }
    json &boolean(bool v) { return boolean({}, v); }
    json &boolean(const char *) = delete;                   /* a key without a value */
    json &string(std::string_view key, std::string_view v) { return put([&](aicc_writer *w) { aicc_write_string(w, str(key), str(v)); }); }
    json &string(std::string_view v) { return string({}, v); }
    json &raw(std::string_view key, std::string_view text) { return put([&](aicc_writer *w) { aicc_write_json(w, str(key), str(text)); }); }
    json &raw(std::string_view text) { return raw({}, text); }
    /* The text, until the next change. Throws the first fault. */
    std::string_view text() const
    {
        aicc_writer w = w_;
        aicc_str out;
        w.buf = &buf_[0];                                   /* it may have been moved */
        check(aicc_write_done(&w, &out));
        return view(out);
    }
private:
    /* What does not fit is written once more, with more room. */
    template <class F> json &put(F write)
    {
        w_.buf = &buf_[0];
        const aicc_writer before = w_;
        write(&w_);
        if (w_.len >= w_.cap) {
            buf_.resize(2 * w_.len + 2);
            w_ = before, w_.buf = &buf_[0], w_.cap = buf_.size();
            write(&w_);
        }
        return *this;
    }
    mutable std::string buf_;
    aicc_writer w_;
};

/* ---- handles: call, session, event, tool */
template <class H> class handle {
public:
    handle(H h = {}) : h_(h) {}
    H c() const { return h_; }
    friend bool operator==(handle a, handle b) { return a.h_.id == b.h_.id; }
    friend bool operator!=(handle a, handle b) { return a.h_.id != b.h_.id; }
private:
    H h_;
};

/* False everywhere: the call had ended already. */
struct call : handle<aicc_call> {
    using handle::handle;
    bool succeed(std::string_view output = {}) const { return check(aicc_call_succeed(c(), str(output))) == AICC_OK; }
    bool succeed(const json &output) const { return succeed(output.text()); }
    bool fail(std::string_view message, int32_t code = AICC_CODE_EXECUTION_FAILED, bool retryable = false) const
    { return check(aicc_call_fail(c(), code, str(message), retryable)) == AICC_OK; }
    bool alive() const { return aicc_call_alive(c()) == 1; }
    bool set_user_data(void *user_data) const { return check(aicc_call_set_user_data(c(), user_data)) == AICC_OK; }
};
struct session : handle<aicc_session> {
    using handle::handle;
    void close(std::string_view reason = {}) const { check(aicc_session_close(c(), str(reason))); }
    void set_paused(bool paused) const { check(aicc_session_set_paused(c(), paused)); }
    bool has_agent() const { return aicc_session_has_agent(c()) == 1; }
    void attach() const { check(aicc_session_attach(c())); }
    void receive(std::string_view message) const { check(aicc_session_receive(c(), str(message))); }
    void detach() const { check(aicc_session_detach(c())); }
};
struct event : handle<aicc_event> {
    using handle::handle;
    /* False: nobody is subscribed. Without a session: to every one. */
    bool send(std::string_view payload, session to = {}) const { return check(aicc_event_json(c(), to.c(), str(payload))) == AICC_OK; }
    bool send(const json &payload, session to = {}) const { return send(payload.text(), to); }
    /* False: the call had ended. */
    bool reply(call cause, std::string_view payload) const { return check(aicc_event_reply_json(c(), cause.c(), str(payload))) == AICC_OK; }
    bool reply(call cause, const json &payload) const { return reply(cause, payload.text()); }
};
struct tool : handle<aicc_tool> {
    using handle::handle;
    void unregister() const { check(aicc_tool_unregister(c())); }
};

class request {
public:
    explicit request(const aicc_request &r) : r_(r) {}
    const aicc_request &c() const { return r_; }            /* its other fields */
    value input() const { return r_.input; }
    aicc::call call() const { return r_.call; }
    aicc::session session() const { return r_.session; }
    std::string_view tool_id() const { return view(r_.tool_id); }
    std::string_view call_id() const { return view(r_.call_id); }
    template <class T> T *user() const { return static_cast<T *>(r_.session_user); }
private:
    const aicc_request &r_;
};
inline constexpr struct later_t {} later{};

/* ---- options: the fields of aicc.h with its defaults; texts are string views in place of the C ones */
struct bridge_options : aicc_bridge_options {
    std::string_view name;
    bridge_options(std::string_view n = {}) : aicc_bridge_options(), name(n) { aicc_bridge_options_init(this, sizeof(aicc_bridge_options)); }
    aicc_bridge_options c() const { aicc_bridge_options o = *this; o.name = str(name); return o; }
};
struct tool_options : aicc_tool_options {
    std::string_view id, description, input_schema, output_schema, requires_capability;
    tool_options() : aicc_tool_options() { aicc_tool_options_init(this, sizeof(aicc_tool_options)); }
    aicc_tool_options c() const
    {
        aicc_tool_options o = *this;
        o.id = str(id), o.description = str(description), o.requires_capability = str(requires_capability);
        o.input_schema = str(input_schema), o.output_schema = str(output_schema);
        return o;
    }
};
struct session_options : aicc_session_options {
    std::string_view name;
    std::vector<std::string_view> capabilities;
    session_options(std::string_view n = {}) : aicc_session_options(), name(n) { aicc_session_options_init(this, sizeof(aicc_session_options)); }
};
struct event_options : aicc_event_options {
    std::string_view kind;
    event_options(int32_t t = 0, std::string_view k = {}) : aicc_event_options(), kind(k)
    {
        aicc_event_options_init(this, sizeof(aicc_event_options));
        topic = t;
    }
    aicc_event_options c() const { aicc_event_options o = *this; o.kind = str(kind); return o; }
};

struct listen_options : aicc_listen_options {
    std::string_view address, token;
    std::vector<std::string_view> hosts, origins;
    listen_options(int32_t p = 0) : aicc_listen_options() { aicc_listen_options_init(this, sizeof(aicc_listen_options)), port = p; }
};

/* ---- one port: agents reach the bridges that have it as their bridge_options::listener. Closes with its object. */
class listener {
public:
    explicit listener(const listen_options &options)
    {
        aicc_listen_options o = options;
        std::vector<aicc_str> names;
        for (std::string_view n : options.hosts) names.push_back(str(n));
        for (std::string_view n : options.origins) names.push_back(str(n));
        o.address = str(options.address), o.token = str(options.token);
        o.hosts = names.data(), o.hosts_count = options.hosts.size();
        o.origins = names.data() + o.hosts_count, o.origins_count = options.origins.size();
        aicc_error e;
        check(aicc_listen(&o, &h_, &e), e);
    }
    explicit listener(int32_t port = 0) : listener(listen_options(port)) {}
    listener(listener &&other) noexcept : h_(std::exchange(other.h_, {})) {}
    listener &operator=(listener &&other) noexcept { std::swap(h_, other.h_); return *this; }
    ~listener() { if (h_.id != 0) aicc_listener_close(h_); }
    aicc_listener c() const { return h_; }
    std::string address() const { return text(aicc_listener_address); }         /* "127.0.0.1:41234" */
    std::string inspector() const { return text(aicc_listener_inspector); }     /* its URL; an error when it was not turned on */
private:
    std::string text(aicc_status (AICC_CALL *f)(aicc_listener, char *, std::size_t, std::size_t *)) const
    {
        char buf[512];
        std::size_t n = 0;
        check(f(h_, buf, sizeof buf, &n));
        return std::string(buf, n);
    }
    aicc_listener h_{};
};

/* ---- one world */
class bridge {
public:
    explicit bridge(const bridge_options &options) : state_(std::make_shared<state>())
    {
        const aicc_bridge_options o = options.c();
        aicc_error e;
        check(aicc_bridge_create(&o, &state_->handle, &e), e);
    }
    explicit bridge(std::string_view name) : bridge(bridge_options(name)) {}
    bridge(bridge &&) = default;
    bridge &operator=(bridge &&other) noexcept { std::swap(state_, other.state_); return *this; }
    ~bridge() { if (state_) aicc_bridge_destroy(state_->handle); }
    aicc_bridge c() const { return state_ ? state_->handle : aicc_bridge(); }
    /* The function is kept until the tool has gone or the bridge has. fn and user_data of the options are not used. */
    template <class F> tool add_tool(const tool_options &options, F function)
    {
        static_assert(std::is_invocable_v<F &, const request &>, "a tool's function takes a const aicc::request &");
        auto kept = std::make_unique<handler>([f = std::move(function)](const request &r) mutable { return answer(f, r); });
        aicc_tool_options o = options.c();
        o.fn = run, o.user_data = kept.get();
        aicc_tool out;
        aicc_error e;
        state_->keep(std::move(kept));
        if (const aicc_status s = aicc_tool_register(c(), &o, &out, &e); s < 0) state_->drop(o.user_data), check(s, e);
        return out;
    }
    session open_session(const session_options &options = {})
    {
        std::vector<aicc_str> names;
        for (std::string_view n : options.capabilities) names.push_back(str(n));
        aicc_session_options o = options;
        o.name = str(options.name), o.capabilities = names.data(), o.capabilities_count = names.size();
        aicc_session out;
        aicc_error e;
        check(aicc_session_open(c(), &o, &out, &e), e);
        return out;
    }
    session open_session(std::string_view name) { return open_session(session_options(name)); }
    event define_event(const event_options &options)
    {
        aicc_event out;
        aicc_error e;
        const aicc_event_options o = options.c();
        check(aicc_event_define(c(), &o, &out, &e), e);
        return out;
    }

    /* Runs what came in. What is no call of a tool's function goes to `other`; the first exception that leaves that is thrown when all is done.
     * The object may be destroyed by a function that this runs. */
    using item_function = std::function<void(const aicc_item &)>;
    void pump(const item_function &other = {}) { pump(nullptr, other); }
    void pump(const aicc_frame &frame, const item_function &other = {}) { pump(&frame, other); }
    void flush(std::int64_t timeout_ms = 5000) { check(aicc_bridge_flush(c(), timeout_ms)); }
    /* The next message to send, and for whose agent. False: none. */
    bool next_message(session &to, std::string &message)
    {
        aicc_session whose;
        aicc_status s;
        std::size_t n = 0;
        message.resize(message.capacity() < 4096 ? 4096 : message.capacity());
        while ((s = aicc_bridge_next_message(c(), &whose, &message[0], message.size(), &n)) == AICC_E_SMALL) message.resize(n + 1);
        message.resize(s == AICC_OK ? n : 0);
        if (check(s) == AICC_OK) to = whose;
        return s == AICC_OK;
    }
    aicc_stats stats() const { aicc_stats out{}; out.struct_size = sizeof out; check(aicc_bridge_stats(c(), &out)); return out; }
    void close() { check(aicc_bridge_close(c())); }
private:
    using handler = std::function<aicc_status(const request &)>;
    struct state {
        aicc_bridge handle{};
        std::mutex lock;
        std::unordered_map<void *, std::unique_ptr<handler>> handlers;
        void keep(std::unique_ptr<handler> h) { const std::lock_guard<std::mutex> hold(lock); void *key = h.get(); handlers.emplace(key, std::move(h)); }
        /* The function's own end comes after the lock's. */
        void drop(void *h) { decltype(handlers)::node_type gone; const std::lock_guard<std::mutex> hold(lock); gone = handlers.extract(h); }
    };
    struct pumping { state &of; const item_function &other; std::exception_ptr thrown; };
    template <class F> static aicc_status answer(F &f, const request &r)
    {
        using result = std::invoke_result_t<F &, const request &>;
        if constexpr (std::is_same_v<result, aicc_status>) return f(r);
        else if constexpr (std::is_same_v<result, later_t>) return f(r), AICC_PENDING;
        else if constexpr (std::is_void_v<result>) return f(r), AICC_OK;
        else return r.call().succeed(f(r)), AICC_OK;
    }
    static aicc_status AICC_CALL run(const aicc_request *r, void *user_data)
    {
        try {
            return (*static_cast<handler *>(user_data))(request(*r));
        } catch (const std::exception &e) { aicc_call_fail(r->call, AICC_CODE_EXECUTION_FAILED, str(e.what()), 0); }
        catch (...) { aicc_call_fail(r->call, AICC_CODE_EXECUTION_FAILED, str("the tool threw something that is no std::exception"), 0); }
        return AICC_OK;
    }
    static void AICC_CALL take(const aicc_item *item, void *user_data)
    {
        pumping &p = *static_cast<pumping *>(user_data);
        try {
            if (p.other) p.other(*item);
        } catch (...) { if (!p.thrown) p.thrown = std::current_exception(); }
        if (item->kind == AICC_ITEM_TOOL_RELEASED) p.of.drop(item->tool_user);
    }
    void pump(const aicc_frame *frame, const item_function &other)
    {
        const std::shared_ptr<state> keep = state_;         /* a function that runs may destroy this object */
        pumping p{*keep, other, nullptr};
        check(aicc_bridge_pump(keep->handle, frame, take, &p));
        if (p.thrown) std::rethrow_exception(p.thrown);
    }
    std::shared_ptr<state> state_;
};

/* The oldest line of the log that nobody has read. False: none. */
inline bool next_log(std::string &line, aicc_log *log = nullptr)
{
    std::size_t n = 0;
    line.resize(2048);
    const bool more = check(aicc_log_next(log, &line[0], line.size(), &n)) == AICC_OK;
    line.resize(more ? n : 0);
    return more;
}
} // namespace aicc
#endif
