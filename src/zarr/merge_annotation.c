/* merge_annotation.c - two processes changed the annotation of one node. Each of its words belongs to whoever changed
 * it; words that hold many entries (one for each attribute, link or path) are merged entry by entry. */
#include "zarr/hierarchy.h"
#include <stdlib.h>

typedef enum merge_rule {
    AS_ONE,        /* the word is one value */
    BY_KEY,        /* an object: each of its keys on its own */
    BY_ATTRIBUTE,  /* the same, the keys are those of attributes */
    LIST_BY_NAME,  /* a list of [place, key of an attribute, value] */
    LIST_AS_SET,   /* a list of entries without order */
    LIST_NUMBERED, /* a list of [number, ...], numbers rising */
    APART,         /* not merged here */
} merge_rule;

static const struct {
    const char *word;
    merge_rule rule;
} rules[] = {
    {"a", BY_ATTRIBUTE},
    {"an", BY_ATTRIBUTE},
    {VZ_ANNOTATION_UNSEEN, LIST_BY_NAME},
    {"us", BY_KEY},
    {VZ_ANNOTATION_NAMES, LIST_AS_SET},
    {"mv", LIST_NUMBERED},
    {VZ_ANNOTATION_LINKS, APART},
};

static merge_rule rule_of(const char *word)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].word, word) == 0)
            return rules[i].rule;
    return AS_ONE;
}

static bool same(const vz_json *a, const vz_json *b)
{
    return a == b || (a && b && vz_json_equal(a, b));
}

/* ---- entries of three objects ---- */

typedef struct three {
    const vz_json *base, *ours, *theirs; /* NULL: there is none */
    const vz_strmap *changed;            /* attributes that we changed: what is said of them is ours; NULL: none */
} three;

static const vz_json *winner(const three *t, const char *key)
{
    const vz_json *base = vz_json_get(t->base, key), *ours = vz_json_get(t->ours, key);
    const bool is_ours = (t->changed && vz_strmap_get(t->changed, key)) || !same(base, ours);
    return is_ours ? ours : vz_json_get(t->theirs, key);
}

static bool put_copy(vz_json *object, const char *key, const vz_json *value, vz_error *err)
{
    return vz_json_set(object, key, vz_json_copy(value, err), err);
}

/* A new object: their entries in their order, then those that only we have. */
static vz_json *merge_keys(const three *t, vz_error *err)
{
    vz_json *merged = vz_json_object(err), *value;
    const char *key;
    bool ok = merged != NULL;
    for (size_t i = 0; ok && vz_json_member(t->theirs, i, &key, &value); i++) {
        const vz_json *entry = winner(t, key);
        ok = !entry || put_copy(merged, key, entry, err);
    }
    for (size_t i = 0; ok && vz_json_member(t->ours, i, &key, &value); i++) {
        const vz_json *entry = vz_json_get(t->theirs, key) ? NULL : winner(t, key);
        ok = !entry || put_copy(merged, key, entry, err);
    }
    if (ok)
        return merged;
    vz_json_free(merged);
    return NULL;
}

/* ---- lists, as objects of their entries ---- */

/* What tells one entry from another: the attribute's key, or all of its text. False without an error: it has none. */
static bool entry_key(const vz_json *entry, merge_rule rule, vz_buffer *key, vz_error *err)
{
    size_t length = 0;
    key->size = 0;
    if (rule != LIST_BY_NAME)
        return vz_json_print(entry, 0, key, err) && vz_buffer_append(key, "", 1, err);
    const char *name = vz_json_get_string(vz_json_at(entry, 1), &length);
    return name && vz_buffer_append(key, name, length + 1, err);
}

static vz_json *by_entry(const vz_json *list, merge_rule rule, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    vz_buffer key = {0};
    vz_error failed = VZ_ERROR_NONE;
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < vz_json_length(list) && vz_json_at(list, i); i++)
        if (entry_key(vz_json_at(list, i), rule, &key, &failed))
            ok = put_copy(object, (const char *)key.data, vz_json_at(list, i), err);
        else
            ok = failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
    vz_buffer_clear(&key);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

