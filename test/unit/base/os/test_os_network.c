/* Addresses that are of this machine or of a private network. */
#include "base/os/network.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct address_case {
    const char *text;
    vz_address expected;
} addresses[] = {
    {"127.0.0.1", VZ_ADDRESS_PRIVATE},
    {"127.255.255.254", VZ_ADDRESS_PRIVATE},
    {"0.0.0.0", VZ_ADDRESS_PRIVATE},
    {"0.1.2.3", VZ_ADDRESS_PRIVATE},
    {"1.0.0.0", VZ_ADDRESS_PUBLIC},
    {"9.255.255.255", VZ_ADDRESS_PUBLIC},
    {"10.0.0.0", VZ_ADDRESS_PRIVATE},
    {"10.255.255.255", VZ_ADDRESS_PRIVATE},
    {"11.0.0.0", VZ_ADDRESS_PUBLIC},
    {"100.63.255.255", VZ_ADDRESS_PUBLIC},
    {"100.64.0.0", VZ_ADDRESS_PRIVATE},
    {"100.127.255.255", VZ_ADDRESS_PRIVATE},
    {"100.128.0.0", VZ_ADDRESS_PUBLIC},
    {"128.0.0.0", VZ_ADDRESS_PUBLIC},
    {"169.253.255.255", VZ_ADDRESS_PUBLIC},
    {"169.254.0.0", VZ_ADDRESS_PRIVATE},
    {"169.254.169.254", VZ_ADDRESS_METADATA},
    {"169.255.0.0", VZ_ADDRESS_PUBLIC},
    {"172.15.255.255", VZ_ADDRESS_PUBLIC},
    {"172.16.0.0", VZ_ADDRESS_PRIVATE},
    {"172.31.255.255", VZ_ADDRESS_PRIVATE},
    {"172.32.0.0", VZ_ADDRESS_PUBLIC},
    {"192.167.255.255", VZ_ADDRESS_PUBLIC},
    {"192.168.0.0", VZ_ADDRESS_PRIVATE},
    {"192.168.255.255", VZ_ADDRESS_PRIVATE},
    {"192.169.0.0", VZ_ADDRESS_PUBLIC},
    {"203.0.113.7", VZ_ADDRESS_PUBLIC},
    {"::1", VZ_ADDRESS_PRIVATE},
    {"::", VZ_ADDRESS_PRIVATE},
    {"fe80::1", VZ_ADDRESS_PRIVATE},
    {"febf::1", VZ_ADDRESS_PRIVATE},
    {"fc00::1", VZ_ADDRESS_PRIVATE},
    {"fdff::1", VZ_ADDRESS_PRIVATE},
    {"fd00:ec2::254", VZ_ADDRESS_METADATA},
    {"fe00::1", VZ_ADDRESS_PUBLIC},
    {"2001:db8::1", VZ_ADDRESS_PUBLIC},
    {"::ffff:127.0.0.1", VZ_ADDRESS_PRIVATE},
    {"::ffff:10.1.2.3", VZ_ADDRESS_PRIVATE},
    {"::ffff:169.254.169.254", VZ_ADDRESS_METADATA},
    {"::ffff:203.0.113.7", VZ_ADDRESS_PUBLIC},
    {"::127.0.0.1", VZ_ADDRESS_PRIVATE},
    {"64:ff9b::10.0.0.1", VZ_ADDRESS_PRIVATE},
    {"64:ff9b::203.0.113.7", VZ_ADDRESS_PUBLIC},
    {"2002:7f00:1::1", VZ_ADDRESS_PRIVATE},
    {"2002:cb00:7107::1", VZ_ADDRESS_PUBLIC},
};

static void test_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        const char *text = addresses[i].text;
        struct sockaddr_in in = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        const bool is_4 = inet_pton(AF_INET, text, &in.sin_addr) == 1;
        assert_true(is_4 || inet_pton(AF_INET6, text, &in6.sin6_addr) == 1);
        const vz_address of = vz_address_of(is_4 ? (struct sockaddr *)&in : (struct sockaddr *)&in6);
        if (of != addresses[i].expected || vz_address_of_host(text, strlen(text)) != of)
            fail_msg("%s", text);
    }
    const struct sockaddr_un socket = {.sun_family = AF_UNIX};
    assert_int_equal(vz_address_of((const struct sockaddr *)&socket), VZ_ADDRESS_PRIVATE);
}

/* What the system takes for an address, too. */
static void test_hosts(void **state)
{
    (void)state;
    static const struct address_case hosts[] = {
        {"localhost", VZ_ADDRESS_PRIVATE},
        {"LocalHost", VZ_ADDRESS_PRIVATE},
        {"localhost.", VZ_ADDRESS_PRIVATE},
        {"x.localhost", VZ_ADDRESS_PRIVATE},
        {"localhost.example", VZ_ADDRESS_PUBLIC},
        {"notlocalhost", VZ_ADDRESS_PUBLIC},
        {"example.org", VZ_ADDRESS_PUBLIC},
        {"10.example.org", VZ_ADDRESS_PUBLIC},
        {"127.1", VZ_ADDRESS_PRIVATE},
        {"2130706433", VZ_ADDRESS_PRIVATE},
        {"0x7f.0.0.1", VZ_ADDRESS_PRIVATE},
        {"0177.0.0.1", VZ_ADDRESS_PRIVATE},
        {"0xa9fea9fe", VZ_ADDRESS_METADATA},
        {"[::1]", VZ_ADDRESS_PRIVATE},
        {"[fe80::1%eth0]", VZ_ADDRESS_PRIVATE},
        {"[2001:db8::1]", VZ_ADDRESS_PUBLIC},
        {"", VZ_ADDRESS_PUBLIC},
    };
    for (size_t i = 0; i < COUNT(hosts); i++)
        if (vz_address_of_host(hosts[i].text, strlen(hosts[i].text)) != hosts[i].expected)
            fail_msg("%s", hosts[i].text);
}

static void test_loopback(void **state)
{
    (void)state;
    assert_true(vz_os_is_loopback4("127.0.0.1"));
    assert_true(vz_os_is_loopback4("127.255.0.9"));
    assert_false(vz_os_is_loopback4("127.1"));
    assert_false(vz_os_is_loopback4("128.0.0.1"));
    assert_false(vz_os_is_loopback4("localhost"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
