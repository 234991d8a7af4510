/* named_value.c - single values that a file names: where they are, and the stores that read
 * them. */
#include "remote/bucket/bucket_internal.h"
#include "remote/protocol/remote.h"
#include "store/store/kind.h"
#include <stdlib.h>

/* All values of a bucket, or of a server, are asked for by one store, whose keys are whole ones. */
static bool take_value(const vz_named *named, const vz_remote_name *name, vz_named_value *value, vz_error *err)
{
    value->options = *vz_bucket_options_now();
    if (!vz_remote_take_named(named, name, false, &value->options, err))
        return false;
    if (!*name->place || !*name->key)
        return vz_named_fail(named, err, "a server or a bucket, and no file there");
    const vz_remote_name place = {.scheme = name->scheme, .place = name->place, .account = "", .key = "", .query = ""};
    value->place = vz_remote_name_print(&place, false, err);
    value->key = strdup(name->key);
    if (!value->place || !value->key)
        return vz_fail_memory(err);
    if (!vz_scheme_has_buckets(name->scheme)) /* the store encodes keys */
        vz_remote_url_decode(value->key, false);
    return true;
}

static bool find_value(const vz_named *named, vz_named_value *value, const char *kind, bool *is_it, vz_error *err)
{
    vz_remote_name name;
    vz_error wrong = VZ_ERROR_NONE;
    *is_it = false;
    if (!vz_location_is_url(named->name) || !vz_remote_name_is(named->name))
        return true;
    bool ok = vz_remote_name_parse(named->name, &name, &wrong);
    const vz_service *service = vz_service_of(name.scheme);
    *is_it = name.is_url && strcmp(service ? service->protocol->kind : "http", kind) == 0;
    if (ok && *is_it)
        ok = take_value(named, &name, value, err);
    else if (!ok)
        vz_named_fail(named, err, wrong.text);
    vz_remote_name_clear(&name);
    return ok;
}

bool vz_bucket_find_bucket_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err)
{
    return find_value(named, value, "s3", is_it, err);
}

bool vz_bucket_find_container_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err)
{
    return find_value(named, value, "az", is_it, err);
}

bool vz_bucket_find_web_value(const vz_named *named, vz_named_value *value, bool *is_it, vz_error *err)
{
    return find_value(named, value, "http", is_it, err);
}

vz_store *vz_bucket_open_values(const vz_named_value *value, vz_error *err)
{
    vz_remote_name name;
    vz_site *site = vz_remote_name_parse(value->place, &name, err)
                        ? vz_site_open(&name, vz_service_of(name.scheme), &value->options, err)
                        : NULL;
    vz_remote_name_clear(&name);
    return site ? vz_bucket_open(site, false, err) : NULL;
}
