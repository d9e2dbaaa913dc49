/* Judges a recording of a device on m_ans with nothing but the headers of a lenient set, as a bench in C would. A line
 * is "i CYCLE" for an input and "o CYCLE USER HEX" for an output; prints how much is wrong. */
#include <inttypes.h>
#include <stdio.h>

#include "m_ans.h"
#include "m_ans.need.h"

int main(void) {
  struct hcacosim_match m;
  char kind, hex[256];
  uint64_t cycle;
  int wrong = 0;
  if (hcacosim_match_begin(&m, m_ans_records, sizeof m_ans_records, m_ans_needs, sizeof m_ans_needs / sizeof *m_ans_needs,
                           1, 1) != 0) {
    fprintf(stderr, "the headers do not fit each other\n");
    return 2;
  }
  while (scanf(" %c %" SCNu64, &kind, &cycle) == 2) {
    unsigned char data[128];
    uint32_t user;
    size_t size = 0;
    if (kind == 'i') {
      wrong += hcacosim_match_input(&m, cycle);
      continue;
    }
    if (scanf("%" SCNx32 " %255s", &user, hex) != 2) return 2;
    for (; hex[2 * size]; size++) {
      unsigned byte;
      if (sscanf(hex + 2 * size, "%2x", &byte) != 1) return 2;
      data[size] = (unsigned char)byte;
    }
    wrong += hcacosim_match_output(&m, cycle, user, data, size);
  }
  printf("%d\n", wrong + hcacosim_match_end(&m));
  return 0;
}
