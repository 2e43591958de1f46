/* aicc.h: the game's side of aicc/0.1, the AI-Controlled Character Protocol. If it is not here, it is not API.
 *
 * A game with one character that an agent plays needs this page and no more:
 *
 *   1  aicc_bridge_create        one world
 *   2  aicc_tool_register        what a character can sense, do and make: a JSON Schema and a C function each
 *   3  aicc_session_open         one character's seat
 *   4  aicc_bridge_pump          once a frame, on the thread that owns the game: runs the functions of the calls that came in
 *   5  aicc_listen              agents connect by WebSocket; or else aicc_session_attach, aicc_session_receive, aicc_bridge_next_message:
 *                                bytes from and to the agent, over any wire you have
 *
 * Threads.   Every function may be called from any thread. aicc_bridge_frame, aicc_bridge_next and aicc_bridge_pump: one thread at a time per
 *            bridge; aicc_bridge_next_message: one thread at a time per bridge, the same or another. Nothing calls you back but
 *            aicc_bridge_pump, on its caller's thread, with no lock held, and from there you may call everything.
 * Waiting.   aicc_bridge_create, aicc_tool_register, aicc_layout_define and aicc_bridge_flush wait for the core (some microseconds, at most 5 s), and
 *            so do those of listeners and of capabilities (milliseconds); with AICC_CLOCK_FRAME also aicc_bridge_frame and aicc_bridge_pump. No other function waits.
 * Memory.    What you pass in is borrowed for the call. What comes out is copied into your buffer, or borrowed until your callback returns or
 *            you ask for the next item. There is nothing to free. Text that comes out has a NUL behind its last byte, which *len does not count
 *            but your buffer needs a place for: cap must be at least *len + 1. Smaller: AICC_E_SMALL, *len is set, nothing is consumed.
 * Time.      *_ms is milliseconds and *_ns nanoseconds of the library's monotonic clock.
 * Status.    0 is good, negative an error, positive an outcome that is no error. Where a function takes an aicc_error, it may be NULL.
 * Errors that any function may return and that are not repeated at each: AICC_E_ARG (a null or an out-of-range argument), AICC_E_HANDLE (a
 *            zero, stale or foreign handle), AICC_E_STATE in a forked child (there is no core there), AICC_E_FULL when memory is exhausted.
 * Structs    that begin with struct_size are filled by their ..._init function, which writes no more than the size it was given; then set
 *            what you want otherwise. Fields are only ever appended. Booleans and enums are int32_t.
 *
 * docs/abi.md and docs/threads.md say the rest: ownership, shutdown, forks, signals.
 */
#ifndef AICC_H
#define AICC_H

#include <stddef.h>
#include <stdint.h>

#define AICC_ABI_MAJOR 0u           /* changes when anything below changes incompatibly; 0: not frozen yet */
#define AICC_ABI_MINOR 2u           /* rises with every function or field that is added */
#define AICC_ABI ((AICC_ABI_MAJOR << 16) | AICC_ABI_MINOR)
/* Does a library of version `lib` (aicc_abi()) serve a program that was compiled with this header? */
#define AICC_ABI_FITS(lib) (((lib) >> 16) == AICC_ABI_MAJOR && ((lib) & 0xffffu) + 1u > AICC_ABI_MINOR)

#if defined(_WIN32)
#  define AICC_CALL __cdecl
#  if defined(AICC_BUILD)
#    define AICC_API __declspec(dllexport)
#  else
#    define AICC_API __declspec(dllimport)
#  endif
#else
#  define AICC_CALL
#  define AICC_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ basics */

/* A view of text in UTF-8. len AICC_NTS: up to the NUL. len 0: not given, whatever ptr is. */
typedef struct aicc_str {
    const char *ptr;
    size_t      len;
} aicc_str;
#define AICC_NTS SIZE_MAX

static inline aicc_str aicc_s(const char *text)                { aicc_str s; s.ptr = text; s.len = text ? AICC_NTS : 0; return s; }
static inline aicc_str aicc_sn(const char *text, size_t bytes) { aicc_str s; s.ptr = text; s.len = bytes; return s; }

typedef int32_t aicc_status;
enum {
    AICC_OK            = 0,
    AICC_EMPTY         = 1,         /* there is nothing (more) to give */
    AICC_ABSENT        = 2,         /* no such member, or it is null: *out is untouched, so it may hold your default */
    AICC_GONE          = 3,         /* the call had ended already: your answer was not needed */
    AICC_PENDING       = 4,         /* a tool's function returns it: the answer comes later, from any thread */
    AICC_PARTIAL       = 5,         /* some of it: the function says what became of the rest */
    AICC_E_ARG         = -1,        /* null, out of range, a struct_size smaller than any version's (of a larger one the unknown end is not read) */
    AICC_E_HANDLE      = -2,        /* zero, stale or foreign */
    AICC_E_STATE       = -3,        /* not now: closed already, attached already, not attached, a forked child */
    AICC_E_FULL        = -4,        /* a bounded queue or table is full, or memory is */
    AICC_E_SMALL       = -5,        /* your buffer; it takes *len + 1 bytes */
    AICC_E_TYPE        = -6,        /* the member is there and is something else */
    AICC_E_RANGE       = -7,        /* a number that the type asked for cannot hold */
    AICC_E_SCHEMA      = -8,        /* a JSON Schema that cannot be used; aicc_error.pointer says where */
    AICC_E_JSON        = -9,        /* not JSON */
    AICC_E_NAME        = -10,       /* a name of the wrong form, or taken */
    AICC_E_TIME        = -11,       /* the time that you gave was not enough */
    AICC_E_INTERNAL    = -12,       /* the core did not answer in 5 s, or a fault of this library */
    AICC_E_UNSUPPORTED = -13,       /* this build has not got it: aicc_features */
    AICC_E_IO          = -14        /* the system refused: a port that is taken, for instance */
};

/* The name of a status, "AICC_E_HANDLE", for logs. Never NULL. */
AICC_API const char *AICC_CALL aicc_status_name(aicc_status status);

/* Filled completely by a function that returns an error; cleared otherwise. */
typedef struct aicc_error {
    aicc_status status;
    int32_t     reserved;
    uint64_t    offset;             /* byte offset into the text given, or 0 */
    char        field[48];          /* which argument or option: "input_schema" */
    char        pointer[144];       /* JSON Pointer within it, when it is JSON */
    char        message[304];       /* what is wrong and what to do */
} aicc_error;

/* Handles. Zero is none. A stale one gives AICC_E_HANDLE. Values are never reused within a process for any practical length of time. */
typedef struct aicc_bridge  { uint64_t id; } aicc_bridge;   /* one environment: tools, characters, a frame */
typedef struct aicc_toolset { uint64_t id; } aicc_toolset;  /* a scope of tool ids, for kinds of characters; a session holds up to 8 */
typedef struct aicc_tool    { uint64_t id; } aicc_tool;     /* one sensor, actuator or generator */
typedef struct aicc_session { uint64_t id; } aicc_session;  /* one character's seat, from spawn to despawn; agents come and go in it */
typedef struct aicc_call    { uint64_t id; } aicc_call;     /* one tool call in flight */
typedef struct aicc_event   { uint64_t id; } aicc_event;    /* one kind of event */
typedef struct aicc_layout  { uint64_t id; } aicc_layout;   /* a struct's fields; of the process, never stale */
typedef struct aicc_listener { uint64_t id; } aicc_listener; /* one port, by which agents reach many bridges */

