/* nonet.c: a build without the listener says so. */
#include <stdio.h>
#include <string.h>
#include "aicc.h"

int main(void)
{
    aicc_listen_options o;
    aicc_bridge_options b;
    aicc_listener l = {7};
    aicc_bridge bridge;
    aicc_error error;
    char text[64];
    size_t len;
    aicc_listen_options_init(&o, sizeof o);
    aicc_bridge_options_init(&b, sizeof b);
    b.name = aicc_s("yard");
    if (aicc_features() != 0) return 1;
    if (aicc_listen(&o, &l, &error) != AICC_E_UNSUPPORTED || l.id != 0 || strstr(error.message, "aicc_nonet") == NULL) return 2;
    if (aicc_listener_address(l, text, sizeof text, &len) != AICC_E_UNSUPPORTED) return 3;
    if (aicc_listener_close(l) != AICC_E_UNSUPPORTED || aicc_shutdown(0) != AICC_OK) return 4;
    if (aicc_bridge_create(&b, &bridge, &error) != AICC_OK || aicc_bridge_destroy(bridge) != AICC_OK) return 5;
    b.listener.id = 1;
    if (aicc_bridge_create(&b, &bridge, &error) != AICC_E_UNSUPPORTED) return 6;
    printf("ok\n");
    return 0;
}
