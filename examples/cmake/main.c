/* The least that a game needs of libaicc: does the library fit the header, and can a world be made? */
#include <aicc.h>
#include <stdio.h>

int main(void)
{
    aicc_bridge_options options;
    aicc_bridge bridge;
    aicc_error error;

    if (!AICC_ABI_FITS(aicc_abi())) {
        fprintf(stderr, "this library does not fit its header\n");
        return 1;
    }
    aicc_bridge_options_init(&options, sizeof options);
    options.name = aicc_s("village");
    if (aicc_bridge_create(&options, &bridge, &error) != AICC_OK) {
        fprintf(stderr, "%s: %s\n", aicc_status_name(error.status), error.message);
        return 1;
    }
    printf("libaicc %s: a world named village\n", aicc_version());
    return aicc_bridge_destroy(bridge) == AICC_OK ? 0 : 1;
}
