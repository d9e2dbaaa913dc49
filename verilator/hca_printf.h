// Included before everything else in a Verilated build, so that what the design prints passes through the bridge: the
// text of a failed assertion is printed before the hook that says that one failed.
#ifndef HCA_PRINTF_H_
#define HCA_PRINTF_H_
int hca_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF hca_printf
#endif
