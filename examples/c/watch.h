/* watch.h: the game itself: a walled yard in the dark, a guard at its gate, a thief. It knows nothing of agents; guard.c joins the two. */
#ifndef WATCH_H
#define WATCH_H

#include <stddef.h>

struct place { const char *name; double x, y; };                    /* in metres */
enum { PLACES = 5, GATE = 0, STORE = 3 };
extern const struct place places[PLACES];

enum { LIGHT = 8, VOICE = 12 };                                     /* metres that his lantern and his voice reach */

enum thief { AWAY, STEALING, CAUGHT, CHASED };                      /* not there yet; at it; has dropped his sack; has run away */

struct watch {
    double now, noise;                                              /* seconds: since the start; when the glass breaks, 0: not to be said yet */
    enum thief thief;
    double x, y;                                                    /* where the guard is */
    int    lit, loose;                                              /* his lantern; the bell's rope, once it was pulled */
    const struct place *at, *to;                                    /* the place that he reached last; where he walks, NULL: he stands still */
    double speed, report, pull, words;                              /* metres a second; when each is due, 0: not at all */
};
extern struct watch watch;

/* What happened in a step: any of these together. */
enum { GLASS_BREAKS = 1, ON_THE_WAY = 2, ARRIVED = 4, BELL_RINGS = 8, WORDS_OUT = 16 };
unsigned watch_step(double seconds);

void watch_reset(void);             /* it is evening again: all is quiet, the guard is at the gate */
void watch_begin(void);             /* somebody plays the guard: soon the glass breaks. Once is enough */
void guard_sets_out(const char *place, size_t len, double speed);
void guard_pulls_rope(void);
void guard_speaks(void);
void guard_stops(void);
void guard_lets_go(void);
void guard_breaks_off(void);
int  guard_sees_thief(void);
int  thief_hears(void);             /* and does something: look at watch.thief */

void frame_wait(void);              /* sleeps until the next frame of 1/60 s is due */

#endif
