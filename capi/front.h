/* front.h: the C front from within. An engine thread appends records to a bridge's lanes and takes items and messages from its queues; the
 * core does the reverse through core.h. No function here calls Go, and none but those that wait for a reply (wait.c) waits.
 *
 * Locks of a bridge, in the order in which they may be taken: BRIDGE (tables, items), MESSAGES and EVENTS (a lane each), OUT (messages to send).
 * A bridge's state and a session's word, epoch and topics change under all four, so that one of them is enough to rely on them. The locks of the
 * hub, the waiters, the log, the graveyard and the list of bridges are leaves: nothing is taken under them. */
#ifndef AICC_FRONT_H
#define AICC_FRONT_H

#if !defined(AICC_BUILD)
#  define AICC_BUILD
#endif
#if defined(__MINGW32__) && !defined(__USE_MINGW_ANSI_STDIO)
#  define __USE_MINGW_ANSI_STDIO 1
#endif
#include "core.h"
#include "plat.h"

#if !defined(_WIN32)
#  pragma GCC visibility push(hidden)
#endif

#if defined(__MINGW32__)
#  define AICC_PRINTF(at, args) __attribute__((format(gnu_printf, at, args)))
#else
#  define AICC_PRINTF(at, args) __attribute__((format(printf, at, args)))
#endif

enum {
    MAX_BRIDGES = 4096, MAX_TOOLS = 1024, MAX_TOOLSETS = 64, MAX_SESSIONS = 65536, MAX_CALLS = 65536, MAX_EVENTS = 256,
    MAX_HELD = 7, MAX_CAPABILITIES = 64, MAX_CAPABILITY = 64, MAX_REASON = 256,
    CHUNK_BYTES = 64 << 10, FIRST_CHUNK_BYTES = 8 << 10,
    MESSAGE_WINDOW = 1 << 20
};

/* ---- lists: circular, the head is a node too */

typedef struct node { struct node *prev, *next; } node;

static inline void list_init(node *head)        { head->prev = head->next = head; }
static inline int  list_empty(const node *head) { return head->next == head; }
static inline void list_remove(node *n)         { n->prev->next = n->next; n->next->prev = n->prev; n->prev = n->next = n; }
static inline void list_push(node *head, node *n)
{
    n->prev = head->prev;
    n->next = head;
    head->prev->next = n;
    head->prev = n;
}
#define OWNER(type, member, pointer) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

/* ---- handles: generation << 32 | kind << 28 | the bridge's slot << 16 | the slot in its table. Slots are never freed, so any value may be looked up. */

enum { KIND_BRIDGE = 1, KIND_TOOL, KIND_SESSION, KIND_CALL, KIND_EVENT, KIND_TOOLSET };

typedef struct slot {
    _Atomic uint64_t word;       /* generation << 32 | state */
    uint32_t         index;
    uint32_t         next_free;  /* index + 1 */
    _Atomic uint32_t floor;      /* generations up to this one were of an earlier bridge */
} slot;

enum { SLOT_LIVE = 1, SLOT_ATTACHED = 2, SLOT_USED = 4 };                     /* states of tools, sessions and events */
enum { CALL_OVER = 0, CALL_QUEUED = 1, CALL_STARTED = 2, CALL_ANSWERED = 3 }; /* states of calls */
enum { BRIDGE_FREE = 0, BRIDGE_CREATING, BRIDGE_OPEN, BRIDGE_CLOSED, BRIDGE_DEAD };

static inline uint64_t word_of(uint32_t gen, uint32_t state) { return (uint64_t)gen << 32 | state; }
static inline uint32_t word_gen(uint64_t word)               { return (uint32_t)(word >> 32); }
static inline uint32_t word_state(uint64_t word)             { return (uint32_t)word; }

enum { TABLE_CHUNKS = 13, TABLE_FIRST = 16 };    /* chunk k holds 16 << k slots: 131,056 in all */
typedef struct table {
    _Atomic(char *) chunk[TABLE_CHUNKS];
    size_t          size;                        /* of an entry; it begins with a slot */
    uint32_t        max, used, live;
    uint32_t        free_head, free_tail;        /* index + 1; reused oldest first */
} table;

void  aicc__table_init(table *t, size_t size, uint32_t max);
slot *aicc__table_at(const table *t, uint32_t index);     /* NULL: never used */
slot *aicc__table_new(table *t);                          /* a new generation, state 0; NULL: full */
void  aicc__table_free(table *t, slot *s);
void  aicc__table_reset(table *t);                        /* all slots are free, all handles stale */

/* ---- lanes */

