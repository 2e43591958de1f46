#include "errors.h"

using namespace gd;

namespace errors {

struct Last {
    uint64_t count = 0;
    int64_t frame = -1;
    std::string function;
};
static thread_local Last last;

static int64_t frame()
{
    const Variant engine(singleton("Engine"));
    return engine.call(name("get_process_frames")).to_int() + engine.call(name("get_physics_frames")).to_int();
}

class Log : public Instance {};

// Logger._log_error(function, file, line, code, rationale, editor_notify, error_type, script_backtraces)
static void log_error(GDExtensionClassInstancePtr, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr)
{
    constexpr int64_t of_script = 2;
    if (*static_cast<const int64_t *>(arguments[6]) != of_script)
        return;
    last.count++;
    last.frame = frame();
    const std::string function = Variant(GDEXTENSION_VARIANT_TYPE_STRING, arguments[0]).to_string();
    last.function = function.substr(function.rfind('.') + 1); // "Body.walk_to", or the name alone
}

static Variant *log;

void listen()
{
    if (api.version.minor < 5 || in_editor())
        return;
    Registrar::make<Log>("AiccErrorLog", "Logger", false, false).overrides("_log_error", log_error);
    log = new Variant(create_own("AiccErrorLog"));
    Variant(singleton("OS")).call(name("add_logger"), { *log });
}

void unlisten()
{
    if (log)
        Variant(singleton("OS")).call(name("remove_logger"), { *log });
    delete log;
    log = nullptr;
}

uint64_t count() { return last.count; }
bool met(const std::string &function, uint64_t since) { return last.count > since && last.function == function && last.frame == frame(); }

} // namespace errors
