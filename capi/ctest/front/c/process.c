/* The library as a whole: options of the process, the log, names. */
#include "fake.h"

static char buf[4096];

static void line(int32_t level, const char *text)
{
    aicc__log(level, NULL, 0, 0, "%s", text);
}

static void configure(void)
{
    aicc_process_options o;
    aicc_error e;
    aicc_process_options_init(&o, sizeof o);
    EQUAL(o.max_threads, 2);
    EQUAL(o.memory_limit, 256 << 20);
    EQUAL(o.log_level, AICC_INFO);
    o.max_threads = 65;
    EQUAL(aicc_configure(&o, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "max_threads") == 0 && strcmp(e.message, "65 is out of range: 1 to 64") == 0);
    o.max_threads = 3;
    o.memory_limit = (16 << 20) - 1;
    EQUAL(aicc_configure(&o, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "memory_limit") == 0);
    o.memory_limit = 16 << 20;
    o.log_level = 5;
    EQUAL(aicc_configure(&o, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "log_level") == 0);
    o.log_level = AICC_DEBUG;
    o.log_stderr = 2;
    EQUAL(aicc_configure(&o, &e), AICC_E_ARG);
    CHECK(strcmp(e.field, "log_stderr") == 0);
    o.log_stderr = 0;
    EQUAL(aicc_configure(&o, &e), AICC_OK);
    CHECK(e.status == 0 && e.message[0] == 0);
}

static void the_log(void)
{
    aicc_log log = {.struct_size = sizeof log};
    size_t len = 99;
    static char longer[3000];
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_EMPTY);
    line(AICC_DEBUG, "one");
    EQUAL(aicc_log_next(&log, buf, 3, &len), AICC_E_SMALL);
    EQUAL(len, 3);
    EQUAL(aicc_log_next(&log, NULL, 0, &len), AICC_E_SMALL);
    EQUAL(aicc_log_next(&log, buf, 4, NULL), AICC_E_ARG);
    EQUAL(aicc_log_next(&log, NULL, 4, &len), AICC_E_ARG);
    log.struct_size = 3;
    EQUAL(aicc_log_next(&log, buf, 4, &len), AICC_E_ARG);
    log.struct_size = sizeof log;
    EQUAL(aicc_log_next(&log, buf, 4, &len), AICC_OK);
    CHECK(len == 3 && strcmp(buf, "one") == 0 && log.level == AICC_DEBUG && log.lost == 0 && log.bridge.id == 0 && log.time_ns > 0);
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_EMPTY);

    for (int i = 0; i < 1024 + 7; i++) { /* the last 1,024 are kept, and the rest counted once */
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        line(AICC_WARN, text);
    }
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_OK);
    CHECK(log.lost == 7 && strcmp(buf, "7") == 0);
    for (int i = 8; i < 1024 + 7; i++) {
        EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_OK);
        CHECK(log.lost == 0 && atoi(buf) == i);
    }
    EQUAL(aicc_log_next(NULL, buf, sizeof buf, &len), AICC_EMPTY);

    for (size_t i = 0; i < 3000; i += 3) /* a long line is cut between characters, and fits where it is said to */
        memcpy(longer + i, "\xe2\x82\xac", 3);
    aicc_core_log(AICC_ERROR, 0, 0, 0, longer, sizeof longer);
    EQUAL(aicc_log_next(&log, buf, 2048, &len), AICC_OK);
    EQUAL(len, 1899);
    CHECK(memcmp(buf, longer, len) == 0 && buf[len] == 0);
    aicc_core_log(AICC_ERROR, 4096, 1, 1, "no such bridge", 14); /* whatever the core names */
    aicc_core_log(AICC_ERROR, 70000, 1, 1, "no such slot", 12);
    aicc_core_log(0, 0, 0, 0, "no such level", 13);
    EQUAL(aicc_log_next(&log, buf, 2048, &len), AICC_OK);
    EQUAL(aicc_log_next(&log, buf, 2048, &len), AICC_OK);
    CHECK(log.bridge.id == 0 && strcmp(buf, "no such slot") == 0);
    EQUAL(aicc_log_next(&log, buf, 2048, &len), AICC_EMPTY);
}

int main(void)
{
    aicc_process_options o;
    aicc_error e;
    size_t len;
    fake_start();
    configure();
    the_log();
    aicc_bridge b = fake_bridge("first", 0, 0);
    aicc_process_options_init(&o, sizeof o);
    EQUAL(aicc_configure(&o, &e), AICC_E_STATE);
    aicc_core_config(&o);
    EQUAL(o.max_threads, 3);
    aicc_session s = fake_session(b, NULL, 0);
    aicc_log log = {.struct_size = sizeof log};
    aicc_core_log(AICC_INFO, fake_slot(b), fake_number(s.id), 0, "named", 5);
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_OK);
    CHECK(log.bridge.id == b.id && log.session.id == s.id && log.tool.id == 0);
    EQUAL(aicc_bridge_destroy(b), AICC_OK);
    CHECK(strcmp(aicc_status_name(0), "AICC_OK") == 0 && strcmp(aicc_status_name(77), "AICC_UNKNOWN") == 0);
    while (aicc_core_live() != 0)
        sched_yield();
    while (aicc_log_next(&log, buf, sizeof buf, &len) == AICC_EMPTY)
        sched_yield();
    CHECK(log.level == AICC_DEBUG && strcmp(buf, "a bridge is gone with all that it had; 0 bridges are left") == 0);
    line(AICC_INFO, "to the log"); /* after the last bridge too */
    EQUAL(aicc_log_next(&log, buf, sizeof buf, &len), AICC_OK);
    CHECK(strcmp(buf, "to the log") == 0);
    return 0;
}
