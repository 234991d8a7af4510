/* merge_annotation.c - two processes changed the annotation of one node. Each member comes from the
 * process that changed it. Members that hold many entries (one for each attribute, link or path)
 * are merged entry by entry. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/writeback/merge_internal.h"
#include "hierarchy/nodes/node_state.h"
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
    {VZ_ANNOTATION_FORMS, BY_ATTRIBUTE},
    {VZ_ANNOTATION_ARRAYS, BY_KEY},
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
    const vz_strmap *changed;            /* attributes that we changed: what is said of them is
                                          * ours; NULL: none */
    bool have_places;                    /* entries begin with one, which changes when other
                                          * attributes come and go */
} three;

static bool same_entry(const three *t, const vz_json *a, const vz_json *b)
{
    return t->have_places && a && b ? same(vz_json_at(a, 2), vz_json_at(b, 2)) : same(a, b);
}

static const vz_json *winner(const three *t, const char *key)
{
    const vz_json *base = vz_json_get(t->base, key), *ours = vz_json_get(t->ours, key);
    const bool is_ours = (t->changed && vz_strmap_get(t->changed, key)) || !same_entry(t, base, ours);
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

/* The key by which entries are compared: the attribute's name, or all of the entry's text. False
 * without an error: it has none. */
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
    const three entries = {base, ours, theirs, t->changed, rule == LIST_BY_NAME};
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
    /* one of us took the last entry away */
    if (merged && vz_json_length(merged) == 0 && !(t->ours && t->theirs)) {
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
                     of_attributes && node->unwritten ? node->unwritten->attributes : NULL, false};
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

/* ---- names of the node ---- */

/* Entries of `from` go to *list where `test` has them (or lacks them). */
static bool append_where(vz_json **list, const vz_json *from, const vz_json *test, bool has, vz_error *err)
{
    const char *key;
    vz_json *value;
    bool ok = true;
    for (size_t i = 0; ok && vz_json_member(from, i, &key, &value); i++)
        if ((vz_json_get(test, key) != NULL) == has) {
            if (!*list)
                *list = vz_json_array(err);
            ok = *list && vz_json_append(*list, vz_json_copy(value, err), err);
        }
    return ok;
}

/* Names that another process gave the node, and did not take back: its groups need not be known
 * here as they are now. */
static bool note_names(vz_node *node, const vz_json *base, const vz_json *theirs, vz_error *err)
{
    const vz_json *const lists[] = {vz_json_get(theirs, VZ_ANNOTATION_NAMES), vz_json_get(base, VZ_ANNOTATION_NAMES),
                                    node->names_elsewhere};
    vz_json *names[3] = {0}, *elsewhere = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < 3; i++)
        ok = (names[i] = by_entry(lists[i], LIST_AS_SET, err)) != NULL;
    ok = ok && append_where(&elsewhere, names[2], names[0], true, err) &&
         append_where(&elsewhere, names[0], names[1], false, err);
    for (size_t i = 0; i < 3; i++)
        vz_json_free(names[i]);
    if (ok) {
        vz_json_free(node->names_elsewhere);
        node->names_elsewhere = elsewhere;
    } else {
        vz_json_free(elsewhere);
    }
    return ok;
}

bool vz_merge_annotation(vz_node *node, const vz_json *base, vz_json *theirs, vz_error *err)
{
    node->hierarchy->hard_links.names_changed++;
    return note_names(node, base, theirs, err) && put_words(node, base, theirs, err);
}
