/* session.c: the characters: open, close, pause, and their names. */
#include "front.h"

#include <stdlib.h>
#include <string.h>


static const aicc_session_options session_defaults = {
    .struct_size = sizeof session_defaults, .model_class = AICC_CLOUD_MEDIUM, .topics = AICC_TOPIC_ALL
};

void aicc_session_options_init(aicc_session_options *options, size_t size)
{
    aicc__init(options, size, &session_defaults, sizeof session_defaults);
}

/* ---- names: a hash table of the sessions that have one */

static uint32_t hash(const char *text, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static int name_taken(bridge *b, aicc_str name)
{
    uint32_t h = hash(name.ptr, name.len);
    uint32_t at = b->buckets > 0 ? b->names[h % b->buckets] : 0;
    for (session *s; at != 0; at = s->name_next) {
        s = session_at(b, at);
        if (s->name_hash == h && s->name_len == name.len && memcmp(s->name, name.ptr, name.len) == 0)
            return 1;
    }
    return 0;
}

static void name_link(bridge *b, session *s)
{
    uint32_t *bucket = &b->names[s->name_hash % b->buckets];
    s->name_next = *bucket;
    *bucket = s->head.index + 1;
}

/* As many buckets as there may be names in it at double the sessions of now. */
static int names_grow(bridge *b)
{
    uint32_t buckets = b->buckets > 0 ? b->buckets * 2 : 16, *names;
    if (b->buckets > (uint32_t)b->open_sessions)
        return 1;
    names = calloc(buckets, sizeof *names);
    if (names == NULL)
        return 0;
    free(b->names);
    b->names = names;
    b->buckets = buckets;
    for (uint32_t i = 0; i < b->sessions.used; i++) {
        session *s = (session *)aicc__table_at(&b->sessions, i);
        if (s->name != NULL)
            name_link(b, s);
    }
    return 1;
}

static int name_set(bridge *b, session *s, aicc_str name)
{
    s->name = NULL;
    s->name_len = 0;
    if (name.len == 0)
        return 1;
    if (!names_grow(b) || (s->name = malloc(name.len)) == NULL)
        return 0;
    memcpy(s->name, name.ptr, name.len);
    s->name_len = (uint32_t)name.len;
    s->name_hash = hash(name.ptr, name.len);
    name_link(b, s);
    return 1;
}

static void name_clear(bridge *b, session *s)
{
    uint32_t *at;
    if (s->name == NULL)
        return;
    for (at = &b->names[s->name_hash % b->buckets]; *at != s->head.index + 1; at = &session_at(b, *at)->name_next)
        ;
    *at = s->name_next;
    free(s->name);
    s->name = NULL;
}

/* ---- a session's life */

void aicc__session_attached(bridge *b, session *s, int on)
{
    uint64_t word = atomic_load(&s->head.word);
    int was = (word & SLOT_ATTACHED) != 0;
    if (was == on)
        return;
    if (on) {
        atomic_store(&s->tick_due, 0); /* until the core says */
        aicc__event_forget(b, s->head.index);
    }
    atomic_store(&s->head.word, word ^ SLOT_ATTACHED);
    b->agents += on ? 1 : -1;
    for (int i = 0; i < TOPICS; i++)
        if ((atomic_load(&s->topics) >> i & 1) != 0)
            atomic_fetch_add(&b->listeners[i], on ? 1u : ~0u);
}

void aicc__session_end(bridge *b, session *s)
{
    uint64_t word = atomic_load(&s->head.word);
    if ((word & SLOT_LIVE) == 0)
        return;
    aicc__session_attached(b, s, 0);
    atomic_store(&s->head.word, atomic_load(&s->head.word) & ~(uint64_t)SLOT_LIVE);
    name_clear(b, s);
    b->open_sessions--;
}

void aicc__session_unref(bridge *b, session *s)
{
    if (s->refs > 0 && --s->refs == 0)
        aicc__table_free(&b->sessions, &s->head);
}

void aicc__sessions_reset(bridge *b)
{
    for (uint32_t i = 0; i < b->sessions.used; i++) {
        session *s = (session *)aicc__table_at(&b->sessions, i);
        free(s->name);
        s->name = NULL;
        s->refs = 0;
    }
    free(b->names);
    b->names = NULL;
    b->buckets = 0;
}

static aicc_status check(aicc_session_options *o, aicc_str *strs, aicc_error *error)
{
    int text = aicc__text(&o->name, 128);
    if (text < 0)
        return aicc__fail(error, AICC_E_ARG, "name", "NULL with a length; give the text, or length 0");
    if (text == 0 || !aicc__utf8(o->name))
        return aicc__fail(error, AICC_E_NAME, "name", "%s", text == 0 ? "the name is too long; use at most 128 bytes" : "the name is not UTF-8");
    if (aicc__out_of_range(error, "model_class", o->model_class, AICC_EDGE_SMALL, AICC_CLOUD_LARGE) ||
        aicc__out_of_range(error, "topics", o->topics, 0, AICC_TOPIC_ALL) ||
        aicc__out_of_range(error, "expected_first_token_ms", o->expected_first_token_ms, 0, INT32_MAX) ||
        aicc__out_of_range(error, "expected_full_response_ms", o->expected_full_response_ms, 0, INT32_MAX) ||
        aicc__out_of_range(error, "capabilities_count", o->capabilities_count > MAX_CAPABILITIES ? INT64_MAX : (int64_t)o->capabilities_count, 0,
                           MAX_CAPABILITIES))
        return AICC_E_ARG;
    if (o->capabilities_count > 0 && o->capabilities == NULL)
        return aicc__fail(error, AICC_E_ARG, "capabilities", "NULL with a count; give the array, or count 0");
    if (aicc__out_of_range(error, "toolsets_count", o->toolsets_count > MAX_HELD ? INT64_MAX : (int64_t)o->toolsets_count, 0, MAX_HELD))
        return AICC_E_ARG;
    if (o->toolsets_count > 0 && o->toolsets == NULL)
        return aicc__fail(error, AICC_E_ARG, "toolsets", "NULL with a count; give the array, or count 0");
    strs[0] = o->name;
    for (size_t i = 0; i < o->capabilities_count; i++) {
        strs[i + 1] = o->capabilities[i];
        if (aicc__text(&strs[i + 1], 64) <= 0 || strs[i + 1].len == 0 || !aicc__utf8(strs[i + 1]))
            return aicc__fail(error, AICC_E_ARG, "capabilities", "number %zu is empty, longer than 64 bytes, or not UTF-8", i);
    }
    return AICC_OK;
}

/* A slot for it; with BRIDGE. */
static session *session_new(bridge *b, const aicc_session_options *o)
{
    session *s = (session *)aicc__table_new(&b->sessions);
    if (s == NULL)
        return NULL;
    atomic_store(&s->topics, (uint32_t)o->topics);
    s->refs = 1;
    s->epoch++;                  /* never that of an earlier session in this slot */
    s->wired = 0;
    s->closed = 0;
    s->user = o->user_data;
    aicc__source_init(&s->items);
    memset(&s->farewell, 0, sizeof s->farewell);
    list_init(&s->farewell.in);
    s->farewell.embedded = 1;
    if (name_set(b, s, o->name))
        return s;
    aicc__table_free(&b->sessions, &s->head);
    return NULL;
}

aicc_status aicc_session_open(aicc_bridge world, const aicc_session_options *options, aicc_session *out, aicc_error *error)
{
    aicc_session_options o = session_defaults;
    aicc_str strs[1 + MAX_CAPABILITIES];
    int64_t ints[AICC_SESSION_INTS + MAX_HELD];
    aicc_rec rec = {.kind = AICC_REC_SESSION_OPEN};
    payload p;
    ref r;
    session *s;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (out != NULL)
        out->id = 0;
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_session");
    status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK)
        status = check(&o, strs, error);
    if (status != AICC_OK)
        return status;
    ints[AICC_SESSION_MODEL] = o.model_class;
    ints[AICC_SESSION_TOPICS] = o.topics;
    ints[AICC_SESSION_FIRST_TOKEN_MS] = o.expected_first_token_ms;
    ints[AICC_SESSION_FULL_RESPONSE_MS] = o.expected_full_response_ms;
    for (size_t i = 0; i < o.toolsets_count; i++)
        if (o.toolsets[i].id == 0 || !aicc__toolset_number(r.b, o.toolsets[i], &ints[AICC_SESSION_INTS + i]))
            return aicc__fail(error, AICC_E_HANDLE, "toolsets", "number %zu is zero, stale or of another bridge", i);
    if (aicc__pack(&p, ints, AICC_SESSION_INTS + o.toolsets_count, strs, 1 + o.capabilities_count) != AICC_OK)
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    status = aicc__hold(world.id, KIND_BRIDGE, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK) {
        aicc__payload_free(&p);
        return aicc__handle_error(error, status);
    }
    if (name_taken(r.b, o.name)) {
        status = aicc__fail(error, AICC_E_NAME, "name", "another open session of this bridge has this name; close it first");
    } else if ((s = session_new(r.b, &o)) == NULL) {
        status = aicc__fail(error, AICC_E_FULL, "", "there are 65536 sessions, or memory is exhausted; close sessions, and take their items with "
                            "aicc_bridge_pump");
    } else {
        rec.session = s->head.index + 1;
        status = aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED);
        if (status != AICC_OK) {
            name_clear(r.b, s);
            aicc__table_free(&r.b->sessions, &s->head);
            aicc__fail(error, status, "", "the queue to the core is full, see aicc_bridge_options.queue_bytes; try again after the next frame");
        } else {
            atomic_store(&s->head.word, atomic_load(&s->head.word) | SLOT_LIVE);
            r.b->open_sessions++;
            out->id = handle_of(r.b, KIND_SESSION, &s->head);
        }
    }
    aicc__drop(&r);
    aicc__payload_free(&p);
    if (status != AICC_OK)
        return status;
    aicc__wake(r.b);
    return aicc__ok(error);
}

