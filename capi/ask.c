/* ask.c: what is asked of the core outside of any bridge, and answered with a text: aicc_core_wait gives slot 0 for it. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

typedef struct ask {
    struct ask *next;
    uint64_t    waiter;
    size_t      len;
    int32_t     kind;
    int32_t     reserved;
    /* bytes follow */
} ask;

static struct {
    plat_mutex lock;
    ask       *head, *tail;
    ask       *taken;            /* what the core reads until it takes the next */
} asks = {.lock = PLAT_MUTEX};

static void append(ask *a, int32_t kind, uint64_t waiter, const void *ptr, size_t len)
{
    *a = (ask){.waiter = waiter, .len = len, .kind = kind};
    if (len > 0)
        memcpy(a + 1, ptr, len);
    aicc__lock(&asks.lock);
    if (asks.tail != NULL)
        asks.tail->next = a;
    else
        asks.head = a;
    asks.tail = a;
    aicc__unlock(&asks.lock);
    aicc__hub_ask();
}

void aicc__tell(int32_t kind, const void *ptr, size_t len)
{
    ask *a;
    aicc__setup();
    a = malloc(sizeof *a + len);
    if (a != NULL)
        append(a, kind, 0, ptr, len);
}

aicc_status aicc__ask(int32_t kind, const void *ptr, size_t len, block **text, aicc_error *error)
{
    aicc_error reply;
    uint64_t waiter;
    aicc_status status;
    ask *a;
    *text = NULL;
    if (atomic_load(&aicc__forked) != 0)
        return aicc__handle_error(error, AICC_E_STATE);
    aicc__setup();
    a = malloc(sizeof *a + len);
    waiter = a != NULL ? aicc__waiter_new(NULL, 0) : 0;
    if (waiter == 0) {
        free(a);
        return aicc__fail(error, AICC_E_FULL, "", "too many requests wait for the core, or memory is exhausted; try again later");
    }
    append(a, kind, waiter, ptr, len);
    status = aicc__no_answer(&reply, aicc__waiter_text(waiter, text, &reply));
    if (status == AICC_OK)
        return aicc__ok(error);
    if (error != NULL)
        *error = reply;
    return status;
}

const void *aicc_core_ask(int32_t *kind, size_t *len, uint64_t *waiter)
{
    ask *a, *old;
    aicc__lock(&asks.lock);
    old = asks.taken;
    a = asks.taken = asks.head;
    if (a != NULL)
        asks.head = a->next;
    if (asks.head == NULL)
        asks.tail = NULL;
    aicc__unlock(&asks.lock);
    free(old);
    if (a == NULL)
        return NULL;
    *kind = a->kind;
    *len = a->len;
    *waiter = a->waiter;
    return a + 1;
}
