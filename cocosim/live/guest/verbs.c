// The guest's side of `make live`: a queue pair of the kernel's Soft-RoCE against the model's. Each side does SENDs,
// WRITEs, atomics and READs at the other, COUNT of each, and both compare memory with what that must leave.
//
//   verbs GUEST_IP MODEL_IP   runs in the guest
//   verbs fill SIDE           writes what SIDE (model or guest) has in memory at the start
//   verbs image SIDE          writes what SIDE has in memory at the end
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef COUNT
#define COUNT 100
#endif
#ifndef TIMEOUT
#define TIMEOUT 21
#endif

enum {
  PIECE = 4000,       // bytes of a message
  MODEL_QPN = 0x11,
  MODEL_KEY = 0x1001,
  MODEL_PSN = 0x100,  // of the model's first request
  GUEST_PSN = 0xfffff0,
  // Where things are in the memory of either side.
  SOURCE = 0,         // what it sends and writes, and its peer reads
  WRITTEN = 0x80000,  // what its peer writes
  RECEIVED = 0x100000,
  READ_BACK = 0x180000,
  COUNTER = 0x200000,  // what its peer adds to
  BEFORE = 0x200040,   // what its own last atomic found
  SIZE = 0x280000,
};

static const uint64_t model_va = 0x10000000;

struct side {
  const char *name;
  uint32_t seed;
  uint64_t adds;  // to its peer's counter, each time
};

static const struct side model = {"model", 0x12345678, 3}, guest = {"guest", 0x9abcdef1, 5};

static _Noreturn void fail(const char *what) {
  perror(what);
  printf("GUEST failed: %s\n", what);
  exit(1);
}

// source fills in the bytes that a side sends.
static void source(const struct side *s, uint8_t *to) {
  uint32_t x = s->seed;
  for (int i = 0; i < COUNT * PIECE; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    to[i] = (uint8_t)x;
  }
}

// image fills in what a side's memory holds at the end.
static void image(const struct side *own, const struct side *peer, uint8_t *to) {
  memset(to, 0, SIZE);
  source(own, to + SOURCE);
  source(peer, to + WRITTEN);
  source(peer, to + RECEIVED);
  source(peer, to + READ_BACK);
  uint64_t counter = COUNT * peer->adds, before = (COUNT - 1) * own->adds;
  memcpy(to + COUNTER, &counter, sizeof counter);
  memcpy(to + BEFORE, &before, sizeof before);
}

// print writes a side's memory to stdout.
static int print(const char *what, const char *name) {
  uint8_t *m = calloc(1, SIZE);
  int is_guest = strcmp(name, guest.name) == 0;
  if (strcmp(what, "image") == 0)
    image(is_guest ? &guest : &model, is_guest ? &model : &guest, m);
  else
    source(is_guest ? &guest : &model, m + SOURCE);
  return fwrite(m, SIZE, 1, stdout) == 1 ? 0 : 1;
}

struct end {
  struct ibv_context *ctx;
  struct ibv_pd *pd;
  struct ibv_mr *mr;
  struct ibv_cq *cq;
  struct ibv_qp *qp;
  uint8_t *mem;
  int gid;
};

static const int rights =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

// gid_of is an address as a GID; IPv4 is mapped.
static union ibv_gid gid_of(const char *ip) {
  union ibv_gid g = {.raw = {[10] = 0xff, [11] = 0xff}};
  if (inet_pton(AF_INET, ip, g.raw + 12) != 1 && inet_pton(AF_INET6, ip, g.raw) != 1) fail("no address");
  return g;
}

// find_gid finds the entry of an address in the table of GIDs; it is there when the kernel has found it free.
static int find_gid(struct ibv_context *ctx, const char *ip) {
  union ibv_gid want = gid_of(ip), have;
  for (int tries = 0; tries < 100; tries++, usleep(200000))
    for (int i = 0; ibv_query_gid(ctx, 1, i, &have) == 0; i++)
      if (memcmp(&want, &have, sizeof have) == 0) return i;
  fail("no GID of our address");
}

static struct end open_end(const char *ip) {
  struct end e = {0};
  struct ibv_device **list = ibv_get_device_list(NULL);
  if (!list || !list[0] || !(e.ctx = ibv_open_device(list[0]))) fail("no RDMA device");
  e.gid = find_gid(e.ctx, ip);
  if (posix_memalign((void **)&e.mem, 4096, SIZE)) fail("memory");
  memset(e.mem, 0, SIZE);
  source(&guest, e.mem + SOURCE);
  e.pd = ibv_alloc_pd(e.ctx);
  e.mr = ibv_reg_mr(e.pd, e.mem, SIZE, rights);
  e.cq = ibv_create_cq(e.ctx, 8 * COUNT, NULL, NULL, 0);
  if (!e.pd || !e.mr || !e.cq) fail("PD, MR or CQ");
  struct ibv_qp_init_attr init = {.send_cq = e.cq, .recv_cq = e.cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
    .cap = {.max_send_wr = 64, .max_recv_wr = COUNT + 1, .max_send_sge = 1, .max_recv_sge = 1}};
  if (!(e.qp = ibv_create_qp(e.pd, &init))) fail("QP");
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = rights & ~IBV_ACCESS_LOCAL_WRITE};
  if (ibv_modify_qp(e.qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) fail("INIT");
  return e;
}

