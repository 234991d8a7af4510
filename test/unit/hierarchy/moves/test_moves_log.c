/* test_moves_log.c - where names went, against a tree of objects in which they really move. */
#include "node_support.h"
#include "hierarchy/moves/moves.h"

enum { OBJECTS = 40, STEPS = 400, SAMPLES = 1200, MANY = 60000 };

/* Objects in groups 0 (the root) and 1, 2, 3 ... ; a name is one letter. */
typedef struct thing {
    int group; /* -1: it is nowhere */
    char name;
} thing;

static struct world {
    thing objects[OBJECTS];
    uint32_t chance;
} world;

static unsigned draw(unsigned below)
{
    world.chance = world.chance * 1664525u + 1013904223u;
    return (world.chance >> 8) % below;
}

static bool is_alive(int object)
{
    for (; object > 0; object = world.objects[object].group)
        if (world.objects[object].group < 0)
            return false;
    return true;
}

static bool is_below(int object, int group)
{
    for (; object > 0; object = world.objects[object].group)
        if (object == group)
            return true;
    return object == group;
}

static void path_of(int object, char path[128])
{
    char text[128] = "";
    for (; object > 0; object = world.objects[object].group) {
        char longer[128];
        snprintf(longer, sizeof longer, "/%c%.120s", world.objects[object].name, text);
        memcpy(text, longer, sizeof text);
    }
    memcpy(path, text, sizeof text);
}

static unsigned depth_of(int object)
{
    unsigned depth = 0;
    for (; object > 0; object = world.objects[object].group)
        depth++;
    return depth;
}

static bool is_taken(int group, char name)
{
    for (int i = 1; i < OBJECTS; i++)
        if (world.objects[i].group == group && world.objects[i].name == name)
            return true;
    return false;
}

/* A free name in a group that is there; false: none was found. */
static bool draw_place(int not_below, int *group, char *name)
{
    for (int i = 0; i < 50; i++) {
        *group = (int)draw(OBJECTS);
        *name = (char)('a' + draw(4));
        if (is_alive(*group) && depth_of(*group) < 6 && !is_taken(*group, *name) &&
            (not_below <= 0 || !is_below(*group, not_below)))
            return true;
    }
    return false;
}

typedef struct sample {
    char path[128];
    uint64_t since;
    int object;
} sample;

/* One step: something is made, moves, or goes. */
static void step(vz_moves *moves, uint64_t *number)
{
    int object = 1 + (int)draw(OBJECTS - 1), group;
    char name, from[128], to[128];
    const unsigned what = draw(8);
    if (world.objects[object].group < 0) { /* what was deleted stays so: others are made of what never was */
        if (world.objects[object].group == -1 && draw_place(0, &group, &name))
            world.objects[object] = (struct thing){group, name};
        return;
    }
    if (!is_alive(object))
        return;
    path_of(object, from);
    if (what == 0) {
        must(vz_moves_add(moves, ++*number, from, NULL, &err));
        world.objects[object].group = -2;
    } else if (draw_place(object, &group, &name)) {
        const struct thing before = world.objects[object];
        world.objects[object] = (struct thing){group, name};
        path_of(object, to);
        must(vz_moves_add(moves, ++*number, from, to, &err));
        if (what < 4 && !is_taken(before.group, before.name) && is_alive(before.group) &&
            !is_below(before.group, object)) { /* and back */
            char again[128];
            world.objects[object] = before;
            path_of(object, again);
            must(vz_moves_add(moves, ++*number, to, again, &err));
        }
    }
}

static void check_samples(const vz_moves *moves, const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[128], *now = NULL;
        must((now = vz_moves_follow(moves, samples[i].path, samples[i].since, &err)));
        path_of(samples[i].object, path);
        if (is_alive(samples[i].object))
            assert_string_equal(now, path);
        else
            assert_memory_equal(now, VZ_NOWHERE, strlen(VZ_NOWHERE));
        free(now);
    }
}

/* What a store keeps of them. */
static vz_moves *reloaded(const vz_moves *moves)
{
    size_t count, kept = 0;
    const vz_moves_record *all = vz_moves_all(moves, &count);
    vz_moves *fresh = NULL;
    must((fresh = vz_moves_new(&err)));
    for (size_t i = 0; i < count; i++)
        if (all[i].is_needed) {
            must(vz_moves_add(fresh, all[i].number, all[i].from, all[i].to, &err));
            kept++;
        }
    assert_true(kept <= count);
    return fresh;
}