typedef struct block {           /* a payload of its own: bytes follow */
    struct block *next;
    size_t        len;
} block;
static inline void *block_bytes(block *k) { return k + 1; }
block *aicc__block_new(size_t len);                       /* NULL: no memory */

typedef struct lane {
    plat_mutex     lock;
    aicc_chunk    *head, *tail;  /* what waits for the core */
    block         *blocks;       /* of it */
    _Atomic size_t bytes;        /* of both */
    size_t         limit;
    uint64_t       dropped;
    aicc_chunk    *taken;        /* what the core reads until its next take */
    block         *taken_blocks;
    aicc_chunk    *spare;
    uint32_t       spares;
} lane;
enum { LANE_MESSAGES = 0, LANE_EVENTS = 1 };

/* ---- items: what the engine drains */

typedef struct item {
    node          in;
    uint64_t      serial;        /* order in the bridge, and identity */
    int32_t       kind, reason;
    uint32_t      session, tool; /* index + 1 or 0 */
    int32_t       embedded;      /* part of a slot: not freed */
    uint64_t      call;          /* handle */
    void         *call_user;
    aicc_request *request;       /* these follow the item in its memory */
    aicc_str      text;
} item;

/* A session's items, or the bridge's own. Calls that a pause holds back have a queue of their own, the serial keeps the order between the two. */
typedef struct source {
    node    in;
    node    calls, others;
    int32_t where;               /* WHERE_* */
    int32_t paused;
    int32_t agents, messages;    /* items of these kinds that wait */
    uint32_t dropped;            /* items, since none waited */
} source;
enum { WHERE_NONE = 0, WHERE_RING, WHERE_HELD };

/* ---- objects */

typedef struct tool {
    slot         head;
    aicc_tool_fn fn;
    void        *user;
    int32_t      while_paused;
    int32_t      released;       /* the core has let it go */
    int32_t      pending;        /* the core has not said yet whether it takes it */
    uint32_t     refs;           /* items that name it */
    char         id[65];
    item         farewell;       /* AICC_ITEM_TOOL_RELEASED */
} tool;

typedef struct session {
    slot     head;
    _Atomic uint32_t topics;     /* read before the lock is taken, and again after */
    _Atomic int64_t tick_due;    /* when a payload for its next periodic tick is of use */
    uint32_t refs;               /* messages that name it, and one until AICC_ITEM_SESSION_CLOSED was taken */
    uint64_t epoch;              /* of its connection; messages of an older one are not sent */
    int32_t  wired;              /* attached by the host, and not detached by it */
    int32_t  closed;
    void    *user;
    source   items;
    char    *name;
    uint32_t name_len, name_hash, name_next;
    item     farewell;           /* AICC_ITEM_SESSION_CLOSED */
} session;

typedef struct call {
    slot             head;
    _Atomic uint64_t no;         /* the core's number */
    _Atomic uint32_t session, tool;
    void            *user;
    item            *waiting;    /* its item, until it is taken */
    item             farewell;   /* AICC_ITEM_CALL_ENDED */
} call;

typedef struct layout layout;
enum { PACE_CHUNK = 1024 };      /* sessions */
typedef struct event {
    slot     head;
    _Atomic uint32_t topic;      /* number of its bit */
    _Atomic(const layout *) layout;
    _Atomic int64_t interval_ns; /* 0: none */
    _Atomic int64_t next_all;    /* when it may be emitted next to all; as in paces */
    _Atomic(_Atomic int64_t *) paces[MAX_SESSIONS / PACE_CHUNK]; /* of each session, when the core sends it next; the last bit: one waits for that */
} event;

typedef struct outchunk {        /* messages to send, one after the other */
    struct outchunk *next;
    size_t           read, used, cap;
} outchunk;
typedef struct outqueue {
    plat_mutex lock;
    outchunk  *head, *tail;      /* what next_message may see */
    outchunk  *new_head, *new_tail; /* with the frame clock: what comes to be seen with the frame */
    uint64_t   bytes;
    uint64_t   taken;            /* since the last DRAINED */
} outqueue;

enum { TOPICS = 5 };