/* Which part of the program owns a bridge: any number of yours. aicc_shutdown(owner) ends its own and nobody else's. */
typedef uint64_t aicc_owner;

/* ------------------------------------------------------------------------------------------------ the library */

AICC_API uint32_t    AICC_CALL aicc_abi(void);       /* (major << 16) | minor of the library; bindings ask first: AICC_ABI_FITS(aicc_abi()) */
AICC_API const char *AICC_CALL aicc_version(void);   /* "0.1.0" */
enum { AICC_FEATURE_LISTEN = 1, AICC_FEATURE_INSPECTOR = 2 };
AICC_API uint64_t    AICC_CALL aicc_features(void);  /* AICC_FEATURE_* that this build has */

enum { AICC_DEBUG = 1, AICC_INFO = 2, AICC_WARN = 3, AICC_ERROR = 4 };

typedef struct aicc_process_options {
    uint32_t struct_size;
    int32_t  max_threads;           /* of the core at work at once, 1 to 64; default 2 */
    int64_t  memory_limit;          /* soft, of the core's heap, bytes, at least 16 MiB; default 256 MiB */
    int32_t  log_level;             /* the least level that is kept; default AICC_INFO */
    int32_t  log_stderr;            /* 1: each line also goes to stderr, at once. The environment's AICC_LOG=stderr does the same. Default 0 */
} aicc_process_options;
AICC_API void        AICC_CALL aicc_process_options_init(aicc_process_options *options, size_t size);
/* Takes effect at once for the log, for the rest with the first bridge; after that AICC_E_STATE. */
AICC_API aicc_status AICC_CALL aicc_configure(const aicc_process_options *options, aicc_error *error);

/* The log is pulled: from any thread, before the first bridge and after the last. It keeps the last 1,024 lines. */
typedef struct aicc_log {
    uint32_t     struct_size;       /* set it to sizeof (aicc_log) */
    int32_t      level;
    int64_t      time_ns;
    uint64_t     lost;              /* lines that were lost before this one because nobody asked for them */
    aicc_bridge  bridge;            /* or 0 */
    aicc_session session;           /* or 0 */
    aicc_tool    tool;              /* or 0 */
} aicc_log;
/* The oldest line. AICC_EMPTY: none. AICC_E_SMALL as everywhere; 2,048 bytes are always enough. log may be NULL. */
AICC_API aicc_status AICC_CALL aicc_log_next(aicc_log *log, char *buf, size_t cap, size_t *len);

/* Ends (as aicc_bridge_destroy does) every bridge of this owner, and its listeners; 0: all there are. Never waits. */
AICC_API aicc_status AICC_CALL aicc_shutdown(aicc_owner owner);

/* ------------------------------------------------------------------------------------------------ a bridge: one world */

enum { AICC_WORLD_2D = 1, AICC_WORLD_3D = 2, AICC_WORLD_TEXT = 3, AICC_WORLD_ABSTRACT = 4 };
enum { AICC_TICK_FIXED = 1, AICC_TICK_EVENT = 2, AICC_TICK_HYBRID = 3 };
enum {
    AICC_CLOCK_LIBRARY = 0,         /* real time */
    AICC_CLOCK_FRAME   = 1          /* time is aicc_frame.now_ns, and a frame waits for the core: the same calls from one thread give the same
                                       bytes (give a seed too). For headless runs, tests, training, replay */
};

typedef struct aicc_bridge_options {
    uint32_t   struct_size;
    int32_t    kind;                /* AICC_WORLD_*; default AICC_WORLD_3D */
    aicc_str   name;                /* the world's name, required, at most 256 bytes */
    aicc_owner owner;               /* default 0 */
    int32_t    replace;             /* 1: a bridge of the same owner and name is ended first, as after a reload that went wrong; default 0 */
    int32_t    tick_mode;           /* AICC_TICK_*; default AICC_TICK_HYBRID */
    double     tick_rate_hz;        /* above 0, at most 1,000; default 10 */
    int32_t    clock;               /* AICC_CLOCK_*; default AICC_CLOCK_LIBRARY */
    int32_t    debug;               /* 1: an output that breaks its schema also comes as AICC_ITEM_FAULT; default 0 */
    uint64_t   seed;                /* of all ids; 0: from the system's randomness. A fixed one makes ids guessable: not for players */
    int64_t    queue_bytes;         /* engine to core, each of its two lanes; 64 KiB to 1 GiB; default 4 MiB */
    int64_t    outbox_bytes;        /* what may wait in the core to be sent, per session; 4 KiB to 64 MiB; default 512 KiB. (Up to 1 MiB a bridge
                                       more waits outside, to be taken by you.) When it is full events go first, then the agent is detached */
    int64_t    heartbeat_ms;        /* 100 to 3,600,000; default 15,000 */
    int64_t    idle_ms;             /* an agent that has sent heartbeats and falls silent this long is detached; 0: never; default 45,000 */
    int64_t    resume_window_ms;    /* how long a character is kept for its agent; 0 to 86,400,000; default 120,000 */
    int32_t    any_tick_rate;       /* 1: periodic ticks come at tick_rate_hz whatever the agent's model is; default 0: at its pace */
    int32_t    max_calls_in_flight; /* per session; 1 to 16; default 16 */
    int32_t    max_call_id_bytes;   /* 1 to 256; default 256 */
    int32_t    max_tool_id_bytes;   /* 1 to 64; default 64 */
    int64_t    max_description_bytes; /* of a tool; 1 to 65,536; default 65,536 */
    int64_t    max_manifest_bytes;  /* what a session_init may take; 32 KiB to 1 MiB; default 1 MiB */
    int64_t    max_output_bytes;    /* of a tool, over it: internal_error; 1 KiB to 256 KiB; default 256 KiB */
    aicc_listener listener;         /* by which agents reach this bridge, under its name; default 0: the wire is yours. Not with AICC_CLOCK_FRAME */
} aicc_bridge_options;
AICC_API void        AICC_CALL aicc_bridge_options_init(aicc_bridge_options *options, size_t size);

/* Waits for the core. *out is 0 on error.
 * AICC_E_NAME: no name, too long, not UTF-8, or another bridge of the listener has it. AICC_E_ARG: a field is out of range (error.field).
 * AICC_E_FULL: 4,096 bridges. */
AICC_API aicc_status AICC_CALL aicc_bridge_create(const aicc_bridge_options *options, aicc_bridge *out, aicc_error *error);

/* Ends politely: fails the calls that are open (your answers get AICC_GONE), queues a session_close for each agent, takes no more messages
 * (AICC_E_STATE from then on, but from frame, next, pump, next_message, flush, stats and destroy). Flush, drain aicc_bridge_next_message, destroy. Never waits. */
AICC_API aicc_status AICC_CALL aicc_bridge_close(aicc_bridge bridge);

/* Ends at once: what is queued either way is dropped, every handle of the bridge is stale when this returns, all user_data are yours again.
 * From a tool's function too. Never waits. */
