/* digits DECIMALS IN OUT: each double of IN (8 bytes each) as a line of OUT. */
#include "t.h"

int main(int argc, char **argv)
{
    if (argc != 4) return 9;
    FILE *in = t_open(argv[2], "rb"), *out = t_open(argv[3], "wb");
    double d;
    while (fread(&d, sizeof d, 1, in) == 1) {
        char buf[AICC__NUMBER_MAX + 1];
        aicc_writer w;
        aicc_str text;
        aicc_write_begin(&w, buf, sizeof buf);
        aicc_write_number(&w, aicc_sn(NULL, 0), d, atoi(argv[1]));
        CHECK(aicc_write_done(&w, &text) == AICC_OK);
        if (t_failed) return 1;
        buf[text.len] = '\n';
        if (fwrite(buf, 1, text.len + 1, out) != text.len + 1) return 9;
    }
    fclose(in);
    return fclose(out) ? 9 : t_failed;
}
