/* listen.c: listeners, which are the core's: every function here asks it (ask.c). */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64, MAX_TOKEN = 1024, MAX_NAME = 256 };

static atomic_int listened;      /* there may be one */

static const aicc_listen_options listen_defaults = {.struct_size = sizeof listen_defaults};

void aicc_listen_options_init(aicc_listen_options *options, size_t size)
{
    aicc__init(options, size, &listen_defaults, sizeof listen_defaults);
}

static aicc_status check_text(aicc_error *error, const char *field, aicc_str *text, size_t max)
{
    int is = aicc__text(text, max);
    if (is < 0)
        return aicc__fail(error, AICC_E_ARG, field, "NULL with a length; give the text, or length 0");
    if (is == 0 || !aicc__utf8(*text))
        return aicc__fail(error, AICC_E_ARG, field, is == 0 ? "longer than %zu bytes" : "not UTF-8", max);
    return AICC_OK;
}

static aicc_status check_names(aicc_error *error, const char *field, const aicc_str *names, size_t count, aicc_str *out)
{
    if (count > MAX_NAMES)
        return aicc__fail(error, AICC_E_ARG, field, "%zu of them; at most %d", count, (int)MAX_NAMES);
    if (count > 0 && names == NULL)
        return aicc__fail(error, AICC_E_ARG, field, "NULL with a count; give the array, or count 0");
    for (size_t i = 0; i < count; i++) {
        aicc_status status;
        out[i] = names[i];
        status = check_text(error, field, &out[i], MAX_NAME);
        if (status != AICC_OK)
            return status;
        if (out[i].len == 0)
            return aicc__fail(error, AICC_E_ARG, field, "number %zu is empty", i);
    }
    return AICC_OK;
}

/* Asks with packed fields. *text, perhaps NULL, is the caller's to free. */
static aicc_status ask(int32_t kind, const int64_t *ints, size_t n_ints, const aicc_str *strs, size_t n_strs, block **text, aicc_error *error)
{
    block *reply = NULL;
    aicc_status status;
    payload p;
    if (aicc__pack(&p, ints, n_ints, strs, n_strs) != AICC_OK)
        return aicc__fail(error, AICC_E_FULL, "", "memory is exhausted");
    status = aicc__ask(kind, p.ptr, p.len, &reply, error);
    aicc__payload_free(&p);
    if (text != NULL)
        *text = reply;
    else
        free(reply);
    return status;
}

aicc_status aicc_listen(const aicc_listen_options *options, aicc_listener *out, aicc_error *error)
{
    aicc_listen_options o = listen_defaults;
    int64_t ints[AICC_LISTEN_INTS];
    aicc_str strs[2 + 2 * MAX_NAMES];
    block *text = NULL;
    aicc_status status;
    if (out != NULL)
        out->id = 0;
    if (atomic_load(&aicc__forked) != 0)
        return aicc__handle_error(error, AICC_E_STATE);
    if (out == NULL)
        return aicc__fail(error, AICC_E_ARG, "out", "NULL; give the address of an aicc_listener");
    status = aicc__options(options, &o, sizeof o, error);
    if (status != AICC_OK)
        return status;
    if (aicc__out_of_range(error, "port", o.port, 0, 65535) ||
        aicc__out_of_range(error, "second_agent", o.second_agent, AICC_SECOND_REFUSE, AICC_SECOND_REPLACE) ||
        aicc__out_of_range(error, "inspector", o.inspector, 0, 1) || aicc__out_of_range(error, "fixed_agents", o.fixed_agents, 0, 1))
        return AICC_E_ARG;
    strs[0] = o.address;
    strs[1] = o.token;
    if ((status = check_text(error, "address", &strs[0], MAX_NAME)) != AICC_OK || (status = check_text(error, "token", &strs[1], MAX_TOKEN)) != AICC_OK ||
        (status = check_names(error, "hosts", o.hosts, o.hosts_count, strs + 2)) != AICC_OK ||
        (status = check_names(error, "origins", o.origins, o.origins_count, strs + 2 + o.hosts_count)) != AICC_OK)
        return status;
    ints[AICC_LISTEN_PORT] = o.port;
    ints[AICC_LISTEN_OWNER] = (int64_t)o.owner;
    ints[AICC_LISTEN_SECOND] = o.second_agent;
    ints[AICC_LISTEN_INSPECTOR] = o.inspector;
    ints[AICC_LISTEN_FIXED] = o.fixed_agents;
    ints[AICC_LISTEN_HOSTS] = (int64_t)o.hosts_count;
    ints[AICC_LISTEN_ORIGINS] = (int64_t)o.origins_count;
    aicc__fix_config();
    atomic_store(&listened, 1);
    status = ask(AICC_ASK_LISTEN, ints, AICC_LISTEN_INTS, strs, 2 + o.hosts_count + o.origins_count, &text, error);
    if (status == AICC_OK && text != NULL && text->len == sizeof out->id)
        memcpy(&out->id, block_bytes(text), sizeof out->id);
    free(text);
    return status;
}

/* A text that the core has of a listener. */
static aicc_status ask_text(int32_t kind, aicc_listener listener, char *buf, size_t cap, size_t *len)
{
    int64_t number = (int64_t)listener.id;
    block *text = NULL;
    aicc_status status;
    if (len == NULL || (buf == NULL && cap > 0))
        return AICC_E_ARG;
    status = ask(kind, &number, 1, NULL, 0, &text, NULL);
    if (status == AICC_OK)
        status = text != NULL ? aicc__copy_out(block_bytes(text), text->len, buf, cap, len) : AICC_E_INTERNAL;
    free(text);
    return status;
}

aicc_status aicc_listener_address(aicc_listener listener, char *buf, size_t cap, size_t *len)
{
    return ask_text(AICC_ASK_ADDRESS, listener, buf, cap, len);
}

aicc_status aicc_listener_inspector(aicc_listener listener, char *buf, size_t cap, size_t *len)
{
    return ask_text(AICC_ASK_INSPECTOR, listener, buf, cap, len);
}

aicc_status aicc_listener_close(aicc_listener listener)
{
    int64_t number = (int64_t)listener.id;
    return ask(AICC_ASK_UNLISTEN, &number, 1, NULL, 0, NULL, NULL);
}

void aicc__listeners_end(aicc_owner owner)
{
    int64_t ints[1];
    payload p;
    if (!atomic_load(&listened))
        return;
    ints[0] = (int64_t)owner;
    if (aicc__pack(&p, ints, 1, NULL, 0) == AICC_OK)
        aicc__tell(AICC_ASK_SHUTDOWN, p.ptr, p.len);
    aicc__payload_free(&p);
}
