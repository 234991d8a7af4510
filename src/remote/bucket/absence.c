/* absence.c - see task_internal.h. */
#include "remote/bucket/task_internal.h"
#include <stdlib.h>

/* ---- what an answer says ---- */

/* It may be larger than the value may be. */
static bool is_page_instead(const vz_exchange *x)
{
    return (x->net.failed == VZ_OK || x->net.failed == VZ_LIMIT) && x->net.status == 200 && vz_exchange_is_page(x);
}

/* 403, and from web servers whose user says so (option missing) 410, too. */
static vz_absence absence_of_refusal(const vz_exchange *x)
{
    const vz_site *site = x->site;
    if (x->net.status == 410)
        return !vz_site_has_bucket(site) && site->missing == VZ_MISSING_403 ? VZ_ABSENCE_IF_READABLE : VZ_ABSENCE_NOT;
    if (x->net.status != 403 || site->missing == VZ_MISSING_404 || !vz_exchange_may_hide_absence(x))
        return VZ_ABSENCE_NOT;
    if (site->missing == VZ_MISSING_403)
        return VZ_ABSENCE_IF_READABLE;
    return vz_site_has_bucket(site) ? VZ_ABSENCE_IF_UNLISTED : VZ_ABSENCE_NOT;
}

vz_absence vz_absence_of(const vz_exchange *x, vz_error *refusal)
{
    bool missing;
    if (is_page_instead(x)) {
        vz_fail(refusal, VZ_CORRUPT, "the server sends a page of HTML (status 200), not a value");
        return vz_remote_is_document(x->key) ? VZ_ABSENCE_IF_READABLE : VZ_ABSENCE_NOT;
    }
    if (!vz_exchange_check(x, &missing, refusal))
        return x->net.failed == VZ_OK ? absence_of_refusal(x) : VZ_ABSENCE_NOT;
    if (missing && x->net.is_elsewhere) {
        vz_fail(refusal, VZ_IO, "the server leads to another place, where there is nothing (status %d)", x->net.status);
        return VZ_ABSENCE_NOT;
    }
    if (!missing) {
        if (x->net.status != 200 && x->net.status != 203 && x->net.status != 206)
            vz_exchange_fail(x, refusal); /* 204 and the like have no value */
        return VZ_ABSENCE_NOT;
    }
    if (vz_exchange_names_no_key(x))
        return VZ_ABSENCE_SAID;
    vz_exchange_fail(x, refusal);
    return VZ_ABSENCE_IF_READABLE;
}

/* ---- the proof ---- */

void vz_absence_note_read(vz_bucket *remote, const vz_exchange *x)
{
    if (remote->has_document || !vz_remote_is_document(x->key) || x->net.method != VZ_NET_GET)
        return;
    vz_os_mutex_lock(&remote->lock);
    if (!remote->document)
        remote->document = strdup(x->key); /* without memory the next one is noted */
    remote->has_document = remote->document != NULL;
    vz_os_mutex_unlock(&remote->lock);
}

static vz_site_fact ask_to_list(vz_bucket *remote)
{
    vz_buffer prefix = {0}, query = {0};
    vz_exchange x = {0};
    vz_site_fact lists = VZ_FACT_UNKNOWN;
    bool ok = vz_site_key(remote->site, "", &prefix, NULL);
    const vz_list_question question = {.prefix = (const char *)prefix.data, .flat = true, .most = 1};
    ok = ok && remote->site->service->protocol->list_query(&question, &query, NULL) &&
         vz_exchange_begin(&x, remote->site, VZ_NET_GET, "", (const char *)query.data, NULL);
    x.net.into = &x.own;
    if (ok && vz_exchange_do(&x, NULL))
        lists = x.net.status == 200                          ? VZ_FACT_YES
                : x.net.status == 403 || x.net.status == 401 ? VZ_FACT_NO
                                                             : VZ_FACT_UNKNOWN;
    vz_exchange_clear(&x);
    vz_buffer_clear(&prefix);
    vz_buffer_clear(&query);
    return lists;
}

/* Its first byte is asked for, past caches: a HEAD may be answered where the bytes are refused. */
static bool is_readable(vz_bucket *remote, const char *whole_key)
{
    vz_exchange x = {0};
    bool ok = vz_exchange_begin(&x, remote->site, VZ_NET_GET, whole_key, NULL, NULL) &&
              vz_exchange_line(&x, NULL, "Range: bytes=0-0") && vz_exchange_line(&x, NULL, "Cache-Control: no-cache");
    x.net.into = &x.own;
    x.net.most = 1;
    x.net.twice = false;
    ok = ok && vz_exchange_do(&x, NULL) && (x.net.failed == VZ_OK || x.net.failed == VZ_LIMIT) &&
         (x.net.status == 200 || x.net.status == 206) && !vz_exchange_is_page(&x);
    vz_exchange_clear(&x);
    return ok;
}

/* It becomes the document that is asked for from now on. */
static bool is_readable_in_root(vz_bucket *remote, const char *name)
{
    vz_buffer key = {0};
    const bool ok = vz_site_key(remote->site, name, &key, NULL) && is_readable(remote, (const char *)key.data);
    if (ok) {
        vz_os_mutex_lock(&remote->lock);
        free(remote->document);
        remote->document = (char *)key.data;
        remote->has_document = true;
        vz_os_mutex_unlock(&remote->lock);
    } else {
        vz_buffer_clear(&key);
    }
    return ok;
}

/* The document that was read may have been deleted since: then another one of the root will do, as
 * where none was. */
static bool has_readable_document(vz_bucket *remote)
{
    static const char *const names[] = {".zmetadata", "zarr.json", ".zgroup", ".zarray"};
    vz_os_mutex_lock(&remote->lock);
    char *document = remote->document ? strdup(remote->document) : NULL;
    vz_os_mutex_unlock(&remote->lock);
    bool ok = document && is_readable(remote, document);
    free(document);
    for (size_t i = 0; !ok && i < sizeof names / sizeof *names; i++)
        ok = is_readable_in_root(remote, names[i]);
    return ok;
}

/* Of a store of which nothing was read yet, absence can only mean that there is none. */
bool vz_absence_is_proved(vz_bucket *remote, vz_absence absence)
{
    if (absence == VZ_ABSENCE_IF_READABLE)
        return !remote->has_document || has_readable_document(remote);
    const vz_site_fact known = remote->lists, lists = known == VZ_FACT_UNKNOWN ? ask_to_list(remote) : known;
    const bool ok = lists == VZ_FACT_NO && has_readable_document(remote);
    if (ok || lists == VZ_FACT_YES)
        remote->lists = lists;
    return ok;
}
