/* host.h: what any game has already and what is no business of aicc's: a wire, here one message a line over stdin and stdout, and a clock.
 *
 * A socket would say when a connection ends and when the next one comes. A pipe cannot, so the program at its other end plays the network
 * too, with two lines that are no messages: `#cut`, the connection is lost, and `#dial`, there is a new one. The answer to `#dial` is the same
 * line: what was written before it went into the old connection. Nothing of this is aicc/0.1. */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>

#define WIRE_MAX ((1u << 20) + 1)   /* what aicc_session_receive takes; of a longer line it gets this much, and tells the agent */

struct wire {                       /* starts as all zero: connected */
    size_t len;                     /* bytes in buf */
    int    tail;                    /* the rest of a line that was too long is still to be dropped */
    int    down;                    /* no connection: lines go nowhere */
    int    closed;
    char   buf[WIRE_MAX];
};

/* Never blocks. WIRE_LINE: *text and *len are one, the same until wire_drop. WIRE_CLOSED: the other side has ended, and all was read. */
enum wire_got { WIRE_CLOSED = -1, WIRE_NOTHING = 0, WIRE_LINE, WIRE_CUT, WIRE_DIAL };
enum wire_got wire_read(struct wire *wire, const char **text, size_t *len);
void wire_drop(struct wire *wire);

/* text[len] must be yours: it becomes the newline. 0: written; -1: nobody reads any more. A pipe that is full makes it wait; a game
 * that minds calls aicc_bridge_next_message from a thread of its own. */
int  wire_write(char *text, size_t len);

/* Sleeps until the next frame of 1/60 s is due. */
void frame_wait(void);

#endif
