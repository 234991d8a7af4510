/* group.c - what lies in a group, and the attributes of any object. */
#include "command/show/show_internal.h"
#include <stdlib.h>

#define MEMBERS_SHOWN    100
#define ATTRIBUTES_SHOWN 50
#define VALUE_SHOWN      200 /* bytes of an attribute's value */

typedef struct listing {
    vz_show *show;
    uint64_t met;
} listing;

static void print_sizes(const uint64_t *sizes, unsigned rank)
{
    for (unsigned i = 0; i < rank; i++)
        printf("%s%llu", i ? ", " : "(", (unsigned long long)sizes[i]);
    printf(rank == 0 ? "()" : rank == 1 ? ",)" : ")");
}

void vz_show_facts_text(const vz_sample_facts *facts)
{
    if (facts->kind != VZ_SAMPLE_ARRAY) {
        printf(facts->kind == VZ_SAMPLE_GROUP ? "group" : "committed datatype");
        return;
    }
    printf("array  ");
    if (facts->is_null)
        printf("null");
    else
        print_sizes(facts->shape, facts->rank);
    printf("  ");
    vz_say_text(stdout, facts->type);
    if (facts->is_chunked) {
        printf("  chunks ");
        print_sizes(facts->chunk, facts->rank);
    }
    if (*facts->filters) {
        printf("  ");
        vz_say_text(stdout, facts->filters);
    }
}

static char *path_below(const vz_show *show, const char *name)
{
    char *path = NULL;
    const char *group = show->facts->path;
    if (asprintf(&path, "%s%s%s", group, group[strlen(group) - 1] == '/' ? "" : "/", name) < 0)
        return NULL;
    return path;
}

static bool visit_member(void *context, const char *name, const char *target, vz_error *err)
{
    listing *l = context;
    vz_error failed = VZ_ERROR_NONE;
    if (++l->met > MEMBERS_SHOWN)
        return true; /* counted only */
    printf("  %s", vz_say_colour(target ? VZ_COLOUR_LINK : VZ_COLOUR_PLAIN));
    vz_say_text(stdout, name);
    printf("%s  ", vz_say_colour(VZ_COLOUR_PLAIN));
    if (target) {
        printf("-> ");
        vz_say_text(stdout, target);
        putchar('\n');
        return true;
    }
    char *path = path_below(l->show, name);
    if (!path)
        return vz_fail_memory(err);
    vz_sample_object *object = vz_sample_object_open(l->show->file, path, &failed);
    if (object)
        vz_show_facts_text(vz_sample_facts_of(object));
    putchar('\n');
    if (!object)
        vz_show_failed(l->show, path, failed.text);
    vz_sample_object_close(object);
    free(path);
    return true;
}

bool vz_show_group_text(vz_show *show, vz_error *err)
{
    listing l = {.show = show};
    uint64_t left = 0;
    char text[VZ_SHOW_COUNT];
    vz_error failed = VZ_ERROR_NONE;
    (void)err;
    if (!vz_sample_members(show->object, visit_member, &l, &left, &failed))
        vz_show_failed(show, NULL, failed.text);
    if (l.met > MEMBERS_SHOWN)
        printf("  ... %s more\n", vz_show_count(l.met - MEMBERS_SHOWN + left, text));
    return true;
}

/* ---- attributes ---- */

static bool visit_attribute(void *context, const char *name, const char *type, const vz_json *value, const char *why,
                            vz_error *err)
{
    listing *l = context;
    vz_buffer text = {0};
    if (l->met++ == 0)
        printf("\nattributes\n");
    if (l->met > ATTRIBUTES_SHOWN)
        return true;
    printf("  ");
    vz_say_text(stdout, name);
    printf("  ");
    vz_say_text(stdout, type);
    printf("  ");
    bool ok = !value || (vz_json_print(value, 0, &text, err) && vz_buffer_append(&text, "", 1, err));
    if (ok && value) {
        const bool is_long = text.size > VALUE_SHOWN;
        if (is_long)
            text.data[VALUE_SHOWN] = '\0';
        vz_say_text(stdout, (const char *)text.data);
        printf(is_long ? "..." : "");
    }
    if (why) {
        printf(value ? " (" : "(");
        vz_say_text(stdout, why);
        putchar(')');
    }
    putchar('\n');
    vz_buffer_clear(&text);
    return ok;
}

bool vz_show_attributes_text(vz_show *show, vz_error *err)
{
    listing l = {.show = show};
    uint64_t left = 0;
    char text[VZ_SHOW_COUNT];
    vz_error failed = VZ_ERROR_NONE;
    (void)err;
    if (!vz_sample_attributes(show->object, visit_attribute, &l, &left, &failed))
        vz_show_failed(show, "attributes", failed.text);
    if (l.met > ATTRIBUTES_SHOWN)
        printf("  ... %s more\n", vz_show_count(l.met - ATTRIBUTES_SHOWN + left, text));
    return true;
}