// connect_end goes to RTS. The kernel asks for the model's MAC on the way, so that is tried until the model is there.
static void connect_end(struct end *e, const char *peer) {
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = MODEL_QPN,
    .rq_psn = MODEL_PSN, .max_dest_rd_atomic = 8, .min_rnr_timer = 12, .ah_attr = {.is_global = 1, .port_num = 1,
    .grh = {.sgid_index = (uint8_t)e->gid, .hop_limit = 64, .dgid = gid_of(peer)}}};
  for (int tries = 0; ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                                   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
       tries++) {
    if (tries > 600) fail("RTR");
    usleep(200000);
  }
  struct ibv_qp_attr s = {.qp_state = IBV_QPS_RTS, .sq_psn = GUEST_PSN, .timeout = TIMEOUT, .retry_cnt = 7, .rnr_retry = 7,
    .max_rd_atomic = 8};
  if (ibv_modify_qp(e->qp, &s, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                   IBV_QP_MAX_QP_RD_ATOMIC))
    fail("RTS");
}

static void post_receives(struct end *e) {
  for (int i = 0; i <= COUNT; i++) {  // the last one is for the SEND without a byte that says that all is done
    struct ibv_sge sge = {(uintptr_t)e->mem + RECEIVED + (uint64_t)(i % COUNT) * PIECE, PIECE, e->mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = 0x1000, .sg_list = &sge, .num_sge = i < COUNT}, *bad;
    if (ibv_post_recv(e->qp, &wr, &bad)) fail("receive WQE");
  }
}

// post posts the i-th message of all.
static int post(struct end *e, int i) {
  uint64_t off = (uint64_t)(i % COUNT) * PIECE;
  struct ibv_sge sge = {(uintptr_t)e->mem + SOURCE + off, PIECE, e->mr->lkey};
  struct ibv_send_wr wr = {.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.rkey = MODEL_KEY;
  switch (i / COUNT) {
    case 0:
      wr.opcode = IBV_WR_SEND;
      break;
    case 1:
      wr.opcode = IBV_WR_RDMA_WRITE;
      wr.wr.rdma.remote_addr = model_va + WRITTEN + off;
      break;
    case 2:
      wr.opcode = IBV_WR_RDMA_READ;
      wr.wr.rdma.remote_addr = model_va + SOURCE + off;
      sge.addr = (uintptr_t)e->mem + READ_BACK + off;
      break;
    case 3:
      wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
      wr.wr.atomic.remote_addr = model_va + COUNTER;
      wr.wr.atomic.compare_add = guest.adds;
      wr.wr.atomic.rkey = MODEL_KEY;
      sge.addr = (uintptr_t)e->mem + BEFORE;
      sge.length = 8;
      break;
    default:
      wr.opcode = IBV_WR_SEND;
      wr.num_sge = 0;
  }
  return ibv_post_send(e->qp, &wr, &bad);
}

// run keeps the send queue full until all has completed, and all of the peer's SENDs came.
static void run(struct end *e) {
  int posted = 0, sent = 0, received = 0;
  while (sent < 4 * COUNT + 1 || received < COUNT + 1) {
    while (posted < 4 * COUNT + 1 && posted - sent < 32 && post(e, posted) == 0) posted++;
    struct ibv_wc wc;
    int n = ibv_poll_cq(e->cq, 1, &wc);
    if (n < 0) fail("CQ");
    if (n == 0) {
      usleep(1000);
      continue;
    }
    if (wc.status != IBV_WC_SUCCESS) {
      printf("GUEST completion %d: %s\n", (int)wc.wr_id, ibv_wc_status_str(wc.status));
      fail("completion");
    }
    if (wc.wr_id >= 0x1000)
      received++;
    else
      sent++;
  }
  printf("GUEST sent %d messages, received %d SENDs\n", sent, received);
}

// compare holds memory against what it must be.
static int compare(const struct end *e) {
  uint8_t *want = malloc(SIZE);
  image(&guest, &model, want);
  for (int i = 0; i < SIZE; i++)
    if (want[i] != e->mem[i]) {
      printf("GUEST failed: memory differs at offset %Xh: %02X, not %02X\n", i, e->mem[i], want[i]);
      return 1;
    }
  printf("GUEST memory agrees\n");
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if (strcmp(argv[1], "fill") == 0 || strcmp(argv[1], "image") == 0) return print(argv[1], argv[2]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct end e = open_end(argv[1]);
  post_receives(&e);
  printf("GUEST qpn=0x%x key=0x%x va=0x%llx\n", e.qp->qp_num, e.mr->rkey, (unsigned long long)(uintptr_t)e.mem);
  connect_end(&e, argv[2]);
  run(&e);
  int bad = compare(&e);
  sleep(2);  // the model may still ask for an ACK again
  printf("GUEST done\n");
  return bad;
}
