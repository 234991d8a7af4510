/* test_writeback_merge.c - another process changed the annotation of a node that we change: what each of both said
 * stays. The other process is text that is put into the store. */
#include "node_support.h"
#include "hierarchy/writeback/document.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"

#define GROUP    "{'zarr_format':2}"
#define GROUP_V3 "{'zarr_format':3,'node_type':'group','attributes':{}}"

typedef struct change {
    const char *what;
    const char *before, *theirs; /* annotations in the store: when it is read, and when it is written */
    const char *word, *ours;     /* what we make of a word; NULL: it goes */
    const char *attribute;       /* one that we set; NULL: none */
    const char *after;           /* the annotation that is written */
} change;

static const change changes[] = {
    {"types of attributes", "{'a':{'x':{'t':'|i1'}}}", "{'a':{'x':{'t':'|i1'},'c':{'t':'<f4'}}}", "a",
     "{'x':{'t':'|i1'},'b':{'t':'<u2'}}", NULL, "{'a':{'x':{'t':'|i1'},'c':{'t':'<f4'},'b':{'t':'<u2'}}}"},
    {"the first types of all", "{}", "{'a':{'c':{'t':'<f4'}}}", "a", "{'b':{'t':'<u2'}}", NULL,
     "{'a':{'c':{'t':'<f4'},'b':{'t':'<u2'}}}"},
    {"an attribute that both set", "{}", "{'a':{'c':{'t':'<f4'}}}", "a", "{'c':{'t':'<u2'}}", "c",
     "{'a':{'c':{'t':'<u2'}}}"},
    {"one that needs no type any more", "{'a':{'c':{'t':'<f4'}}}", "{'a':{'c':{'t':'|i1'},'d':{'t':'|i1'}}}", "a", NULL,
     "c", "{'a':{'d':{'t':'|i1'}}}"},
    {"one of ours goes, one of theirs", "{'a':{'c':{'t':'<f4'},'d':{'t':'<f4'},'e':{'t':'<f4'}}}",
     "{'a':{'d':{'t':'<f4'},'e':{'t':'<f4'}}}", "a", "{'c':{'t':'<f4'},'e':{'t':'<f4'}}", NULL,
     "{'a':{'e':{'t':'<f4'}}}"},
    {"names of attributes", "{'an':{'p':'cA=='}}", "{'an':{'p':'cA==','q':'cQ=='}}", "an", "{'p':'cA==','r':'cg=='}",
     NULL, "{'an':{'p':'cA==','q':'cQ==','r':'cg=='}}"},
    {"unseen attributes", "{'hv':[[0,'p',1]]}", "{'hv':[[0,'p',1],[1,'q',2]]}", "hv", "[[0,'r',3],[1,'p',1]]", NULL,
     "{'hv':[[0,'p',1],[1,'q',2],[0,'r',3]]}"},
    {"unseen attributes in another place", "{'hv':[[0,'p',1],[1,'q',2]]}", "{'hv':[[0,'q',2]]}", "hv",
     "[[1,'p',1],[2,'q',2],[3,'r',3]]", NULL, "{'hv':[[0,'q',2],[3,'r',3]]}"},
    {"users", "{'us':{'/a':1}}", "{'us':{'/a':1,'/b':1}}", "us", "{'/c':1}", NULL, "{'us':{'/b':1,'/c':1}}"},
    {"names", "{'nm':['/a','/b']}", "{'nm':['/a','/b','/c']}", "nm", "['/b','/d']", NULL, "{'nm':['/b','/c','/d']}"},
    {"moves", "{'mv':[[5,'/a','/b']]}", "{'mv':[[5,'/a','/b'],[9,'/c',null]]}", "mv", "[[5,'/a','/b'],[7,'/d','/e']]",
     NULL, "{'mv':[[5,'/a','/b'],[7,'/d','/e'],[9,'/c',null]]}"},
    {"moves of one number", "{}", "{'mv':[[1,'/c','/d']]}", "mv", "[[1,'/a','/b']]", NULL,
     "{'mv':[[1,'/c','/d'],[1,'/a','/b']]}"},
    {"words of another kind", "{'a':[1]}", "{'a':[2],'mv':7}", "a", "{'b':{'t':'<u2'}}", NULL,
     "{'a':{'b':{'t':'<u2'}},'mv':7}"},
    {"one value", "{'t':'<i4','z':1}", "{'t':'<i8','z':2}", "z", "3", NULL, "{'t':'<i8','z':3}"},
};