AICC_API aicc_status AICC_CALL aicc_bridge_destroy(aicc_bridge bridge);
AICC_API int32_t     AICC_CALL aicc_bridge_valid(aicc_bridge bridge);     /* 1 or 0 */

/* ------------------------------------------------------------------------------------------------ reading a value */

enum {
    AICC_KIND_NULL = 1, AICC_KIND_BOOL = 2,
    AICC_KIND_INTEGER = 3,          /* a whole number that fits int64_t, also written 3.0 or 1e3 */
    AICC_KIND_NUMBER = 4, AICC_KIND_STRING = 5, AICC_KIND_ARRAY = 6, AICC_KIND_OBJECT = 7
};

/* A place in a parsed JSON text. Copying the struct copies the place, not the text. All zero: no value, and every function says AICC_ABSENT. */
typedef struct aicc_value {
    const void *tape;
    uint32_t    at;
    int32_t     kind;               /* AICC_KIND_* */
} aicc_value;

/* `pointer` is a JSON Pointer from the value: "/target/x"; not given: the value itself; text that does not begin with / is taken with one
 * before it: "speed". AICC_ABSENT: there is no such member, or it is null. AICC_E_TYPE: it is something else. AICC_E_RANGE: it does not fit.
 * AICC_E_NAME: the pointer is malformed. In all of these *out is left alone. */
AICC_API aicc_status AICC_CALL aicc_value_number (const aicc_value *value, aicc_str pointer, double *out);   /* beyond 2^53 the nearest double */
AICC_API aicc_status AICC_CALL aicc_value_integer(const aicc_value *value, aicc_str pointer, int64_t *out);  /* AICC_E_TYPE: not a whole number */
AICC_API aicc_status AICC_CALL aicc_value_bool   (const aicc_value *value, aicc_str pointer, int32_t *out);
AICC_API aicc_status AICC_CALL aicc_value_string (const aicc_value *value, aicc_str pointer, aicc_str *out);  /* borrowed as the tape is; may hold NULs if the text did */
AICC_API aicc_status AICC_CALL aicc_value_count  (const aicc_value *value, aicc_str pointer, size_t *out);    /* members of an object, elements of an array */
AICC_API aicc_status AICC_CALL aicc_value_find   (const aicc_value *value, aicc_str pointer, aicc_value *out); /* null is found: AICC_KIND_NULL */
/* An array of numbers, a position for instance. *count is how many there are; AICC_E_SMALL: more than cap, none were written. */
AICC_API aicc_status AICC_CALL aicc_value_numbers(const aicc_value *value, aicc_str pointer, double *out, size_t cap, size_t *count);
/* Walks an object's members or an array's elements: *place starts at 0. key may be NULL and is not given in arrays. AICC_EMPTY: no more.
 * AICC_E_TYPE: neither array nor object. AICC_E_ARG: *place is none of this value's. */
AICC_API aicc_status AICC_CALL aicc_value_next   (const aicc_value *value, uint32_t *place, aicc_str *key, aicc_value *out);
AICC_API aicc_status AICC_CALL aicc_value_json   (const aicc_value *value, aicc_str pointer, char *buf, size_t cap, size_t *len); /* its JSON text, of a null too */
/* A tape is flat: copy one to keep it past your callback or to send it to lockstep peers, and open it there, which checks every byte of it:
 * AICC_E_JSON when it is damaged or len is not its whole size. The check is against accidents and gives no authenticity. The buffer of an
 * opened tape must be aligned to 8 (AICC_E_ARG) and stay as it is while values of it are used. */
AICC_API aicc_status AICC_CALL aicc_value_copy   (const aicc_value *value, void *buf, size_t cap, size_t *len);
AICC_API aicc_status AICC_CALL aicc_value_open   (const void *buf, size_t len, aicc_value *out);

/* ------------------------------------------------------------------------------------------------ tools */

enum { AICC_SENSOR = 1, AICC_ACTUATOR = 2, AICC_GENERATOR = 3 };

/* A call to run. Borrowed until the tool's function returns, or until the next aicc_bridge_next or aicc_bridge_pump of this bridge. */
typedef struct aicc_request {
    uint32_t     struct_size;
    int32_t      reserved;
    aicc_bridge  bridge;
    aicc_session session;
    aicc_tool    tool;
    aicc_call    call;
    void        *session_user;      /* aicc_session_options.user_data */
    uint64_t     tick;              /* the frame at which the call reached the core */
    int64_t      deadline_ns;       /* INT64_MAX: none */
    aicc_value   input;             /* an object that the tool's input schema accepts, defaults filled in */
    aicc_str     tool_id;
    aicc_str     call_id;           /* the agent's name for this call, for logs */
} aicc_request;

/* Returns AICC_OK: answered with aicc_call_succeed or aicc_call_fail, or else `{}` is the answer. AICC_PENDING: the answer comes later.
 * Negative: the call fails with execution_failed and that status's name, unless it was answered or is over. Anything else is taken as
 * AICC_E_ARG, so `return aicc_call_succeed(...)` is good style.
 * May call anything in this header, also destroy the bridge; after a frame, next or pump of its own bridge *request is gone. May throw or
 * longjmp: then the call stays open until it is answered or its time is over. */
typedef aicc_status (AICC_CALL *aicc_tool_fn)(const aicc_request *request, void *user_data);

typedef struct aicc_tool_options {
    uint32_t     struct_size;
    int32_t      cls;               /* AICC_SENSOR, AICC_ACTUATOR or AICC_GENERATOR; required */
    aicc_str     id;                /* [a-z][a-z0-9_]*, at most 64 bytes, unique in its set; required */
    aicc_str     description;       /* for the agent: what it does, what else happens; at most 64 KiB; required */
    aicc_str     input_schema;      /* JSON Schema 2020-12 (or draft-07 by $schema) of an object; not given: takes no members */
    aicc_str     output_schema;     /* the same; not given: any object */
    int32_t      calls_per_minute;  /* per session, in any 60 s, at most 10,000; 0: no limit */
    int32_t      calls_per_session; /* accepted calls; 0: no limit */
    int32_t      max_in_flight;     /* per session, at most 16; 0: 16 */
    int32_t      strict_input;      /* 1: members that the schema does not declare are refused, else dropped; and no repair of near misses */
    aicc_str     requires_capability; /* a name the session must hold, or calls get tool_unavailable; not given: none */
    int32_t      while_paused;      /* 1: delivered in paused frames too; default 0 */
    int32_t      no_repair;         /* 1: "3" for 3 and its like are refused; default 0: mended and reported in meta.repaired */
    aicc_toolset set;               /* 0: the bridge's own set, which every session holds */
    int32_t      hide_without_capability; /* 1: not in the manifest of a session that lacks requires_capability; default 0: there, for plans */
    int32_t      reserved;
    int64_t      timeout_ms;        /* from receipt; 1 to 86,400,000; -1: none; default 30,000 */
    aicc_tool_fn fn;                /* what aicc_bridge_pump calls; NULL: the call comes as AICC_ITEM_CALL */
    void        *user_data;         /* any value; comes back to fn. Yours again with AICC_ITEM_TOOL_RELEASED */
    aicc_layout  input_layout;      /* instead of input_schema: its schema; read the input with aicc_value_struct */
    aicc_layout  output_layout;     /* instead of output_schema: its schema; answer with aicc_call_succeed_struct */
    int64_t      max_input_bytes;   /* of a call's input as it came: one that is larger is answered invalid_input. 0: no bound but the protocol's; not 1 */
    int64_t      max_output_bytes;  /* of an output as you gave it: a larger one is withheld and logged as one that breaks its schema. The same */
    int64_t      max_concurrent;    /* calls in flight over all sessions of the bridge; one more is tool_unavailable, retryable. 0: no bound */
} aicc_tool_options;
AICC_API void        AICC_CALL aicc_tool_options_init(aicc_tool_options *options, size_t size);

