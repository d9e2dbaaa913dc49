/* The golden model of hcacosim as a C library: docs/predictor.md. `make predictor` builds it.
 *
 * A predictor follows one device: push what it took, then take what must come out, or have judged what came. Records
 * come in the order of the cycles of their last beats; within a cycle inputs before outputs. Every function may be
 * called from any thread. */
#ifndef HCACOSIM_H
#define HCACOSIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A predictor of a stage (`vecgen list` shows them), with parameters and configuration inputs of its device that are
 * not its manifest's: "NumQps=64,retry7_forever_i=1"; "" for none. Above 0, or -1: also where the block's page has no
 * such setting or not such a number. */
int hcacosim_open(const char *stage, const char *settings);

/* The number of a port by its name: s_rec. -1 where there is none. */
int hcacosim_port(int predictor, const char *name);

/* The device took a record, its last beat in a cycle. user is the sideband, 0 where there is none. 0, or -1: also where
 * the record has not the size of its port. */
int hcacosim_push(int predictor, int port, uint64_t cycle, uint32_t user, const uint8_t *data, uint32_t size);

/* The next record that must come out of a port: 1, and *user, data and *size are set; *size says before how much room
 * data has. 0: none is due yet. -1: not for a stage whose order or time is the device's choice (see hcacosim_got); or
 * there is no room for the record, which is taken all the same, and *size says how much it needs. */
int hcacosim_expect(int predictor, int port, uint32_t *user, uint8_t *data, uint32_t *size);

/* The device gave a record. 0: it was due. 1: it was not, hcacosim_text says what is wrong. -1: the call is wrong. */
int hcacosim_got(int predictor, int port, uint64_t cycle, uint32_t user, const uint8_t *data, uint32_t size);

/* The cycle by which everything that is owed must have come, where the stage knows; else 0. */
uint64_t hcacosim_latest(int predictor);

/* The run is over. How much was wrong in all, what never came included, and a packet that never ended; hcacosim_text
 * has a line for each of these. */
int hcacosim_end(int predictor);

/* Forgets the predictor. 0, or -1 where there is none. */
int hcacosim_close(int predictor);

/* What was wrong last; of predictor -1 why it could not be opened. Valid until the next call. */
const char *hcacosim_text(int predictor);

/* For DPI: vectors of 4096 bits, as words of 32, the low one first. A record of `bits`, from bit 0 on. */
int hcacosim_push_bits(int predictor, int port, uint64_t cycle, const uint32_t *data, int bits);
int hcacosim_got_bits(int predictor, int port, uint64_t cycle, const uint32_t *data, int bits);

/* hcacosim_expect into a vector: *bytes says how many of its bytes count, from the low end on. The rest is 0. */
int hcacosim_expect_bits(int predictor, int port, uint32_t *data, int *bytes, uint32_t *user);

/* A beat of a packet of `bytes` bytes, byte 0 in bits 7:0, a bit of keep for each. user counts on the last beat. */
int hcacosim_push_beat(int predictor, int port, uint64_t cycle, const uint32_t *data, const uint32_t *keep, int bytes,
                       int last, uint32_t user);
int hcacosim_got_beat(int predictor, int port, uint64_t cycle, const uint32_t *data, const uint32_t *keep, int bytes,
                      int last, uint32_t user);

#ifdef __cplusplus
}
#endif
#endif
