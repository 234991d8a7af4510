/* sums.c - did the source change while it was copied? The versions that were copied are summed in
 * groups of keys, and so are those that a later walk meets. Where two sums differ, the keys of that
 * group are copied again. */
#include "command/sync/sync_internal.h"

static size_t group_of(const char *key)
{
    return vz_hash(key, strlen(key), 1) % VZ_SYNC_SUMS;
}

static uint64_t number_of(const char *key, uint64_t version)
{
    return vz_hash(key, strlen(key), version);
}

void vz_sync_sums_add(vz_sync_sums *sums, const char *key, uint64_t version)
{
    sums->first[group_of(key)] += number_of(key, version);
}

void vz_sync_sums_met(vz_sync_sums *sums, const char *key, uint64_t version)
{
    sums->second[group_of(key)] += number_of(key, version);
}

void vz_sync_sums_spoil(vz_sync_sums *sums, const char *key)
{
    sums->first[group_of(key)] += number_of(key, 0) | 1;
}

bool vz_sync_sums_again(const vz_sync_sums *sums, const char *key)
{
    return sums->again[group_of(key)];
}

bool vz_sync_sums_end(vz_sync_sums *sums)
{
    bool same = true;
    for (size_t i = 0; i < VZ_SYNC_SUMS; i++) {
        sums->again[i] = sums->first[i] != sums->second[i];
        same = same && !sums->again[i];
        sums->first[i] = sums->second[i] = 0;
    }
    return same;
}