/* Waits for the core, which compiles the schemas. Agents that are connected learn of the tool. *out is 0 on error.
 * AICC_E_SCHEMA, AICC_E_JSON: a schema, see error.pointer and error.offset. AICC_E_NAME: the id is malformed or taken, or the description
 * is missing. AICC_E_STATE: the bridge is closed. AICC_E_FULL: 1,024 tools, or the manifest would pass 1 MiB. */
AICC_API aicc_status AICC_CALL aicc_tool_register(aicc_bridge bridge, const aicc_tool_options *options, aicc_tool *out, aicc_error *error);
/* Changes all of it but its id, class and set (options.id may be left out): the handle stays, and so do the calls in flight. What `fn` and
 * user_data were is yours when this returns, if no other thread is pumping. Waits for the core. Statuses as aicc_tool_register. */
AICC_API aicc_status AICC_CALL aicc_tool_update(aicc_tool tool, const aicc_tool_options *options, aicc_error *error);
/* 0: not in the manifest, its calls are refused with tool_unavailable; those in flight go on. 1: as it was. Never waits. */
AICC_API aicc_status AICC_CALL aicc_tool_set_enabled(aicc_tool tool, int32_t enabled);
/* No more calls reach it: the queued ones fail, the started ones end (AICC_ITEM_CALL_ENDED). Its user_data comes back with
 * AICC_ITEM_TOOL_RELEASED; until then its handle only names it. Never waits. */
AICC_API aicc_status AICC_CALL aicc_tool_unregister(aicc_tool tool);

/* Sets let a guard and a merchant both have a move_to, and give a thousand characters the same tools at the cost of one. name is for the log,
 * at most 128 bytes. Never waits. AICC_E_FULL: 64 sets. */
AICC_API aicc_status AICC_CALL aicc_toolset_create(aicc_bridge bridge, aicc_str name, aicc_toolset *out, aicc_error *error);
/* Its tools go as by aicc_tool_unregister, sessions no longer hold it. Never waits. */
AICC_API aicc_status AICC_CALL aicc_toolset_destroy(aicc_toolset set);

/* ------------------------------------------------------------------------------------------------ sessions: the characters */

enum {
    AICC_TOPIC_TICK = 1, AICC_TOPIC_COLLISION = 2, AICC_TOPIC_AUDIO = 4, AICC_TOPIC_STATE_CHANGE = 8, AICC_TOPIC_AGENT_MESSAGE = 16,
    AICC_TOPIC_ALL = 31
};
enum { AICC_EDGE_SMALL = 1, AICC_EDGE_MEDIUM = 2, AICC_CLOUD_MEDIUM = 3, AICC_CLOUD_LARGE = 4 };

typedef struct aicc_session_options {
    uint32_t        struct_size;
    int32_t         model_class;    /* AICC_EDGE_SMALL ... of the agent that plays; default AICC_CLOUD_MEDIUM */
    aicc_str        name;           /* of the character, at most 128 bytes, unique in the bridge; not given: none */
    int32_t         topics;         /* AICC_TOPIC_* that its agent is subscribed to; default AICC_TOPIC_ALL. AICC_TOPIC_TICK comes by itself,
                                       {"tick":n,"time":seconds} if you emit none, at the agent's pace (docs/protocol.md, 5.14) */
    int32_t         expected_first_token_ms;   /* the agent's, 0: undeclared */
    int32_t         expected_full_response_ms; /* the agent's, 0: undeclared; ticks come no faster than this */
    int32_t         reserved;
    const aicc_str *capabilities;   /* names the session holds, for tools with requires_capability; at most 64, each at most 64 bytes */
    size_t          capabilities_count;
    void           *user_data;      /* any value; comes with each request. Yours again with AICC_ITEM_SESSION_CLOSED */
    const aicc_toolset *toolsets;   /* held besides the bridge's own; two with a tool of the same id: the earlier one's counts */
    size_t          toolsets_count; /* at most 7 */
} aicc_session_options;
AICC_API void        AICC_CALL aicc_session_options_init(aicc_session_options *options, size_t size);

/* Never waits: the handle is good at once. AICC_E_NAME: the name is too long, not UTF-8, or taken. AICC_E_FULL: 65,536 sessions, or the queue.
 * AICC_E_STATE: the bridge is closed. */
AICC_API aicc_status AICC_CALL aicc_session_open(aicc_bridge bridge, const aicc_session_options *options, aicc_session *out, aicc_error *error);
/* Fails what is open, sends session_close with the reason (its first 256 bytes) to the agent that is attached (its last messages still come from
 * aicc_bridge_next_message), gives AICC_ITEM_SESSION_CLOSED. The handle is stale when this returns. Never waits. */
AICC_API aicc_status AICC_CALL aicc_session_close(aicc_session session, aicc_str reason);
/* 1: this character's tool deadlines stand still, its calls wait unless their tool says while_paused, no ticks; heartbeats go on. 0: goes on. AICC_E_FULL: the queue. */
AICC_API aicc_status AICC_CALL aicc_session_set_paused(aicc_session session, int32_t paused);
/* These change what the agent may use; it is told within a second (manifest_update), and its calls are judged by it at once. Never wait. */
AICC_API aicc_status AICC_CALL aicc_session_grant(aicc_session session, aicc_str capability, int32_t held);  /* 1: holds it; 0: no longer */
AICC_API aicc_status AICC_CALL aicc_session_set_topics(aicc_session session, int32_t topics);                /* AICC_TOPIC_* */
AICC_API aicc_status AICC_CALL aicc_session_set_toolsets(aicc_session session, const aicc_toolset *toolsets, size_t count);
/* A save was loaded, the character died and is back: its calls end (AICC_ENDED_RESET), waiting events are dropped, limits begin anew, and an
 * agent that is there goes on under a new session id. Never waits. */
AICC_API aicc_status AICC_CALL aicc_session_reset(aicc_session session, aicc_str reason);
AICC_API int32_t     AICC_CALL aicc_session_has_agent(aicc_session session);   /* 1 or 0; an atomic read */

/* ------------------------------------------------------------------------------------------------ each frame */

enum { AICC_FRAME_PAUSED = 1 };     /* as aicc_session_set_paused, for every character */

typedef struct aicc_frame {
    uint32_t struct_size;           /* set it to sizeof (aicc_frame), the rest to 0 */
    int32_t  flags;                 /* AICC_FRAME_* */
    uint64_t tick;                  /* your frame number: comes out as meta.tick; may repeat and go back */
    int64_t  now_ns;                /* with AICC_CLOCK_FRAME the time, never going back; else ignored */
    int32_t  max_items;             /* of aicc_bridge_pump; 0: all */
    int32_t  budget_us;             /* of aicc_bridge_pump: start no callback after this, but the first; 0: no bound */
} aicc_frame;

