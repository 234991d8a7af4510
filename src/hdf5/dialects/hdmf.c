/* hdmf.c - which stores are HDMF's, and when that shows. pynwb writes its marks last, so a store
 * may turn out to be one when most of it is written. The names of those marks are known here
 * only. */
#include "hdf5/dialects/hdmf_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/annotation/annotation.h"

#define MARK "d" /* on the root: the dialect, where a name does not tell */

/* an object that has both is HDMF's */
static const char *const typed[] = {"neurodata_type", "namespace"};
static const char *const root_marks[] = {".specloc", "nwb_version"};
static const char object_id[] = "object_id";

/* Endings of names, behind which one of these may stand. */
static const char *const endings[] = {".nwb"};
static const char *const containers[] = {".zip", ".zarr"};

static void drop_ending(const char *name, size_t *length, const char *ending)
{
    const size_t size = strlen(ending);
    if (*length > size && memcmp(name + *length - size, ending, size) == 0)
        *length -= size;
}

/* "x.nwb", "x.nwb.zarr", "x.nwb.zarr.zip" ... */
static bool is_named_so(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        drop_ending(path, &length, containers[i]);
    const size_t before = length;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        drop_ending(path, &length, endings[i]);
    return length < before;
}

static bool has_root_mark(const vz_node *root)
{
    for (size_t i = 0; i < sizeof root_marks / sizeof *root_marks; i++)
        if (vz_node_attribute(root, root_marks[i]))
            return true;
    return false;
}

static bool is_hdmf(const vz_hierarchy *hierarchy)
{
    return vz_writer_of(hierarchy)->dialect == VZ_DIALECT_HDMF;
}

static const char *word_of(vz_option_dialect dialect)
{
    return dialect == VZ_DIALECT_HDMF ? "hdmf" : "plain";
}

static bool is_marked(vz_hierarchy *hierarchy, vz_option_dialect dialect)
{
    return vz_json_is(vz_json_get(vz_hierarchy_root(hierarchy)->annotation, MARK), word_of(dialect));
}

/* Nothing is known to be in the plain dialect in stores of others: they are as their writers
 * left them. */
static void turn(vz_hierarchy *hierarchy)
{
    vz_hierarchy_set_writer(hierarchy, vz_writer_for(VZ_DIALECT_HDMF, vz_hierarchy_zarr_format(hierarchy)));
    if (vz_hierarchy_is_ours(hierarchy) && !is_marked(hierarchy, VZ_DIALECT_HDMF))
        vz_hierarchy_add_due(hierarchy, VZ_DUE_FORMS);
}

void vz_hdmf_recognise(vz_hierarchy *hierarchy)
{
    const vz_option_dialect asked = vz_hierarchy_options(hierarchy)->dialect;
    const vz_node *root = vz_hierarchy_root(hierarchy);
    if (is_hdmf(hierarchy))
        return;
    if (is_marked(hierarchy, VZ_DIALECT_HDMF) || asked == VZ_DIALECT_HDMF)
        turn(hierarchy);
    else if (asked == VZ_DIALECT_AUTO && !is_marked(hierarchy, VZ_DIALECT_PLAIN) &&
             (has_root_mark(root) || is_named_so(vz_hierarchy_path(hierarchy))))
        turn(hierarchy);
}

bool vz_hdmf_mark(vz_hierarchy *hierarchy, vz_error *err)
{
    const vz_option_dialect asked = vz_hierarchy_options(hierarchy)->dialect;
    if (!is_hdmf(hierarchy) && asked != VZ_DIALECT_PLAIN)
        return true;
    vz_hierarchy_done(hierarchy, VZ_DUE_FORMS); /* nothing is there yet */
    vz_json *word = vz_json_text(word_of(is_hdmf(hierarchy) ? VZ_DIALECT_HDMF : asked), err);
    return word && vz_annotation_set(vz_hierarchy_root(hierarchy), MARK, word, err);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool tells(const vz_node *node, const char *name)
{
    if (is_one_of(name, typed, sizeof typed / sizeof *typed))
        return vz_node_attribute(node, typed[0]) && vz_node_attribute(node, typed[1]);
    return node == vz_hierarchy_root(node->hierarchy) &&
           is_one_of(name, root_marks, sizeof root_marks / sizeof *root_marks);
}

void vz_hdmf_attribute_set(vz_node *node, const char *name)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (strcmp(name, object_id) == 0)
        vz_hierarchy_add_due(hierarchy, VZ_DUE_REFERENCES);
    else if (!is_hdmf(hierarchy) && vz_hierarchy_options(hierarchy)->dialect == VZ_DIALECT_AUTO &&
             !is_marked(hierarchy, VZ_DIALECT_PLAIN) && tells(node, name))
        turn(hierarchy);
}

/* Paths change where something moved; ids are of use in a store of HDMF's that has one itself. */
bool vz_hdmf_references_are_due(vz_hierarchy *hierarchy)
{
    const vz_node *root = vz_hierarchy_root(hierarchy);
    const bool identified = is_hdmf(hierarchy) && vz_node_attribute(root, object_id);
    return vz_hierarchy_due(hierarchy) & VZ_DUE_REFERENCES && (identified || vz_hierarchy_has_moves(hierarchy));
}

bool vz_hdmf_forms_done(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_hierarchy_done(hierarchy, VZ_DUE_FORMS);
    if (!vz_hierarchy_is_ours(hierarchy) || is_marked(hierarchy, VZ_DIALECT_HDMF))
        return true;
    vz_json *word = vz_json_text(word_of(VZ_DIALECT_HDMF), err);
    return word && vz_annotation_set(vz_hierarchy_root(hierarchy), MARK, word, err);
}
