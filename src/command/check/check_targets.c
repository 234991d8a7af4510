/* check_targets.c - where links and references lead. Targets that were found are noted; the targets
 * of elements of arrays are looked at when all chunks were read. */
#include "command/check/check_internal.h"
#include <stdlib.h>

/* targets whose answer is kept, and references in elements that are looked at */
#define REMEMBERED_MAX 100000

struct vz_check_targets {
    vz_strmap *known; /* "since path" -> &yes or &no */
    vz_strmap *noted; /* what elements lead to, by file, path and since: struct noted */
    bool full;        /* there were more than are looked at */
    vz_os_mutex lock;
};

/* A target that elements have, and the first array that they are of. */
struct noted {
    char *array, *file, *path;
    uint64_t since;
};

static char yes, no;

static void free_noted(void *value)
{
    struct noted *noted = value;
    if (noted) {
        free(noted->array);
        free(noted->file);
        free(noted->path);
    }
    free(noted);
}

vz_check_targets *vz_check_targets_new(vz_error *err)
{
    vz_check_targets *targets = calloc(1, sizeof *targets);
    if (targets) {
        targets->known = vz_strmap_new();
        targets->noted = vz_strmap_new();
        vz_os_mutex_init(&targets->lock);
    }
    if (targets && targets->known && targets->noted)
        return targets;
    vz_check_targets_free(targets);
    vz_fail_memory(err);
    return NULL;
}

void vz_check_targets_free(vz_check_targets *targets)
{
    if (!targets)
        return;
    vz_strmap_free(targets->known, NULL);
    vz_strmap_free(targets->noted, free_noted);
    vz_os_mutex_destroy(&targets->lock);
    free(targets);
}

/* ---- what is known ---- */

bool vz_check_known(const vz_check *check, const char *text, bool *is)
{
    const char *answer = vz_strmap_get(check->targets->known, text);
    *is = answer == &yes;
    return answer != NULL;
}

void vz_check_remember(vz_check *check, const char *text, bool is)
{
    vz_strmap *known = check->targets->known;
    if (vz_strmap_count(known) < REMEMBERED_MAX)
        vz_strmap_put(known, text, is ? &yes : &no, NULL);
}

/* ---- what elements lead to ---- */

static struct noted *new_noted(const char *array, const vz_check_target *target)
{
    struct noted *noted = calloc(1, sizeof *noted);
    if (!noted)
        return NULL;
    noted->array = strdup(array);
    noted->file = target->file ? strdup(target->file) : NULL;
    noted->path = strdup(target->path);
    noted->since = target->since;
    if (noted->array && noted->path && (noted->file || !target->file))
        return noted;
    free_noted(noted);
    return NULL;
}

static char *noted_key(const vz_check_target *target, vz_error *err)
{
    vz_buffer text = {0};
    if (vz_buffer_printf(&text, err, "%llu %s\n%s", (unsigned long long)target->since, target->file ? target->file : "",
                         target->path) &&
        vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

bool vz_check_note(vz_check *check, const char *array, const vz_check_target *target, vz_error *err)
{
    vz_check_targets *targets = check->targets;
    char *key = noted_key(target, err);
    struct noted *noted = NULL;
    bool ok = key != NULL;
    vz_os_mutex_lock(&targets->lock);
    const bool is_new = ok && !vz_strmap_get(targets->noted, key);
    if (is_new && vz_strmap_count(targets->noted) >= REMEMBERED_MAX)
        targets->full = true;
    else if (is_new)
        ok = (noted = new_noted(array, target)) && vz_strmap_put(targets->noted, key, noted, err);
    vz_os_mutex_unlock(&targets->lock);
    if (!ok)
        free_noted(noted);
    free(key);
    return ok;
}

bool vz_check_each_noted(vz_check *check, vz_check_visit visit, vz_error *err)
{
    vz_check_targets *targets = check->targets;
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(targets->noted, &cursor, &key, &value)) {
        const struct noted *noted = value;
        const vz_check_target target = {noted->file, noted->path, noted->since};
        if (!visit(check, noted->array, &target, err))
            return false;
    }
    if (targets->full)
        vz_report_find(&check->report, VZ_FINDING_UNJUDGED, "", "more than %d references in elements of arrays",
                       REMEMBERED_MAX);
    return true;
}