static void put_v2(vz_store *store, const char *annotation)
{
    char text[1000], *copy = strdup(annotation);
    char *at = text + sprintf(text, "{'k':1,'_HDF5':'");
    for (const char *p = copy; *p; p++)
        at += *p == '\'' ? sprintf(at, "\\'") : sprintf(at, "%c", *p);
    sprintf(at, "'}");
    free(copy);
    put_text(store, "g/.zgroup", GROUP);
    put_text(store, "g/.zattrs", text);
}

static void put_v3(vz_store *store, const char *annotation)
{
    char text[1000];
    snprintf(text, sizeof text, "{'zarr_format':3,'node_type':'group','attributes':{'k':1,'_HDF5':%s}}", annotation);
    put_text(store, "g/zarr.json", text);
}

/* What the store says now, parsed. */
static vz_json *annotation_now(vz_store *store, int format)
{
    char *text = get_text(store, format == 3 ? "g/zarr.json" : "g/.zattrs");
    vz_json *document = json_of(text);
    const vz_json *attributes = format == 3 ? vz_json_get(document, "attributes") : document;
    const char *value = vz_json_get_string(vz_json_get(attributes, "_HDF5"), NULL);
    vz_json *annotation = json_of(value ? value : "{}");
    vz_json_free(document);
    free(text);
    return annotation;
}

static void run(const change *c, int format)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_text(store, format == 3 ? "zarr.json" : ".zgroup", format == 3 ? GROUP_V3 : GROUP);
    void (*const put)(vz_store *, const char *) = format == 3 ? put_v3 : put_v2;
    put(store, c->before);
    vz_hierarchy *h = over(store, true, false);
    vz_node *g = find(h->root, "g");
    if (c->ours)
        must(vz_json_set(g->annotation, c->word, json_of(c->ours), &err));
    else
        vz_json_remove(g->annotation, c->word);
    must(vz_node_annotated(g, &err) && (!c->attribute || vz_node_set_attribute(g, c->attribute, json_of("1"), &err)));
    put(store, c->theirs);
    must(vz_flush_documents(g, &err));
    vz_json *now = annotation_now(store, format), *expected = json_of(c->after);
    if (!vz_json_equal(now, expected)) {
        vz_buffer text = {0};
        must(vz_json_print(now, 0, &text, &err) && vz_buffer_append(&text, "", 1, &err));
        fail_msg("%s, format %d: %s", c->what, format, (char *)text.data);
    }
    vz_json_free(now);
    vz_json_free(expected);
    must(vz_close_hierarchy(h, &err));
}

static void each_says_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run(&changes[i], 2);
        run(&changes[i], 3);
    }
}

/* ---- links ---- */

static void links_of_both(void **state)
{
    (void)state;
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_text(store, ".zgroup", GROUP);
    put_v2(store, "{'L':[{'n':'goes','k':'soft','to':'x'},{'n':'turns','k':'soft','to':'x'},"
                  "{'n':'ours','k':'soft','to':'x'},{'n':'stays','k':'soft','to':'x'}]}");
    vz_hierarchy *h = over(store, true, false);
    vz_node *g = find(h->root, "g");
    assert_true(exists(g, "goes") && exists(g, "ours"));
    const vz_bytes y = {(const uint8_t *)"y", 1};
    must(vz_edit_unlink(g, "ours", &err) && vz_edit_link_value(g, "new", false, VZ_LINK_SOFT, 0, y, &err));
    put_v2(store, "{'L':[{'n':'turns','k':'soft','to':'z'},{'n':'ours','k':'soft','to':'x'},"
                  "{'n':'stays','k':'soft','to':'x'},{'n':'theirs','k':'soft','to':'x'}]}");
    must(vz_flush_store(h, false, &err));
    for (int round = 0; round < 2; round++) { /* the second time after a change of ours alone */
        vz_json *now = annotation_now(store, 2);
        const vz_json *list = vz_json_get(now, "L");
        char names[200] = "";
        for (size_t i = 0; i < vz_json_length(list); i++) {
            const vz_json *entry = vz_json_at(list, i);
            char text[40];
            snprintf(text, sizeof text, "%s>%s ", vz_json_get_string(vz_json_get(entry, "n"), NULL),
                     vz_json_get_string(vz_json_get(entry, "to"), NULL));
            strcat(names, text);
        }
        assert_true(strstr(names, "turns>z ") && strstr(names, "stays>x ") && strstr(names, "theirs>x ") &&
                    strstr(names, "new>y "));
        assert_null(strstr(names, "ours"));
        assert_null(strstr(names, "goes"));
        vz_json_free(now);
        must(vz_group_links_changed(g, &err) && vz_flush_store(h, false, &err));
    }
    must(vz_close_hierarchy(h, &err));
}

