/* counts.c - see counts.h. */
#include "map/counts.h"

vz_map_counts vz_map_counted;
