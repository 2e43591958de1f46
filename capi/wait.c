/* wait.c: the requests that wait for the core's reply: a few slots with a generation, so that a reply which comes late finds nobody. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { WAITERS = 64 };
enum { IDLE = 0, WAITING, DONE, ABANDONED };

static struct {
    plat_mutex lock;
    uint32_t   last;
    struct waiter {
        uint32_t   gen;
        int        state, publishes;
        bridge    *b;
        const void *secret;      /* lent by who waits */
        block     *text;         /* of the reply */
        uint64_t   orphan;       /* abandoned: the tool whose number is free once the late reply has come */
        plat_cond  cond;
        aicc_error error;
    } slots[WAITERS];
} waiters = {.lock = PLAT_MUTEX};

_Atomic int64_t aicc__patience_ns = INT64_C(5000000000);

void aicc__wait_start(void)
{
    for (int i = 0; i < WAITERS; i++)
        aicc__cond_init(&waiters.slots[i].cond);
}

/* With the lock. */
static struct waiter *waiter_at(uint64_t id)
{
    uint32_t at = (uint32_t)id;
    struct waiter *w = at >= 1 && at <= WAITERS ? &waiters.slots[at - 1] : NULL;
    return w != NULL && w->gen == (uint32_t)(id >> 32) && w->state != IDLE ? w : NULL;
}

uint64_t aicc__waiter_new(bridge *b, int publishes)
{
    uint64_t id = 0;
    aicc__lock(&waiters.lock);
    for (uint32_t i = 0; i < WAITERS && id == 0; i++) {
        uint32_t at = (waiters.last + i) % WAITERS;
        struct waiter *w = &waiters.slots[at];
        if (w->state != IDLE)
            continue;
        w->gen++;
        w->state = WAITING;
        w->b = b;
        w->publishes = publishes;
        w->secret = NULL;
        w->text = NULL;
        waiters.last = at + 1;
        id = (uint64_t)w->gen << 32 | (at + 1);
    }
    aicc__unlock(&waiters.lock);
    return id;
}

void aicc__waiter_cancel(uint64_t id)
{
    struct waiter *w;
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    if (w != NULL)
        w->state = IDLE;
    aicc__unlock(&waiters.lock);
}

void aicc__waiter_lend(uint64_t id, const void *secret)
{
    struct waiter *w;
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    if (w != NULL)
        w->secret = secret;
    aicc__unlock(&waiters.lock);
}

int32_t aicc_core_secret(uint64_t id, void *out)
{
    struct waiter *w;
    int32_t lent;
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    lent = w != NULL && w->state == WAITING && w->secret != NULL;
    if (lent)
        memcpy(out, w->secret, 32);
    aicc__unlock(&waiters.lock);
    return lent;
}

static aicc_status wait_for(uint64_t id, int64_t timeout_ns, uint64_t orphan, block **text, aicc_error *error)
{
    int64_t deadline = aicc__now() + timeout_ns;
    struct waiter *w;
    memset(error, 0, sizeof *error);
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    while (w->state == WAITING && aicc__now() < deadline)
        aicc__cond_wait(&w->cond, &waiters.lock, deadline);
    if (w->state == DONE)
        *error = w->error;
    else
        error->status = AICC_E_TIME;
    *text = w->text;
    w->text = NULL;
    w->secret = NULL;
    w->orphan = orphan;
    w->state = w->state == WAITING && orphan != 0 ? ABANDONED : IDLE;
    aicc__unlock(&waiters.lock);
    return error->status;
}

aicc_status aicc__waiter_wait(uint64_t id, int64_t timeout_ns, uint64_t orphan, aicc_error *error)
{
    block *text;
    aicc_status status = wait_for(id, timeout_ns, orphan, &text, error);
    free(text);
    return status;
}

aicc_status aicc__waiter_text(uint64_t id, block **text, aicc_error *error)
{
    return wait_for(id, atomic_load(&aicc__patience_ns), 0, text, error);
}

/* With the lock. */
static void finish(struct waiter *w, const aicc_error *error)
{
    if (error != NULL)
        w->error = *error;
    else
        memset(&w->error, 0, sizeof w->error);
    w->state = DONE;
    aicc__cond_signal(&w->cond);
}

static int32_t reply(uint64_t id, const aicc_error *error, block *text)
{
    struct waiter *w;
    bridge *publish = NULL;
    uint64_t orphan = 0;
    int32_t taken;
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    if (w != NULL && w->publishes)
        publish = w->b;
    aicc__unlock(&waiters.lock);
    if (publish != NULL) {
        aicc__lock(&publish->lock);
        aicc__item_publish(publish);
        aicc__out_publish(publish);
        aicc__unlock(&publish->lock);
    }
    aicc__lock(&waiters.lock);
    w = waiter_at(id);
    taken = w != NULL && w->state == WAITING;
    if (taken) {
        w->text = text;
        text = NULL;
        finish(w, error);
    } else if (w != NULL && w->state == ABANDONED) {
        orphan = w->orphan;
        w->state = IDLE;
    }
    aicc__unlock(&waiters.lock);
    free(text);
    if (orphan != 0)
        aicc__tool_forget(orphan);
    return taken;
}

int32_t aicc_core_reply(uint64_t id, const aicc_error *error)
{
    return reply(id, error, NULL);
}

int32_t aicc_core_reply_text(uint64_t id, const void *text, size_t len)
{
    aicc_error full;
    block *k = aicc__block_new(len);
    if (k != NULL) {
        if (len > 0)
            memcpy(block_bytes(k), text, len);
        return reply(id, NULL, k);
    }
    aicc__fail(&full, AICC_E_FULL, "", "memory is exhausted");
    return reply(id, &full, NULL);
}

void aicc__waiters_end(bridge *b)
{
    aicc_error ended;
    aicc__fail(&ended, AICC_E_HANDLE, "bridge", "the bridge was destroyed while this call waited for it");
    aicc__lock(&waiters.lock);
    for (int i = 0; i < WAITERS; i++)
        if (waiters.slots[i].b == b && waiters.slots[i].state == WAITING)
            finish(&waiters.slots[i], &ended);
        else if (waiters.slots[i].b == b && waiters.slots[i].state == ABANDONED)
            waiters.slots[i].state = IDLE;
    aicc__unlock(&waiters.lock);
}

aicc_status aicc__no_answer(aicc_error *error, aicc_status status)
{
    if (status != AICC_E_TIME)
        return status;
    return aicc__fail(error, AICC_E_INTERNAL, "", "the core did not answer in %d s; is the process suspended or out of memory? See aicc_log_next",
                      (int)(atomic_load(&aicc__patience_ns) / 1000000000));
}
