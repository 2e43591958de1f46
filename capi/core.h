/* core.h: the seam between the C front and the Go core. C never calls Go: everything here is called by Go, or is the form of what Go reads.
 * Kinds and places are those of core/bridge/record.go; a Go test compares the two. */
#ifndef AICC_CORE_H
#define AICC_CORE_H

#include <stddef.h>
#include <stdint.h>
#include "../include/aicc.h"

/* Hidden: reachable from the Go half of this library, not from outside. */
#if defined(_WIN32)
#  define AICC_HIDDEN
#else
#  define AICC_HIDDEN __attribute__((visibility("hidden")))
#endif

enum {
    AICC_REC_CREATE = 1, AICC_REC_DESTROY = 2, AICC_REC_CLOSE = 3, AICC_REC_FRAME = 4, AICC_REC_CLOCK = 5, AICC_REC_FLUSH = 6,
    AICC_REC_TOOL_REGISTER = 10, AICC_REC_TOOL_UPDATE = 11, AICC_REC_TOOL_ENABLE = 12, AICC_REC_TOOL_REMOVE = 13,
    AICC_REC_SET_CREATE = 14, AICC_REC_SET_DESTROY = 15,
    AICC_REC_SESSION_OPEN = 20, AICC_REC_SESSION_CLOSE = 21, AICC_REC_SESSION_RESET = 22, AICC_REC_SESSION_PAUSE = 23,
    AICC_REC_SESSION_TOPICS = 24, AICC_REC_SESSION_SETS = 25, AICC_REC_SESSION_GRANT = 26,
    AICC_REC_ATTACH = 30, AICC_REC_RECEIVE = 31, AICC_REC_DETACH = 32, AICC_REC_DRAINED = 33, AICC_REC_ARRIVED = 34,
    AICC_REC_ANSWER = 40, AICC_REC_FAIL = 41, AICC_REC_EXTEND = 42, AICC_REC_ANSWER_STRUCT = 43,
    AICC_REC_EVENT_DEFINE = 50, AICC_REC_EVENT_JSON = 51, AICC_REC_EVENT_REPLY = 52,
    AICC_REC_EVENT_STRUCT = 53, AICC_REC_EVENT_REPLY_STRUCT = 54,
    AICC_REC_CAPABILITIES = 60
};
enum { AICC_EMIT_ONE = 1 };    /* flags of EVENT_STRUCT: see EventOne in record.go */
enum { AICC_REC_FAIL_RETRYABLE = 1 << 15 };   /* flags of FAIL */
enum { AICC_REC_ATTACH_WAIT = 1, AICC_REC_ATTACH_FRESH = 2, AICC_REC_ATTACH_REPLACE = 4, AICC_REC_ATTACH_HELD = 8 };   /* flags of ATTACH: see record.go */

/* One record in a lane. Its payload follows it, padded to 8 bytes, or is in a block of its own (over AICC_INLINE_MAX bytes). */
enum { AICC_INLINE_MAX = 4096 };
typedef struct aicc_rec {
    uint32_t size;                  /* of the record in the lane, header included, a multiple of 8 */
    uint16_t kind;
    uint16_t flags;
    uint32_t session;
    uint32_t object;
    uint32_t length;                /* of the payload */
    uint32_t block;                 /* 1: the 8 bytes after the header are the address of the payload */
    uint64_t seq;                   /* order across the two lanes of a bridge */
    uint64_t arg;
    uint64_t tick;
} aicc_rec;

/* A lane's memory: records one after the other. */
typedef struct aicc_chunk {
    struct aicc_chunk *next;
    size_t             used;        /* bytes of records */
    size_t             cap;
    uint64_t           reserved;
    /* records follow */
} aicc_chunk;

/* Packed fields of a record: see Fields in core/bridge/record.go. */
enum { AICC_CREATE_KIND, AICC_CREATE_TICK_MODE, AICC_CREATE_TICK_RATE, AICC_CREATE_CLOCK, AICC_CREATE_DEBUG, AICC_CREATE_SEED,
       AICC_CREATE_OUTBOX_BYTES, AICC_CREATE_HEARTBEAT_MS, AICC_CREATE_IDLE_MS, AICC_CREATE_RESUME_MS, AICC_CREATE_MESSAGE_WINDOW,
       AICC_CREATE_ANY_TICK_RATE, AICC_CREATE_MAX_CALLS, AICC_CREATE_MAX_CALL_ID, AICC_CREATE_MAX_TOOL_ID, AICC_CREATE_MAX_DESCRIPTION,
       AICC_CREATE_MAX_MANIFEST, AICC_CREATE_MAX_OUTPUT, AICC_CREATE_LISTENER, AICC_CREATE_INTS };
