/* half.h - IEEE half precision, by bits (not every compiler and processor has the type). */
#ifndef VZ_CODEC_HALF_H
#define VZ_CODEC_HALF_H

#include <stdint.h>

double vz_half_to_double(uint16_t half);
/* Rounds to nearest, ties to even; overflow is infinity. */
uint16_t vz_half_from_double(double value);

#endif
