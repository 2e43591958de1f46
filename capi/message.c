/* message.c: the wire, when it is the host's: messages to agents wait here, bytes from agents become records. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RECEIVE = (1 << 20) + 1 };

typedef struct outmsg {          /* its text follows, padded to 8 bytes */
    uint32_t len, session;
    uint64_t epoch;
} outmsg;

static size_t outmsg_size(size_t len) { return sizeof (outmsg) + ((len + 7) & ~(size_t)7); }

static outmsg *front(outqueue *q)
{
    outchunk *c;
    while ((c = q->head) != NULL && c->read == c->used && c != q->tail) {
        q->head = c->next;
        free(c);
    }
    return c != NULL && c->read < c->used ? (outmsg *)(void *)((char *)(c + 1) + c->read) : NULL;
}

static void pop(outqueue *q, const outmsg *m)
{
    q->bytes -= m->len;
    q->taken += m->len;
    q->head->read += outmsg_size(m->len);
    if (q->head->read < q->head->used || q->head != q->tail)
        return;
    if (q->head->cap > CHUNK_BYTES) {
        free(q->head);
        q->head = q->tail = NULL;
    } else {
        q->head->read = q->head->used = 0;
    }
}

static int push(outchunk **head, outchunk **tail, const outmsg *m, const void *text)
{
    size_t need = outmsg_size(m->len);
    outchunk *c = *tail;
    char *at;
    if (c == NULL || c->cap - c->used < need) {
        size_t total = sizeof *c + need > CHUNK_BYTES ? sizeof *c + need : *tail == NULL && need < FIRST_CHUNK_BYTES / 2 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
        c = malloc(total);
        if (c == NULL)
            return 0;
        c->next = NULL;
        c->read = c->used = 0;
        c->cap = total - sizeof *c;
        if (*tail != NULL)
            (*tail)->next = c;
        else
            *head = c;
        *tail = c;
    }
    at = (char *)(c + 1) + c->used;
    memcpy(at, m, sizeof *m);
    memcpy(at + sizeof *m, text, m->len);
    c->used += need;
    return 1;
}

static void free_chunks(outchunk *c)
{
    while (c != NULL) {
        outchunk *next = c->next;
        free(c);
        c = next;
    }
}

void aicc__out_reset(outqueue *q)
{
    free_chunks(q->head);
    free_chunks(q->new_head);
    q->head = q->tail = q->new_head = q->new_tail = NULL;
    q->bytes = q->taken = 0;
}

void aicc__out_publish(bridge *b)
{
    outqueue *q = &b->out;
    aicc__lock(&q->lock);
    if (q->new_head != NULL) {
        if (q->tail != NULL)
            q->tail->next = q->new_head;
        else
            q->head = q->new_head;
        q->tail = q->new_tail;
        q->new_head = q->new_tail = NULL;
    }
    aicc__unlock(&q->lock);
}

void aicc_core_message(uint32_t number, uint32_t session_no, uint64_t epoch, const void *text, size_t len)
{
    bridge *b = aicc__bridge_at(number - 1);
    outmsg m = {(uint32_t)len, session_no, epoch};
    session *s;
    int lost = 0;
    if (b == NULL || len > UINT32_MAX / 2)
        return;
    aicc__lock(&b->lock);
    s = session_at(b, session_no);
    if (s != NULL && s->refs > 0 && word_state(atomic_load(&b->word)) != BRIDGE_DEAD) {
        aicc__lock(&b->out.lock);
        lost = b->frame_clock ? !push(&b->out.new_head, &b->out.new_tail, &m, text) : !push(&b->out.head, &b->out.tail, &m, text);
        if (!lost) {
            b->out.bytes += len;
            s->refs++;
        }
        aicc__unlock(&b->out.lock);
    }
    aicc__unlock(&b->lock);
    if (lost)
        aicc__log(AICC_ERROR, b, session_no, 0, "memory is exhausted: a message of %zu bytes to an agent is lost", len);
}

/* One message less names the session, and the core learns how far the queue has been drained. */
static void account(aicc_bridge handle, uint32_t session_no, uint64_t drained)
{
    aicc_rec rec = {.kind = AICC_REC_DRAINED, .arg = drained};
    ref r;
    if (aicc__hold(handle.id, KIND_BRIDGE, HOLD_BRIDGE | HOLD_MESSAGES, &r) != AICC_OK)
        return;
    aicc__session_unref(r.b, session_at(r.b, session_no));
    if (drained > 0)
        (void)aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
    aicc__drop(&r);
    if (drained > 0)
        aicc__wake(r.b);
}

