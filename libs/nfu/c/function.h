/* A network function: what it does with readings of many sources. */
#ifndef HIVEMIND_NFU_FUNCTION_H
#define HIVEMIND_NFU_FUNCTION_H

#include "number.h"

typedef enum { NFU_FORWARD, NFU_COUNTER, NFU_AVERAGE, NFU_MIN, NFU_MAX, NFU_FILTER } nfu_op;

/* What becomes of a reading: it goes on as it came, ends here, is replaced by a summary, or cannot be taken and goes on. */
typedef enum { NFU_PASS, NFU_ABSORB, NFU_REPLACE, NFU_REFUSE } nfu_fate;

typedef struct nfu_function nfu_function;

/* A function by its code (nfu:OP?name=value&name=value). NULL when there is no such one: then `problem` says why. */
nfu_function *nfu_create(const char *code, bool keyed, char *problem, size_t size);
void nfu_destroy(nfu_function *function);

/* Takes a reading of a source (its IPv4 address). For NFU_REPLACE, `summary` is what leaves. */
nfu_fate nfu_take(nfu_function *function, uint32_t source, const nfu_number *number, double *summary);

#endif
