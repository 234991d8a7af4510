/* counts.c - see counts.h. */
#include "types/counts.h"

vz_counts vz_counted;
