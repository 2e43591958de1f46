/* Every macro of aicc.h in use, as C and as C++. It is compiled and never run. */
#include "aicc.h"
#include "aicc.h"

#if AICC_ABI_MAJOR > 0xffffu || AICC_ABI != ((AICC_ABI_MAJOR << 16) | AICC_ABI_MINOR) || !AICC_ABI_FITS(AICC_ABI)
#  error "versions"
#endif

/* What a loader does: a type for each function, a table, and a name for each. */
#if defined(__cplusplus)
#  define FIELD(name) decltype(&aicc_##name) name;
#elif defined(__GNUC__)
#  define FIELD(name) __typeof__(&aicc_##name) name;
#endif
struct table { AICC_FUNCTIONS(FIELD) int end; };
#define POINTER(name) &aicc_##name,
static const struct table table = { AICC_FUNCTIONS(POINTER) 0 };
#define NAME(name) "aicc_" #name,
static const char *const names[] = { AICC_FUNCTIONS(NAME) };

AICC_API const char *AICC_CALL use(aicc_value value);

static aicc_status AICC_CALL tool(const aicc_request *request, void *user_data)
{
    return request && user_data ? AICC_OK : AICC_PENDING;
}

static void AICC_CALL item(const aicc_item *i, void *user_data)
{
    if (i && user_data && i->kind == AICC_ITEM_CALL) aicc_call_fail(i->call, AICC_CODE_TIMEOUT, aicc_s(0), 0);
}

const char *AICC_CALL use(aicc_value value)
{
    aicc_tool_options o;
    aicc_bridge bridge = { 0 };
    aicc_str s = aicc_sn("text", 4);
    aicc_str t = aicc_s(names[0]);
    int32_t i = AICC_OK;
    aicc_tool_options_init(&o, sizeof o);
    o.fn = tool;
    aicc_bridge_pump(bridge, 0, item, &o);
    if (t.len == AICC_NTS && table.value_integer && table.end == 0) o.id = s;
    return aicc_value_bool(&value, s, &i) == AICC_E_TYPE ? s.ptr : aicc_status_name(AICC_E_INTERNAL);
}