typedef struct numbered {
    uint64_t number;
    size_t place;
    const vz_json *entry;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The entries as a list; by their numbers where they have some. */
static vz_json *as_list(const vz_json *entries, merge_rule rule, vz_error *err)
{
    const size_t count = vz_json_length(entries);
    vz_json *list = vz_json_array(err), *value;
    const char *key;
    numbered *order = malloc((count + 1) * sizeof *order);
    bool ok = list && (order || vz_fail_memory(err));
    for (size_t i = 0; ok && vz_json_member(entries, i, &key, &value); i++) {
        order[i] = (numbered){.place = i, .entry = value};
        if (rule == LIST_NUMBERED && !vz_json_get_uint64(vz_json_at(value, 0), &order[i].number))
            order[i].number = 0;
    }
    if (ok && rule == LIST_NUMBERED)
        qsort(order, count, sizeof *order, compare_numbered);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_json_append(list, vz_json_copy(order[i].entry, err), err);
    free(order);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static vz_json *merge_lists(const three *t, merge_rule rule, vz_error *err)
{
    vz_json *base = by_entry(t->base, rule, err), *ours = base ? by_entry(t->ours, rule, err) : NULL,
            *theirs = ours ? by_entry(t->theirs, rule, err) : NULL;
    const three entries = {base, ours, theirs, t->changed};
    vz_json *merged = theirs ? merge_keys(&entries, err) : NULL;
    vz_json *list = merged ? as_list(merged, rule, err) : NULL;
    vz_json_free(base);
    vz_json_free(ours);
    vz_json_free(theirs);
    vz_json_free(merged);
    return list;
}

/* ---- words ---- */

/* A word that is not of the kind it should be has no entries. */
static bool has_entries(const vz_json *value, merge_rule rule)
{
    const bool is_object = rule == BY_KEY || rule == BY_ATTRIBUTE;
    return !value || vz_json_kind_of(value) == (is_object ? VZ_JSON_OBJECT : VZ_JSON_ARRAY);
}

/* The three are the word's values. NULL without an error: the word goes. */
static vz_json *merge_word(const three *t, merge_rule rule, vz_error *err)
{
    const bool by_entries = rule != AS_ONE && has_entries(t->base, rule) && has_entries(t->ours, rule) &&
                            has_entries(t->theirs, rule) && (t->ours || t->theirs);
    if (!by_entries) {
        const vz_json *value = same(t->base, t->ours) ? t->theirs : t->ours;
        return value ? vz_json_copy(value, err) : NULL;
    }
    vz_json *merged = rule == BY_KEY || rule == BY_ATTRIBUTE ? merge_keys(t, err) : merge_lists(t, rule, err);
    if (merged && vz_json_length(merged) == 0 && !(t->ours && t->theirs)) { /* one of us took the last entry away */
        vz_json_free(merged);
        merged = NULL;
    }
    return merged;
}

static bool put_word(vz_node *node, const vz_json *base, vz_json *theirs, const char *word, vz_error *err)
{
    const merge_rule rule = rule_of(word);
    const bool of_attributes = rule == BY_ATTRIBUTE || rule == LIST_BY_NAME;
    if (rule == APART)
        return true;
    const three t = {vz_json_get(base, word), vz_json_get(node->annotation, word), vz_json_get(theirs, word),
                     of_attributes && node->dirt ? node->dirt->attributes : NULL};
    vz_error failed = VZ_ERROR_NONE;
    vz_json *value = merge_word(&t, rule, &failed);
    if (value)
        return vz_json_set(theirs, word, value, err);
    if (failed.class != VZ_OK)
        return vz_fail(err, failed.class, "%s", failed.text);
    vz_json_remove(theirs, word);
    return true;
}

/* Words of one annotation, not of another: theirs may change while the words are walked. */
static bool put_words(vz_node *node, const vz_json *base, vz_json *theirs, vz_error *err)
{
    const vz_json *const sources[] = {base, node->annotation};
    const char *word;
    vz_json *value;
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; vz_json_member(sources[s], i, &word, &value); i++)
            if ((s == 0 || !vz_json_get(base, word)) && !put_word(node, base, theirs, word, err))
                return false;
    return true;
}

/* ---- links ---- */

/* Names that somebody else gave the node: its groups need not be known here as they are now. */
static bool note_names(vz_node *node, const vz_json *base, const vz_json *theirs, vz_error *err)
{
    const vz_json *const lists[] = {vz_json_get(theirs, VZ_ANNOTATION_NAMES), vz_json_get(base, VZ_ANNOTATION_NAMES),
                                    vz_json_get(node->annotation, VZ_ANNOTATION_NAMES)};
    vz_json *names[3] = {0};
    bool ok = true;
    const char *key;
    vz_json *value;
    for (size_t i = 0; ok && i < 3 && vz_json_length(lists[0]) > 0; i++)
        ok = (names[i] = by_entry(lists[i], LIST_AS_SET, err)) != NULL;
    for (size_t i = 0; ok && vz_json_member(names[0], i, &key, &value); i++)
        if (!vz_json_get(names[1], key) && !vz_json_get(names[2], key)) {
            if (!node->names_elsewhere)
                node->names_elsewhere = vz_json_array(err);
            ok = node->names_elsewhere && vz_json_append(node->names_elsewhere, vz_json_copy(value, err), err);
        }
    for (size_t i = 0; i < 3; i++)
        vz_json_free(names[i]);
    return ok;
}

static vz_json *entries_by_name(const vz_json *annotation, vz_error *err)
{
    const vz_json *list = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    vz_json *entries = vz_json_object(err);
    for (size_t i = 0; entries && i < vz_json_length(list) && vz_json_at(list, i); i++) {
        vz_error failed = VZ_ERROR_NONE;
        char *name = vz_link_entry_name(vz_json_at(list, i), &failed);
        const bool ok = name ? vz_json_get(entries, name) || put_copy(entries, name, vz_json_at(list, i), &failed)
                             : failed.class == VZ_OK;
        free(name);
        if (!ok) {
            vz_json_free(entries);
            entries = NULL;
            vz_fail(err, failed.class, "%s", failed.text);
        }
    }
    return entries;
}

/* Did somebody else remove or change a link that is no directory, and we did not? */
static bool is_theirs(const vz_node *group, const vz_link *link, const vz_json *base, const vz_json *theirs)
{
    const vz_json *was = vz_json_get(base, link->name);
    if (link->kind == VZ_LINK_NODE || link->is_plain || !was || same(was, vz_json_get(theirs, link->name)))
        return false;
    vz_json *ours = vz_link_entry_print(link, group->track_order, NULL);
    const bool unchanged = same(was, ours);
    vz_json_free(ours);
    return unchanged;
}

/* Such links are met again as their list tells them. */
static void forget_links(vz_node *group, const vz_json *base, const vz_json *theirs)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        if (is_theirs(group, value, base, theirs))
            vz_members_remove(group->members, value);
}

static bool follow_links(vz_node *node, const vz_json *base, const vz_json *theirs, vz_error *err)
{
    if (!node->dirt || !node->dirt->links || !node->members || node->members->others == 0)
        return true;
    vz_json *was = entries_by_name(base, err), *now = was ? entries_by_name(theirs, err) : NULL;
    if (now)
        forget_links(node, was, now);
    vz_json_free(was);
    vz_json_free(now);
    return now != NULL;
}

bool vz_merge_annotation(vz_node *node, vz_json *theirs, vz_error *err)
{
    vz_json *holder = vz_json_object(err), *base = NULL, *unused = NULL;
    bool ok = holder && (!node->annotation_value || put_copy(holder, VZ_ANNOTATION, node->annotation_value, err));
    ok = ok && vz_annotation_detach(holder, &base, &unused, err) && note_names(node, base, theirs, err) &&
         put_words(node, base, theirs, err) && follow_links(node, base, theirs, err);
    vz_json_free(holder);
    vz_json_free(base);
    vz_json_free(unused);
    return ok;
}
