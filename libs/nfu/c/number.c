#include "number.h"

#include <math.h>
#include <string.h>

enum { FRACTION_BITS = 64, INTEGER_BITS = 32, MANTISSA_BITS = 53 };

static uint64_t big_endian(const uint8_t *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t n = 0; n < count; n++) value = value << 8 | bytes[n];
  return value;
}

/* A value mantissa * 2^exponent in fixed point; false when that does not hold it. */
static bool to_fixed(uint64_t mantissa, int exponent, bool negative, nfu_fixed *fixed) {
  *fixed = 0;
  if (mantissa == 0) return true;
  const int shift = exponent + FRACTION_BITS;
  const int highest = 63 - __builtin_clzll(mantissa) + shift;
  if (highest >= INTEGER_BITS + FRACTION_BITS || shift + __builtin_ctzll(mantissa) < 0) return false;
  const nfu_fixed magnitude = shift >= 0 ? (nfu_fixed)mantissa << shift : (nfu_fixed)(mantissa >> -shift);
  *fixed = negative ? -magnitude : magnitude;
  return true;
}

static bool of_double(double value, nfu_number *number) {
  if (!isfinite(value)) return false;
  int exponent;
  const double part = frexp(fabs(value), &exponent);
  number->value = value + 0.0; /* a zero is positive */
  return to_fixed((uint64_t)ldexp(part, MANTISSA_BITS), exponent - MANTISSA_BITS, signbit(value), &number->fixed);
}

static double half(uint64_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                           : exponent == 0 ? ldexp(fraction, -24)
                                           : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

bool nfu_read_number(const uint8_t *bytes, size_t length, nfu_number *number) {
  if (length == 0) return false;
  const unsigned major = bytes[0] >> 5, info = bytes[0] & 31;
  if (info > 27 || (major > 1 && (major != 7 || info < 25))) return false;
  const size_t more = info < 24 ? 0 : (size_t)1 << (info - 24);
  if (length < 1 + more) return false;
  const uint64_t bits = info < 24 ? info : big_endian(bytes + 1, more);
  if (major == 7) {
    if (info == 25) return of_double(half(bits), number);
    if (info == 27) {
      double value;
      memcpy(&value, &bits, sizeof value);
      return of_double(value, number);
    }
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return of_double(value, number);
  }
  if (bits >> INTEGER_BITS) return false;
  return of_double(major == 0 ? (double)bits : -1.0 - (double)bits, number);
}

static int leading_zeros(unsigned __int128 value) {
  const uint64_t high = (uint64_t)(value >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value);
}

double nfu_mean(nfu_fixed sum, uint32_t count) {
  if (sum == 0) return 0;
  const unsigned __int128 magnitude = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
  /* with its highest bit set, so that the quotient has many more bits than a double */
  const int shift = leading_zeros(magnitude);
  const unsigned __int128 over = magnitude << shift;
  const unsigned __int128 quotient = over / count;
  const bool sticky = over % count != 0;
  const int dropped = 128 - leading_zeros(quotient) - MANTISSA_BITS;
  const unsigned __int128 low = quotient & (((unsigned __int128)1 << dropped) - 1);
  const unsigned __int128 middle = (unsigned __int128)1 << (dropped - 1);
  uint64_t mantissa = (uint64_t)(quotient >> dropped);
  if (low > middle || (low == middle && (sticky || mantissa & 1))) mantissa += 1;
  const double result = ldexp((double)mantissa, dropped - shift - FRACTION_BITS);
  return sum < 0 ? -result : result;
}

void nfu_write_double(double value, uint8_t bytes[NFU_DOUBLE_BYTES]) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bytes[0] = 0xfb;
  for (int n = 0; n < 8; n++) bytes[1 + n] = (uint8_t)(bits >> (56 - 8 * n));
}
