/* committed_users.c - which datasets and attributes were made with a committed type.
 *
 * The type's annotation lists the paths of objects that use it ("us", an object as a set). The
 * list is a hint: an object that it names is looked at before it counts. So an object that went,
 * moved, or was made by another program in its place makes no wrong count. Nothing is ever
 * deleted because of a hint. Deleting and moving need not know of the list. Before a path that
 * something was moved away from stands the number of the last move, as in every stored path. */
#include "hierarchy/resolve/token.h"
#include "hdf5/references/committed.h"
#include <stdlib.h>

#define USERS "us"
/* Entries: the list is cleared of what is gone whenever its length is this times a power of two. */
#define FIRST_SWEEP 64

/* ---- what a node was made with ---- */

/* The path in each entry of the node, its own and its attributes'. */
bool vz_committed_each_use(const vz_node *node, vz_committed_use visit, void *context, vz_error *err)
{
    const vz_json *entries = vz_json_get(node->annotation, "a");
    const char *own = vz_committed_path(node, NULL), *key;
    vz_json *entry;
    if (own && !visit(NULL, own, context, err))
        return false;
    for (size_t i = 0; vz_json_member(entries, i, &key, &entry); i++) {
        const char *path = vz_json_get_string(vz_json_get(entry, "ct"), NULL);
        if (path && vz_node_has_attribute(node, key) && !visit(key, path, context, err))
            return false;
    }
    return true;
}

typedef struct tally {
    const vz_node *type;
    const char *path; /* where the type is now */
    unsigned count;
} tally;

static bool count_use(const char *key, const char *path, void *context, vz_error *err)
{
    tally *t = context;
    (void)key, (void)err;
    t->count += strcmp(path, t->path) == 0 || vz_committed_at(t->type->hierarchy, path) == t->type;
    return true;
}

/* ---- the list ---- */

typedef struct survey {
    vz_node *type;
    tally uses;
    vz_json *list; /* of what was found, under the paths of today */
} survey;

static bool look_at(survey *s, const char *path, vz_error *err)
{
    const uint64_t token = vz_token_of_stored(s->type->hierarchy, path, err);
    vz_node *user = token ? vz_token_node(s->type->hierarchy, token, NULL) : NULL;
    char *path_now = user ? vz_node_path(user, NULL) : NULL;
    char *now = path_now ? vz_hierarchy_stored_path(s->type->hierarchy, path_now, NULL) : NULL;
    const unsigned before = s->uses.count;
    bool ok = token != 0;
    if (user)
        vz_node_ref(user);
    if (ok && now && !vz_json_get(s->list, now))
        ok = vz_committed_each_use(user, count_use, &s->uses, err) &&
             (s->uses.count == before || vz_json_set(s->list, now, vz_json_int64(1, err), err));
    if (user)
        vz_node_unref(user);
    free(now);
    free(path_now);
    return ok;
}

/* Takes stock of who uses the type; the list is the caller's. */
static bool survey_run(survey *s, vz_node *type, vz_error *err)
{
    const vz_json *listed = vz_annotation_get(type, USERS);
    char *path = vz_node_path(type, NULL);
    vz_json *value;
    const char *user;
    *s = (survey){.type = type, .uses = {type, path ? path : "", 0}, .list = vz_json_object(err)};
    bool ok = s->list != NULL;
    for (size_t i = 0; ok && vz_json_member(listed, i, &user, &value); i++)
        ok = look_at(s, user, err);
    free(path);
    if (!ok)
        vz_json_free(s->list);
    return ok;
}

static bool is_time_to_sweep(size_t length)
{
    return length >= FIRST_SWEEP && (length & (length - 1)) == 0;
}

static bool sweep(vz_node *type, vz_error *err)
{
    survey s;
    return survey_run(&s, type, err) && vz_annotation_set(type, USERS, s.list, err);
}

static bool list_user(vz_node *type, const char *user, vz_error *err)
{
    vz_json *list = vz_json_get(type->annotation, USERS);
    if (vz_json_get(list, user))
        return true;
    if (vz_json_kind_of(list) != VZ_JSON_OBJECT) {
        list = vz_json_object(err);
        if (!list || !vz_annotation_set(type, USERS, list, err))
            return false;
    }
    if (!vz_json_set(list, user, vz_json_int64(1, err), err) || !vz_node_annotated(type, err))
        return false;
    return !is_time_to_sweep(vz_json_length(list)) || sweep(type, err);
}

/* ---- registering ---- */

typedef struct registering {
    vz_node *user;
    const char *path;
} registering;

static bool register_use(const char *key, const char *path, void *context, vz_error *err)
{
    (void)key;
    const registering *r = context;
    vz_node *type = vz_committed_at(r->user->hierarchy, path);
    if (!type)
        return true;
    vz_node_ref(type);
    const bool ok = list_user(type, r->path, err);
    vz_node_unref(type);
    return ok;
}

/* The text for the list; NULL without an error: the node is not linked. */
static char *name_of_user(vz_node *user, vz_error *err)
{
    char *path = vz_node_path(user, err);
    char *text = path ? vz_hierarchy_stored_path(user->hierarchy, path, err) : NULL;
    free(path);
    return text;
}

bool vz_committed_register(vz_node *user, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    if (!vz_json_get(user->annotation, "ct") && !vz_json_get(user->annotation, "a"))
        return true;
    char *text = name_of_user(user, &failure);
    if (!text)
        return failure.class == VZ_OK || vz_fail(err, failure.class, "%s", failure.text);
    registering r = {user, text};
    const bool ok = vz_committed_each_use(user, register_use, &r, err);
    free(text);
    return ok;
}

bool vz_committed_register_use(vz_node *user, const char *path, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    char *text = name_of_user(user, &failure);
    if (!text)
        return failure.class == VZ_OK || vz_fail(err, failure.class, "%s", failure.text);
    registering r = {user, text};
    const bool ok = register_use(NULL, path, &r, err);
    free(text);
    return ok;
}

/* ---- counting ---- */

/* The count of a type's node, as long as nothing changes in the store. */
typedef struct known_count {
    uint64_t facts;
    unsigned count;
} known_count;

static void remember(vz_node *type, unsigned count)
{
    known_count *known = type->view ? type->view : calloc(1, sizeof *known);
    if (!known)
        return;
    *known = (known_count){vz_hierarchy_facts(type->hierarchy), count};
    type->view = known;
    type->view_free = free;
}

bool vz_committed_count_users(vz_node *type, unsigned *count, vz_error *err)
{
    const known_count *known = type->view;
    survey s;
    *count = 0;
    if (!vz_annotation_get(type, USERS))
        return true;
    if (known && known->facts == vz_hierarchy_facts(type->hierarchy)) {
        *count = known->count;
        return true;
    }
    if (!survey_run(&s, type, err))
        return false;
    vz_json_free(s.list);
    *count = s.uses.count;
    remember(type, s.uses.count);
    return true;
}