typedef struct bridge {
    _Atomic uint64_t word;       /* generation << 32 | BRIDGE_* */
    uint32_t         index;
    int32_t          frame_clock;
    uint64_t         listener;   /* or 0: the wire is the host's */
    atomic_int       ticks;      /* periodic ticks are sent */
    lane             lanes[2];
    _Atomic uint64_t seq;
    _Atomic uint64_t tick, frames;
    _Atomic int64_t  frame_now;
    _Atomic int64_t  want;
    atomic_int       paused;
    atomic_int       unsent;     /* frame clock: the core does not know of the last frame yet; the next record tells it */
    uint64_t         synced;     /* frame clock: seq after the last frame that the core was waited for */
    _Atomic uint32_t listeners[TOPICS]; /* attached sessions that are subscribed */
    _Atomic uint64_t events, answers_late;
    _Atomic uint64_t stale;      /* sessions that aicc_event_emit was given */

    plat_mutex       lock;
    table            tools, toolsets, sessions, calls, events_defined;
    aicc_owner       owner;
    char             name[257];
    uint32_t        *names;      /* buckets of sessions by name: index + 1 */
    uint32_t         buckets;
    int32_t          open_sessions, agents, registered;
    node             ring, held; /* sources with something to deliver; with nothing but held calls */
    atomic_int       offering;   /* sources in the ring */
    node             fresh;      /* frame clock: items that come to be seen with the frame */
    source           own;
    item            *current;    /* lent to the engine until its next item */
    uint64_t         serial;
    int32_t          faults;
    uint64_t         items_dropped;
    aicc_core_counters counters;

    outqueue         out;

    node             ready_in;   /* of the hub's; under its lock, as the next two */
    uint32_t         heap_at;    /* place + 1 */
    int64_t          heap_key;
    atomic_int       ready;
    uint32_t         next_free;
    union { aicc_chunk chunk; char room[sizeof (aicc_chunk) + sizeof (aicc_rec)]; } last; /* DESTROY needs no memory */
} bridge;

static inline uint64_t handle_of(const bridge *b, uint32_t kind, const slot *s)
{
    return (atomic_load_explicit(&s->word, memory_order_relaxed) & ~(uint64_t)0xffffffffu) | kind << 28 | b->index << 16 | s->index;
}
static inline tool    *tool_at(bridge *b, uint32_t number)    { return number ? (tool *)aicc__table_at(&b->tools, number - 1) : NULL; }
static inline session *session_at(bridge *b, uint32_t number) { return number ? (session *)aicc__table_at(&b->sessions, number - 1) : NULL; }

/* What the core may still name: from its record until SESSION_CLOSED or TOOL_RELEASED. NULL otherwise, so that a fault of the core cannot
 * queue an item that is queued already. With BRIDGE. */
static inline tool *core_tool(bridge *b, uint32_t number)
{
    tool *t = tool_at(b, number);
    return t != NULL && (word_state(atomic_load(&t->head.word)) & SLOT_USED) != 0 && !t->released ? t : NULL;
}
static inline session *core_session(bridge *b, uint32_t number)
{
    session *s = session_at(b, number);
    return s != NULL && s->refs > 0 && !s->closed ? s : NULL;
}

/* ---- handle.c: the one guard and the one lookup */

enum { HOLD_BRIDGE = 1, HOLD_MESSAGES = 2, HOLD_EVENTS = 4, HOLD_OUT = 8, HOLD_ALL = 15, NEED_OPEN = 16 };
typedef struct ref {
    bridge  *b;
    slot    *s;                  /* NULL: the bridge itself */
    uint32_t gen, kind;
    unsigned held;
} ref;
/* AICC_OK: the handle is good now, and stays so while a lock is held. A call's is good too when the call is over. */
aicc_status aicc__peek(uint64_t id, uint32_t kind, unsigned how, ref *r);
aicc_status aicc__hold(uint64_t id, uint32_t kind, unsigned how, ref *r);
aicc_status aicc__hold_found(ref *r, unsigned how);                    /* of what a peek has found */
aicc_status aicc__still(const ref *r);                                 /* of another object of the same bridge, with a lock held */
void        aicc__drop(ref *r);
void        aicc__lock_all(bridge *b);
void        aicc__unlock_all(bridge *b);

/* ---- lane.c */

typedef struct payload {
    const void *ptr;
    size_t      len;
    block      *own;             /* not NULL: it goes to the lane as it is */
} payload;
/* How far the lane's bound holds: as it is; twice, for small things that a flood of messages should not keep out; not at all. */
enum { BOUNDED = 0, RESERVED, EXEMPT };
aicc_status aicc__payload(payload *p, const void *ptr, size_t len);    /* before locks are taken */
aicc_status aicc__pack(payload *p, const int64_t *ints, size_t n_ints, const aicc_str *strs, size_t n_strs);
void        aicc__payload_free(payload *p);                            /* what no lane took */
int         aicc__room(bridge *b, int which, size_t payload_len);      /* 0: no memory. With the lane's lock, as the next */
aicc_status aicc__put(bridge *b, int which, aicc_rec rec, payload *p, int bound);
void        aicc__lane_init(lane *l);
void        aicc__lane_drop(lane *l, int all);                         /* what waits; all: and what is with the core, and the spares */

