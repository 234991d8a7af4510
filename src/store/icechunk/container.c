/* container.c - names of virtual chunks that begin with that of a container: "vcc://NAME/rest". The
 * settings of a repository of format version 2 say what stands for it. */
#include "store/icechunk/flex_internal.h"
#include "store/icechunk/icechunk_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define SCHEME "vcc://"
#define REPO   "repo"

static const vz_icechunk_flat_field repo_config = {"config", 9, 1};

void vz_icechunk_containers_begin(vz_icechunk_containers *containers)
{
    *containers = (vz_icechunk_containers){0};
    vz_os_mutex_init(&containers->lock);
}

void vz_icechunk_containers_end(vz_icechunk_containers *containers)
{
    vz_buffer_clear(&containers->repo);
    vz_os_mutex_destroy(&containers->lock);
}

bool vz_icechunk_name_is(vz_bytes text)
{
    return text.size > 0 && text.size <= VZ_ICECHUNK_NAME_MAX && !memchr(text.data, '\0', text.size) &&
           vz_utf8_valid(text.data, text.size);
}

static vz_bytes member_text(const vz_icechunk_flex *map, const char *key)
{
    vz_icechunk_flex value;
    return vz_icechunk_flex_member(map, key, &value) ? vz_icechunk_flex_text(&value) : (vz_bytes){0};
}

/* The prefix of the container; data is NULL: there is no such container. */
static vz_bytes find_prefix(vz_bytes config, const char *name, size_t size)
{
    vz_icechunk_flex root, all, one;
    if (!vz_icechunk_flex_root(config, &root) || !vz_icechunk_flex_member(&root, "virtual_chunk_containers", &all))
        return (vz_bytes){0};
    const size_t count = vz_icechunk_flex_count(&all);
    for (size_t i = 0; i < count && vz_icechunk_flex_item(&all, i, &one); i++) {
        const vz_bytes text = member_text(&one, "name");
        if (text.data && text.size == size && memcmp(text.data, name, size) == 0)
            return member_text(&one, "url_prefix");
    }
    return (vz_bytes){0};
}

/* Settings have no versions: those of today hold. */
static bool read_repo(vz_icechunk *store, vz_error *err)
{
    vz_icechunk_containers *c = &store->containers;
    vz_os_mutex_lock(&c->lock);
    if (!c->is_read)
        c->is_read = vz_icechunk_file_read(store->below, REPO, VZ_ICECHUNK_REPO, &c->repo, err);
    const bool is_read = c->is_read;
    if (!is_read)
        vz_buffer_clear(&c->repo);
    vz_os_mutex_unlock(&c->lock);
    return is_read;
}

static char *join(vz_bytes prefix, const char *rest, vz_error *err)
{
    char *name = NULL;
    if (asprintf(&name, "%.*s%s", (int)prefix.size, (const char *)prefix.data, rest) >= 0)
        return name;
    vz_fail_memory(err);
    return NULL;
}

bool vz_icechunk_container_resolve(vz_icechunk *store, char **name, vz_error *err)
{
    if (strncmp(*name, SCHEME, sizeof SCHEME - 1) != 0)
        return true;
    const char *word = *name + sizeof SCHEME - 1;
    const size_t size = strcspn(word, "/");
    if (!read_repo(store, err))
        return false;
    vz_icechunk_flat flat = {.all = {store->containers.repo.data, store->containers.repo.size}};
    const vz_icechunk_flat_table root = vz_icechunk_flat_root(&flat);
    const vz_bytes config = vz_icechunk_flat_bytes(&flat, &root, &repo_config);
    const vz_bytes prefix = config.data ? find_prefix(config, word, size) : (vz_bytes){0};
    if (!vz_icechunk_name_is(prefix))
        return vz_fail(err, VZ_CORRUPT, "a chunk in the container \"%.*s\", for which the repository has no place",
                       (int)(size < 100 ? size : 100), word);
    char *whole = join(prefix, word + size + (word[size] == '/'), err);
    if (whole) {
        free(*name);
        *name = whole;
    }
    return whole;
}
