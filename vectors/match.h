/* Judge of a lenient vector set in C99: which records must come, which may, which stand for others, and by when
 * (docs/vectors.md, Choices). One judge for each output of the device:
 *
 *   struct hcacosim_match m;
 *   hcacosim_match_begin(&m, m_ans_records, sizeof m_ans_records, m_ans_needs,
 *                        sizeof m_ans_needs / sizeof *m_ans_needs, keyed, timed);
 *   wrong += hcacosim_match_input(&m, from, cycle);                  a record went into an input, its last beat in this
 *                                                                    cycle; from numbers the inputs, 0 is the first
 *   wrong += hcacosim_match_output(&m, cycle, user, data, size);     a record came out
 *   wrong += hcacosim_match_end(&m);                                 nothing more comes; frees the memory
 *
 * Each gives how much is wrong by it; m.index is then the expected record that did not come, or m.count where what
 * came was not due. Calls come in the order of the cycles, inputs of a cycle before its outputs. keyed is the port's
 * in manifest.json; timed tells that outputs are not held up, so that deadlines can be judged. user is the sideband,
 * size counts bytes. A record that comes behind its deadline is wrong once: when the deadline passes. Of a port without
 * records the arrays have one element each, as C has none of zero: less than a record, so that none is expected. */
#ifndef HCACOSIM_MATCH_H
#define HCACOSIM_MATCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Late is what was given up when its deadline passed, and may still come: it was called wrong then. */
enum { HCACOSIM_MUST, HCACOSIM_MAY, HCACOSIM_ONE, HCACOSIM_SETTLED, HCACOSIM_LATE };

struct hcacosim_need {
  unsigned need;
  uint32_t cause, key, group, by;
  unsigned from; /* the input that cause counts on */
};

/* An expected record: latest is 0 where it has no deadline, or none that is known. */
struct hcacosim_wanted {
  const unsigned char *data;
  uint32_t user, size;
  unsigned need;
  uint64_t latest;
};

enum { HCACOSIM_INPUTS = 16 };

struct hcacosim_match {
  const struct hcacosim_need *needs;
  struct hcacosim_wanted *wanted;
  uint64_t inputs[HCACOSIM_INPUTS]; /* records that went in */
  size_t seen[HCACOSIM_INPUTS];     /* what counts on an input is owed below, and not from there on */
  size_t count, head, tail;         /* owed is nothing below head, and nothing from tail on */
  size_t bound;                     /* all below is owed, or was */
  size_t late;                      /* that were given up and have not come */
  size_t index;
  uint64_t soonest;
  int keyed, timed;
};

