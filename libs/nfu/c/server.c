/* A network function as a CoAP server on libcoap (InLocus, section III.B): what libs/nfu/src/node/server.ts is on Node.js.
 *
 * Usage: nfu-server CODE HOST PORT [NEXT_HOST NEXT_PORT] [--keyed]
 * It says on standard output, as JSON, where it listens, and ends when its standard input does.
 */
#include <arpa/inet.h>
#include <coap3/coap.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "function.h"

static struct {
  nfu_function *function;
  char code[256];
  bool keyed;
  coap_session_t *next;
  bool has_latest;
  uint8_t latest[NFU_DOUBLE_BYTES];
  uint64_t absorbed, summaries, passed, without_number, unsent;
} server;

static const char SELF[] = "nfu";

/* Confirmable readings that were taken lately, and how they were answered: one that comes again gets the same answer (RFC 7252, section
 * 4.5). The oldest is forgotten first. */
enum { REMEMBERED = 1024 };
static struct {
  uint32_t address;
  uint16_t port;
  coap_mid_t mid;
  coap_pdu_code_t code;
} remembered[REMEMBERED];
static size_t next_remembered;

static bool address_of(const char *host, const char *port, coap_address_t *address) {
  coap_address_init(address);
  address->addr.sin.sin_family = AF_INET;
  address->addr.sin.sin_port = htons((uint16_t)atoi(port));
  address->size = sizeof address->addr.sin;
  return inet_pton(AF_INET, host, &address->addr.sin.sin_addr) == 1;
}

/* Sends a message on with the payload, its header, token and options as they came. */
static void send_on(const coap_pdu_t *request, const uint8_t *payload, size_t length) {
  if (!server.next) return;
  coap_pdu_t *pdu = coap_pdu_init(COAP_MESSAGE_NON, coap_pdu_get_code(request), coap_pdu_get_mid(request),
                                  coap_session_max_pdu_size(server.next));
  const coap_bin_const_t token = coap_pdu_get_token(request);
  bool is_whole = pdu && coap_add_token(pdu, token.length, token.s);
  coap_opt_iterator_t options;
  coap_option_iterator_init(request, &options, COAP_OPT_ALL);
  for (coap_opt_t *option; is_whole && (option = coap_option_next(&options)) != NULL;)
    is_whole = coap_add_option(pdu, options.number, coap_opt_length(option), coap_opt_value(option)) > 0;
  if (is_whole && length > 0) is_whole = coap_add_data(pdu, length, payload);
  if (!is_whole || coap_send(server.next, pdu) == COAP_INVALID_MID) server.unsent += 1;
}

/* Whether a message was a reading that the function could take. */
static bool take(coap_session_t *session, const coap_pdu_t *request) {
  size_t length = 0;
  const uint8_t *payload = NULL;
  nfu_number number;
  if (!coap_get_data(request, &length, &payload) || !nfu_read_number(payload, length, &number)) {
    server.without_number += 1;
    return false;
  }
  double summary;
  switch (nfu_take(server.function, coap_session_get_addr_remote(session)->addr.sin.sin_addr.s_addr, &number, &summary)) {
    case NFU_REFUSE: server.without_number += 1; return false;
    case NFU_ABSORB: server.absorbed += 1; return true;
    case NFU_PASS:
      server.passed += 1;
      send_on(request, payload, length);
      return true;
    case NFU_REPLACE:
      server.summaries += 1;
      server.has_latest = true;
      nfu_write_double(summary, server.latest);
      send_on(request, server.latest, sizeof server.latest);
  }
  return true;
}

