/* wire.c: the wire, when it is a listener's: what comes from an agent becomes records, on threads of the core that are not the bridge's. What
 * goes to one passes the core alone. */
#include "front.h"

#include <string.h>

uint64_t aicc_core_bridge(uint32_t number)
{
    bridge *b = aicc__bridge_at(number - 1);
    return b != NULL ? aicc__bridge_handle(b) : 0;
}

/* The session, if it is open and, unless epoch is 0, this is its connection. With one of the bridge's locks. */
static session *seat(const ref *r, uint32_t number, uint64_t epoch)
{
    session *s = session_at(r->b, number);
    if (s == NULL || (word_state(atomic_load(&s->head.word)) & SLOT_LIVE) == 0 || (epoch != 0 && s->epoch != epoch))
        return NULL;
    return s;
}

uint64_t aicc_core_attach(uint64_t handle, uint32_t number, int32_t flags, const void *wish, size_t len)
{
    aicc_rec rec = {.kind = AICC_REC_ATTACH, .flags = (uint16_t)flags, .session = number};
    uint64_t epoch = 0;
    session *s;
    payload p;
    ref r;
    if (aicc__payload(&p, wish, len) != AICC_OK)
        return 0;
    if (aicc__hold(handle, KIND_BRIDGE, HOLD_ALL | NEED_OPEN, &r) == AICC_OK) {
        s = seat(&r, number, 0);
        if (s != NULL) {
            rec.arg = s->epoch + 1;
            if (aicc__put(r.b, LANE_MESSAGES, rec, &p, RESERVED) == AICC_OK) {
                epoch = ++s->epoch;
                aicc__session_attached(r.b, s, 0); /* of whom this one replaces */
                aicc__session_attached(r.b, s, 1);
            }
        }
        aicc__drop(&r);
        aicc__wake(r.b);
    }
    aicc__payload_free(&p);
    return epoch;
}

/* One record about a connection. 0: there is no room. */
static int32_t tell(uint64_t handle, aicc_rec rec, payload *p, int bound)
{
    ref r;
    aicc_status status = AICC_OK;
    if (aicc__hold(handle, KIND_BRIDGE, HOLD_MESSAGES, &r) != AICC_OK)
        return 1;
    if (word_state(atomic_load(&r.b->word)) == BRIDGE_OPEN && seat(&r, rec.session, rec.arg) != NULL)
        status = aicc__put(r.b, LANE_MESSAGES, rec, p, bound);
    aicc__drop(&r);
    aicc__wake(r.b);
    return status == AICC_OK;
}

void aicc_core_begin(uint64_t handle, uint32_t number, uint64_t epoch)
{
    (void)tell(handle, (aicc_rec){.kind = AICC_REC_ATTACH, .flags = AICC_REC_ATTACH_FRESH, .session = number, .arg = epoch}, NULL, EXEMPT);
}

int32_t aicc_core_receive(uint64_t handle, uint32_t number, uint64_t epoch, const void *text, size_t len)
{
    payload p;
    int32_t taken;
    if (aicc__payload(&p, text, len) != AICC_OK)
        return 0;
    taken = tell(handle, (aicc_rec){.kind = AICC_REC_RECEIVE, .session = number, .arg = epoch}, &p, BOUNDED);
    aicc__payload_free(&p);
    return taken;
}

void aicc_core_arrived(uint64_t handle, uint32_t number, uint64_t epoch, uint32_t count)
{
    (void)tell(handle, (aicc_rec){.kind = AICC_REC_ARRIVED, .session = number, .arg = epoch, .object = count}, NULL, RESERVED);
}

void aicc_core_leave(uint64_t handle, uint32_t number, uint64_t epoch)
{
    aicc_rec rec = {.kind = AICC_REC_DETACH, .session = number, .arg = epoch};
    session *s;
    ref r;
    if (aicc__hold(handle, KIND_BRIDGE, HOLD_ALL, &r) != AICC_OK)
        return;
    s = seat(&r, number, epoch);
    if (s != NULL) {
        if ((word_state(atomic_load(&s->head.word)) & SLOT_ATTACHED) != 0) /* else the core let the agent go already */
            (void)aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
        aicc__session_attached(r.b, s, 0);
    }
    aicc__drop(&r);
    aicc__wake(r.b);
}