/* What came of it. Items of one session come in their order, sessions take turns. */
enum {
    AICC_ITEM_CALL = 1,             /* request: run it. From aicc_bridge_next always; from aicc_bridge_pump when the tool has no function */
    AICC_ITEM_CALL_ENDED = 2,       /* call, tool, reason: a call that you had started ended without you: stop working on it */
    AICC_ITEM_AGENT = 3,            /* session, reason: AICC_AGENT_* */
    AICC_ITEM_SESSION_CLOSED = 4,   /* session (stale), session_user: yours again; nothing names it after this */
    AICC_ITEM_TOOL_RELEASED = 5,    /* tool (stale), tool_user: yours again; nothing names it after this */
    AICC_ITEM_FAULT = 6,            /* debug bridges: tool, session, text: an output that breaks its schema, where and how */
    AICC_ITEM_AGENT_MESSAGE = 7     /* session, text: the payload of an agent_message event that the agent sent; 64 a session may wait */
};
enum {
    AICC_AGENT_CONNECTED = 1,       /* one has the seat, a new one or one that goes on */
    AICC_AGENT_DETACHED = 2,        /* its connection is gone; its session is kept for resume_window_ms */
    AICC_AGENT_RESUMED = 3,         /* it came back with session_resume */
    AICC_AGENT_GONE = 4             /* it will not come back: it said session_close, its time is over, or another has the seat */
};
enum { AICC_ENDED_TIMEOUT = 1, AICC_ENDED_SESSION = 2, AICC_ENDED_TOOL = 3, AICC_ENDED_BRIDGE = 4, AICC_ENDED_AGENT = 5, AICC_ENDED_RESET = 6 };

typedef struct aicc_item {
    uint32_t            struct_size; /* set it to sizeof (aicc_item) before aicc_bridge_next */
    int32_t             kind;        /* AICC_ITEM_* */
    int32_t             reason;
    int32_t             reserved;
    aicc_session        session;     /* or 0 */
    aicc_tool           tool;        /* or 0 */
    aicc_call           call;        /* or 0 */
    void               *session_user;
    void               *tool_user;
    void               *call_user;   /* aicc_call_set_user_data */
    const aicc_request *request;     /* AICC_ITEM_CALL, else NULL */
    aicc_str            text;
} aicc_item;
typedef void (AICC_CALL *aicc_item_fn)(const aicc_item *item, void *user_data);

/* Tells the core of the frame. No callbacks. frame may be NULL: an unpaused frame, one tick after the last (not with AICC_CLOCK_FRAME).
 * AICC_E_INTERNAL with AICC_CLOCK_FRAME: the core did not answer in 5 s. */
AICC_API aicc_status AICC_CALL aicc_bridge_frame(aicc_bridge bridge, const aicc_frame *frame);
/* The next item, which is consumed: run its request, or take note. AICC_EMPTY: no more. What it lends is yours until the next one. */
AICC_API aicc_status AICC_CALL aicc_bridge_next(aicc_bridge bridge, aicc_item *item);
/* aicc_bridge_frame, then aicc_bridge_next in a loop: calls go to their tool's function, everything else to `other` (may be NULL).
 * Also good when a callback destroyed the bridge. With nothing to do it is a few loads. */
AICC_API aicc_status AICC_CALL aicc_bridge_pump(aicc_bridge bridge, const aicc_frame *frame, aicc_item_fn other, void *user_data);
/* Returns once the core has worked off all that was given to it before, and what came of it can be read: items all, messages as long as less
 * than 1 MiB of them waits for aicc_bridge_next_message. AICC_E_TIME: not within timeout_ms (0 to 60,000). */
AICC_API aicc_status AICC_CALL aicc_bridge_flush(aicc_bridge bridge, int64_t timeout_ms);

/* ------------------------------------------------------------------------------------------------ answering a call: any thread, once */

enum {
    AICC_CODE_TOOL_UNAVAILABLE = 1, AICC_CODE_INVALID_INPUT = 2, AICC_CODE_EXECUTION_FAILED = 3, AICC_CODE_TIMEOUT = 4, AICC_CODE_INTERNAL_ERROR = 5
};
/* output: a JSON object that the output schema accepts; not given: `{}`. What breaks JSON or the schema goes to the agent as internal_error
 * and to your log with tool, pointer and reason. AICC_GONE: the call had ended; nothing was sent, and that is no fault.
 * AICC_E_STATE: it was never delivered. AICC_E_RANGE: output is over 256 KiB; the call stays open. */
AICC_API aicc_status AICC_CALL aicc_call_succeed(aicc_call call, aicc_str output);
/* The deadline is timeout_ms from now (1 to 86,400,000; -1: none): it takes longer than thought. AICC_GONE as above. */
AICC_API aicc_status AICC_CALL aicc_call_extend(aicc_call call, int64_t timeout_ms);
/* message: for the agent, what went wrong and what to try; not given: the code's name. At most 4 KiB are kept. AICC_GONE as above. */
AICC_API aicc_status AICC_CALL aicc_call_fail(aicc_call call, int32_t code, aicc_str message, int32_t retryable);
AICC_API int32_t     AICC_CALL aicc_call_alive(aicc_call call);                         /* 1: started and not ended; an atomic read */
AICC_API aicc_status AICC_CALL aicc_call_set_user_data(aicc_call call, void *user_data); /* comes back in AICC_ITEM_CALL_ENDED. AICC_GONE as above */

/* ------------------------------------------------------------------------------------------------ events */

enum { AICC_LATEST = 1, AICC_EACH = 2 };   /* newest wins; or each one counts */

typedef struct aicc_event_options {
    uint32_t struct_size;
    int32_t  topic;                 /* one AICC_TOPIC_*; required */
    aicc_str kind;                  /* a constant member "kind" put first into each payload, at most 64 bytes; not given: none */
    int32_t  delivery;              /* AICC_LATEST or AICC_EACH; 0, the default: LATEST for tick, EACH for the others */
    int32_t  min_interval_ms;       /* to one agent no faster than this (of each key): LATEST wait, EACH are dropped; at most 3,600,000; 0: no bound */
    aicc_layout layout;             /* emitted as this struct with aicc_event_emit; 0: as JSON */
} aicc_event_options;
AICC_API void        AICC_CALL aicc_event_options_init(aicc_event_options *options, size_t size);
/* Lives as long as the bridge. Never waits. AICC_E_FULL: 256 kinds of events. */
AICC_API aicc_status AICC_CALL aicc_event_define(aicc_bridge bridge, const aicc_event_options *options, aicc_event *out, aicc_error *error);
/* payload: a JSON object, at most 64 KiB; checked in the core: a bad one is dropped, counted and logged. session 0: to every session.
 * Sent to agents that are subscribed to the topic. AICC_EMPTY: nobody is, nothing was queued. AICC_E_FULL: dropped and counted.
 * AICC_E_RANGE: the payload is over its bound. */
