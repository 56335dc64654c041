#include "function.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 65535, MOST_SOURCES = 65536 };

/* The state of a source: how many readings its window has, and what they come to. */
typedef struct {
  bool used;
  uint32_t source;
  uint32_t seen;
  uint64_t total;
  double best;
  nfu_fixed sum;
} slot;

struct nfu_function {
  nfu_op op;
  uint32_t window;
  double above, below;
  bool keyed;
  slot *slots;
  uint32_t places, used;
};

static const char *const NAMES[] = {"forward", "counter", "average", "min", "max", "filter"};

static bool is_aggregate(nfu_op op) { return op != NFU_FORWARD && op != NFU_FILTER; }

static bool parameter(nfu_function *function, const char *name, const char *text, char *problem, size_t size) {
  char *end;
  errno = 0;
  const double value = strtod(text, &end);
  const bool is_number = *text != '\0' && *end == '\0' && !isnan(value);
  const char *window = function->op == NFU_COUNTER ? "count" : "window";
  if (is_aggregate(function->op) && strcmp(name, window) == 0) {
    if (is_number && value >= 1 && value <= MAX_WINDOW && value == floor(value)) {
      function->window = (uint32_t)value;
      return true;
    }
    snprintf(problem, size, "'%s' must be a whole number from 1 to %d.", name, MAX_WINDOW);
    return false;
  }
  if (function->op == NFU_FILTER && (strcmp(name, "above") == 0 || strcmp(name, "below") == 0)) {
    if (is_number) {
      *(*name == 'a' ? &function->above : &function->below) = value;
      return true;
    }
    snprintf(problem, size, "'%s' must be a number.", name);
    return false;
  }
  snprintf(problem, size, "The op '%s' has no parameter '%s' here.", NAMES[function->op], name);
  return false;
}

/* Reads `code` into a function without slots. */
static bool read_code(nfu_function *function, const char *code, char *problem, size_t size) {
  char text[256];
  if (strncmp(code, "nfu:", 4) != 0 || strlen(code) >= sizeof text) {
    snprintf(problem, size, "A function is written nfu:OP or nfu:OP?name=value.");
    return false;
  }
  strcpy(text, code + 4);
  char *parameters = strchr(text, '?');
  if (parameters) *parameters++ = '\0';
  int op = 0;
  while (op <= NFU_FILTER && strcmp(NAMES[op], text) != 0) op++;
  if (op > NFU_FILTER) {
    snprintf(problem, size, "There is no op '%s'.", text);
    return false;
  }
  function->op = (nfu_op)op;
  function->window = op == NFU_COUNTER ? 1 : 0;
  function->above = -INFINITY;
  function->below = INFINITY;
  for (char *rest = parameters, *part; (part = strsep(&rest, "&")) != NULL;) {
    char *value = strchr(part, '=');
    if (!value) {
      snprintf(problem, size, "Parameters are written name=value; '%s' is not.", part);
      return false;
    }
    *value++ = '\0';
    if (!parameter(function, part, value, problem, size)) return false;
  }
  if (is_aggregate(function->op) && function->window == 0) {
    snprintf(problem, size, "The op '%s' needs a 'window' here, from 1 to %d.", NAMES[function->op], MAX_WINDOW);
    return false;
  }
  return true;
}

nfu_function *nfu_create(const char *code, bool keyed, char *problem, size_t size) {
  nfu_function read = {.keyed = keyed, .places = keyed ? 2 * MOST_SOURCES : 1};
  if (!read_code(&read, code, problem, size)) return NULL;
  nfu_function *function = malloc(sizeof *function);
  read.slots = calloc(read.places, sizeof *read.slots);
  if (!function || !read.slots) {
    snprintf(problem, size, "There is no memory for the state of the function.");
    free(function);
    free(read.slots);
    return NULL;
  }
  *function = read;
  return function;
}

void nfu_destroy(nfu_function *function) {
  free(function->slots);
  free(function);
}

/* The slot of a source, by open addressing; NULL when there are too many sources. */
static slot *slot_of(nfu_function *function, uint32_t source) {
  uint32_t place = (source * 2654435761u) % function->places;
  for (slot *each = &function->slots[place];; each = &function->slots[place = (place + 1) % function->places]) {
    if (each->used && each->source == source) return each;
    if (each->used) continue;
    if (function->used == MOST_SOURCES) return NULL;
    function->used += 1;
    *each = (slot){.used = true, .source = source};
    return each;
  }
}

nfu_fate nfu_take(nfu_function *function, uint32_t source, const nfu_number *number, double *summary) {
  if (function->op == NFU_FORWARD) return NFU_PASS;
  if (function->op == NFU_FILTER)
    return number->value >= function->above && number->value <= function->below ? NFU_PASS : NFU_ABSORB;
  slot *state = slot_of(function, function->keyed ? source : 0);
  if (!state) return NFU_REFUSE;
  const bool is_first = state->seen == 0;
  const bool is_better = function->op == NFU_MIN ? number->value < state->best : number->value > state->best;
  state->seen += 1;
  state->total += 1;
  state->sum += number->fixed;
  if (is_first || is_better) state->best = number->value;
  if (state->seen < function->window) return NFU_ABSORB;
  *summary = function->op == NFU_AVERAGE   ? nfu_mean(state->sum, state->seen)
             : function->op == NFU_COUNTER ? (double)state->total
                                           : state->best;
  state->seen = 0;
  state->sum = 0;
  return NFU_REPLACE;
}
