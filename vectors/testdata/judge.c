/* Judges a recording of a device on PORT with nothing but the headers of a lenient set, as a bench in C would. A line
 * is "i CYCLE NUMBER" for a record that went into an input and "o CYCLE USER HEX" for an output; prints how much is
 * wrong. */
#include <inttypes.h>
#include <stdio.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)
#define RECORDS JOIN(PORT, _records)
#define NEEDS JOIN(PORT, _needs)
#define HEADER(x) TEXT(x.h)
#include HEADER(PORT)
#undef HEADER
#define HEADER(x) TEXT(x.need.h)
#include HEADER(PORT)

int main(void) {
  struct hcacosim_match m;
  static char hex[1 << 15];
  static unsigned char data[1 << 14];
  unsigned from;
  char kind;
  uint64_t cycle;
  int wrong = 0;
  if (hcacosim_match_begin(&m, RECORDS, sizeof RECORDS, NEEDS, sizeof NEEDS / sizeof *NEEDS, 1, 1) != 0) {
    fprintf(stderr, "the headers do not fit each other\n");
    return 2;
  }
  while (scanf(" %c %" SCNu64, &kind, &cycle) == 2) {
    uint32_t user;
    size_t size = 0;
    if (kind == 'i') {
      if (scanf("%u", &from) != 1) return 2;
      wrong += hcacosim_match_input(&m, from, cycle);
      continue;
    }
    if (scanf("%" SCNx32 " %32767s", &user, hex) != 2) return 2;
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