aicc_status aicc_session_close(aicc_session handle, aicc_str reason)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_CLOSE};
    payload p;
    ref r;
    int text = aicc__text(&reason, MAX_REASON);
    aicc_status status = aicc__hold(handle.id, KIND_SESSION, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (text < 0) {
        aicc__drop(&r);
        return AICC_E_ARG;
    }
    if (text == 0)
        reason.len = aicc__utf8_cut(reason.ptr, MAX_REASON, MAX_REASON);
    (void)aicc__payload(&p, reason.ptr, reason.len); /* short: cannot fail */
    rec.session = r.s->index + 1;
    status = aicc__put(r.b, LANE_MESSAGES, rec, &p, EXEMPT);
    if (status == AICC_OK)
        aicc__session_end(r.b, (session *)r.s);
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

aicc_status aicc_session_set_paused(aicc_session handle, int32_t paused)
{
    aicc_rec rec = {.kind = AICC_REC_SESSION_PAUSE};
    session *s;
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_SESSION, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    s = (session *)r.s;
    rec.session = r.s->index + 1;
    rec.arg = paused != 0;
    if ((paused & ~1) != 0)
        status = AICC_E_ARG;
    else if (s->items.paused != (paused != 0)) {
        status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, RESERVED);
        if (status == AICC_OK) {
            s->items.paused = paused != 0;
            aicc__place(r.b, &s->items);
        }
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

int32_t aicc_session_has_agent(aicc_session handle)
{
    ref r;
    return aicc__peek(handle.id, KIND_SESSION, 0, &r) == AICC_OK && (word_state(atomic_load(&r.s->word)) & SLOT_ATTACHED) != 0;
}
