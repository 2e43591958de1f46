/* fake.h: a small stand-in for the Go core, for tests of the C front alone: one thread that takes records and does the least that is right. */
#ifndef FAKE_H
#define FAKE_H

#include "../../../front.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); _Exit(1); } } while (0)
#define EQUAL(a, b) do { long long a_ = (long long)(a), b_ = (long long)(b); \
    if (a_ != b_) { fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, a_, b_); _Exit(1); } } while (0)

/* Sees each record before the stand-in does; 1: that was all, the stand-in leaves it alone. On the core's thread. */
typedef int (*fake_hook)(uint32_t slot, const aicc_rec *rec, const char *data);
extern _Atomic(fake_hook) fake_look;
typedef void (*fake_ask_hook)(int32_t kind, const void *text, size_t len, uint64_t waiter);
extern _Atomic(fake_ask_hook) fake_asked;
extern atomic_int fake_stop_reading; /* 1: the core's thread takes nothing until it is 0 again */

void fake_start(void);
void fake_step(uint32_t slot, const aicc_rec *rec, const char *data);

/* What the stand-in understands as a message from an agent:
 *   "call T"     a call of tool T (its number)       "echo..."   comes back as a message
 *   "say TEXT"   an AGENT_MESSAGE item               "fault T"   a FAULT item        "agent R"  an AGENT item of this reason
 *   "end"        all calls of the session end        "drop"      the core detaches the agent */

aicc_bridge  fake_bridge(const char *name, int32_t clock, int64_t queue_bytes);
aicc_tool    fake_tool(aicc_bridge b, const char *id, aicc_tool_fn fn, void *user, int32_t while_paused);
aicc_session fake_session(aicc_bridge b, void *user, int attach);
void         fake_say(aicc_session s, const char *text);
void         fake_call(aicc_session s, aicc_tool t);
void         fake_fault(aicc_session s, aicc_tool t);
void         fake_flush(aicc_bridge b);
uint32_t     fake_slot(aicc_bridge b);
uint32_t     fake_number(uint64_t handle);
int          fake_next(aicc_bridge b, aicc_item *it);  /* 0: none */

/* A sanitizer slows all of it: it looks at the same races in fewer rounds. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define ROUNDS_OF(n) ((n) / 8)
#else
#  define ROUNDS_OF(n) (n)
#endif
#define SPIN_UNTIL(x) do { for (int spin_ = 1; !(x); spin_++) if (spin_ % 64 == 0) sched_yield(); } while (0)

static inline aicc_session no_session(void) { aicc_session s = {0}; return s; }

#endif