AICC_API aicc_status AICC_CALL aicc_event_json(aicc_event event, aicc_session session, aicc_str payload);
/* Caused by a call, its progress for instance: sent whatever the subscriptions are, before the call's result. AICC_GONE: the call had ended. */
AICC_API aicc_status AICC_CALL aicc_event_reply_json(aicc_event event, aicc_call cause, aicc_str payload);

/* ------------------------------------------------------------------------------------------------ structs instead of JSON */

/* Say once where a struct has its fields, then hand structs over: events cost the engine's thread a copy, and become JSON in the core, when
 * they are sent. Text in a struct is checked and repaired as aicc_write_string does; NaN, infinities and an enum's values without a name become
 * null, counts and texts beyond `count` are held to it: aicc_stats.values_bad counts all of it. */
enum {
    AICC_F32 = 1, AICC_F64 = 2, AICC_I8 = 3, AICC_U8 = 4, AICC_I16 = 5, AICC_U16 = 6, AICC_I32 = 7, AICC_U32 = 8, AICC_I64 = 9, AICC_U64 = 10,
    AICC_BOOL8 = 11, AICC_BOOL32 = 12,  /* C's bool; Win32's and C#'s */
    AICC_CHARS = 13,                /* char[count]: up to the NUL, or as long as the count field says */
    AICC_TEXT = 14,                 /* an aicc_str, of which at most count bytes are taken; they are copied when the struct is given */
    AICC_ENUM8 = 15, AICC_ENUM16 = 16, AICC_ENUM32 = 17,   /* an unsigned number i, which is the string names[i] */
    AICC_STRUCT = 18                /* the struct of another layout, element */
};
enum {
    AICC_FIELD_STRING = 1,          /* a 64-bit integer as a string of digits, for agents whose numbers are doubles */
    AICC_FIELD_OMIT_EMPTY = 2,      /* left out when it is 0, false, "" or has no elements */
    AICC_FIELD_KEY = 4              /* LATEST: the newest counts for each value of this one integer, enum or text */
};
typedef struct aicc_field {
    aicc_str        name;           /* dots make objects: "position.x". At most 128 bytes; required */
    uint32_t        offset;         /* offsetof */
    int32_t         type;           /* AICC_F32 ...; required */
    uint32_t        count;          /* 0: one value; n: an array of n. CHARS and TEXT: bytes; required */
    uint32_t        stride;         /* of an array, from one element to the next; 0: packed */
    int32_t         count_offset;   /* with count_type: where the struct says how many are used */
    int32_t         count_type;     /* AICC_U8, AICC_U16, AICC_I32 or AICC_U32; 0: all are used */
    int32_t         decimals;       /* of a float, 1 to 9: rounded; 0: the shortest text that reads back the same */
    int32_t         flags;          /* AICC_FIELD_* */
    aicc_layout     element;        /* AICC_STRUCT */
    const aicc_str *names;          /* of an enum: value i is names[i]; one that is not given: the value is not used */
    uint32_t        names_count;    /* at most 1,024 */
    uint32_t        reserved;
} aicc_field;
typedef struct aicc_layout_options {
    uint32_t          struct_size;
    uint32_t          field_size;   /* sizeof (aicc_field); required */
    uint32_t          size;         /* sizeof your struct, at most 64 KiB; required */
    uint32_t          count;        /* of fields, 1 to 64; required */
    const aicc_field *fields;
} aicc_layout_options;
AICC_API void        AICC_CALL aicc_layout_options_init(aicc_layout_options *options, size_t size);
/* The same layout twice gives the same handle. Works before any bridge. Waits for the core. A layout that is refused has error.field
 * "fields[3].offset" and the field's name in the message. AICC_E_ARG: unknown types, fields past the end or over each other, what does not fit
 * together. AICC_E_NAME: names. AICC_E_FULL: 256 layouts, or what one may take: docs/events.md. */
AICC_API aicc_status AICC_CALL aicc_layout_define(const aicc_layout_options *options, aicc_layout *out, aicc_error *error);
/* Its JSON Schema. */
AICC_API aicc_status AICC_CALL aicc_layout_schema(aicc_layout layout, char *buf, size_t cap, size_t *len);

/* n structs of the event's layout, stride bytes apart: the i-th to to[i]. stride 0: the same one to all n. to NULL: each of them to every session.
 * Only what somebody listens to is copied: sessions without an agent, not subscribed, or stale (counted in aicc_stats.handles_stale) are
 * passed over. *taken (may be NULL) is how many were queued. AICC_EMPTY: nobody listens. AICC_PARTIAL, AICC_E_FULL: some, all of those were
 * dropped and counted, since the queue is full. AICC_E_TYPE: the event has no layout. */
AICC_API aicc_status AICC_CALL aicc_event_emit(aicc_event event, const aicc_session *to, size_t n, const void *structs, size_t stride, size_t *taken);
/* Which of n sessions this event would be sent to now: somebody listens, and it is time: min_interval_ms is over, or a periodic tick comes
 * within the next 50 ms. What it spares is finding out what the others would not hear. index, room for n: their places in `to`; *due: how many.
 * AICC_EMPTY: none. No lock is taken. */
AICC_API aicc_status AICC_CALL aicc_event_due(aicc_event event, const aicc_session *to, size_t n, uint32_t *index, size_t *due);
/* aicc_event_reply_json with a struct. size: sizeof it. */
AICC_API aicc_status AICC_CALL aicc_event_reply(aicc_event event, aicc_call cause, const void *data, size_t size);
/* aicc_call_succeed with a struct, of any layout. size: sizeof it, AICC_E_ARG when that is not the layout's. */
AICC_API aicc_status AICC_CALL aicc_call_succeed_struct(aicc_call call, aicc_layout layout, const void *data, size_t size);
/* Fills a struct from an object. What the object has not, or has as null, leaves its field alone: set your defaults before. Text is borrowed as
 * the tape is. AICC_ABSENT: no object there. AICC_E_TYPE, AICC_E_RANGE: a member that does not fit; then nothing was written. */
AICC_API aicc_status AICC_CALL aicc_value_struct(const aicc_value *value, aicc_str pointer, aicc_layout layout, void *out, size_t size);

/* ------------------------------------------------------------------------------------------------ writing JSON: your buffer, no heap */

/* The first fault sticks: write all, then look at what aicc_write_done says. */
typedef struct aicc_writer {
    char       *buf;
    size_t      cap;
    size_t      len;                /* what the text takes; may pass cap, then nothing more was stored */
    aicc_status status;
    uint32_t    depth;
    uint64_t    objects;            /* one bit a level: an object, or an array */
    uint64_t    filled;             /* one bit a level: has a member already */
} aicc_writer;
AICC_API void        AICC_CALL aicc_write_begin  (aicc_writer *writer, char *buf, size_t cap);
/* key: given within objects, not given within arrays and at the root. An empty key is one that is not given. */
AICC_API void        AICC_CALL aicc_write_object (aicc_writer *writer, aicc_str key);
AICC_API void        AICC_CALL aicc_write_array  (aicc_writer *writer, aicc_str key);
AICC_API void        AICC_CALL aicc_write_end    (aicc_writer *writer);                          /* of the innermost object or array */
/* decimals 0 to 9: rounded (to even from the middle), without zeros at the end, 0 without a sign; -1, and any from 2^52 on: the shortest text
 * that reads back the same. NaN and infinities become null. No locale has a say. */
