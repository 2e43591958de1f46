/* capability.c: tools as documents, and documents as tools. The core writes and reads them; here is what is asked, and what comes of it. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DOCUMENT = 1 << 20, MAX_PREFIX = 128, MAX_VERSION = 32, MAX_TAGS = 10, MAX_TAG = 64, MAX_EVENT_TEXTS = 64, MAX_EVENT_TEXT = 1024,
       MAX_EXTENSIONS = 16, MAX_URI = 2048 };

static const aicc_capability_options capability_defaults = {.struct_size = sizeof capability_defaults, .created_at = -1};
static const aicc_import_options import_defaults = {.struct_size = sizeof import_defaults};

void aicc_capability_options_init(aicc_capability_options *options, size_t size)
{
    aicc__init(options, size, &capability_defaults, sizeof capability_defaults);
}

void aicc_import_options_init(aicc_import_options *options, size_t size)
{
    aicc__init(options, size, &import_defaults, sizeof import_defaults);
}

static aicc_status check_text(aicc_str *text, const char *field, size_t max, aicc_error *error)
{
    int good = aicc__text(text, max);
    if (good < 0)
        return aicc__fail(error, AICC_E_ARG, field, "NULL with a length; give the text, or length 0");
    if (good == 0)
        return aicc__fail(error, AICC_E_ARG, field, "it is too long; use at most %zu bytes", max);
    if (!aicc__utf8(*text))
        return aicc__fail(error, AICC_E_ARG, field, "it is not UTF-8");
    return AICC_OK;
}

/* Copies a list of the host's to the end of *at, each text checked. */
static aicc_status check_list(const aicc_str *list, size_t count, size_t most, const char *field, size_t max, aicc_str **at, aicc_error *error)
{
    aicc_status status = AICC_OK;
    if (count > most)
        return aicc__fail(error, AICC_E_ARG, field, "%zu are too many; give at most %zu", count, most);
    if (count > 0 && list == NULL)
        return aicc__fail(error, AICC_E_ARG, field, "NULL with a count; give the texts, or count 0");
    for (size_t i = 0; i < count && status == AICC_OK; i++, (*at)++) {
        **at = list[i];
        status = check_text(*at, field, max, error);
    }
    return status;
}

/* ---- publishing */

static aicc_status publish_payload(payload *p, aicc_capability_options *o, int sign, aicc_error *error)
{
    int64_t ints[AICC_CAPABILITY_INTS];
    aicc_str strs[2 + MAX_TAGS + MAX_EVENT_TEXTS], *at = strs + 2;
    aicc_status status;
    if ((status = check_text(&o->prefix, "prefix", MAX_PREFIX, error)) != AICC_OK ||
        (status = check_text(&o->version, "version", MAX_VERSION, error)) != AICC_OK ||
        (status = check_list(o->tags, o->tags_count, MAX_TAGS, "tags", MAX_TAG, &at, error)) != AICC_OK ||
        (status = check_list(o->event_tags, o->event_tags_count, MAX_EVENT_TEXTS, "event_tags", MAX_EVENT_TEXT, &at, error)) != AICC_OK)
        return status;
    if (aicc__out_of_range(error, "created_at", o->created_at, -1, (INT64_C(1) << 53) - 1))
        return AICC_E_ARG;
    if (o->event_tags_count % 2 != 0)
        return aicc__fail(error, AICC_E_ARG, "event_tags", "a name has no value; give name, value, name, value");
    strs[0] = o->prefix;
    strs[1] = o->version;
    ints[AICC_CAPABILITY_EVENT] = sign;
    ints[AICC_CAPABILITY_CREATED_AT] = o->created_at;
    ints[AICC_CAPABILITY_TAGS] = (int64_t)o->tags_count;
    return aicc__pack(p, ints, AICC_CAPABILITY_INTS, strs, (size_t)(at - strs)) == AICC_OK ? AICC_OK : aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
}

