/* conditional_put.c - finds out whether a server heeds conditions of a PUT, by three PUTs of a key
 * of its own. */
#include "remote/bucket/bucket_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* The status of a PUT with a condition: 412 where the condition does not hold, whatever status the
 * server sends. 0 with err set: no answer came. */
static int put_under(vz_bucket *remote, const char *key, const char *condition, vz_error *err)
{
    static const uint8_t value[] = "vol-zarr asks whether this server heeds conditions\n";
    vz_exchange x = {0};
    bool missing;
    int status = 0;
    bool ok = vz_exchange_begin(&x, remote->site, VZ_NET_PUT, key, NULL, err) &&
              vz_exchange_line(&x, err, "%s", condition) &&
              vz_exchange_value(&x, (vz_bytes){value, sizeof value - 1}, err);
    x.net.repeatable = true;
    if (ok && vz_exchange_do(&x, err)) {
        vz_error refused = VZ_ERROR_NONE;
        status = x.net.status;
        const bool is_done = vz_exchange_check(&x, &missing, &refused);
        const bool tells = is_done || refused.class == VZ_CHANGED || status == 501 || status == 400;
        if (!tells) {
            status = 0;
            if (err && err->class == VZ_OK)
                *err = refused;
        } else if (refused.class == VZ_CHANGED) {
            status = 412;
        }
    }
    vz_exchange_clear(&x);
    return status;
}

/* Puts a key, puts it again as if it were new, and again as if it had another version. */
static bool probe(vz_bucket *remote, vz_site_fact *heeded, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    vz_buffer key = {0};
    if (!vz_partial_name(name, sizeof name, err) || !vz_site_key(remote->site, name, &key, err)) {
        vz_buffer_clear(&key);
        return false;
    }
    const char *whole = (const char *)key.data;
    const int first = put_under(remote, whole, "If-None-Match: *", err);
    const int again = first ? put_under(remote, whole, "If-None-Match: *", err) : 0;
    const int other = again ? put_under(remote, whole, "If-Match: \"0123456789abcdef0123456789abcdef\"", err) : 0;
    if (first)
        vz_exchange_delete(remote->site, whole);
    vz_buffer_clear(&key);
    *heeded = again == 412 && other == 412 ? VZ_FACT_YES : VZ_FACT_NO;
    return other != 0;
}

bool vz_bucket_check_conditions(vz_bucket *remote, vz_error *err)
{
    vz_site_facts *facts = remote->site->facts;
    vz_site_fact heeded = facts->conditions;
    if (heeded == VZ_FACT_UNKNOWN && remote->site->service->heeds_conditions(remote->site->endpoint))
        facts->conditions = heeded = VZ_FACT_YES;
    if (heeded == VZ_FACT_UNKNOWN) {
        vz_os_mutex_lock(&facts->probing);
        heeded = facts->conditions;
        const bool ok = heeded != VZ_FACT_UNKNOWN || probe(remote, &heeded, err);
        if (ok)
            facts->conditions = heeded;
        vz_os_mutex_unlock(&facts->probing);
        if (!ok)
            return false;
    }
    return heeded == VZ_FACT_YES ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "writing to a server that does not heed conditions (If-None-Match and If-Match of a PUT): programs "
                   "that write one store would lose each other's changes");
}
