/* host.h: what any game has already and what is no business of aicc's: a wire, here one message a line over stdin and stdout, and a clock. */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>

#define WIRE_MAX ((1u << 20) + 1)   /* what aicc_session_receive takes; of a longer line it gets this much, and tells the agent */

struct wire {                       /* starts as all zero */
    size_t len;                     /* bytes in buf */
    int    cut;                     /* the rest of a line that was too long is still to be dropped */
    int    closed;
    char   buf[WIRE_MAX];
};

/* Never blocks. 1: *text and *len are a line, the same one until wire_drop. 0: none yet. -1: the other side has closed, and all was read. */
int  wire_read(struct wire *wire, const char **text, size_t *len);
void wire_drop(struct wire *wire);

/* text[len] must be yours: it becomes the newline. 0: written; -1: nobody reads any more. A pipe that is full makes it wait; a game
 * that minds calls aicc_bridge_next_message from a thread of its own. */
int  wire_write(char *text, size_t len);

/* Sleeps until the next frame of 1/60 s is due. */
void frame_wait(void);

#endif