/* Takes a confirmable reading, unless it has come before. */
static coap_pdu_code_t take_once(coap_session_t *session, const coap_pdu_t *request) {
  const struct sockaddr_in *from = &coap_session_get_addr_remote(session)->addr.sin;
  const coap_mid_t mid = coap_pdu_get_mid(request);
  for (size_t n = 0; n < REMEMBERED; n++)
    if (remembered[n].code != 0 && remembered[n].mid == mid && remembered[n].port == from->sin_port &&
        remembered[n].address == from->sin_addr.s_addr)
      return remembered[n].code;
  const coap_pdu_code_t code = take(session, request) ? COAP_RESPONSE_CODE_CHANGED : COAP_RESPONSE_CODE_BAD_REQUEST;
  remembered[next_remembered].address = from->sin_addr.s_addr;
  remembered[next_remembered].port = from->sin_port;
  remembered[next_remembered].mid = mid;
  remembered[next_remembered].code = code;
  next_remembered = (next_remembered + 1) % REMEMBERED;
  return code;
}

static void answer(coap_pdu_t *response, coap_pdu_code_t code, uint8_t format, const void *payload, size_t length) {
  coap_pdu_set_code(response, code);
  if (length == 0) return;
  coap_add_option(response, COAP_OPTION_CONTENT_FORMAT, format == 0 ? 0 : 1, &format);
  coap_add_data(response, length, payload);
}

/* Who is on this machine may change the function. */
static void change(coap_session_t *session, const coap_pdu_t *request, coap_pdu_t *response) {
  const uint32_t from = ntohl(coap_session_get_addr_remote(session)->addr.sin.sin_addr.s_addr);
  if (from >> 24 != 127) return answer(response, COAP_RESPONSE_CODE_FORBIDDEN, 0, NULL, 0);
  size_t length = 0;
  const uint8_t *payload = NULL;
  char code[sizeof server.code], problem[256];
  if (!coap_get_data(request, &length, &payload) || length >= sizeof code) length = 0;
  memcpy(code, payload ? payload : (const uint8_t *)"", length);
  code[length] = '\0';
  nfu_function *next = nfu_create(code, server.keyed, problem, sizeof problem);
  if (!next) return answer(response, COAP_RESPONSE_CODE_BAD_REQUEST, 0, problem, strlen(problem));
  nfu_destroy(server.function);
  server.function = next;
  strcpy(server.code, code);
  answer(response, COAP_RESPONSE_CODE_CHANGED, 0, NULL, 0);
}

static bool is_path(const coap_pdu_t *request, const char *path) {
  coap_string_t *found = coap_get_uri_path(request);
  const bool is_same = found && found->length == strlen(path) && memcmp(found->s, path, found->length) == 0;
  coap_delete_string(found);
  return is_same;
}

static void on_reading(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                       const coap_string_t *query, coap_pdu_t *response) {
  (void)resource;
  (void)query;
  if (coap_pdu_get_type(request) == COAP_MESSAGE_NON) {
    size_t length = 0;
    const uint8_t *payload = NULL;
    if (take(session, request)) return;
    coap_get_data(request, &length, &payload);
    server.passed += 1;
    return send_on(request, payload, length);
  }
  if (is_path(request, SELF)) return change(session, request, response);
  static const char wrong[] = "A reading is a number in CBOR that fixed point holds: a double, float, half or integer.";
  if (take_once(session, request) == COAP_RESPONSE_CODE_CHANGED) answer(response, COAP_RESPONSE_CODE_CHANGED, 0, NULL, 0);
  else answer(response, COAP_RESPONSE_CODE_BAD_REQUEST, 0, wrong, sizeof wrong - 1);
}