/* A record whose payload is written where it will stand. begin gives the place, with room for at least so many bytes, NULL: the lane is full;
 * commit follows, with no other record of the lane between. With the lane's lock. */
char       *aicc__begin(bridge *b, int which, size_t least, size_t *room);
void        aicc__commit(bridge *b, int which, aicc_rec rec, size_t len);

/* ---- hub.c: which bridges have something for the core */

void aicc__hub_start(void);
void aicc__wake(bridge *b);
void aicc__hub_forget(bridge *b);
void aicc__hub_ask(void);                                              /* slot 0 is ready */

/* ---- wait.c: requests that wait for the core's reply */

extern _Atomic int64_t aicc__patience_ns;                              /* 5 s; tests shorten it */
void        aicc__wait_start(void);
uint64_t    aicc__waiter_new(bridge *b, int publishes);                /* 0: too many wait. publishes: the reply makes what came before it visible */
void        aicc__waiter_cancel(uint64_t id);
/* AICC_E_TIME: no reply. orphan, or 0: a tool that the core does not keep when its reply comes too late, and may name until then. */
aicc_status aicc__waiter_wait(uint64_t id, int64_t timeout_ns, uint64_t orphan, aicc_error *error);
/* The same for a reply that is a text; *text is the caller's to free, NULL on failure. */
aicc_status aicc__waiter_text(uint64_t id, block **text, aicc_error *error);
void        aicc__waiter_lend(uint64_t id, const void *secret);        /* 32 bytes that stay the caller's, for aicc_core_secret */
void        aicc__waiters_end(bridge *b);
aicc_status aicc__no_answer(aicc_error *error, aicc_status status);    /* AICC_E_TIME becomes AICC_E_INTERNAL with its message */

/* ---- ask.c: requests outside of any bridge: AICC_ASK_* of core.h. Waits. *text, perhaps NULL, is the caller's to free. */

aicc_status aicc__ask(int32_t kind, const void *ptr, size_t len, block **text, aicc_error *error);
void        aicc__tell(int32_t kind, const void *ptr, size_t len);     /* the same without an answer; never waits */

/* ---- listen.c */

void        aicc__listeners_end(aicc_owner owner);                     /* 0: all. Never waits */

/* ---- bridge.c */

void        aicc__bridges_start(void);
bridge     *aicc__bridge_at(uint32_t index);                           /* NULL: never used */
uint64_t    aicc__bridge_handle(const bridge *b);
void        aicc__bridge_gone(bridge *b);

/* ---- session.c, tool.c, call.c */

void aicc__session_end(bridge *b, session *s);                         /* all locks: the handle is stale, the name free */
void aicc__session_attached(bridge *b, session *s, int on);            /* all locks */
void aicc__session_unref(bridge *b, session *s);                       /* BRIDGE */
void aicc__sessions_reset(bridge *b);
int  aicc__toolset_number(const bridge *b, aicc_toolset set, int64_t *number); /* 0: it is none of this bridge */
aicc_status aicc__tool_target(aicc_bridge world, aicc_tool *out, aicc_error *error);   /* what registering needs; *out is 0 */
/* origin: the document that it was made of, or none. *out is left alone on error. */
aicc_status aicc__tool_register(aicc_bridge world, aicc_tool_options *o, aicc_str origin, aicc_tool *out, aicc_error *error);
void aicc__tool_forget(uint64_t handle);                               /* the core never took it */
void aicc__tool_unref(bridge *b, tool *t);                             /* BRIDGE: one item less names it */
void aicc__tool_released(bridge *b, tool *t);                          /* BRIDGE: the core lets it go */
aicc_status aicc__call_state(const ref *r, uint64_t word);             /* AICC_OK: started, and neither answered nor over */
aicc_status aicc__answer(aicc_call call, uint16_t kind, uint16_t flags, aicc_str text, int quiet);

/* ---- layout.c, gather.c */