enum { AICC_TOOL_CLASS, AICC_TOOL_SET, AICC_TOOL_PER_MINUTE, AICC_TOOL_PER_SESSION, AICC_TOOL_MAX_IN_FLIGHT, AICC_TOOL_STRICT, AICC_TOOL_NO_REPAIR,
       AICC_TOOL_WHILE_PAUSED, AICC_TOOL_HIDE, AICC_TOOL_TIMEOUT_MS, AICC_TOOL_MAX_INPUT_BYTES, AICC_TOOL_MAX_OUTPUT_BYTES, AICC_TOOL_MAX_CONCURRENT,
       AICC_TOOL_INTS };
enum { AICC_TOOL_ID, AICC_TOOL_DESCRIPTION, AICC_TOOL_INPUT, AICC_TOOL_OUTPUT, AICC_TOOL_CAPABILITY, AICC_TOOL_ORIGIN, AICC_TOOL_STRS };
enum { AICC_SESSION_MODEL, AICC_SESSION_TOPICS, AICC_SESSION_FIRST_TOKEN_MS, AICC_SESSION_FULL_RESPONSE_MS, AICC_SESSION_INTS };
enum { AICC_EVENT_TOPIC, AICC_EVENT_DELIVERY, AICC_EVENT_MIN_INTERVAL_MS, AICC_EVENT_LAYOUT, AICC_EVENT_INTS };
enum { AICC_CAPABILITY_EVENT, AICC_CAPABILITY_CREATED_AT, AICC_CAPABILITY_TAGS, AICC_CAPABILITY_INTS };

/* ---- what the core's threads call. Bridges are named by their slot, from 1; the slot is the core's from the CREATE record until aicc_core_gone. */

/* Waits until bridges have records, are due by aicc_core_want, or were woken; fills slots with up to cap of them, which are then not given out
 * again before they are due again. Returns how many, at least 1. Calls aicc_guard_look about once a second while there is work or waiting. */
AICC_HIDDEN int32_t aicc_core_wait(uint32_t *slots, int32_t cap);
/* The core has something for this bridge itself (a verdict, a listener's message): it becomes ready. Any thread. */
AICC_HIDDEN void    aicc_core_wake(uint32_t slot);
/* Takes both lanes whole, at one moment. Until the next take of the same bridge the chunks are the caller's to read. *now is the clock after it. */
typedef struct aicc_core_batch {
    const aicc_chunk *messages;     /* chains, or NULL */
    const aicc_chunk *events;
    int64_t           now_ns;
    uint64_t          tick;         /* of the last frame */
} aicc_core_batch;
AICC_HIDDEN void    aicc_core_take(uint32_t slot, aicc_core_batch *out);
/* When this bridge wants to be stepped though no record came (INT64_MAX: never); with the frame clock: of frame time. */
AICC_HIDDEN void    aicc_core_want(uint32_t slot, int64_t at_ns);
/* The slot is done with (DESTROY was stepped): its memory is freed, the slot may be used anew. */
AICC_HIDDEN void    aicc_core_gone(uint32_t slot);
AICC_HIDDEN int64_t aicc_core_now(void);
/* The process options, as of now; from here on aicc_configure refuses what it says it refuses. */
AICC_HIDDEN void    aicc_core_config(aicc_process_options *out);

/* A call for the engine; input is a tape, call_id its text. Returns the call's handle, 0 when there is no room. */
AICC_HIDDEN uint64_t aicc_core_call(uint32_t slot, uint32_t session, uint32_t tool, uint64_t no, uint64_t tick, int64_t deadline_ns,
                                    const void *tape, size_t tape_len, const void *call_id, size_t call_id_len);