static void on_get(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                   const coap_string_t *query, coap_pdu_t *response) {
  (void)resource;
  (void)session;
  (void)query;
  if (is_path(request, "latest") && server.has_latest)
    return answer(response, COAP_RESPONSE_CODE_CONTENT, COAP_MEDIATYPE_APPLICATION_CBOR, server.latest, sizeof server.latest);
  if (!is_path(request, SELF)) return answer(response, COAP_RESPONSE_CODE_NOT_FOUND, 0, NULL, 0);
  char text[640];
  const int length = snprintf(
      text, sizeof text,
      "{\"code\":\"%s\",\"keyed\":%s,\"counters\":{\"absorbed\":%llu,\"summaries\":%llu,\"passed\":%llu,"
      "\"withoutNumber\":%llu,\"unsent\":%llu}}",
      server.code, server.keyed ? "true" : "false", (unsigned long long)server.absorbed,
      (unsigned long long)server.summaries, (unsigned long long)server.passed, (unsigned long long)server.without_number,
      (unsigned long long)server.unsent);
  answer(response, COAP_RESPONSE_CODE_CONTENT, COAP_MEDIATYPE_APPLICATION_JSON, text, (size_t)length);
}

static void on_delete(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                      const coap_string_t *query, coap_pdu_t *response) {
  (void)resource;
  (void)session;
  (void)request;
  (void)query;
  answer(response, COAP_RESPONSE_CODE_NOT_ALLOWED, 0, NULL, 0);
}

/* Lets bursts of readings wait in the system: libcoap does not say which of the descriptors are its sockets. */
static void widen_buffers(void) {
  const int bytes = 4 << 20;
  for (int descriptor = STDERR_FILENO + 1; descriptor < 64; descriptor++) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
}

/* Whether nobody has the address. libcoap would share the port with another server of libcoap, and each would get some readings. */
static bool is_free(const coap_address_t *address) {
  const int probe = socket(AF_INET, SOCK_DGRAM, 0);
  const bool is_bound = bind(probe, &address->addr.sa, address->size) == 0;
  close(probe);
  return is_bound;
}

static int refuse(const char *problem) {
  fprintf(stderr, "%s\n", problem);
  return 2;
}

int main(int count, char **words) {
  char problem[256];
  if (count > 1 && strcmp(words[count - 1], "--keyed") == 0) {
    server.keyed = true;
    count -= 1;
  }
  if (count != 4 && count != 6) return refuse("Usage: nfu-server CODE HOST PORT [NEXT_HOST NEXT_PORT] [--keyed]");
  server.function = nfu_create(words[1], server.keyed, problem, sizeof problem);
  if (!server.function) return refuse(problem);
  strcpy(server.code, words[1]);
  coap_startup();
  coap_set_log_level(LOG_CRIT);
  coap_context_t *context = coap_new_context(NULL);
  coap_address_t own, next;
  if (!address_of(words[2], words[3], &own)) return refuse("HOST must be an IPv4 address.");
  if (!is_free(&own) || !coap_new_endpoint(context, &own, COAP_PROTO_UDP))
    return refuse("The address cannot be listened on: another process may have its port.");
  if (count == 6) {
    if (!address_of(words[4], words[5], &next)) return refuse("NEXT_HOST must be an IPv4 address.");
    server.next = coap_new_client_session(context, NULL, &next, COAP_PROTO_UDP);
    if (!server.next) return refuse("There is no way to the next hop.");
  }
  widen_buffers();
  coap_resource_t *readings = coap_resource_unknown_init(on_reading);
  coap_register_request_handler(readings, COAP_REQUEST_POST, on_reading);
  coap_register_request_handler(readings, COAP_REQUEST_GET, on_get);
  coap_register_request_handler(readings, COAP_REQUEST_DELETE, on_delete);
  coap_add_resource(context, readings);

  printf("{\"host\":\"%s\",\"port\":%s}\n", words[2], words[3]);
  fflush(stdout);
  struct pollfd watched[] = {{.fd = coap_context_get_coap_fd(context), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
  char byte;
  while (poll(watched, 2, -1) >= 0 || errno == EINTR) {
    if (watched[1].revents != 0 && read(STDIN_FILENO, &byte, 1) == 0) break;
    if (coap_io_process(context, COAP_IO_NO_WAIT) < 0) break;
  }
  coap_free_context(context);
  nfu_destroy(server.function);
  coap_cleanup();
  return 0;
}
