/* lib.c: the library as a whole: version, names, process options. */
#include "front.h"

#include <string.h>

static struct {
    plat_mutex           lock;
    int                  fixed;   /* the first bridge came */
    aicc_process_options options;
} config = {.lock = PLAT_MUTEX};

static const aicc_process_options process_defaults = {
    .struct_size = sizeof process_defaults, .max_threads = 2, .memory_limit = INT64_C(256) << 20, .log_level = AICC_INFO, .log_stderr = 0
};

void aicc__start(void)
{
    config.options = process_defaults;
    aicc__log_start();
    aicc__hub_start();
    aicc__wait_start();
    aicc__bridges_start();
}

uint32_t aicc_abi(void)
{
    return AICC_ABI;
}

const char *aicc_version(void)
{
    return "0.1.0";
}

uint64_t aicc_features(void)
{
#if defined(AICC_NO_NET)
    return 0;
#else
    return AICC_FEATURE_LISTEN | AICC_FEATURE_INSPECTOR;
#endif
}

const char *aicc_status_name(aicc_status status)
{
    switch (status) {
#define NAME(s) case s: return #s;
        NAME(AICC_OK) NAME(AICC_EMPTY) NAME(AICC_ABSENT) NAME(AICC_GONE) NAME(AICC_PENDING) NAME(AICC_PARTIAL)
        NAME(AICC_E_ARG) NAME(AICC_E_HANDLE) NAME(AICC_E_STATE) NAME(AICC_E_FULL) NAME(AICC_E_SMALL) NAME(AICC_E_TYPE) NAME(AICC_E_RANGE)
        NAME(AICC_E_SCHEMA) NAME(AICC_E_JSON) NAME(AICC_E_NAME) NAME(AICC_E_TIME) NAME(AICC_E_INTERNAL)
        NAME(AICC_E_UNSUPPORTED) NAME(AICC_E_IO)
#undef NAME
    default:
        return "AICC_UNKNOWN";
    }
}

void aicc_process_options_init(aicc_process_options *options, size_t size)
{
    aicc__init(options, size, &process_defaults, sizeof process_defaults);
}

aicc_status aicc_configure(const aicc_process_options *options, aicc_error *error)
{
    aicc_process_options o = process_defaults;
    aicc_status status;
    int fixed;
    if (atomic_load(&aicc__forked) != 0)
        return aicc__handle_error(error, AICC_E_STATE);
    status = aicc__options(options, &o, sizeof o, error);
    if (status != AICC_OK)
        return status;
    if (aicc__out_of_range(error, "max_threads", o.max_threads, 1, 64) ||
        aicc__out_of_range(error, "memory_limit", o.memory_limit, INT64_C(16) << 20, INT64_MAX) ||
        aicc__out_of_range(error, "log_level", o.log_level, AICC_DEBUG, AICC_ERROR) ||
        aicc__out_of_range(error, "log_stderr", o.log_stderr, 0, 1))
        return AICC_E_ARG;
    aicc__lock(&config.lock);
    fixed = config.fixed;
    if (!fixed)
        config.options = o;
    aicc__unlock(&config.lock);
    if (fixed)
        return aicc__fail(error, AICC_E_STATE, "options", "there was a bridge already; call aicc_configure before the first aicc_bridge_create");
    aicc__log_options(o.log_level, o.log_stderr);
    return aicc__ok(error);
}

void aicc__fix_config(void)
{
    aicc__lock(&config.lock);
    config.fixed = 1;
    aicc__unlock(&config.lock);
}

void aicc_core_config(aicc_process_options *out)
{
    aicc__setup();
    aicc__lock(&config.lock);
    config.fixed = 1;
    *out = config.options;
    aicc__unlock(&config.lock);
}