aicc_status aicc_bridge_next_message(aicc_bridge world, aicc_session *to, char *buf, size_t cap, size_t *len)
{
    for (;;) {
        aicc_status status;
        ref r;
        outqueue *q;
        const outmsg *m;
        session *s;
        uint32_t session_no;
        uint64_t drained = 0;
        int stale;
        status = aicc__hold(world.id, KIND_BRIDGE, HOLD_OUT, &r);
        if (status != AICC_OK)
            return status;
        q = &r.b->out;
        m = front(q);
        if (to == NULL || len == NULL || (buf == NULL && cap > 0))
            status = AICC_E_ARG;
        else if (m == NULL)
            status = AICC_EMPTY;
        if (status != AICC_OK) {
            aicc__drop(&r);
            return status;
        }
        session_no = m->session;
        s = session_at(r.b, session_no);
        stale = s->epoch != m->epoch;
        if (!stale) {
            status = aicc__copy_out((const char *)(m + 1), m->len, buf, cap, len);
            to->id = handle_of(r.b, KIND_SESSION, &s->head);
        }
        if (status == AICC_OK) {
            pop(q, m);
            if (q->taken >= MESSAGE_WINDOW / 4 || front(q) == NULL) {
                drained = q->taken;
                q->taken = 0;
            }
        }
        aicc__drop(&r);
        if (status != AICC_OK)
            return status;
        account(world, session_no, drained);
        if (!stale)
            return AICC_OK;
    }
}

aicc_status aicc_session_attach(aicc_session handle)
{
    aicc_rec rec = {.kind = AICC_REC_ATTACH, .flags = AICC_REC_ATTACH_WAIT};
    session *s;
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_SESSION, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    s = (session *)r.s;
    rec.session = r.s->index + 1;
    rec.arg = s->epoch + 1;
    status = r.b->listener != 0 || (word_state(atomic_load(&r.s->word)) & SLOT_ATTACHED) != 0 ? AICC_E_STATE : aicc__put(r.b, LANE_MESSAGES, rec, NULL, RESERVED);
    if (status == AICC_OK) {
        s->epoch++;
        s->wired = 1;
        aicc__session_attached(r.b, s, 1);
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

aicc_status aicc_session_detach(aicc_session handle)
{
    aicc_rec rec = {.kind = AICC_REC_DETACH};
    session *s;
    int attached;
    ref r;
    aicc_status status = aicc__hold(handle.id, KIND_SESSION, HOLD_ALL | NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    s = (session *)r.s;
    attached = (word_state(atomic_load(&r.s->word)) & SLOT_ATTACHED) != 0;
    rec.session = r.s->index + 1;
    rec.arg = s->epoch;
    if (!s->wired)
        status = AICC_E_STATE;
    else if (attached) /* else the core let the agent go already, and the host now hears of it */
        status = aicc__put(r.b, LANE_MESSAGES, rec, NULL, EXEMPT);
    if (status == AICC_OK) {
        s->epoch++;
        s->wired = 0;
        aicc__session_attached(r.b, s, 0);
    }
    aicc__drop(&r);
    aicc__wake(r.b);
    return status;
}

void aicc_core_detached(uint32_t number, uint32_t session_no, uint64_t epoch)
{
    bridge *b = aicc__bridge_at(number - 1);
    session *s;
    if (b == NULL)
        return;
    aicc__lock_all(b);
    s = session_at(b, session_no);
    if (s != NULL && s->refs > 0 && s->epoch == epoch)
        aicc__session_attached(b, s, 0);
    aicc__unlock_all(b);
}

aicc_status aicc_session_receive(aicc_session handle, aicc_str message)
{
    aicc_rec rec = {.kind = AICC_REC_RECEIVE};
    payload p;
    ref r;
    int text = aicc__text(&message, MAX_RECEIVE);
    aicc_status status = aicc__peek(handle.id, KIND_SESSION, NEED_OPEN, &r);
    if (status != AICC_OK)
        return status;
    if (text <= 0)
        return text < 0 ? AICC_E_ARG : AICC_E_RANGE;
    if (r.b->listener != 0 || (word_state(atomic_load(&r.s->word)) & SLOT_ATTACHED) == 0)
        return AICC_E_STATE;
    if (aicc__payload(&p, message.ptr, message.len) != AICC_OK)
        return AICC_E_FULL;
    status = aicc__hold(handle.id, KIND_SESSION, HOLD_MESSAGES | NEED_OPEN, &r);
    if (status == AICC_OK) {
        rec.session = r.s->index + 1;
        rec.arg = ((session *)r.s)->epoch;
        status = (word_state(atomic_load(&r.s->word)) & SLOT_ATTACHED) == 0 ? AICC_E_STATE : aicc__put(r.b, LANE_MESSAGES, rec, &p, BOUNDED);
        aicc__drop(&r);
        if (status == AICC_OK)
            aicc__wake(r.b);
    }
    aicc__payload_free(&p);
    return status;
}
