/* layout.c: the layouts of the process: described by the host, compiled by the core, and kept here as the programs that C runs. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

/* Bounds of core/layout that must be known before the core sees it. */
enum { MAX_LAYOUTS = 256, MAX_FIELDS = 64, MAX_NAME = 128, MAX_ENUM_NAMES = 1024, MAX_ENUM_NAME = 64 };
enum { WIRE_VERSION = 1, WIRE_HEADER = 12, WIRE_FIELD = 44, PROGRAM_HEADER = 32 };
enum { KIND_LAYOUT = 15 };       /* no bridge's */

static _Atomic(layout *) all[MAX_LAYOUTS + 1];

static uint64_t handle_of_layout(uint32_t number) { return (uint64_t)1 << 32 | (uint64_t)KIND_LAYOUT << 28 | number; }

const layout *aicc__layout_at(uint32_t number)
{
    return number <= MAX_LAYOUTS ? atomic_load_explicit(&all[number], memory_order_acquire) : NULL;
}

const layout *aicc__layout(aicc_layout handle)
{
    uint32_t number = (uint32_t)handle.id & 0xfffffff;
    return handle.id == handle_of_layout(number) ? aicc__layout_at(number) : NULL;
}

int aicc__layout_has(const layout *l, const char *name)
{
    size_t len = strlen(name);
    for (uint32_t i = 0; i < l->ops_count; i++) {
        const layout_op *op = &l->ops[i];
        const char *pointer = l->base + op->pointer_at;
        if (op->code != 0 && op->pointer_len > len && memcmp(pointer + 1, name, len) == 0 && (op->pointer_len == len + 1 || pointer[len + 1] == '/'))
            return 1;
    }
    return 0;
}

static const aicc_layout_options layout_defaults = {.struct_size = sizeof layout_defaults};

void aicc_layout_options_init(aicc_layout_options *options, size_t size)
{
    aicc__init(options, size, &layout_defaults, sizeof layout_defaults);
}

/* ---- the wire form. Whatever can be looked at there is for the core to judge; here it is made safe to read. */

static aicc_status bad_field(aicc_error *error, aicc_status status, uint32_t at, const char *member, const char *message)
{
    char field[48];
    aicc_error whole;
    (void)aicc__fail(&whole, status, "", "fields[%u].%s", at, member);
    memcpy(field, whole.message, sizeof field);
    field[sizeof field - 1] = 0;
    return aicc__fail(error, status, field, "%s", message);
}

static aicc_field field_at(const aicc_layout_options *o, uint32_t i)
{
    aicc_field f;
    memcpy(&f, (const char *)o->fields + (size_t)i * o->field_size, sizeof f);
    return f;
}

/* Resolves the lengths of a field's texts, and adds up what it takes. */
static aicc_status check_field(aicc_field *f, uint32_t at, size_t *len, aicc_error *error)
{
    if (aicc__text(&f->name, MAX_NAME) <= 0)
        return bad_field(error, AICC_E_NAME, at, "name", "NULL with a length, or longer than 128 bytes");
    if (f->element.id != 0 && aicc__layout(f->element) == NULL)
        return bad_field(error, AICC_E_HANDLE, at, "element", "it is no layout; give one that aicc_layout_define gave");
    if (f->names_count > MAX_ENUM_NAMES || (f->names_count > 0 && f->names == NULL))
        return bad_field(error, AICC_E_ARG, at, "names", "more than 1024, or NULL with a count");
    *len += WIRE_FIELD + f->name.len;
    for (uint32_t i = 0; i < f->names_count; i++) {
        aicc_str name = f->names[i];
        if (aicc__text(&name, MAX_ENUM_NAME) <= 0)
            return bad_field(error, AICC_E_ARG, at, "names", "one is NULL with a length, or longer than 64 bytes");
        *len += 4 + name.len;
    }
    return AICC_OK;
}

static char *put_words(char *at, const uint32_t *words, size_t n)
{
    memcpy(at, words, n * sizeof *words);
    return at + n * sizeof *words;
}

static char *put_text(char *at, aicc_str text)
{
    if (text.len > 0)
        memcpy(at, text.ptr, text.len);
    return at + text.len;
}

