/* refusal_count.c - counts missing values that the server only refused (request.h). */
#include "store/store/request.h"

static _Atomic(uint64_t) told;

uint64_t vz_refusals_counted(void)
{
    return told;
}

void vz_refusals_count(void)
{
    told++;
}