static uint32_t hcacosim_u32(const unsigned char *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* hcacosim_match_begin gives 0, or -1 where the arrays do not fit each other or memory is out. */
static int hcacosim_match_begin(struct hcacosim_match *m, const unsigned char *records, size_t bytes,
                                const struct hcacosim_need *needs, size_t count, int keyed, int timed) {
  size_t at = 0, i;
  memset(m, 0, sizeof *m);
  if (bytes < 8) bytes = 0, count = 0; /* no record is that short */
  m->needs = needs, m->count = count, m->keyed = keyed, m->timed = timed, m->soonest = UINT64_MAX;
  m->wanted = (struct hcacosim_wanted *)calloc(count + 1, sizeof *m->wanted);
  if (!m->wanted) return -1;
  for (i = 0; i < count; i++) {
    struct hcacosim_wanted *w = &m->wanted[i];
    if (bytes - at < 8 || hcacosim_u32(records + at + 4) > bytes - at - 8) return -1;
    w->user = hcacosim_u32(records + at), w->size = hcacosim_u32(records + at + 4);
    if (needs[i].from >= HCACOSIM_INPUTS) return -1;
    w->data = records + at + 8, w->need = needs[i].need;
    at += 8 + w->size;
  }
  return at == bytes ? 0 : -1;
}

/* Whether the cause of a record went in. */
static int hcacosim_owed(const struct hcacosim_match *m, size_t i) {
  return m->needs[i].cause < m->inputs[m->needs[i].from];
}

static int hcacosim_same_key(const struct hcacosim_match *m, size_t a, size_t b) {
  return !m->keyed || m->needs[a].key == m->needs[b].key;
}

/* What of a key a record that comes would leave out. */
struct hcacosim_skipped {
  int blocked, some; /* something that nothing else stands for; one of group */
  uint32_t group;
};

static int hcacosim_covers(const struct hcacosim_match *m, const struct hcacosim_skipped *s, size_t i) {
  return !s->some || m->needs[i].group == s->group;
}

static void hcacosim_skip(const struct hcacosim_match *m, struct hcacosim_skipped *s, size_t i) {
  if (m->wanted[i].need == HCACOSIM_MUST) s->blocked = 1;
  if (m->wanted[i].need != HCACOSIM_ONE) return;
  if (!hcacosim_covers(m, s, i)) s->blocked = 1;
  s->some = 1, s->group = m->needs[i].group;
}

/* Gives up what had to come before a cycle. */
static int hcacosim_expire(struct hcacosim_match *m, uint64_t cycle) {
  int wrong = 0;
  size_t i;
  if (!m->timed || m->soonest >= cycle) return 0;
  m->soonest = UINT64_MAX;
  for (i = m->head; i < m->tail; i++) {
    struct hcacosim_wanted *w = &m->wanted[i];
    if (w->need >= HCACOSIM_SETTLED || w->latest == 0) continue;
    if (w->latest < cycle) {
      w->need = HCACOSIM_LATE, m->late++, m->index = i, wrong++;
    } else if (w->latest < m->soonest) {
      m->soonest = w->latest;
    }
  }
  return wrong;
}

/* hcacosim_match_input tells that the device took the next record of an input. Deadlines count from the cycle in which
 * the last cause went in of a record and of all before it. */
static int hcacosim_match_input(struct hcacosim_match *m, unsigned from, uint64_t cycle) {
  int wrong = hcacosim_expire(m, cycle);
  size_t *seen = &m->seen[from];
  m->inputs[from]++;
  for (; *seen < m->count && (m->needs[*seen].from != from || hcacosim_owed(m, *seen)); ++*seen) {
    if (m->needs[*seen].from == from && *seen >= m->tail) m->tail = *seen + 1;
  }
  for (; m->bound < m->count && hcacosim_owed(m, m->bound); m->bound++) {
    struct hcacosim_wanted *w = &m->wanted[m->bound];
    if (m->needs[m->bound].by == 0 || w->need >= HCACOSIM_SETTLED || w->need == HCACOSIM_MAY) continue;
    w->latest = cycle + m->needs[m->bound].by;
    if (w->latest < m->soonest) m->soonest = w->latest;
  }
  return wrong;
}

static int hcacosim_is(const struct hcacosim_wanted *w, uint32_t user, const void *data, size_t size) {
  return w->user == user && w->size == size && memcmp(w->data, data, size) == 0;
}

/* Of two answers with the same bytes that are due, one stands for both, and the second may still come. */
static void hcacosim_repeats(struct hcacosim_match *m, size_t first) {
  const struct hcacosim_wanted *f = &m->wanted[first];
  struct hcacosim_skipped between = {0, 0, 0};
  size_t j, k;
  if (f->need == HCACOSIM_MUST) return;
  for (j = first + 1; j < m->tail && !between.blocked; j++) {
    struct hcacosim_wanted *w = &m->wanted[j];
    if (w->need >= HCACOSIM_SETTLED || !hcacosim_same_key(m, j, first)) continue;
    if (w->need == HCACOSIM_MUST || !hcacosim_owed(m, j) || !hcacosim_is(w, f->user, f->data, f->size) ||
        !hcacosim_covers(m, &between, j)) {
      hcacosim_skip(m, &between, j);
      continue;
    }
    for (k = first + 1; k <= j; k++) {
      if (m->wanted[k].need >= HCACOSIM_SETTLED || !hcacosim_same_key(m, k, first)) continue;
      m->wanted[k].need = HCACOSIM_MAY, m->wanted[k].latest = 0;
    }
    between.some = 0;
  }
}

/* The expected record that one of the device is, count for none. */
static size_t hcacosim_find(const struct hcacosim_match *m, uint32_t user, const void *data, size_t size) {
  size_t i, j;
  for (j = m->head; j < m->tail; j++) {
    struct hcacosim_skipped before = {0, 0, 0};
    const struct hcacosim_wanted *w = &m->wanted[j];
    if (w->need >= HCACOSIM_SETTLED || !hcacosim_owed(m, j) || !hcacosim_is(w, user, data, size)) continue;
    for (i = m->head; i < j; i++) {
      if (m->wanted[i].need < HCACOSIM_SETTLED && hcacosim_same_key(m, i, j)) hcacosim_skip(m, &before, i);
    }
    if (!before.blocked && hcacosim_covers(m, &before, j)) return j;
  }
  return m->count;
}

/* Whether a record that is not due is one that was given up. */
static int hcacosim_came_late(struct hcacosim_match *m, uint32_t user, const void *data, size_t size) {
  size_t i;
  if (m->late == 0) return 0;
  for (i = 0; i < m->bound; i++) {
    struct hcacosim_wanted *w = &m->wanted[i];
    if (w->need != HCACOSIM_LATE || !hcacosim_is(w, user, data, size)) continue;
    w->need = HCACOSIM_SETTLED, m->late--;
    return 1;
  }
  return 0;
}

/* hcacosim_match_output judges a record that the device gave. */
static int hcacosim_match_output(struct hcacosim_match *m, uint64_t cycle, uint32_t user, const void *data,
                                 size_t size) {
  int wrong = hcacosim_expire(m, cycle);
  size_t i, found = hcacosim_find(m, user, data, size);
  if (found == m->count) {
    if (hcacosim_came_late(m, user, data, size)) return wrong;
    m->index = found;
    return wrong + 1;
  }
  hcacosim_repeats(m, found);
  for (i = m->head; i <= found; i++) {
    if (m->wanted[i].need < HCACOSIM_SETTLED && hcacosim_same_key(m, i, found)) m->wanted[i].need = HCACOSIM_SETTLED;
  }
  while (m->head < m->tail && m->wanted[m->head].need >= HCACOSIM_SETTLED) m->head++;
  return wrong;
}

/* hcacosim_match_end counts what must have come and has not: also what was never due, as its cause did not go in. */
static int hcacosim_match_end(struct hcacosim_match *m) {
  int wrong = 0;
  for (; m->head < m->count; m->head++) {
    if (m->wanted[m->head].need >= HCACOSIM_SETTLED || m->wanted[m->head].need == HCACOSIM_MAY) continue;
    m->index = m->head, wrong++;
  }
  free(m->wanted);
  return wrong;
}

#endif
