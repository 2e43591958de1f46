/* watch.c: see watch.h. The clock is POSIX; on Windows wait on a waitable timer. */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

const struct place places[PLACES] = { { "gate", 4, 9 }, { "yard", 17, 6 }, { "tower", 5, 2 }, { "store", 31, 2 }, { "well", 28, 9 } };

#define EVENING { .x = 4, .y = 9, .at = &places[GATE] }
struct watch watch = EVENING;

static double metres_to(const struct place *p) { return hypot(p->x - watch.x, p->y - watch.y); }

/* Is what was to be done at this time due? Then it is done, and due no more. */
static int due(double *time)
{
    int is = *time > 0 && watch.now >= *time;
    if (is) *time = 0;
    return is;
}

static unsigned walk(double seconds)
{
    double left, step = watch.speed * seconds;
    if (!watch.to) return 0;
    left = metres_to(watch.to);
    if (step >= left) {
        watch.x = watch.to->x, watch.y = watch.to->y;
        watch.at = watch.to, watch.to = NULL;
        return ARRIVED;
    }
    watch.x += (watch.to->x - watch.x) * step / left;
    watch.y += (watch.to->y - watch.y) * step / left;
    if (!due(&watch.report)) return 0;
    watch.report = watch.now + 0.5;
    return ON_THE_WAY;
}

unsigned watch_step(double seconds)
{
    unsigned happened = 0;
    watch.now += seconds;
    if (due(&watch.noise)) {
        watch.thief = STEALING;
        happened |= GLASS_BREAKS;
    }
    if (due(&watch.pull)) happened |= BELL_RINGS;
    if (due(&watch.words)) happened |= WORDS_OUT;
    return happened | walk(seconds);
}

void watch_reset(void) { watch = (struct watch)EVENING; }

void watch_begin(void)
{
    if (watch.thief == AWAY && watch.noise == 0) watch.noise = watch.now + 1;
}

void guard_sets_out(const char *place, size_t len, double speed)
{
    for (size_t i = 0; i < PLACES; i++) if (strlen(places[i].name) == len && !memcmp(places[i].name, place, len)) watch.to = &places[i];
    watch.speed = speed;
    watch.report = watch.now + 0.5;
}

void guard_pulls_rope(void)
{
    watch.pull = watch.now + (watch.loose ? 0.4 : 2);
    watch.loose = 1;
}

void guard_speaks(void)     { watch.words = watch.now + 0.7; }
void guard_stops(void)      { watch.to = NULL; }
void guard_lets_go(void)    { watch.pull = 0; }
void guard_breaks_off(void) { watch.words = 0; }

int guard_sees_thief(void)
{
    return (watch.thief == STEALING || watch.thief == CAUGHT) && watch.lit && metres_to(&places[STORE]) < LIGHT;
}

int thief_hears(void)
{
    if ((watch.thief != STEALING && watch.thief != CAUGHT) || metres_to(&places[STORE]) >= VOICE) return 0;
    watch.thief = watch.thief == STEALING ? CAUGHT : CHASED;
    return 1;
}

void frame_wait(void)
{
    static struct timespec next;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > next.tv_sec + 1) next = now;           /* the first frame, or the machine slept: start afresh */
    next.tv_nsec += 1000000000 / 60;
    if (next.tv_nsec >= 1000000000) {
        next.tv_nsec -= 1000000000;
        next.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) { }
}
