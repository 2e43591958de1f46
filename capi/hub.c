/* hub.c: which bridges have something for the core: those that were woken, in order, and a heap of when the others want to be stepped. */
#include "front.h"
#include "guard.h"

enum { LOOK_NS = 1000000000 };

static struct {
    plat_mutex lock;
    plat_cond  some;
    node       ready;
    int        waiting;           /* core threads */
    int        asked;             /* something outside of any bridge */
    int64_t    next_look;
    uint32_t   count;
    bridge    *heap[MAX_BRIDGES]; /* by heap_key, the earliest first */
} hub = {.lock = PLAT_MUTEX};

void aicc__hub_start(void)
{
    aicc__cond_init(&hub.some);
    list_init(&hub.ready);
}

static void make_ready(bridge *b)
{
    if (atomic_exchange(&b->ready, 1) == 0)
        list_push(&hub.ready, &b->ready_in);
}

/* A record was appended before; ready is set until the core is about to take, so one that sees it set may leave it at that. */
void aicc__wake(bridge *b)
{
    if (atomic_load(&b->ready) != 0)
        return;
    aicc__lock(&hub.lock);
    make_ready(b);
    if (hub.waiting > 0)
        aicc__cond_signal(&hub.some);
    aicc__unlock(&hub.lock);
}

void aicc_core_wake(uint32_t number)
{
    bridge *b = aicc__bridge_at(number - 1);
    if (b != NULL)
        aicc__wake(b);
}

void aicc__hub_ask(void)
{
    aicc__lock(&hub.lock);
    hub.asked = 1;
    if (hub.waiting > 0)
        aicc__cond_signal(&hub.some);
    aicc__unlock(&hub.lock);
}

static void heap_set(uint32_t at, bridge *b)
{
    hub.heap[at] = b;
    b->heap_at = at + 1;
}

static void heap_fix(uint32_t at, bridge *b)
{
    for (; at > 0 && hub.heap[(at - 1) / 2]->heap_key > b->heap_key; at = (at - 1) / 2)
        heap_set(at, hub.heap[(at - 1) / 2]);
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < hub.count && hub.heap[child + 1]->heap_key < hub.heap[child]->heap_key)
            child++;
        if (child >= hub.count || hub.heap[child]->heap_key >= b->heap_key)
            break;
        heap_set(at, hub.heap[child]);
        at = child;
    }
    heap_set(at, b);
}

static void heap_remove(bridge *b)
{
    uint32_t at = b->heap_at - 1;
    if (b->heap_at == 0)
        return;
    b->heap_at = 0;
    hub.count--;
    if (at != hub.count)
        heap_fix(at, hub.heap[hub.count]);
}

void aicc_core_want(uint32_t number, int64_t at_ns)
{
    bridge *b = aicc__bridge_at(number - 1);
    if (b == NULL)
        return;
    if (b->frame_clock) {
        atomic_store(&b->want, at_ns);
        return;
    }
    aicc__lock(&hub.lock);
    if (at_ns == INT64_MAX) {
        heap_remove(b);
    } else {
        if (b->heap_at == 0)
            heap_set(hub.count++, b);
        b->heap_key = at_ns;
        heap_fix(b->heap_at - 1, b);
        if (hub.waiting > 0 && hub.heap[0] == b)
            aicc__cond_signal(&hub.some); /* it may be another thread that waits, and for longer */
    }
    aicc__unlock(&hub.lock);
}

void aicc__hub_forget(bridge *b)
{
    aicc__lock(&hub.lock);
    heap_remove(b);
    if (atomic_exchange(&b->ready, 0) != 0)
        list_remove(&b->ready_in);
    aicc__unlock(&hub.lock);
}

int32_t aicc_core_wait(uint32_t *slots, int32_t cap)
{
    int32_t n = 0;
    aicc__setup();
    aicc__lock(&hub.lock);
    while (n == 0) {
        int64_t now = aicc__now();
        if (now >= hub.next_look) {
            hub.next_look = now + LOOK_NS;
            aicc__unlock(&hub.lock);
            aicc_guard_look();
            aicc__lock(&hub.lock);
        }
        while (hub.count > 0 && hub.heap[0]->heap_key <= now) {
            bridge *b = hub.heap[0];
            heap_remove(b);
            make_ready(b);
        }
        if (hub.asked && cap > 0) {
            hub.asked = 0;
            slots[n++] = 0;
        }
        while (n < cap && !list_empty(&hub.ready)) {
            bridge *b = OWNER(bridge, ready_in, hub.ready.next);
            list_remove(&b->ready_in);
            atomic_store(&b->ready, 0); /* before its records are taken */
            slots[n++] = b->index + 1;
        }
        if (n == 0) {
            int64_t until = hub.count > 0 && hub.heap[0]->heap_key < hub.next_look ? hub.heap[0]->heap_key : hub.next_look;
            hub.waiting++;
            aicc__cond_wait(&hub.some, &hub.lock, until);
            hub.waiting--;
        }
    }
    if (hub.waiting > 0 && !list_empty(&hub.ready))
        aicc__cond_signal(&hub.some);
    aicc__unlock(&hub.lock);
    return n;
}

int64_t aicc_core_now(void)
{
    return aicc__now();
}
