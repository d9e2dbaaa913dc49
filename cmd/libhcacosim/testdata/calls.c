/* Calls every function of the library, wrongly too. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hcacosim.h"

static void says(int p, const char *want) {
    if (!strstr(hcacosim_text(p), want)) printf("want \"%s\", got \"%s\"\n", want, hcacosim_text(p));
}

/* Beats of 8 bytes of an IB packet that is too short to have an ICRC: it comes out as it went in, with verdict none. */
static void beats(void) {
    int p = hcacosim_open("icrc_check", ""), s = hcacosim_port(p, "s_axis"), m = hcacosim_port(p, "m_axis");
    uint32_t data[2] = {0x03020100, 0x07060504}, all = 0xFF, some = 0x07, gap = 0x05, user, size = 16;
    uint8_t got[16];
    assert(hcacosim_push_beat(p, s, 1, data, &all, 8, 0, 0) == 0);
    assert(hcacosim_expect(p, m, &user, got, &size) == 0);
    assert(hcacosim_push_beat(p, s, 2, data, &gap, 8, 1, 0) == -1);
    says(p, "s_axis: a beat whose kept bytes are not the first ones");
    assert(hcacosim_push_beat(p, s, 2, data, &some, 8, 1, 0) == 0);
    assert(hcacosim_expect(p, m, &user, got, &size) == 1);
    assert(size == 11 && memcmp(got, "\0\1\2\3\4\5\6\7\0\1\2", 11) == 0);
    assert(hcacosim_push_beat(p, s, 3, data, &all, 8, 1, 0) == 0);
    assert(hcacosim_got_beat(p, m, 9, data, &all, 8, 1, 0xFFF) == 1);
    says(p, "m_axis record 1, of input 1: USER: want ");
    assert(hcacosim_got_beat(p, m, 9, data, &all, 8, 1, 0) == 1);
    says(p, "m_axis record 2: EXTRA: nothing is due");
    assert(hcacosim_push_beat(p, s, 9, data, &all, 8, 1, 0) == 0);
    assert(hcacosim_end(p) == 3);
    says(p, "m_axis record 3, of input 2: MISSING: 0001020304050607");
    assert(hcacosim_close(p) == 0);
}

/* retx_timer leaves order and time to the device: its records are judged by their cycles. */
static void timer(void) {
    int p = hcacosim_open("retx_timer", "NumQps=32,Lanes=8"), s = hcacosim_port(p, "s_op"), m = hcacosim_port(p, "m_op");
    uint32_t user, size = 16, configure[2] = {3, 0}, answer[2] = {3 | 1 << 24, 0};
    uint8_t got[16];
    assert(hcacosim_push_bits(p, s, 10, configure, 46) == 0);
    assert(hcacosim_latest(p) == 13);
    assert(hcacosim_expect(p, m, &user, got, &size) == -1);
    says(p, "order or time is the device's choice");
    assert(hcacosim_got_bits(p, m, 13, answer, 43) == 1); /* `changed` is not set */
    says(p, "m_op record 0: TMR-2: ");
    assert(hcacosim_push_bits(p, s, 20, configure, 46) == 0);
    assert(hcacosim_end(p) == 2);
    says(p, "of input 1: MISSING: an operation was never answered");
    assert(hcacosim_close(p) == 0);
}

/* A packet that never ends is wrong, of either side. */
static void unfinished(void) {
    int p = hcacosim_open("icrc_check", "");
    uint32_t data[2] = {0x03020100, 0x07060504}, all = 0xFF, user, size = 8;
    uint8_t got[8];
    assert(hcacosim_push_beat(p, 0, 1, data, &all, 8, 1, 0) == 0);
    assert(hcacosim_got_beat(p, 0, 5, data, &all, 8, 0, 0) == -1);
    says(p, "s_axis is not an output");
    assert(hcacosim_expect(p, 1, &user, got, &size) == 1);
    assert(hcacosim_got_beat(p, 1, 6, data, &all, 8, 0, 0) == 0);
    assert(hcacosim_push_beat(p, 0, 7, data, &all, 8, 0, 0) == 0);
    assert(hcacosim_end(p) == 2);
    says(p, "s_axis record 1: UNFINISHED: 8 bytes went in, and no last beat: 0001020304050607\n"
            "m_axis record 1: UNFINISHED: 8 bytes came, and no last beat");
    assert(hcacosim_close(p) == 0);
}

