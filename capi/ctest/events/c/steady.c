/* steady: what the core allocates while a game runs. Each frame every character's state is emitted as its tick's payload, one in sixty has
 * moved to somewhere else, one in a thousand hears something; all messages are drained. Time is the frame's: 60 a second.
 * Usage: steady SESSIONS FRAMES. Prints what was allocated and collected between the warm-up and the end. The library is one that tells. */
#include "e.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 1000, WARM = 700 };
typedef struct state { uint32_t id; uint16_t hp; uint8_t mode, alert; float x, y, z, heading; uint32_t target; uint32_t pad; } state;
static const aicc_field fields[] = {
    { .name = { "id", 2 }, .offset = offsetof(state, id), .type = AICC_U32, .flags = AICC_FIELD_KEY }, { .name = { "hp", 2 }, .offset = offsetof(state, hp), .type = AICC_U16 },
    { .name = { "x", 1 }, .offset = offsetof(state, x), .type = AICC_F32 }, { .name = { "y", 1 }, .offset = offsetof(state, y), .type = AICC_F32, .decimals = 2 },
    { .name = { "z", 1 }, .offset = offsetof(state, z), .type = AICC_F32 },
};
typedef struct sound { float loud; aicc_str what; } sound;
static const aicc_field sounds[] = {
    { .name = { "loud", 4 }, .offset = offsetof(sound, loud), .type = AICC_F32 }, { .name = { "what", 4 }, .offset = offsetof(sound, what), .type = AICC_TEXT, .count = 64 },
};
static aicc_bridge world;
static aicc_session s[MAX];
static state a[MAX];
static aicc_event me, moved, heard;
static uint64_t tick, messages;

static void frame(int n) {
    static char msg[1 << 16];
    aicc_frame f = { .struct_size = sizeof f };
    sound bang = { 0.5f, { "a door", 6 } };
    aicc_session to;
    size_t len;
    for (int i = (int)(tick % 7); i < n; i += 7) a[i].x += 0.125f, a[i].hp = (uint16_t)(tick + (uint64_t)i);
    aicc_event_emit(me, s, (size_t)n, a, sizeof *a, NULL);
    for (int i = (int)(tick % 60); i < n; i += 60) MUST(aicc_event_emit(moved, &s[i], 1, &a[(i + 1) % n], 0, NULL) == AICC_OK);
    for (int i = (int)(tick % 1000); i < n; i += 1000) MUST(aicc_event_emit(heard, &s[i], 1, &bang, 0, NULL) == AICC_OK);
    f.tick = ++tick, f.now_ns = (int64_t)tick * 16666667;
    MUST(aicc_bridge_pump(world, &f, NULL, NULL) == AICC_OK);
    while (aicc_bridge_next_message(world, &to, msg, sizeof msg, &len) == AICC_OK) messages++;
}

static volatile uint64_t *words;
static void ask(uint64_t *out) {
    struct timespec ms = { 0, 1000000 };
    __atomic_store_n(&words[0], words[0] + 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&words[1], __ATOMIC_SEQ_CST) != words[0]) nanosleep(&ms, NULL);
    for (int i = 0; i < 8; i++) out[i] = words[i];
}

static long resident(void) {
    long pages = 0, whole = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    MUST(f && fscanf(f, "%ld %ld", &whole, &pages) == 2);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]), frames = atoi(argv[2]), fd;
    uint64_t before[8], after[8], sent;
    aicc_bridge_options o;
    aicc_layout l = e_layout(sizeof (state), fields, sizeof fields / sizeof *fields), sl = e_layout(sizeof (sound), sounds, 2);
    struct timespec from, to;
    long rss;
    MUST(argc == 3 && n <= MAX);
    fd = open(getenv("AICC_TEST_MEM"), O_RDWR);
    words = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(words != MAP_FAILED);
    aicc_bridge_options_init(&o, sizeof o);
    o.name = aicc_s("steady"), o.clock = AICC_CLOCK_FRAME;
    MUST(aicc_bridge_create(&o, &world, NULL) == AICC_OK);
    me = e_event(world, AICC_TOPIC_TICK, "me", 0, 0, l);
    moved = e_event(world, AICC_TOPIC_STATE_CHANGE, "moved", AICC_LATEST, 0, l);
    heard = e_event(world, AICC_TOPIC_AUDIO, NULL, AICC_EACH, 0, sl);
    for (int i = 0; i < n; i++) {
        s[i] = t_session(world, NULL);
        STATUS(AICC_OK, aicc_session_attach(s[i]));
        a[i].id = (uint32_t)i, a[i].x = 1.25f * (float)i, a[i].y = 0.3333f * (float)i;
    }
    for (int i = 0; i < WARM; i++) frame(n);
    rss = resident();
    ask(before);
    sent = messages;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < frames; i++) frame(n);
    clock_gettime(CLOCK_MONOTONIC, &to);
    ask(after);
    CHECK(messages > sent);
    printf("{\"sessions\":%d,\"frames\":%d,\"messages\":%llu,\"allocated\":%llu,\"bytes\":%llu,\"collections\":%llu,\"resident_before_kib\":%ld,"
           "\"resident_after_kib\":%ld,\"heap_kib\":%llu,\"seconds\":%.1f}\n", n, frames, (unsigned long long)(messages - sent),
           (unsigned long long)(after[2] - before[2]), (unsigned long long)(after[3] - before[3]), (unsigned long long)(after[4] - before[4]), rss,
           resident(), (unsigned long long)after[6] / 1024, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    T_END();
}
