/* manifest_cache.c - the manifests that stay in memory: those in use, and the ones used last. */
#include "store/icechunk/icechunk_internal.h"

void vz_icechunk_manifests_begin(vz_icechunk_manifests *manifests)
{
    *manifests = (vz_icechunk_manifests){0};
    vz_os_mutex_init(&manifests->lock);
}

void vz_icechunk_manifests_end(vz_icechunk_manifests *manifests)
{
    for (vz_icechunk_manifest *next, *m = manifests->first; m; m = next) {
        next = m->next;
        vz_icechunk_manifest_free(m);
    }
    vz_os_mutex_destroy(&manifests->lock);
}

/* Makes room for the one used last. */
static void drop_old(vz_icechunk_manifests *manifests)
{
    while (manifests->size > VZ_ICECHUNK_CACHE_SIZE) {
        vz_icechunk_manifest **oldest = NULL;
        for (vz_icechunk_manifest **m = &manifests->first; *m; m = &(*m)->next)
            if ((*m)->users == 0 && (!oldest || (*m)->used < (*oldest)->used))
                oldest = m;
        if (!oldest)
            return;
        vz_icechunk_manifest *dropped = *oldest;
        *oldest = dropped->next;
        manifests->size -= dropped->content.capacity;
        vz_icechunk_manifest_free(dropped);
    }
}

static vz_icechunk_manifest *find(const vz_icechunk_manifests *manifests, const uint8_t *id)
{
    vz_icechunk_manifest *m = manifests->first;
    while (m && memcmp(m->id, id, VZ_ICECHUNK_ID_SIZE) != 0)
        m = m->next;
    return m;
}

static void put(vz_icechunk_manifests *manifests, vz_icechunk_manifest *m)
{
    m->next = manifests->first;
    manifests->first = m;
    manifests->size += m->content.capacity;
}

bool vz_icechunk_manifest_is_known(vz_icechunk_manifests *manifests, const uint8_t *id)
{
    vz_os_mutex_lock(&manifests->lock);
    const bool is_known = find(manifests, id);
    vz_os_mutex_unlock(&manifests->lock);
    return is_known;
}

void vz_icechunk_manifest_add(vz_icechunk_manifests *manifests, vz_icechunk_manifest *manifest)
{
    vz_os_mutex_lock(&manifests->lock);
    const bool is_known = find(manifests, manifest->id);
    if (!is_known) {
        put(manifests, manifest);
        manifest->used = ++manifests->clock;
        drop_old(manifests);
    }
    vz_os_mutex_unlock(&manifests->lock);
    if (is_known)
        vz_icechunk_manifest_free(manifest);
}

vz_icechunk_manifest *vz_icechunk_manifest_use(vz_icechunk_manifests *manifests, vz_store *below, const uint8_t *id,
                                               vz_error *err)
{
    vz_os_mutex_lock(&manifests->lock);
    vz_icechunk_manifest *m = find(manifests, id);
    if (!m && (m = vz_icechunk_manifest_read(below, id, err)))
        put(manifests, m);
    if (m) {
        m->users++;
        m->used = ++manifests->clock;
        drop_old(manifests);
    }
    vz_os_mutex_unlock(&manifests->lock);
    return m;
}

void vz_icechunk_manifest_leave(vz_icechunk_manifests *manifests, vz_icechunk_manifest *manifest)
{
    vz_os_mutex_lock(&manifests->lock);
    manifest->users--;
    vz_os_mutex_unlock(&manifests->lock);
}
