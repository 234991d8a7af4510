/* decide.c - is the value in the target that of the source? README.md has the table. */
#include "command/sync/sync_internal.h"

static bool has_time_of(const vz_sync_value *source, const vz_sync_value *target, const vz_sync_side *in)
{
    return in->is_directory && source->has_time && target->has_time &&
           source->modified.tv_sec == target->modified.tv_sec && source->modified.tv_nsec == target->modified.tv_nsec;
}

vz_sync_way vz_sync_decide(const vz_sync_value *source, const vz_sync_value *target, const vz_sync_side *in,
                           bool compares)
{
    if (source->size != target->size)
        return VZ_SYNC_SIZE;
    if (!compares && has_time_of(source, target, in))
        return VZ_SYNC_SAME;
    if (!compares && source->has_md5 && target->has_md5)
        return memcmp(source->md5, target->md5, sizeof source->md5) == 0 ? VZ_SYNC_SAME : VZ_SYNC_SUM;
    return target->has_md5 && !compares ? VZ_SYNC_HASH : VZ_SYNC_LOOK;
}
