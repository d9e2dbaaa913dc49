// Included before everything else in a Verilated build, so that what the design prints passes through the bridge: the
// text of a failed assertion is printed before the hook that says that one failed; and so that what no reset reaches
// draws its first value by its name (hca_state.h).
#ifndef HCA_PRINTF_H_
#define HCA_PRINTF_H_
int hca_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF hca_printf

#include <stdint.h>
uint32_t hca_state_i(const char* module, const char* name, int bits);
uint64_t hca_state_q(const char* module, const char* name, int bits);
void hca_state_w(const char* module, const char* name, int bits, uint32_t* words);
#endif