static void as_objects_move(void **state)
{
    (void)state;
    static sample samples[SAMPLES];
    for (uint32_t seed = 1; seed <= 150; seed++) {
        vz_moves *moves = NULL;
        uint64_t number = 0;
        size_t count = 0;
        world.chance = seed;
        must((moves = vz_moves_new(&err)));
        for (int i = 1; i < OBJECTS; i++)
            world.objects[i] = (thing){-1, 'a'};
        world.objects[0] = (thing){-1, 'r'};
        for (int i = 0; i < STEPS; i++) {
            step(moves, &number);
            const int object = 1 + (int)draw(OBJECTS - 1);
            if (world.objects[object].group >= 0 && is_alive(object) && count < SAMPLES) {
                path_of(object, samples[count].path);
                samples[count].object = object;
                samples[count++].since = number;
            }
            if (i % 97 == 0 && vz_moves_last(moves) > 0) { /* the store is opened again */
                vz_moves *fresh = reloaded(moves);
                vz_moves_free(moves);
                moves = fresh;
            }
        }
        check_samples(moves, samples, count);
        vz_moves_free(moves);
    }
}

static size_t needed(const vz_moves *moves)
{
    size_t count, kept = 0;
    const vz_moves_record *all = vz_moves_all(moves, &count);
    for (size_t i = 0; i < count; i++)
        kept += all[i].is_needed;
    return kept;
}

static void what_repeats_is_kept_once(void **state)
{
    (void)state;
    vz_moves *moves = NULL;
    must((moves = vz_moves_new(&err)));
    for (uint64_t i = 0; i < 100; i++) {
        must(vz_moves_add(moves, 4 * i + 1, "/x", "/z", &err));
        must(vz_moves_add(moves, 4 * i + 2, "/g/y", NULL, &err));
        must(vz_moves_add(moves, 4 * i + 3, "/z", "/x", &err));
        must(vz_moves_add(moves, 4 * i + 4, "/g", NULL, &err));
    }
    assert_true(needed(moves) < 8);
    vz_moves_free(moves);
}

static void check_path(const vz_moves *moves, const char *path, uint64_t since, const char *expected)
{
    char *now = NULL;
    must((now = vz_moves_follow(moves, path, since, &err)));
    assert_string_equal(now, expected);
    free(now);
}

/* Lists of others, and damaged ones: what seems to move to where something is. */
static void what_cannot_be(void **state)
{
    (void)state;
    vz_moves *moves = NULL;
    must((moves = vz_moves_new(&err)));
    must(vz_moves_add(moves, 1, "/q", "/a", &err));
    must(vz_moves_add(moves, 3, "/b", "/a", &err));
    must(vz_moves_add(moves, 4, "/a", "/c", &err));
    must(vz_moves_add(moves, 5, "/", "/x", &err));
    must(vz_moves_add(moves, 6, "/c", "/c/d", &err));
    must(vz_moves_add(moves, 6, "/n", "/", &err) || err.class == VZ_OK);
    check_path(moves, "/q/i", 0, "/c/d/i");
    check_path(moves, "/b", 0, "/c/d");
    check_path(moves, "/", 0, "/");
    check_path(moves, "/u", 0, "/u");
    vz_moves_free(moves);
}

/* As many as an hour of renaming makes: each step takes its time, and not that of all before it. */
static void many(void **state)
{
    (void)state;
    char from[32], to[32];
    vz_moves *chain = NULL, *apart = NULL;
    must((chain = vz_moves_new(&err)));
    must((apart = vz_moves_new(&err)));
    for (int i = 0; i < MANY; i++) {
        snprintf(from, sizeof from, "/g/x%d", i);
        snprintf(to, sizeof to, "/g/x%d", i + 1);
        must(vz_moves_add(chain, (uint64_t)i + 1, from, to, &err));
        snprintf(to, sizeof to, "/h/y%d", i);
        must(vz_moves_add(apart, (uint64_t)i + 1, from, to, &err));
    }
    snprintf(to, sizeof to, "/g/x%d", MANY);
    for (int i = 0; i < MANY; i++) {
        char other[32];
        snprintf(from, sizeof from, "/g/x%d", i);
        snprintf(other, sizeof other, "/h/y%d", i);
        check_path(chain, from, (uint64_t)i, to);
        check_path(apart, from, 0, other);
    }
    vz_moves_free(chain);
    vz_moves_free(apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_objects_move),
        cmocka_unit_test(what_repeats_is_kept_once),
        cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