/* Calls that make no sense: pointers that are NULL, records that are none of the port's. */
static void senseless(void) {
    int p = hcacosim_open("psn_window", ""), q = hcacosim_open("icrc_check", ""), bytes = 0;
    uint8_t record[10] = {0};
    uint32_t vector[128] = {0}, keep = 0xFF, user = 0, size = 10;
    assert(hcacosim_push(p, 0, 1, 0, NULL, 10) == -1 && hcacosim_got(p, 1, 1, 0, NULL, 4) == -1);
    says(p, "data is NULL");
    assert(hcacosim_push(p, 0, 1, 0, NULL, 0) == -1);
    says(p, "a record of 0 bytes: it has 73 bits, so 10 bytes");
    assert(hcacosim_push(p, 0, 1, 0, record, 10) == 0);
    assert(hcacosim_expect(p, 1, NULL, record, &size) == -1);
    says(p, "user is NULL");
    assert(hcacosim_expect(p, 1, &user, record, NULL) == -1);
    says(p, "size is NULL");
    assert(hcacosim_expect(p, 1, &user, NULL, &size) == -1);
    says(p, "data is NULL");
    assert(hcacosim_expect_bits(p, 1, NULL, &bytes, &user) == -1);
    says(p, "data is NULL");
    assert(hcacosim_expect_bits(p, 1, vector, NULL, &user) == -1);
    says(p, "bytes is NULL");
    assert(hcacosim_expect_bits(p, 1, vector, &bytes, NULL) == -1);
    says(p, "user is NULL");
    assert(hcacosim_push_bits(p, 0, 1, NULL, 73) == -1 && hcacosim_got_bits(p, 1, 1, NULL, 27) == -1);
    says(p, "data is NULL");
    assert(hcacosim_push_bits(p, 0, 1, vector, 12) == -1);
    says(p, "s_rec: a record of 12 bits: it has 73");
    assert(hcacosim_push_bits(q, 0, 1, vector, 73) == -1);
    says(q, "s_axis: a packet of 73 bits: they are no whole bytes");
    assert(hcacosim_push(p, 0, 1, 0, record, 0xFFFFFFFF) == -1);
    says(p, "a record of 4294967295 bytes; at most");
    assert(hcacosim_push_beat(q, 0, 1, NULL, &keep, 8, 1, 0) == -1);
    says(q, "data is NULL");
    assert(hcacosim_push_beat(q, 0, 1, vector, NULL, 8, 1, 0) == -1);
    says(q, "keep is NULL");
    assert(hcacosim_push_beat(q, 0, 1, vector, &keep, 0x20000008, 1, 0) == -1);
    says(q, "a beat of 536870920 bytes does not fit into a vector of 4096 bits");
    assert(hcacosim_push_beat(q, 0, 1, vector, &keep, -4, 1, 0) == -1);
    says(q, "a beat of -4 bytes does not fit into a vector of 4096 bits");
    assert(hcacosim_push_beat(q, -1, 1, vector, &keep, 8, 1, 0) == -1);
    says(q, "there is no port -1: the stage has 2");
    assert(hcacosim_port(p, NULL) == -1 && hcacosim_open(NULL, NULL) == -1);
    assert(hcacosim_close(p) == 0 && hcacosim_close(q) == 0);
}

int main(void) {
    uint8_t record[10] = {0};
    uint32_t vector[128] = {0};
    assert(hcacosim_open("nonesuch", "") == -1);
    says(-1, "stage \"nonesuch\" is unknown (known: icrc_check, ");
    assert(hcacosim_open("psn_window", "NumQps=x") == -1);
    says(-1, "setting \"NumQps=x\": want NAME=NUMBER");
    assert(hcacosim_open("psn_window", "NumQps=4") == -1);
    says(-1, "psn_window has no parameter or configuration input \"NumQps\" (it has none)");
    assert(hcacosim_push(77, 0, 0, 0, record, 10) == -1);
    says(-1, "no predictor 77 is open");
    int p = hcacosim_open("psn_window", "");
    assert(p > 0 && hcacosim_port(p, "s_rec") == 0 && hcacosim_port(p, "m_rec") == 1);
    assert(hcacosim_port(p, "x") == -1);
    says(p, "no port \"x\" (it has s_rec, m_rec)");
    assert(hcacosim_push(p, 1, 0, 0, record, 10) == -1);
    says(p, "m_rec is not an input");
    assert(hcacosim_push(p, 2, 0, 0, record, 10) == -1);
    says(p, "there is no port 2");
    assert(hcacosim_push(p, 65536, 0, 0, record, 10) == -1);
    assert(hcacosim_push(p, -1, 0, 0, record, 10) == -1);
    says(p, "there is no port -1: the stage has 2");
    assert(hcacosim_push(p, 0, 5, 0, record, 10) == 0);
    assert(hcacosim_push(p, 0, 4, 0, record, 10) == -1);
    says(p, "cycle 4 after cycle 5");
    assert(hcacosim_push_bits(p, 0, 6, vector, 5000) == -1);
    says(p, "5000 bits do not fit into a vector of 4096");
    uint32_t user, size = 3;
    int bytes;
    memset(vector, 0xAA, sizeof vector);
    assert(hcacosim_push(p, 0, 5, 0, record, 10) == 0);
    assert(hcacosim_expect_bits(p, 1, vector, &bytes, &user) == 1 && bytes == 4 && vector[0] == 0 && vector[127] == 0);
    assert(hcacosim_expect(p, 1, &user, record, &size) == -1 && size == 4);
    says(p, "a record of 4 bytes, room for 3");
    assert(hcacosim_end(p) == 0 && hcacosim_got(p, 1, 7, 0, record, 4) == -1);
    says(p, "the run was ended");
    assert(hcacosim_close(p) == 0 && hcacosim_close(p) == -1);
    beats();
    timer();
    unfinished();
    senseless();
    puts("every call as the header says");
    return 0;
}
