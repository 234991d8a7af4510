/* name_policy.c - the table of names that come out of files. */
#include "base/util/name_policy.h"

#define NO   VZ_REACH_REFUSED
#define ANON VZ_REACH_ANONYMOUS
#define OWN  VZ_REACH_OWN

typedef struct cell {
    vz_reach usual;
    vz_reach trusted;  /* see vz_name_case */
    vz_reach anywhere; /* the row's option says "anywhere" */
} cell;

#define COLUMNS 5

/* usual, trusted, anywhere */
static const cell table[][COLUMNS] =
    {
        [VZ_NAMER_USER] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {OWN, OWN, OWN},
                [VZ_TARGET_PUBLIC] = {OWN, OWN, OWN},
                [VZ_TARGET_PRIVATE] = {OWN, OWN, OWN},
                [VZ_TARGET_BUCKET] = {OWN, OWN, OWN},
            },
        [VZ_NAMER_REDIRECT_FILE] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {NO, NO, OWN},
                [VZ_TARGET_PUBLIC] = {NO, ANON, ANON},
                [VZ_TARGET_PRIVATE] = {NO, NO, ANON},
                [VZ_TARGET_BUCKET] = {NO, ANON, OWN},
            },
        [VZ_NAMER_LOCAL_FILE] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {OWN, OWN, OWN},
                [VZ_TARGET_PUBLIC] = {NO, NO, ANON},
                [VZ_TARGET_PRIVATE] = {NO, NO, ANON},
                [VZ_TARGET_BUCKET] = {NO, NO, ANON},
            },
        [VZ_NAMER_REMOTE_STORE] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {NO, NO, NO},
                [VZ_TARGET_PUBLIC] = {NO, NO, ANON},
                [VZ_TARGET_PRIVATE] = {NO, NO, ANON},
                [VZ_TARGET_BUCKET] = {NO, NO, ANON},
            },
        [VZ_NAMER_HTTP_REDIRECT] =
            {
                [VZ_TARGET_BELOW] = {NO, NO, NO},
                [VZ_TARGET_DISK] = {NO, NO, NO},
                [VZ_TARGET_PUBLIC] = {ANON, ANON, ANON},
                [VZ_TARGET_PRIVATE] = {NO, ANON, NO},
                [VZ_TARGET_BUCKET] = {ANON, ANON, ANON},
            },
        [VZ_NAMER_REFERENCE_FILE] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {NO, NO, OWN},
                [VZ_TARGET_PUBLIC] = {NO, ANON, ANON},
                [VZ_TARGET_PRIVATE] = {NO, NO, ANON},
                [VZ_TARGET_BUCKET] = {NO, ANON, ANON},
            },
        [VZ_NAMER_REMOTE_REFERENCES] =
            {
                [VZ_TARGET_BELOW] = {OWN, OWN, OWN},
                [VZ_TARGET_DISK] = {NO, NO, NO},
                [VZ_TARGET_PUBLIC] = {ANON, ANON, ANON},
                [VZ_TARGET_PRIVATE] = {NO, ANON, ANON},
                [VZ_TARGET_BUCKET] = {ANON, OWN, ANON},
            },
};

static bool is_reference_file(vz_namer by)
{
    return by == VZ_NAMER_REFERENCE_FILE || by == VZ_NAMER_REMOTE_REFERENCES;
}

static bool is_anywhere(const vz_name_case *name)
{
    switch (name->by) {
    case VZ_NAMER_REDIRECT_FILE:
        return name->doorways == VZ_DOORWAYS_ANYWHERE;
    case VZ_NAMER_LOCAL_FILE:
    case VZ_NAMER_REMOTE_STORE:
        return name->links == VZ_LINKS_ANYWHERE;
    case VZ_NAMER_REFERENCE_FILE:
    case VZ_NAMER_REMOTE_REFERENCES:
        return name->targets == VZ_TARGETS_ANYWHERE;
    default:
        return false;
    }
}

static vz_reach more(vz_reach a, vz_reach b)
{
    return a > b ? a : b;
}

/* The cell, as the option and the facts about the name leave it. */
vz_reach vz_name_decide(const vz_name_case *name, vz_name_destination target)
{
    const cell *c = &table[name->by][target];
    if (name->by == VZ_NAMER_LOCAL_FILE && target == VZ_TARGET_DISK && name->links == VZ_LINKS_BELOW)
        return NO;
    if (is_reference_file(name->by) && target != VZ_TARGET_BELOW && name->targets == VZ_TARGETS_BELOW)
        return NO;
    return more(is_anywhere(name) ? c->anywhere : c->usual, name->trusted ? c->trusted : c->usual);
}

static const char *option_of_targets(const vz_name_case *name, vz_name_destination target)
{
    vz_name_case with = *name;
    with.targets = VZ_TARGETS_NETWORK;
    if (vz_name_decide(&with, target) != NO)
        return "targets=network";
    with.targets = VZ_TARGETS_ANYWHERE;
    return vz_name_decide(&with, target) != NO ? "targets=anywhere" : NULL;
}

const char *vz_name_option(const vz_name_case *name, vz_name_destination target)
{
    if (is_reference_file(name->by))
        return option_of_targets(name, target);
    if (name->by == VZ_NAMER_LOCAL_FILE && target == VZ_TARGET_DISK)
        return name->links == VZ_LINKS_BELOW ? "links=local" : NULL;
    if (table[name->by][target].anywhere == NO)
        return NULL;
    return name->by == VZ_NAMER_REDIRECT_FILE ? "doorways=anywhere" : "links=anywhere";
}

vz_option_hosts vz_name_hosts(const vz_name_case *name)
{
    switch (vz_name_decide(name, VZ_TARGET_PRIVATE)) {
    case OWN:
        return VZ_HOSTS_ANY;
    case ANON:
        return VZ_HOSTS_NOT_METADATA;
    default:
        return VZ_HOSTS_PUBLIC;
    }
}