AICC_API void        AICC_CALL aicc_write_number (aicc_writer *writer, aicc_str key, double value, int32_t decimals);
AICC_API void        AICC_CALL aicc_write_integer(aicc_writer *writer, aicc_str key, int64_t value);
AICC_API void        AICC_CALL aicc_write_bool   (aicc_writer *writer, aicc_str key, int32_t value);
AICC_API void        AICC_CALL aicc_write_string (aicc_writer *writer, aicc_str key, aicc_str value);  /* not given: ""; bad UTF-8 becomes U+FFFD */
AICC_API void        AICC_CALL aicc_write_null   (aicc_writer *writer, aicc_str key);
AICC_API void        AICC_CALL aicc_write_json   (aicc_writer *writer, aicc_str key, aicc_str json);   /* as it is; checked when it is used */
AICC_API void        AICC_CALL aicc_write_struct (aicc_writer *writer, aicc_str key, aicc_layout layout, const void *data, size_t size);  /* its object; AICC_E_HANDLE: no layout */
/* Names are not compared here; the core refuses a text with one name twice in an object, as it refuses all that is not JSON.
 * *out is the text, in your buffer. AICC_E_SMALL: out->len is its length, the buffer needs one byte more; out->ptr is NULL. AICC_E_STATE:
 * something is left open, was ended twice, or there is not exactly one value at the root. AICC_E_NAME: a key where none goes, or none where one
 * goes. AICC_E_RANGE: deeper than 64. AICC_E_JSON: aicc_write_json was given no text. AICC_E_ARG: decimals, or a null with a length. On these
 * *out is a text that is no JSON, so that it cannot be taken for an answer. */
AICC_API aicc_status AICC_CALL aicc_write_done   (aicc_writer *writer, aicc_str *out);

/* ------------------------------------------------------------------------------------------------ agents by WebSocket */

enum { AICC_SECOND_REFUSE = 0, AICC_SECOND_REPLACE = 1 };
typedef struct aicc_listen_options {
    uint32_t        struct_size;
    int32_t         port;           /* 0, the default: any that is free; aicc_listener_address says which */
    aicc_str        address;        /* an IP address, or "localhost"; not given: 127.0.0.1. One that other machines reach needs a token */
    aicc_str        token;          /* agents send it as "Authorization: Bearer ..."; not given: none is asked for. Printable ASCII, at most 1 KiB */
    aicc_owner      owner;          /* default 0 */
    int32_t         second_agent;   /* AICC_SECOND_*: refused, while the first is there or may come back; or it takes over. Default AICC_SECOND_REFUSE */
    int32_t         inspector;      /* 1: a page to watch it by, for this machine alone: aicc_listener_inspector; default 0 */
    const aicc_str *hosts;          /* names, without ports, by which agents may call this machine besides loopback's and the address itself */
    size_t          hosts_count;    /* at most 64 */
    const aicc_str *origins;        /* of web pages that may connect, as browsers send them: "https://studio.example" */
    size_t          origins_count;  /* at most 64 */
    int32_t         fixed_agents;   /* 1: what an agent asks for itself (its model's class and pace, fewer topics) does not count; default 0 */
    int32_t         reserved;
} aicc_listen_options;
AICC_API void        AICC_CALL aicc_listen_options_init(aicc_listen_options *options, size_t size);

/* Opens a port. Agents connect to ws://ADDRESS/aicc/BRIDGE?character=NAME (docs/connect.md) of every bridge that has it as its
 * listener; what they cost is bounded (docs/listener.md). It is cleartext: put TLS in front where it leaves the machine. Waits. *out is 0 on error.
 * AICC_E_ARG: error.field. AICC_E_IO: the port. AICC_E_UNSUPPORTED: a build without it. AICC_E_FULL: 64 listeners. */
AICC_API aicc_status AICC_CALL aicc_listen(const aicc_listen_options *options, aicc_listener *out, aicc_error *error);
/* "127.0.0.1:41234". Waits. */
AICC_API aicc_status AICC_CALL aicc_listener_address(aicc_listener listener, char *buf, size_t cap, size_t *len);
/* The inspector's URL, with its secret: show it to the developer and nobody else. AICC_E_STATE: it was not turned on. Waits. */
AICC_API aicc_status AICC_CALL aicc_listener_inspector(aicc_listener listener, char *buf, size_t cap, size_t *len);
/* The port is free when this returns, and agents have been let go, unless that took over half a second; the bridges go on without them. Waits. */
AICC_API aicc_status AICC_CALL aicc_listener_close(aicc_listener listener);

/* ------------------------------------------------------------------------------------------------ the wire, when it is yours */

/* Not of bridges that have a listener: AICC_E_STATE, and AICC_EMPTY of aicc_bridge_next_message.
 * Each session needs a wire of its own (or a mark on each message): what comes in is for the session that you name, not for a session_id. */

/* An agent is there. It is sent session_init first; but if the character had an agent that may come back, session_resume is waited for, 2 s at
 * most: with it the agent goes on where it was (the results that may not have arrived are sent again), without it the seat is a new agent's,
 * with a new session_id. AICC_E_STATE: one is there already. AICC_E_FULL: the queue. */
AICC_API aicc_status AICC_CALL aicc_session_attach(aicc_session session);
/* One message from it, complete. Any bytes will do: what is not a message is answered as the protocol says. AICC_E_STATE: none is attached.
 * AICC_E_RANGE: over 1 MiB + 1 byte; pass the first 1 MiB + 1 bytes of a longer one and the agent is told. AICC_E_FULL: the queue, try again
 * after the next frame. */
AICC_API aicc_status AICC_CALL aicc_session_receive(aicc_session session, aicc_str message);
/* It is gone. What was not handed over yet is not sent; results are kept for aicc_bridge_options.resume_window_ms. */
AICC_API aicc_status AICC_CALL aicc_session_detach(aicc_session session);
/* The next message to send: *to says for whose agent; it counts as sent once copied. AICC_EMPTY: none. `to` of a session that was closed is
 * its old handle, so route by value. AICC_E_SMALL as everywhere; a message is at most 4 MiB. */
AICC_API aicc_status AICC_CALL aicc_bridge_next_message(aicc_bridge bridge, aicc_session *to, char *buf, size_t cap, size_t *len);

/* ------------------------------------------------------------------------------------------------ capabilities: tools as anp2.cap.v1 documents */

/* What is published, and as what. docs/capabilities.md has the mapping field by field. */
typedef struct aicc_capability_options {
    uint32_t        struct_size;
    int32_t         reserved;
    aicc_session    session;        /* the tools that its manifest has now; 0: all tools of the bridge that are enabled, in whatever set */
    aicc_str        prefix;         /* documents are called prefix.id; not given: "x.aicc." and the world's name as small letters, digits and _ */
    aicc_str        version;        /* MAJOR.MINOR; not given: 1.0 */
    const aicc_str *tags;           /* of every document, beside "aicc" and the tool's class */
    size_t          tags_count;     /* at most 10 */
    int64_t         created_at;     /* of an event, in Unix seconds; -1: now; default -1 */
    const aicc_str *event_tags;     /* of an event: name, value, name, value. None: "cap" and its name for each document */
    size_t          event_tags_count; /* even, at most 64 */
} aicc_capability_options;
AICC_API void        AICC_CALL aicc_capability_options_init(aicc_capability_options *options, size_t size);
/* The tools as a JSON array of documents, with p50 and p95 as measured once a tool has had 100 calls. options may be NULL. Waits for the core.
 * AICC_PARTIAL: the text is good, and lacks tools that cannot be documents. The log has these, and whatever else did not fit, at AICC_WARN.
 * AICC_E_SMALL: the text is made anew when you ask again, and may be longer then: ask in a loop. AICC_E_ARG: an option, see error.field.
 * AICC_E_HANDLE: also a session of another bridge. AICC_E_STATE: the bridge or the session is closed. AICC_E_FULL: the queue. */