/* 1 was queued, 2 was started (an ended item follows), 3 was answered (the record is in the lane or will be). */
AICC_HIDDEN int32_t aicc_core_call_end(uint32_t slot, uint64_t call, int32_t reason);
AICC_HIDDEN void    aicc_core_call_done(uint32_t slot, uint64_t call);
/* Other items: AGENT (reason), FAULT, AGENT_MESSAGE (text), SESSION_CLOSED, TOOL_RELEASED. */
AICC_HIDDEN void    aicc_core_item(uint32_t slot, int32_t kind, uint32_t session, uint32_t tool, int32_t reason, const void *text, size_t len);
AICC_HIDDEN void    aicc_core_message(uint32_t slot, uint32_t session, uint64_t epoch, const void *text, size_t len);
AICC_HIDDEN void    aicc_core_detached(uint32_t slot, uint32_t session, uint64_t epoch);
/* 1: taken; 0: nobody waits any more. error NULL: success. */
AICC_HIDDEN int32_t aicc_core_reply(uint64_t waiter, const aicc_error *error);
AICC_HIDDEN void    aicc_core_log(int32_t level, uint32_t slot, uint32_t session, uint32_t tool, const void *text, size_t len);
/* From when on a payload for the session's next periodic tick is of use; INT64_MAX: it has no such ticks. */
AICC_HIDDEN void    aicc_core_tick_due(uint32_t slot, uint32_t session, int64_t at_ns);
/* What is asked of the core outside of any bridge, one after the other, when aicc_core_wait has given slot 0. NULL: no more; the text is the
 * caller's until the next one. The answer is aicc_core_reply, or aicc_core_reply_text. */
enum { AICC_ASK_VALIDATE = 1, AICC_ASK_IMPORT = 2, AICC_ASK_LAYOUT = 3, AICC_ASK_LISTEN = 4, AICC_ASK_ADDRESS = 5, AICC_ASK_INSPECTOR = 6, AICC_ASK_UNLISTEN = 7,
       AICC_ASK_SHUTDOWN = 8 };
/* The ints of LISTEN; its texts are the address, the token, and so many hosts and origins. The others have one: the listener's number, or the owner. */
enum { AICC_LISTEN_PORT, AICC_LISTEN_OWNER, AICC_LISTEN_SECOND, AICC_LISTEN_INSPECTOR, AICC_LISTEN_FIXED, AICC_LISTEN_HOSTS, AICC_LISTEN_ORIGINS, AICC_LISTEN_INTS };
AICC_HIDDEN const void *aicc_core_ask(int32_t *kind, size_t *len, uint64_t *waiter);
/* A reply that is a text, which is copied. */
AICC_HIDDEN int32_t aicc_core_reply_text(uint64_t waiter, const void *text, size_t len);
/* The 32 bytes that the one who waits has lent for this request. 0: nobody waits any more. */
AICC_HIDDEN int32_t aicc_core_secret(uint64_t waiter, void *out);
/* The listener's wire, from its own threads: each leaves a record and returns. A connection is named by its bridge's handle, the session and the
 * epoch that attach gives; once one of the three is over, the others do nothing. */
AICC_HIDDEN uint64_t aicc_core_bridge(uint32_t slot);                                   /* its handle */
AICC_HIDDEN uint64_t aicc_core_attach(uint64_t bridge, uint32_t session, int32_t flags, const void *wish, size_t len);  /* 0: not now */
AICC_HIDDEN void     aicc_core_begin(uint64_t bridge, uint32_t session, uint64_t epoch);
AICC_HIDDEN int32_t  aicc_core_receive(uint64_t bridge, uint32_t session, uint64_t epoch, const void *text, size_t len);  /* 0: no room, later */
AICC_HIDDEN void     aicc_core_arrived(uint64_t bridge, uint32_t session, uint64_t epoch, uint32_t count);
AICC_HIDDEN void     aicc_core_leave(uint64_t bridge, uint32_t session, uint64_t epoch);
/* The core's own counters, as of the last step, for aicc_bridge_stats. */
typedef struct aicc_core_counters {
    uint64_t calls, calls_failed, calls_timed_out, calls_refused, messages_in, messages_out, messages_bad, events_dropped, values_bad;
    int32_t  calls_in_flight, reserved;
} aicc_core_counters;
AICC_HIDDEN void    aicc_core_stats(uint32_t slot, const aicc_core_counters *counters);
/* Bridges whose slot is not free yet: open, closed, or destroyed and not gone. */
AICC_HIDDEN int32_t aicc_core_live(void);

#endif