/* Asks for the text; what comes is one byte, '1' when something was left out, and the text. */
static aicc_status send_publish(aicc_bridge world, aicc_session who, const void *seed, payload *p, uint64_t *waiter, aicc_error *error)
{
    aicc_rec rec = {.kind = AICC_REC_CAPABILITIES};
    ref r, s;
    aicc_status status = aicc__hold(world.id, KIND_BRIDGE, HOLD_BRIDGE | HOLD_MESSAGES | NEED_OPEN, &r);
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    if (who.id != 0) {
        if (aicc__peek(who.id, KIND_SESSION, 0, &s) != AICC_OK || s.b != r.b)
            status = aicc__fail(error, AICC_E_HANDLE, "session", "the session is stale or of another bridge");
        else
            rec.session = s.s->index + 1;
    }
    if (status == AICC_OK) {
        rec.arg = *waiter = aicc__waiter_new(r.b, 0);
        aicc__waiter_lend(*waiter, seed); /* nothing of it passes the lane */
        if (*waiter == 0 || aicc__put(r.b, LANE_MESSAGES, rec, p, BOUNDED) != AICC_OK) {
            aicc__waiter_cancel(*waiter);
            status = aicc__fail(error, AICC_E_FULL, "", "the queue to the core is full; try again after the next frame");
        }
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

static aicc_status publish(aicc_bridge world, int sign, const void *seed, const aicc_capability_options *options, char *buf, size_t cap, size_t *len,
                           aicc_error *error)
{
    aicc_capability_options o = capability_defaults;
    aicc_error reply;
    uint64_t waiter = 0;
    block *text;
    payload p;
    ref r;
    aicc_status status = aicc__peek(world.id, KIND_BRIDGE, NEED_OPEN, &r);
    if (len != NULL)
        *len = 0;
    if (status != AICC_OK)
        return aicc__handle_error(error, status);
    if (buf == NULL && cap > 0)
        return aicc__fail(error, AICC_E_ARG, "buf", "NULL with a size; give a buffer, or cap 0");
    if (sign && seed == NULL)
        return aicc__fail(error, AICC_E_ARG, "seed", "NULL; give the 32 bytes of an Ed25519 key's seed");
    status = options != NULL ? aicc__options(options, &o, sizeof o, error) : AICC_OK;
    if (status == AICC_OK)
        status = publish_payload(&p, &o, sign, error);
    if (status != AICC_OK)
        return status;
    status = send_publish(world, o.session, seed, &p, &waiter, error);
    aicc__payload_free(&p);
    if (status != AICC_OK)
        return status;
    status = aicc__no_answer(&reply, aicc__waiter_text(waiter, &text, &reply));
    if (status != AICC_OK) {
        if (error != NULL)
            *error = reply;
        return status;
    }
    status = aicc__copy_out((const char *)block_bytes(text) + 1, text->len - 1, buf, cap, len);
    if (status == AICC_E_SMALL)
        status = aicc__fail(error, status, "buf", "the text takes %zu bytes; ask again with more, it is made anew", text->len);
    else if (*(const char *)block_bytes(text) == '1')
        status = AICC_PARTIAL;
    free(text);
    if (status >= 0)
        (void)aicc__ok(error);
    return status;
}

aicc_status aicc_bridge_capabilities(aicc_bridge world, const aicc_capability_options *options, char *buf, size_t cap, size_t *len, aicc_error *error)
{
    return publish(world, 0, NULL, options, buf, cap, len, error);
}

aicc_status aicc_capability_event(aicc_bridge world, const unsigned char *seed, const aicc_capability_options *options, char *buf, size_t cap,
                                  size_t *len, aicc_error *error)
{
    return publish(world, 1, seed, options, buf, cap, len, error);
}

/* ---- reading */

static aicc_status check_document(aicc_str *text, int32_t lenient, aicc_error *error)
{
    int good = aicc__text(text, MAX_DOCUMENT);
    if (good < 0 || text->len == 0)
        return aicc__fail(error, AICC_E_ARG, "text", good < 0 ? "NULL with a length; give the text" : "there is none; give a document");
    if (good == 0)
        return aicc__fail(error, AICC_E_RANGE, "text", "it is too long; give at most %d bytes", MAX_DOCUMENT);
    return aicc__out_of_range(error, "lenient", lenient, 0, 1) ? AICC_E_ARG : AICC_OK;
}

static aicc_status ask(int32_t kind, const int64_t *ints, size_t n_ints, const aicc_str *strs, size_t n_strs, block **text, aicc_error *error)
{
    payload p;
    aicc_status status;
    if (aicc__pack(&p, ints, n_ints, strs, n_strs) != AICC_OK)
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    status = aicc__ask(kind, p.ptr, p.len, text, error);
    aicc__payload_free(&p);
    return status;
}

aicc_status aicc_capability_validate(aicc_str text, int32_t lenient, aicc_error *error)
{
    int64_t ints[1] = {lenient};
    block *nothing = NULL;
    aicc_status status = check_document(&text, lenient, error);
    if (status == AICC_OK)
        status = ask(AICC_ASK_VALIDATE, ints, 1, &text, 1, &nothing, error);
    free(nothing);
    return status;
}

/* What the core has made of a document: packed fields of a tool, without their counts, which are known. */
typedef struct fields {
    int64_t  ints[AICC_TOOL_INTS];
    aicc_str strs[AICC_TOOL_STRS];
} fields;

static uint64_t number_at(const unsigned char *at, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n |= (uint64_t)at[i] << 8 * i;
    return n;
}

static void unpack(block *text, fields *f)
{
    const unsigned char *at = (const unsigned char *)block_bytes(text) + 8;
    for (int i = 0; i < AICC_TOOL_INTS; i++, at += 8)
        f->ints[i] = (int64_t)number_at(at, 8);
    for (int i = 0; i < AICC_TOOL_STRS; i++) {
        f->strs[i] = aicc__view((const char *)at + 4, (size_t)number_at(at, 4));
        at += 4 + f->strs[i].len;
    }
}

/* The host's text, if it has given one. One that is wrong stays, for the check of tools to say so. */
static void text_or(aicc_str *text, aicc_str otherwise)
{
    if (aicc__text(text, MAX_DOCUMENT) > 0 && text->len == 0)
        *text = otherwise;
}

static void merge(aicc_tool_options *o, const fields *f)
{
    if (o->cls == 0)
        o->cls = (int32_t)f->ints[AICC_TOOL_CLASS];
    if (o->calls_per_minute == 0)
        o->calls_per_minute = (int32_t)f->ints[AICC_TOOL_PER_MINUTE];
    if (o->calls_per_session == 0)
        o->calls_per_session = (int32_t)f->ints[AICC_TOOL_PER_SESSION];
    if (o->strict_input == 0)
        o->strict_input = (int32_t)f->ints[AICC_TOOL_STRICT];
    if (o->max_input_bytes == 0)
        o->max_input_bytes = f->ints[AICC_TOOL_MAX_INPUT_BYTES];
    if (o->max_output_bytes == 0)
        o->max_output_bytes = f->ints[AICC_TOOL_MAX_OUTPUT_BYTES];
    if (o->max_concurrent == 0)
        o->max_concurrent = f->ints[AICC_TOOL_MAX_CONCURRENT];
    text_or(&o->id, f->strs[AICC_TOOL_ID]);
    text_or(&o->description, f->strs[AICC_TOOL_DESCRIPTION]);
    text_or(&o->requires_capability, f->strs[AICC_TOOL_CAPABILITY]);
    if (o->input_layout.id == 0)
        text_or(&o->input_schema, f->strs[AICC_TOOL_INPUT]);
    if (o->output_layout.id == 0)
        text_or(&o->output_schema, f->strs[AICC_TOOL_OUTPUT]);
}

static aicc_status import(aicc_str text, const aicc_import_options *o, block **made, aicc_error *error)
{
    int64_t ints[2] = {o->lenient, o->index};
    aicc_str strs[1 + MAX_EXTENSIONS], *at = strs + 1;
    aicc_status status = check_document(&text, o->lenient, error);
    if (status == AICC_OK && aicc__out_of_range(error, "index", o->index, 0, INT32_MAX))
        status = AICC_E_ARG;
    if (status == AICC_OK)
        status = check_list(o->extensions, o->extensions_count, MAX_EXTENSIONS, "extensions", MAX_URI, &at, error);
    strs[0] = text;
    return status == AICC_OK ? ask(AICC_ASK_IMPORT, ints, 2, strs, (size_t)(at - strs), made, error) : status;
}

aicc_status aicc_tool_register_capability(aicc_bridge world, aicc_str text, const aicc_import_options *options, aicc_tool *out, aicc_error *error)
{
    aicc_import_options o = import_defaults;
    aicc_tool_options t;
    block *made = NULL;
    fields f;
    aicc_status status = aicc__tool_target(world, out, error);
    aicc_tool_options_init(&t, sizeof t);
    if (status == AICC_OK && options != NULL)
        status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK && o.tool != NULL)
        status = aicc__options(o.tool, &t, sizeof t, error);
    if (status == AICC_OK)
        status = import(text, &o, &made, error);
    if (status == AICC_OK && made->len == 0) {
        status = AICC_EMPTY;
    } else if (status == AICC_OK) {
        unpack(made, &f);
        merge(&t, &f);
        status = aicc__tool_register(world, &t, f.strs[AICC_TOOL_ORIGIN], out, error);
    }
    free(made);
    return status;
}