AICC_API aicc_status AICC_CALL aicc_bridge_capabilities(aicc_bridge bridge, const aicc_capability_options *options, char *buf, size_t cap, size_t *len,
                                                        aicc_error *error);
/* The same tools in one signed event of kind 4. seed: the 32 bytes of your Ed25519 key; the core's copy is overwritten as soon as it has signed,
 * and it is in no log, queue or message. Waits for the core. AICC_PARTIAL, AICC_E_SMALL (it is signed anew) and the others as above.
 * AICC_E_RANGE: it does not fit into an event: 65,536 bytes, or 32 tags without event_tags; error.message says how much there is. */
AICC_API aicc_status AICC_CALL aicc_capability_event(aicc_bridge bridge, const unsigned char *seed, const aicc_capability_options *options, char *buf,
                                                     size_t cap, size_t *len, aicc_error *error);
/* Holds a text against the schema and, unless lenient is 1, against what that says in words only; then these breaches are in the log at AICC_INFO.
 * text: a document, an array of them, an object with "capabilities", or an event of kind 4, whose id and signature are verified too. No bridge is
 * needed. Waits for the core. AICC_E_JSON: not JSON, see error.offset. AICC_E_SCHEMA: error.pointer says where the first fault is, error.message
 * what was wanted and what came. AICC_E_RANGE: over 1 MiB. AICC_E_FULL: 64 requests wait. */
AICC_API aicc_status AICC_CALL aicc_capability_validate(aicc_str text, int32_t lenient, aicc_error *error);

typedef struct aicc_import_options {
    uint32_t        struct_size;
    int32_t         lenient;        /* 1: as in aicc_capability_validate; default 0 */
    int32_t         index;          /* which document of a text that holds several, from 0 */
    int32_t         reserved;
    const aicc_tool_options *tool;  /* fn, user_data, set, timeout_ms and whatever else no document says. What it says of the rest (an id, a
                                       description, a bound that is not 0) counts instead of the document's. NULL: as by aicc_tool_options_init */
    const aicc_str *extensions;     /* URIs of extensions that you heed; any other that a document requires is AICC_E_SCHEMA */
    size_t          extensions_count; /* at most 16 */
} aicc_import_options;
AICC_API void        AICC_CALL aicc_import_options_init(aicc_import_options *options, size_t size);
/* Registers a tool as a document describes it; text as for aicc_capability_validate. What its constraints bound is enforced on calls. The tool keeps
 * the document: published again it is the same one, but for what was changed; aicc_tool_update makes it a tool like any other. What a tool
 * cannot hold is in the log at AICC_WARN. options may be NULL. Waits for the core. *out is 0 on error and on AICC_EMPTY: there is no document of this
 * index. AICC_E_SCHEMA, AICC_E_JSON, AICC_E_RANGE as aicc_capability_validate, error.pointer from the text's root; the others as aicc_tool_register. */
AICC_API aicc_status AICC_CALL aicc_tool_register_capability(aicc_bridge bridge, aicc_str text, const aicc_import_options *options, aicc_tool *out,
                                                             aicc_error *error);

/* ------------------------------------------------------------------------------------------------ looking */

typedef struct aicc_stats {
    uint32_t struct_size;           /* set it to sizeof (aicc_stats) */
    int32_t  sessions;              /* open */
    int32_t  agents;                /* attached */
    int32_t  tools;
    int32_t  calls_in_flight;       /* delivered to you or waiting for you */
    int32_t  reserved;
    uint64_t frames;
    uint64_t calls;                 /* accepted */
    uint64_t calls_failed;          /* accepted, and ended in a failure of any kind */
    uint64_t calls_timed_out;
    uint64_t calls_refused;         /* not accepted */
    uint64_t messages_in;
    uint64_t messages_out;
    uint64_t messages_bad;          /* came in and were no message of the protocol */
    uint64_t events;                /* given by you for at least one subscribed session */
    uint64_t events_dropped;        /* by a full queue or outbox, or for a bad payload */
    uint64_t answers_late;          /* your answers to calls that had ended */
    uint64_t queue_bytes;           /* from you to the core, waiting now */
    uint64_t outgoing_bytes;        /* for aicc_bridge_next_message, waiting now */
    uint64_t handles_stale;         /* of sessions, given to aicc_event_emit */
    uint64_t values_bad;            /* in structs: what has no place in JSON, see above */
} aicc_stats;
AICC_API aicc_status AICC_CALL aicc_bridge_stats(aicc_bridge bridge, aicc_stats *stats);

/* ------------------------------------------------------------------------------------------------ every function, once: for loaders */
#define AICC_FUNCTIONS(X) \
    X(abi) X(version) X(features) X(status_name) X(process_options_init) X(configure) X(log_next) X(shutdown) \
    X(bridge_options_init) X(bridge_create) X(bridge_close) X(bridge_destroy) X(bridge_valid) \
    X(value_number) X(value_integer) X(value_bool) X(value_string) X(value_count) X(value_find) X(value_numbers) X(value_next) \
    X(value_json) X(value_copy) X(value_open) \
    X(tool_options_init) X(tool_register) X(tool_update) X(tool_set_enabled) X(tool_unregister) X(toolset_create) X(toolset_destroy) \
    X(session_options_init) X(session_open) X(session_close) X(session_set_paused) X(session_grant) \
    X(session_set_topics) X(session_set_toolsets) X(session_reset) X(session_has_agent) \
    X(bridge_frame) X(bridge_next) X(bridge_pump) X(bridge_flush) \
    X(call_succeed) X(call_fail) X(call_alive) X(call_extend) X(call_set_user_data) \
    X(event_options_init) X(event_define) X(event_json) X(event_reply_json) \
    X(layout_options_init) X(layout_define) X(layout_schema) X(event_emit) X(event_due) X(event_reply) X(call_succeed_struct) X(value_struct) \
    X(write_begin) X(write_object) X(write_array) X(write_end) X(write_number) X(write_integer) X(write_bool) X(write_string) \
    X(write_null) X(write_json) X(write_struct) X(write_done) \
    X(listen_options_init) X(listen) X(listener_address) X(listener_inspector) X(listener_close) \
    X(session_attach) X(session_receive) X(session_detach) X(bridge_next_message) \
    X(capability_options_init) X(bridge_capabilities) X(capability_event) X(capability_validate) X(import_options_init) \
    X(tool_register_capability) \
    X(bridge_stats)

#ifdef __cplusplus
}
#endif
#endif