/* One op of a layout's program, as core/layout/program.go says. */
typedef struct layout_op {
    uint32_t code, flags, decimals, offset, count, stride, count_offset, count_type, text_at, text_len, pointer_at, pointer_len, names_at, names;
    uint32_t element, size;
} layout_op;
typedef struct layout_name { uint32_t json_at, json_len, at, len; } layout_name;
enum { LAYOUT_COMMA = 1 << 8, LAYOUT_ARRAY = 1 << 9 };
struct layout {                  /* never freed */
    uint32_t         number, size, max_data, ops_count;
    int32_t          has_text;
    const layout_op *ops;
    const char      *base;       /* what every "at" counts from */
    const char      *schema;
    size_t           schema_len;
};
const layout *aicc__layout(aicc_layout handle);                        /* NULL: it is none */
const layout *aicc__layout_at(uint32_t number);
int           aicc__layout_has(const layout *l, const char *name);     /* an outermost member */
uint32_t      aicc__layout_used(const layout_op *op, const char *base); /* of an array, and held to it */
size_t        aicc__layout_text(const layout_op *op, const aicc_str *s, int *cut); /* how much of a text is taken; cut: not all of it */
static inline int layout_is_array(const layout_op *op) { return (op->flags & LAYOUT_ARRAY) != 0; }
/* A struct with its texts, in one piece; see core/layout/doc.go. Only of layouts with text is it other than the struct. */
size_t        aicc__gather_size(const layout *l, const void *data);
size_t        aicc__gather(const layout *l, const void *data, char *out, size_t cap); /* cap: what gather_size said */

/* ---- event.c, emit.c */

aicc_status aicc__event_reply(aicc_event event, aicc_call cause, uint16_t kind, const void *data, size_t len);
void        aicc__event_start(event *e);                               /* a slot of the table is defined anew */
void        aicc__event_forget(bridge *b, uint32_t session);           /* EVENTS: an agent comes or goes */

/* ---- queue.c */

typedef struct delivery {        /* what pump needs of an item */
    aicc_tool_fn fn;
    uint64_t     serial;
} delivery;
void        aicc__source_init(source *src);
item       *aicc__item_new(int32_t kind, size_t extra);                /* extra bytes follow it; NULL: no memory */
void        aicc__item_free(item *it);                                 /* NULL and embedded ones too */
void        aicc__item_push(bridge *b, source *src, item *it);         /* BRIDGE, as all of these */
void        aicc__item_publish(bridge *b);                             /* frame clock: what is fresh is to be seen */
void        aicc__place(bridge *b, source *src);                       /* into the list where it belongs now */
void        aicc__unpause(bridge *b);
aicc_status aicc__next(aicc_bridge bridge, aicc_item *out, delivery *how);  /* takes the lock itself */
int         aicc__idle(aicc_bridge world);                             /* 1: there is nothing to deliver, a look without a lock */
void        aicc__settle(aicc_bridge bridge, uint64_t serial);         /* the callback is over: what was lent to it is freed */
void        aicc__bury(bridge *b);                                     /* the bridge ends while an item may be lent */
void        aicc__items_reset(bridge *b);

/* ---- message.c */

void aicc__out_reset(outqueue *q);                                     /* OUT */
void aicc__out_publish(bridge *b);                                     /* takes OUT */

/* ---- check.c: arguments, options and errors */

aicc_status aicc__fail(aicc_error *error, aicc_status status, const char *field, const char *format, ...) AICC_PRINTF(4, 5);
aicc_status aicc__ok(aicc_error *error);
aicc_status aicc__handle_error(aicc_error *error, aicc_status status); /* of hold: with its message */
void        aicc__init(void *options, size_t size, const void *defaults, size_t known);
/* Copies what the caller's struct has over the defaults in *full. */
aicc_status aicc__options(const void *given, void *full, size_t known, aicc_error *error);
/* Writes back what the caller's struct has room for; struct_size stays. */
void        aicc__give(void *given, const void *full, size_t known);
int         aicc__out_of_range(aicc_error *error, const char *field, int64_t value, int64_t low, int64_t high);
/* Resolves AICC_NTS. 1: good; 0: longer than max; -1: NULL with a length. */
int         aicc__text(aicc_str *text, size_t max);
int         aicc__utf8(aicc_str text);
size_t      aicc__utf8_cut(const char *text, size_t len, size_t max);  /* the longest prefix of at most max bytes that cuts no character */
aicc_status aicc__copy_out(const char *text, size_t n, char *buf, size_t cap, size_t *len);
static inline aicc_str aicc__view(const char *ptr, size_t len) { aicc_str s; s.ptr = ptr; s.len = len; return s; }

/* ---- log.c */

void aicc__log_start(void);
void aicc__log_options(int32_t level, int32_t to_stderr);
void aicc__log(int32_t level, bridge *b, uint32_t session, uint32_t tool, const char *format, ...) AICC_PRINTF(5, 6);
void aicc__log_text(int32_t level, bridge *b, uint32_t session, uint32_t tool, const char *text, size_t len);

/* ---- lib.c */

void aicc__fix_config(void);     /* the first bridge comes */

#if !defined(_WIN32)
#  pragma GCC visibility pop
#endif
#endif
