/* Sends readings over CoAP at a set rate and counts what comes back (InLocus, section V: messages of 121 bytes on the line, their payload
 * of 75, with a double that a mean is made of).
 *
 * Usage: coap-blaster PORT RATE SECONDS COLLECT [PATH [ADDRESS]]
 * COLLECT is the port at which summaries arrive; 0: replies to the sender are counted. PATH has at most 12 bytes. The server is at
 * ADDRESS (IPv4), or on this machine.
 * Prints as JSON how many were sent and came.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 32, MESSAGE = 79, TICK_NS = 200000, PATIENCE_MS = 500 };

static volatile uint64_t came;

static int bound_to(uint16_t port, in_addr_t address_here) {
  const int descriptor = socket(AF_INET, SOCK_DGRAM, 0), bytes = 4 << 20;
  const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = address_here};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
    perror("bind");
    exit(1);
  }
  return descriptor;
}

static void *collect(void *descriptor) {
  char bytes[2048];
  while (recv(*(int *)descriptor, bytes, sizeof bytes, 0) >= 0) came += 1;
  return NULL;
}

static double seconds_since(const struct timespec *begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

/* A non-confirmable PUT with a number near 50. */
static void fill(uint8_t *message, uint16_t id, const char *path) {
  const size_t length = strlen(path);
  const double value = 50 + (double)(id * 7 % 64) / 64;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint8_t *at = message;
  *at++ = 0x50;
  *at++ = 3;
  *at++ = (uint8_t)(id >> 8);
  *at++ = (uint8_t)id;
  if (length > 0) {
    *at++ = (uint8_t)(0xb0 | length);
    memcpy(at, path, length);
    at += length;
  }
  *at++ = 0xff;
  *at++ = 0xfb;
  for (int n = 56; n >= 0; n -= 8) *at++ = (uint8_t)(bits >> n);
  memset(at, 0, (size_t)(message + MESSAGE - at));
}

int main(int count, char **words) {
  if (count < 5) return 2;
  const double rate = atof(words[2]), seconds = atof(words[3]);
  const char *path = count > 5 ? words[5] : "";
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const in_addr_t here = htonl(count > 6 ? INADDR_ANY : INADDR_LOOPBACK);
  if (count > 6 && inet_pton(AF_INET, words[6], &to.sin_addr) != 1) {
    fprintf(stderr, "'%s' is no IPv4 address.\n", words[6]);
    return 2;
  }
  int sender = bound_to(0, here), collector = atoi(words[4]) == 0 ? sender : bound_to((uint16_t)atoi(words[4]), here);
  pthread_t thread;
  pthread_create(&thread, NULL, collect, &collector);

  static uint8_t messages[BATCH][MESSAGE];
  static struct iovec parts[BATCH];
  static struct mmsghdr batch[BATCH];
  for (int n = 0; n < BATCH; n++) {
    parts[n] = (struct iovec){messages[n], MESSAGE};
    batch[n].msg_hdr = (struct msghdr){.msg_name = (void *)&to, .msg_namelen = sizeof to, .msg_iov = &parts[n], .msg_iovlen = 1};
  }
  struct timespec begin, tick = {.tv_nsec = TICK_NS};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  uint64_t sent = 0, unsent = 0;
  double elapsed;
  while ((elapsed = seconds_since(&begin)) < seconds) {
    uint64_t due = (uint64_t)(elapsed * rate);
    while (sent + unsent < due) {
      const int some = due - sent - unsent < BATCH ? (int)(due - sent - unsent) : BATCH;
      for (int n = 0; n < some; n++) fill(messages[n], (uint16_t)(sent + n), path);
      const int done = sendmmsg(sender, batch, (unsigned)some, 0);
      if (done > 0) sent += (uint64_t)done;
      else unsent += 1;
    }
    nanosleep(&tick, NULL);
  }
  const double took = seconds_since(&begin);
  for (uint64_t before = UINT64_MAX; before != came;) {
    before = came;
    usleep(PATIENCE_MS * 1000);
  }
  printf("{\"sent\": %llu, \"unsent\": %llu, \"came\": %llu, \"seconds\": %.3f}\n", (unsigned long long)sent,
         (unsigned long long)unsent, (unsigned long long)came, took);
  return 0;
}
