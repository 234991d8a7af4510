/* public_hosts.c - preloaded by test_name_policy.py: addresses that stand for public ones, and nothing leaves the
 * machine. */
#define _GNU_SOURCE
#include "../unit/support/public_hosts.h"
