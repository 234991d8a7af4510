/* refusal_count.c - counts missing values that the server only refused (request.h). */
#include "store/store/request.h"

static _Atomic(uint64_t) refused;

uint64_t vz_refusals_counted(void)
{
    return refused;
}

void vz_refusals_count(void)
{
    refused++;
}
