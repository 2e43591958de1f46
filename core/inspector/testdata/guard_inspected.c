/* The night watch with the inspector turned on: guard.c, but for the one option, and its URL told on stderr. */
#include "aicc.h"

#include <stdio.h>

static aicc_status inspected_listen(const aicc_listen_options *options, aicc_listener *out, aicc_error *error)
{
    aicc_listen_options more = *options;
    char url[256];
    size_t len;
    more.inspector = 1;
    aicc_status status = aicc_listen(&more, out, error);
    if (status == AICC_OK && aicc_listener_inspector(*out, url, sizeof url, &len) == AICC_OK) fprintf(stderr, "inspector %s\n", url);
    return status;
}

#define aicc_listen inspected_listen
#include "guard.c"
