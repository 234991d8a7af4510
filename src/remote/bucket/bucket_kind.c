/* bucket_kind.c - the kinds s3, az and http. The name alone selects the kind, and a store can be at
 * any such name. Whether a store is there only its documents show. */
#include "remote/bucket/bucket_internal.h"
#include "remote/bucket/tree_internal.h"
#include "remote/protocol/remote.h"
#include "store/kerchunk/kerchunk.h"
#include "base/util/name_policy.h"
#include <errno.h>
#include <stdlib.h>

/* ---- finding ---- */

/* A name that is no URL may be a path, too. The file system comes first. */
static bool is_of_file_system(vz_location_probe *probe, bool *is_there, vz_error *err)
{
    if (!vz_location_probe_look(probe, err))
        return false;
    *is_there = probe->file >= 0 || probe->is_other || probe->sys_errno != ENOENT;
    return true;
}

/* At a wrong name, or at that of a whole bucket, there is no store. */
static bool take_name(const vz_remote_name *name, vz_location *location, vz_error *err)
{
    location->root = vz_remote_name_print(name, true, err);
    location->inside = strdup("");
    char *label = vz_remote_name_print(name, false, err);
    free(location->path);
    location->path = label; /* messages have it */
    if (!location->root || !location->inside || !label)
        return vz_fail_memory(err);
    if (!*name->place || (!*name->key && vz_scheme_has_buckets(name->scheme)))
        vz_fail_errno(&location->why, ENOENT, "a bucket as a whole is no store");
    return true;
}

/* Of other names than "x" and "x.zarr" the last part may be that of a file. */
static bool may_be_file(const vz_remote_name *name)
{
    const char *slash = strrchr(name->key, '/'), *last = slash ? slash + 1 : name->key;
    const char *suffix = strrchr(last, '.');
    return suffix && suffix != last && strcmp(suffix, ".zarr") != 0;
}

/* Without documents any other may, too: "https://host/assets/ID/download/", a zip file "x.zarr". */
static bool may_be_file_of_any_name(const vz_remote_name *name)
{
    const size_t length = strlen(name->key);
    return length > 0 && name->key[length - 1] != '/' && !may_be_file(name);
}

bool vz_bucket_look_for_file(vz_location *location)
{
    vz_remote_name name = {0};
    vz_error ignored = VZ_ERROR_NONE;
    vz_store *file = NULL;
    if (vz_remote_name_parse(location->root, &name, &ignored) && may_be_file_of_any_name(&name))
        file = vz_bucket_file_store(vz_bucket_of(location->store), &location->asked_as, &location->hdf5, &ignored);
    vz_remote_name_clear(&name);
    if (!file && !location->hdf5)
        return false;
    location->store = file;
    location->type = file ? VZ_PATH_TYPE_STORE : VZ_PATH_TYPE_HDF5;
    location->is_lindi = file && vz_kerchunk_is_store(file) && vz_kerchunk_is_lindi(file);
    return true;
}

/* A file that is a store stands for what is below its name. */
static void look_for_file(vz_location *location, const vz_options *options)
{
    vz_bucket *remote = vz_bucket_of(location->store);
    vz_store *file = NULL;
    location->hdf5 = vz_bucket_hdf5_recent(remote->site);
    const bool is_known = location->hdf5;
    if (!is_known)
        file = vz_bucket_file_store(remote, options, &location->hdf5, &location->why);
    if (is_known || (!file && location->why.class != VZ_OK))
        vz_store_close(location->store);
    if (file || location->hdf5 || location->why.class != VZ_OK)
        location->store = file;
    location->is_lindi = file && vz_kerchunk_is_store(file) && vz_kerchunk_is_lindi(file);
}

/* A file that has just been met under a name without a suffix. */
static void take_recent(vz_location *location)
{
    location->hdf5 = vz_bucket_hdf5_recent(vz_bucket_of(location->store)->site);
    if (!location->hdf5)
        return;
    vz_store_close(location->store);
    location->store = NULL;
}

/* Options in a redirect file join the user's options as far as vz_reach_of allows. */
static bool take_word(const vz_redirect_content *word, const vz_remote_name *name, vz_options *options, vz_error *why)
{
    const vz_options *user = vz_bucket_options_now();
    vz_options said = *user;
    said.endpoint = "";
    if (word->options && !vz_options_parse_redirect(&said, word->options, why))
        return false;
    char *endpoint = NULL;
    const bool asks = user->doorways == VZ_DOORWAYS_ANYWHERE && *said.endpoint;
    if (asks && !vz_settings_endpoint(vz_service_of(name->scheme), user, &endpoint, why))
        return false;
    const vz_name_case by = {.by = VZ_NAMER_REDIRECT_FILE, .trusted = word->is_own, .doorways = user->doorways};
    const vz_name_destination host = vz_remote_target(name);
    const vz_reach reach =
        host == VZ_TARGET_BUCKET ? vz_reach_of(user, endpoint, said.endpoint, word->is_own) : vz_name_decide(&by, host);
    free(endpoint);
    if (reach == VZ_REACH_REFUSED)
        return vz_fail(why, VZ_PERMISSION, "it leads to %s (option %s allows that)",
                       word->is_own ? "an address of this machine or of a private network"
                                    : "a server, and is somebody else's",
                       vz_name_option(&by, host));
    *options = said;
    options->hosts = vz_name_hosts(&by);
    if (!*said.endpoint)
        options->endpoint = user->endpoint;
    options->anonymous = said.anonymous || user->anonymous || reach == VZ_REACH_ANONYMOUS;
    return true;
}

