/* A bench in C around a device in C: psn_window (docs/blocks/psn_window.md), as its responder has it.
 *
 *   make predictor
 *   cc cmd/libhcacosim/example/example.c -Ibin/predictor -Lbin/predictor -lhcacosim \
 *     -Wl,-rpath,$PWD/bin/predictor -o example
 *   ./example           agreed: 1000 records
 *   ./example broken    the device takes the oldest PSN behind for one ahead: found
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hcacosim.h"

enum { EXPECTED, DUPLICATE, OUT_OF_SEQUENCE };

/* The device: 10 bytes in (PSN, base and next, 24 bits each, and which side asks), 4 bytes out (distance and class). */
static void device(const uint8_t in[10], uint8_t out[4], int broken) {
    uint32_t psn = in[0] | in[1] << 8 | in[2] << 16, base = in[3] | in[4] << 8 | in[5] << 16;
    uint32_t distance = (psn - base) & 0xFFFFFF;
    int behind = distance >= 0x800000 && !(broken && distance == 0x800000);
    out[0] = distance, out[1] = distance >> 8, out[2] = distance >> 16;
    out[3] = distance == 0 ? EXPECTED : behind ? DUPLICATE : OUT_OF_SEQUENCE;
}

int main(int argc, char **argv) {
    int broken = argc > 1 && strcmp(argv[1], "broken") == 0;
    int p = hcacosim_open("psn_window", "");
    if (p < 0) {
        fprintf(stderr, "%s\n", hcacosim_text(-1));
        return 2;
    }
    int s_rec = hcacosim_port(p, "s_rec"), m_rec = hcacosim_port(p, "m_rec");
    uint32_t x = 1, cycle, wrong;
    for (cycle = 0; cycle < 1000; cycle++) {
        uint8_t in[10] = {0}, out[4];
        for (int i = 0; i < 6; i++) in[i] = (x = x * 1664525 + 1013904223) >> 24;
        if (cycle % 4 == 0) memcpy(in, in + 3, 3), in[2] ^= cycle & 4 ? 0x80 : 0; /* at the base, or half way round */
        if (hcacosim_push(p, s_rec, cycle, 0, in, sizeof in) != 0) break;
        device(in, out, broken);
        if (hcacosim_got(p, m_rec, cycle, 0, out, sizeof out) != 0) printf("%s\n", hcacosim_text(p));
    }
    wrong = hcacosim_end(p);
    printf("%s: %u records, %u wrong\n%s", wrong ? "MISMATCH" : "agreed", cycle, wrong, hcacosim_text(p));
    hcacosim_close(p);
    return wrong != 0;
}
