/* Requests that are answered with a text, in a bridge and outside of any; and the seed of a key, which is lent and left nowhere. */
#include "fake.h"

static unsigned char seed[32];
static aicc_bridge world;
static char buf[64];

/* How often the seed stands in what this process may write to. -1: it cannot be told here. */
static int seeds_in_memory(void)
{
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    static unsigned char part[1 << 16];
    unsigned long from, to;
    char entry[512], rights[8];
    FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "rb");
    int found = 0;
    if (maps == NULL || mem == NULL)
        return -1;
    setvbuf(mem, NULL, _IONBF, 0);
    while (fgets(entry, sizeof entry, maps))
        if (sscanf(entry, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[0] == 'r' && rights[1] == 'w')
            for (unsigned long at = from; at < to; at += sizeof part - 32) {
                size_t got = fseek(mem, (long)at, SEEK_SET) == 0 ? fread(part, 1, to - at < sizeof part ? (size_t)(to - at) : sizeof part, mem) : 0;
                for (size_t i = 0; i + 32 <= got; i++)
                    if (memcmp(part + i, seed, 32) == 0 && !(at + i >= (unsigned long)part && at + i < (unsigned long)part + sizeof part))
                        found++;
            }
    fclose(maps);
    fclose(mem);
    return found;
#else
    return -1;
#endif
}

static atomic_int asked, mode;
enum { GOOD, SILENT, DESTROYS };
static _Atomic uint64_t late;

static int publish(uint32_t slot, const aicc_rec *rec, const char *data)
{
    unsigned char lent[32] = {0};
    (void)slot;
    if (rec->kind != AICC_REC_CAPABILITIES)
        return 0;
    atomic_fetch_add(&asked, 1);
    for (uint32_t i = 0; i + 32 <= rec->length; i++)
        CHECK(memcmp(data + i, seed, 32) != 0);
    if (atomic_load(&mode) == SILENT) {
        late = rec->arg;
        return 1;
    }
    if (atomic_load(&mode) == DESTROYS) {
        EQUAL(aicc_bridge_destroy(world), AICC_OK);
        return 1;
    }
    EQUAL(aicc_core_secret(rec->arg, lent), data[8]); /* the first integer says whether it is to be signed */
    if (data[8])
        CHECK(memcmp(lent, seed, 32) == 0);
    memset(lent, 0, sizeof lent);
    __asm__ volatile("" : : "r"(lent) : "memory"); /* it is not left out */
    EQUAL(aicc_core_reply_text(rec->arg, data[8] ? "0{\"sig\":1}" : "1[]", data[8] ? 10 : 3), 1);
    EQUAL(aicc_core_secret(rec->arg, lent), 0); /* it was lent for as long as somebody waits */
    return 1;
}

static void publishing(void)
{
    size_t len;
    aicc_error e;
    int before;
    for (int i = 0; i < 32; i++)
        seed[i] = (unsigned char)(7 * i + 1);
    before = seeds_in_memory();
    CHECK(before == -1 || before >= 1);
    EQUAL(aicc_capability_event(world, seed, NULL, buf, sizeof buf, &len, &e), AICC_OK);
    EQUAL(len, 9);
    CHECK(strcmp(buf, "{\"sig\":1}") == 0);
    EQUAL(seeds_in_memory(), before);
    EQUAL(aicc_bridge_capabilities(world, NULL, buf, sizeof buf, &len, &e), AICC_PARTIAL);
    CHECK(strcmp(buf, "[]") == 0 && e.status == AICC_OK);
    EQUAL(aicc_capability_event(world, seed, NULL, buf, 9, &len, &e), AICC_E_SMALL);
    EQUAL(len, 9);
    CHECK(strcmp(e.message, "the text takes 10 bytes; ask again with more, it is made anew") == 0);
    EQUAL(atomic_load(&asked), 3);
    EQUAL(aicc_capability_event(world, seed, NULL, buf, 10, &len, NULL), AICC_OK);
    EQUAL(atomic_load(&asked), 4);

    atomic_store(&aicc__patience_ns, 50000000);
    atomic_store(&mode, SILENT);
    EQUAL(aicc_capability_event(world, seed, NULL, buf, sizeof buf, &len, &e), AICC_E_INTERNAL);
    EQUAL(len, 0);
    EQUAL(aicc_core_secret(late, buf), 0);
    EQUAL(aicc_core_reply_text(late, "0late", 5), 0); /* nobody waits: it is freed */
    EQUAL(seeds_in_memory(), before);
    atomic_store(&aicc__patience_ns, INT64_C(5000000000));
}

static atomic_int answer;
static void hook(int32_t kind, const void *text, size_t len, uint64_t waiter)
{
    aicc_error e;
    switch (atomic_fetch_add(&answer, 1)) {
    case 0:
        EQUAL(kind, AICC_ASK_VALIDATE);
        EQUAL(len, 8 + 8 + 4 + 2); /* counts, one integer, "{}" */
        CHECK(memcmp((const char *)text + len - 2, "{}", 2) == 0);
        EQUAL(aicc_core_reply(waiter, NULL), 1);
        EQUAL(aicc_core_reply(waiter, NULL), 0);
        break;
    case 1:
        aicc__fail(&e, AICC_E_SCHEMA, "text", "no");
        EQUAL(aicc_core_reply(waiter, &e), 1);
        break;
    case 2:
        EQUAL(aicc_core_reply_text(waiter, "unasked", 7), 1);
        break;
    case 3:
        late = waiter;
        break;
    default:
        EQUAL(kind, AICC_ASK_IMPORT);
        EQUAL(aicc_core_reply_text(waiter, "", 0), 1);
    }
}

static void outside(void)
{
    aicc_error e;
    aicc_tool tool = {7};
    atomic_store(&fake_asked, hook);
    EQUAL(aicc_capability_validate(aicc_s("{}"), 1, &e), AICC_OK);
    EQUAL(aicc_capability_validate(aicc_s("{}"), 0, &e), AICC_E_SCHEMA);
    CHECK(strcmp(e.message, "no") == 0);
    EQUAL(aicc_capability_validate(aicc_s("{}"), 0, NULL), AICC_OK);
    atomic_store(&aicc__patience_ns, 50000000);
    EQUAL(aicc_capability_validate(aicc_s("{}"), 0, &e), AICC_E_INTERNAL);
    EQUAL(aicc_core_reply(late, NULL), 0);
    atomic_store(&aicc__patience_ns, INT64_C(5000000000));
    EQUAL(aicc_tool_register_capability(world, aicc_s("[]"), NULL, &tool, &e), AICC_EMPTY);
    EQUAL(tool.id, 0);
}

int main(void)
{
    aicc_error e;
    size_t len;
    fake_start();
    world = fake_bridge("world", AICC_CLOCK_LIBRARY, 0);
    atomic_store(&fake_look, publish);
    publishing();
    outside();
    atomic_store(&mode, DESTROYS);
    EQUAL(aicc_bridge_capabilities(world, NULL, buf, sizeof buf, &len, &e), AICC_E_HANDLE);
    CHECK(strcmp(e.message, "the bridge was destroyed while this call waited for it") == 0);
    puts("ok");
    return 0;
}
