#include "call.h"

#include "errors.h"

#include <cmath>

using namespace gd;

#define TYPE(name) GDEXTENSION_VARIANT_TYPE_##name

AiccCall::~AiccCall() { drop("the character let go of it without an answer"); }

std::string AiccCall::who() const { return "AiccCall of tool \"" + tool + "\": "; }

void AiccCall::drop(const char *message)
{
    int open = OPEN;
    if (handle.id && state.compare_exchange_strong(open, ANSWERED)) {
        aicc_call_fail(handle, AICC_CODE_EXECUTION_FAILED, aicc_s(message), 0);
        if (world)
            world->remove_call(handle.id);
    }
}

int64_t AiccCall::answered_before() const
{
    if (state == ENDED)
        return OK; // no fault: it ended while the game was at it
    push_error(who() + "it was answered before. Answer a call once: with what the method returns, or with succeed() or fail().");
    return ALREADY_EXISTS;
}

// Of an answer that the library has: tells the character.
bool AiccCall::answer(aicc_status status, bool ok)
{
    if (world)
        world->remove_call(handle.id);
    if (status == AICC_GONE || status == AICC_E_HANDLE) {
        state = ENDED;
        return false;
    }
    const Variant character(from_id(character_id));
    if (!character.to_object())
        return true;
    const Variant finished = Variant(gd::name("tool_finished"));
    if (on_main_thread())
        character.call(gd::name("emit_signal"), { finished, self(), ok });
    else
        character.call(gd::name("call_deferred"), { Variant(gd::name("emit_signal")), finished, self(), ok });
    return true;
}

int64_t AiccCall::succeed(const Dictionary &output)
{
    int open = OPEN;
    if (!state.compare_exchange_strong(open, ANSWERED))
        return answered_before();
    std::string why, text = json::text(output, &why);
    if (text.empty()) {
        push_error(who() + "its output cannot be told: " + why + ". Give what it means instead, a name or a number.");
        answer(aicc_call_fail(handle, AICC_CODE_INTERNAL_ERROR, aicc_s("the game gave an output that is not JSON"), 0), false);
        return INVALID_DATA;
    }
    const aicc_status status = aicc_call_succeed(handle, aicc_sn(text.data(), text.size()));
    if (status == AICC_E_RANGE || status == AICC_E_FULL) {
        push_error(who() + "its output has " + std::to_string(text.size()) + " bytes, which is more than an answer holds (256 KiB). Give less, and let the agent ask for the rest.");
        answer(aicc_call_fail(handle, AICC_CODE_INTERNAL_ERROR, aicc_s("the output is too large"), 0), false);
        return INVALID_DATA;
    }
    answer(status, true);
    return OK;
}

int64_t AiccCall::fail(int64_t code, const std::string &message, bool retryable)
{
    if (code < AICC_CODE_TOOL_UNAVAILABLE || code > AICC_CODE_INTERNAL_ERROR) {
        push_error(who() + "fail() was given the code " + std::to_string(code) + ", which is none of AiccCall.CODE_*. The call fails as execution_failed.");
        code = AICC_CODE_EXECUTION_FAILED;
    }
    int open = OPEN;
    if (!state.compare_exchange_strong(open, ANSWERED))
        return answered_before();
    answer(aicc_call_fail(handle, int32_t(code), aicc_sn(message.data(), message.size()), retryable), false);
    return OK;
}

int64_t AiccCall::extend(double timeout)
{
    if (!(timeout >= 0 && timeout <= 86400)) {
        push_error(who() + "extend() takes seconds: above 0 and at most 86400, or 0 for no deadline.");
        return INVALID_PARAMETER;
    }
    return error_of(aicc_call_extend(handle, timeout == 0 ? -1 : std::max<int64_t>(1, std::llround(timeout * 1000))));
}

