/* Numbers of readings: read from CBOR, held exactly in fixed point, divided with one rounding. */
#ifndef HIVEMIND_NFU_NUMBER_H
#define HIVEMIND_NFU_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 bits after the binary point, and 32 before it: the same as the fabric built with its defaults. */
typedef __int128 nfu_fixed;

typedef struct {
  double value;
  nfu_fixed fixed;
} nfu_number;

/* Reads the CBOR number that the bytes begin with (RFC 8949, section 3). False when there is none, or fixed point does not hold it. */
bool nfu_read_number(const uint8_t *bytes, size_t length, nfu_number *number);

/* The double nearest to sum / count, ties to the even one; count from 1 to 65,535. A zero is positive. */
double nfu_mean(nfu_fixed sum, uint32_t count);

enum { NFU_DOUBLE_BYTES = 9 };

/* Writes a double as CBOR. */
void nfu_write_double(double value, uint8_t bytes[NFU_DOUBLE_BYTES]);

#endif