/* "name>target " for each link that is no directory, with its number where it has one. */
static void say_links(vz_store *store, char *said, size_t size)
{
    vz_json *now = annotation_now(store, 2);
    const vz_json *list = vz_json_get(now, "L");
    uint64_t order;
    *said = '\0';
    for (size_t i = 0; i < vz_json_length(list); i++) {
        const vz_json *entry = vz_json_at(list, i);
        const size_t used = strlen(said);
        if (vz_json_get(entry, "to"))
            snprintf(said + used, size - used, "%s>%s ", vz_json_get_string(vz_json_get(entry, "n"), NULL),
                     vz_json_get_string(vz_json_get(entry, "to"), NULL));
        if (vz_json_get_uint64(vz_json_get(entry, "i"), &order))
            snprintf(said + strlen(said), size - strlen(said), "%llu ", (unsigned long long)order);
    }
    vz_json_free(now);
}

static void make_soft(vz_node *group, const char *name)
{
    const vz_bytes target = {(const uint8_t *)"ours", 4};
    must(vz_edit_link_value(group, name, false, VZ_LINK_SOFT, 0, target, &err));
}

/* What they changed is met when we change something else, and still so when we change links after that. */
static void links_of_theirs_stay_theirs(void **state)
{
    (void)state;
    char said[200];
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_text(store, ".zgroup", GROUP);
    put_text(store, "g/directory/.zgroup", GROUP);
    put_v2(store, "{'L':[{'n':'goes','k':'soft','to':'x'},{'n':'turns','k':'soft','to':'x'}]}");
    vz_hierarchy *h = over(store, true, false);
    vz_node *g = find(h->root, "g");
    assert_true(exists(g, "goes") && exists(g, "turns"));
    find(g, "directory");
    put_v2(store, "{'L':[{'n':'turns','k':'soft','to':'z'},{'n':'directory','k':'soft','to':'x'}]}");
    must(vz_store_del_tree(store, "g/directory", &err));
    must(vz_node_set_attribute(g, "a", json_of("1"), &err) && vz_flush_store(h, false, &err));
    make_soft(g, "new");
    must(vz_flush_store(h, false, &err));
    say_links(store, said, sizeof said);
    assert_true(strstr(said, "turns>z ") && strstr(said, "directory>x ") && strstr(said, "new>ours "));
    assert_null(strstr(said, "goes"));
    must(vz_close_hierarchy(h, &err));
}

static void numbers_of_both(void **state)
{
    (void)state;
    char said[200];
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_text(store, ".zgroup", GROUP);
    put_v2(store, "{'L':[{'n':'a','k':'soft','to':'x','i':4}]}");
    vz_hierarchy *h = over(store, true, false);
    vz_node *g = find(h->root, "g");
    assert_true(exists(g, "a"));
    g->track_order = true;
    make_soft(g, "first");
    make_soft(g, "second");
    put_v2(store, "{'L':[{'n':'a','k':'soft','to':'x','i':4},{'n':'b','k':'soft','to':'x','i':5}]}");
    must(vz_flush_store(h, false, &err));
    say_links(store, said, sizeof said);
    assert_string_equal(said, "a>x 4 b>x 5 first>ours 6 second>ours 7 ");
    must(vz_close_hierarchy(h, &err));
}

/* The first object with several names, while we have the store open: who deletes a group looks for them from then on.
 */
static void further_names_of_theirs(void **state)
{
    (void)state;
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    put_text(store, ".zgroup", GROUP);
    vz_hierarchy *h = over(store, true, false);
    must(vz_node_set_attribute(h->root, "ours", json_of("1"), &err));
    assert_false(h->hard_links.any);
    put_text(store, ".zattrs", "{'_HDF5':'{\\'hl\\':1}'}");
    must(vz_flush_store(h, false, &err));
    assert_true(h->hard_links.any);
    must(vz_close_hierarchy(h, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_names_of_theirs), cmocka_unit_test(each_says_its_own),
        cmocka_unit_test(links_of_both),           cmocka_unit_test(links_of_theirs_stay_theirs),
        cmocka_unit_test(numbers_of_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