int64_t AiccCall::emit_event(int64_t topic, const Dictionary &payload)
{
    if (!topic_is_one(topic)) {
        push_error(who() + "emit_event() takes one topic, AiccCharacter.TOPIC_STATE_CHANGE for instance.");
        return INVALID_PARAMETER;
    }
    std::string why, text = json::text(payload, &why);
    if (text.empty()) {
        push_error(who() + "the payload cannot be told: " + why + ". Give what it means instead, a name or a number.");
        return INVALID_DATA;
    }
    const aicc_event event = world->event(EventKind{ int32_t(topic), 0, 0, 0, "" });
    return event.id ? error_of(aicc_event_reply_json(event, handle, aicc_sn(text.data(), text.size()))) : UNAVAILABLE;
}

void AiccCall::end(int reason)
{
    int open = OPEN;
    if (!state.compare_exchange_strong(open, ENDED))
        return;
    if (world)
        world->remove_call(handle.id);
    const Variant held = self();
    emit("ended", { Variant(int64_t(reason)) });
    const Variant character(from_id(character_id));
    if (character.to_object())
        character.call(gd::name("emit_signal"), { Variant(gd::name("call_ended")), held, Variant(int64_t(reason)) });
}

// ------------------------------------------------------------------------------------------------ running a callable

static void complain(AiccCall &call, const std::string &what)
{
    push_error(call.who() + what);
    if (call.is_open())
        call.fail(AICC_CODE_EXECUTION_FAILED, "the game could not do it: a fault of the game, not of the input", false);
}

struct Ends {
    bool returns_nothing, takes_call;
    std::string method;                  // an empty Dictionary, or nothing, may come of a script error in it
    uint64_t errors;                     // that there were when it began, or went on
};

static void finish(AiccCall &call, const Variant &result, Ends ends);

// A method that awaits gives a state, which tells when it is done, and is freed when it never will be.
static void wait_for(const Variant &state, const Variant &held, Ends ends)
{
    auto done = std::make_shared<bool>(false);
    const Variant completed = callable(
        [=](const Variant *const *arguments, size_t count) {
            *done = true;
            if (AiccCall *call = cast<AiccCall>(held.to_object()))
                finish(*call, count ? *arguments[0] : Variant(), ends);
            return Variant();
        },
        [=] {
            AiccCall *call = *done ? nullptr : cast<AiccCall>(held.to_object());
            if (call && !(ends.returns_nothing && ends.takes_call))
                call->drop("the character stopped in the middle of it");
        });
    constexpr int64_t one_shot = 4;
    state.call(name("connect"), { Variant(name("completed")), completed, Variant(one_shot) });
}

static void finish(AiccCall &call, const Variant &result, Ends ends)
{
    const Type type = result.type();
    if (type == TYPE(OBJECT)) {
        const Object object = result.to_object();
        if (class_name(object) == "GDScriptFunctionState")
            wait_for(result, call.self(), ends);
        else if (object != call.owner) // the call itself: it is answered later
            complain(call, "its method returned an object of class " + class_name(object) + ": return a Dictionary, or the AiccCall to answer it later.");
        return;
    }
    if (!call.is_open())
        return; // answered by the method itself, or over
    const bool empty = type == TYPE(DICTIONARY) ? Dictionary(result).size() == 0 : type == TYPE(NIL) && ends.returns_nothing;
    if (empty && !ends.method.empty() && errors::met(ends.method, ends.errors))
        complain(call, "its method met a script error.");
    else if (type == TYPE(DICTIONARY))
        call.succeed(Dictionary(result));
    else if (type != TYPE(NIL))
        complain(call, "its method returned a value of type " + type_name(type) + ": return a Dictionary, {\"result\": ...} for instance.");
    else if (!ends.returns_nothing)
        complain(call, "its method returned null: it met a script error, or forgets to return. Return a Dictionary; or declare it `-> void`, then {} is the answer.");
    else if (!ends.takes_call)
        call.succeed(Dictionary());
}