static bool open_to_look(const vz_remote_name *name, const vz_location_probe *probe, vz_location *location,
                         vz_error *err)
{
    vz_options options = *vz_bucket_options_now();
    if (!take_name(name, location, err))
        return false;
    if (location->why.class == VZ_OK && probe->word)
        take_word(probe->word, name, &options, &location->why);
    if (location->why.class == VZ_OK && probe->named)
        vz_remote_take_named(probe->named, name, probe->word, &options, &location->why);
    if (location->why.class != VZ_OK)
        return true;
    vz_site *site = vz_site_open(name, vz_service_of(name->scheme), &options, &location->why);
    if (site) {
        location->identity = site->identity;
        location->asked_as = options;
    }
    location->store = site ? vz_bucket_open(site, false, &location->why) : NULL;
    if (location->store && may_be_file(name))
        look_for_file(location, &options);
    else if (location->store)
        take_recent(location);
    return location->store || location->hdf5 || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* Is the name one of the row's, and not of something in the file system? */
static bool is_of_row(vz_location_probe *probe, const vz_remote_name *name, const char *kind, bool *is_it,
                      vz_error *err)
{
    bool is_there = false;
    const vz_service *service = vz_service_of(name->scheme);
    *is_it = strcmp(service ? service->protocol->kind : "http", kind) == 0;
    if (!*is_it || name->is_url)
        return true;
    if (!is_of_file_system(probe, &is_there, err))
        return false;
    *is_it = !is_there;
    return true;
}

static bool recognise(vz_location_probe *probe, vz_location *location, const char *kind, bool *is_it, vz_error *err)
{
    vz_remote_name name;
    vz_error wrong = VZ_ERROR_NONE;
    *is_it = false;
    if (probe->source || !vz_remote_name_is(probe->path))
        return true;
    const bool is_name = vz_remote_name_parse(probe->path, &name, &wrong);
    bool ok = is_name || wrong.class != VZ_NO_MEMORY || vz_fail_memory(err);
    ok = ok && is_of_row(probe, &name, kind, is_it, err);
    if (ok && *is_it && is_name)
        ok = open_to_look(&name, probe, location, err);
    else if (ok && *is_it && probe->named)
        vz_named_fail(probe->named, &location->why, wrong.text);
    else if (ok && *is_it)
        location->why = wrong;
    vz_remote_name_clear(&name);
    return ok;
}

static bool recognise_bucket(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    return recognise(probe, location, "s3", is_it, err);
}

static bool recognise_container(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    return recognise(probe, location, "az", is_it, err);
}

static bool recognise_web(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    return recognise(probe, location, "http", is_it, err);
}

/* ---- opening and making ---- */

static vz_store *open_new(const char *root, bool writable, vz_error *err)
{
    vz_remote_name name;
    vz_site *site = vz_remote_name_parse(root, &name, err)
                        ? vz_site_open(&name, vz_service_of(name.scheme), vz_bucket_options_now(), err)
                        : NULL;
    vz_remote_name_clear(&name);
    return site ? vz_bucket_open(site, writable, err) : NULL;
}

static vz_store *refuse_to_write(vz_store *looked, const char *what, vz_error *err)
{
    vz_fail(err, VZ_READ_ONLY, "%s can only be read", what);
    vz_error_where(err, looked->path, NULL);
    vz_store_close(looked);
    return NULL;
}

/* The store that was looked into goes on, with what it has learned and read. */
static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (!looked)
        return open_new(root, writable, err);
    if (!writable)
        return looked;
    if (vz_bucket_is_file_store(looked) || vz_kerchunk_is_store(looked))
        return refuse_to_write(looked, "a store that is one remote file", err);
    if (!vz_site_has_bucket(vz_bucket_of(looked)->site))
        return refuse_to_write(looked, "what lies on a web server", err);
    looked->capabilities |= VZ_STORE_WRITE;
    return looked;
}

static vz_store *create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    if (user_block) {
        vz_fail(err, VZ_UNSUPPORTED, "a user block before a remote store");
        return NULL;
    }
    vz_store *store = open_new(path, true, err);
    if (!store || vz_bucket_create_lock_take(vz_bucket_of(store), how == VZ_MAKE_OVER, err))
        return store;
    vz_error_where(err, store->path, NULL);
    vz_store_close(store);
    return NULL;
}

static bool remove_nothing(const char *root, vz_error *err)
{
    (void)root, (void)err;
    return true;
}

static bool remove_refused(const char *root, vz_error *err)
{
    (void)root;
    return vz_fail(err, VZ_READ_ONLY, "what lies on a web server can only be read");
}

const vz_store_kind vz_bucket_kind_s3 = {
    .name = "s3",
    .title = "prefix of a bucket",
    .is_elsewhere = true,
    .recognise = recognise_bucket,
    .open = open_in_earnest,
    .create = create,
    .remove = remove_nothing,
    .find_value = vz_bucket_find_bucket_value,
    .open_values = vz_bucket_open_values,
    .version_of_etag = vz_remote_version_of_etag,
};

const vz_store_kind vz_bucket_kind_az = {
    .name = "az",
    .title = "prefix of a container",
    .is_elsewhere = true,
    .recognise = recognise_container,
    .open = open_in_earnest,
    .create = create,
    .remove = remove_nothing,
    .find_value = vz_bucket_find_container_value,
    .open_values = vz_bucket_open_values,
    .version_of_etag = vz_remote_version_of_etag,
};

const vz_store_kind vz_bucket_kind_http = {
    .name = "http",
    .title = "place on a web server",
    .is_elsewhere = true,
    .recognise = recognise_web,
    .open = open_in_earnest,
    .create = create,
    .remove = remove_refused,
    .find_value = vz_bucket_find_web_value,
    .open_values = vz_bucket_open_values,
    .version_of_etag = vz_remote_version_of_etag,
};
