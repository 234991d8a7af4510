/* float16.h - IEEE half precision, by bits (not every compiler and processor has the type), and beside it the two that C
 * has. */
#ifndef VZ_CODEC_FLOAT16_H
#define VZ_CODEC_FLOAT16_H

#include <stddef.h>
#include <stdint.h>

double vz_half_to_double(uint16_t half);
/* Rounds to nearest, ties to even; overflow is infinity. */
uint16_t vz_half_from_double(double value);
/* Floats of 2, 4 or 8 bytes; narrowing rounds as above. */
double vz_real_from_bits(uint64_t bits, size_t size);
uint64_t vz_real_to_bits(double value, size_t size);

#endif