static char *put_field(char *at, const aicc_field *f)
{
    const layout *element = aicc__layout(f->element);
    const uint32_t words[WIRE_FIELD / 4] = {
        f->offset, (uint32_t)f->type, f->count, f->stride, (uint32_t)f->count_offset, (uint32_t)f->count_type, (uint32_t)f->decimals, (uint32_t)f->flags,
        element != NULL ? element->number : 0, (uint32_t)f->name.len, f->names_count
    };
    at = put_text(put_words(at, words, WIRE_FIELD / 4), f->name);
    for (uint32_t i = 0; i < f->names_count; i++) {
        aicc_str name = f->names[i];
        uint32_t len;
        (void)aicc__text(&name, MAX_ENUM_NAME);
        len = (uint32_t)name.len;
        at = put_text(put_words(at, &len, 1), name);
    }
    return at;
}

/* *out is the caller's to free. */
static aicc_status wire_of(const aicc_layout_options *o, char **out, size_t *out_len, aicc_error *error)
{
    const uint32_t header[WIRE_HEADER / 4] = {WIRE_VERSION, o->size, o->count};
    uint32_t count = o->count <= MAX_FIELDS ? o->count : 0; /* the core refuses more, and need not see them */
    size_t len = WIRE_HEADER;
    char *at;
    if (count > 0 && o->fields == NULL)
        return aicc__fail(error, AICC_E_ARG, "fields", "NULL with a count; give the array");
    if (count > 0 && o->field_size < sizeof (aicc_field))
        return aicc__fail(error, AICC_E_ARG, "field_size", "%u, which no version had; set it to sizeof (aicc_field)", o->field_size);
    for (uint32_t i = 0; i < count; i++) {
        aicc_field f = field_at(o, i);
        aicc_status status = check_field(&f, i, &len, error);
        if (status != AICC_OK)
            return status;
    }
    *out = malloc(len);
    if (*out == NULL)
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    *out_len = len;
    at = put_words(*out, header, WIRE_HEADER / 4);
    for (uint32_t i = 0; i < count; i++) {
        aicc_field f = field_at(o, i);
        (void)aicc__text(&f.name, MAX_NAME);
        at = put_field(at, &f);
    }
    return AICC_OK;
}

/* What the core made: the layout's program, which begins with its own size and number, and then its schema. It stays as it is for good. */
static const layout *take_over(block *made)
{
    uint32_t header[PROGRAM_HEADER / 4];
    layout *l = calloc(1, sizeof *l), *other = NULL;
    if (l == NULL)
        return NULL;
    l->base = block_bytes(made);
    memcpy(header, l->base, sizeof header);
    l->number = header[3];
    l->size = header[4];
    l->ops_count = header[5];
    l->max_data = header[6];
    l->has_text = header[7] != 0;
    l->ops = (const layout_op *)(const void *)(l->base + PROGRAM_HEADER);
    l->schema = l->base + header[2];
    l->schema_len = made->len - header[2];
    if (atomic_compare_exchange_strong(&all[l->number], &other, l))
        return l;
    free(l);                     /* another thread has defined the same meanwhile, or before */
    free(made);
    return other;
}

aicc_status aicc_layout_define(const aicc_layout_options *options, aicc_layout *out, aicc_error *error)
{
    aicc_layout_options o = layout_defaults;
    char *wire = NULL;
    size_t len = 0;
    block *made = NULL;
    const layout *l;
    aicc_status status;
    if (out != NULL)
        out->id = 0;
    if (atomic_load(&aicc__forked) != 0)
        return aicc__handle_error(error, AICC_E_STATE);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_layout");
    status = aicc__options(options, &o, sizeof o, error);
    if (status == AICC_OK)
        status = wire_of(&o, &wire, &len, error);
    if (status != AICC_OK)
        return status;
    status = aicc__ask(AICC_ASK_LAYOUT, wire, len, &made, error);
    free(wire);
    if (status != AICC_OK)
        return status;
    l = take_over(made);
    if (l == NULL) {
        free(made);
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    }
    out->id = handle_of_layout(l->number);
    return aicc__ok(error);
}

aicc_status aicc_layout_schema(aicc_layout handle, char *buf, size_t cap, size_t *len)
{
    const layout *l = aicc__layout(handle);
    if (len == NULL || (buf == NULL && cap > 0))
        return AICC_E_ARG;
    return l != NULL ? aicc__copy_out(l->schema, l->schema_len, buf, cap, len) : AICC_E_HANDLE;
}