static void lacks(AiccCall &call, const std::string &member)
{
    push_error(call.who() + "its method wants the member \"" + member + "\", which the agent left out: list it in `required` of the input_schema, or give the argument a default.");
    call.fail(AICC_CODE_INVALID_INPUT, "/" + member + ": it is missing", false);
}

void run_tool(const Binding &b, const Variant &held)
{
    AiccCall &call = *cast<AiccCall>(held.to_object());
    std::vector<Variant> arguments;
    std::string wrong, missing;
    if (!b.spread.empty()) {
        if (!b.gather(call.arguments, &arguments, &wrong, &missing)) {
            if (!wrong.empty())
                call.fail(AICC_CODE_INVALID_INPUT, wrong, false);
            else
                lacks(call, missing);
            return;
        }
    } else if (b.takes_input) {
        arguments.push_back(call.arguments);
    }
    if (b.takes_call)
        arguments.push_back(held);
    std::vector<const Variant *> pointers;
    for (const Variant &v : arguments)
        pointers.push_back(&v);
    GDExtensionCallError error;
    if (!b.callable.call(name("is_valid")).to_bool()) {
        complain(call, "its callable is not valid any more: the object that has the method was freed. remove_tool() it before, or free the AiccCharacter with it.");
        return;
    }
    const uint64_t errors = errors::count();
    Variant result = b.callable.callv(name("call"), pointers.data(), pointers.size(), &error);
    bool takes_call = b.takes_call;
    if (b.asks && error.error == GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS) {
        pointers.push_back(&held);
        takes_call = true;
        result = b.callable.callv(name("call"), pointers.data(), pointers.size(), &error);
    } else if (b.asks && error.error == GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS) {
        result = b.callable.callv(name("call"), pointers.data(), 0, &error);
    }
    if (error.error != GDEXTENSION_CALL_OK && !missing.empty() && error.error != GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS) {
        lacks(call, missing);
        return;
    }
    switch (error.error) {
    case GDEXTENSION_CALL_OK: finish(call, result, Ends{ b.returns_nothing, takes_call, b.method, errors }); break;
    case GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS:
    case GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS:
        complain(call, "its callable takes another number of arguments: it is called with the input, and with the AiccCall if it takes two.");
        break;
    case GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT:
        complain(call, "its callable does not take argument " + std::to_string(error.argument + 1) + ": it wants " + type_name(error.expected) + ". A tool's method takes a Dictionary, or the members that `arguments` lists.");
        break;
    default: complain(call, "its callable could not be called."); break;
    }
}

void AiccCall::bind()
{
    Registrar::make<AiccCall>("AiccCall", "RefCounted", false)
        .constants("Code", { { "CODE_TOOL_UNAVAILABLE", 1 }, { "CODE_INVALID_INPUT", 2 }, { "CODE_EXECUTION_FAILED", 3 }, { "CODE_TIMEOUT", 4 }, { "CODE_INTERNAL_ERROR", 5 } })
        .constants("EndReason", { { "ENDED_TIMEOUT", 1 }, { "ENDED_SESSION", 2 }, { "ENDED_TOOL", 3 }, { "ENDED_BRIDGE", 4 }, { "ENDED_AGENT", 5 }, { "ENDED_RESET", 6 } })
        .read_only<&AiccCall::id_text>("id")
        .read_only<&AiccCall::tool_id>("tool_id")
        .read_only<&AiccCall::input>("input")
        .read_only<&AiccCall::tick>("tick")
        .read_only<&AiccCall::character>("character", "AiccCharacter")
        .method<&AiccCall::succeed>("succeed(output) -> Error", { Variant(Dictionary()) })
        .method<&AiccCall::fail>("fail(code:AiccCall.Code, message, retryable) -> Error", { Variant(false) })
        .method<&AiccCall::extend>("extend(timeout) -> Error")
        .method<&AiccCall::is_alive>("is_alive()")
        .method<&AiccCall::emit_event>("emit_event(topic:AiccCharacter.Topic, payload) -> Error")
        .signal("ended(reason: AiccCall.EndReason)");
}
