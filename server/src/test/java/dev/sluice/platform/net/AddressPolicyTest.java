package dev.sluice.platform.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

class AddressPolicyTest {

    private static final AddressPolicy PUBLIC_ONLY = AddressPolicy.allowing(List.of());

    /// Each row has the first and last address of a range, then the public addresses directly
    /// before and after it.
    @ParameterizedTest
    @CsvSource({
        "0.0.0.0,          0.255.255.255,   ,                1.0.0.0",
        "10.0.0.0,         10.255.255.255,  9.255.255.255,   11.0.0.0",
        "100.64.0.0,       100.127.255.255, 100.63.255.255,  100.128.0.0",
        "100.100.100.200,  100.100.100.200, ,                ",
        "127.0.0.0,        127.255.255.255, 126.255.255.255, 128.0.0.0",
        "169.254.0.0,      169.254.255.255, 169.253.255.255, 169.255.0.0",
        "172.16.0.0,       172.31.255.255,  172.15.255.255,  172.32.0.0",
        "192.0.0.0,        192.0.0.255,     191.255.255.255, 192.0.1.0",
        "192.0.2.0,        192.0.2.255,     192.0.1.255,     192.0.3.0",
        "192.31.196.0,     192.31.196.255,  192.31.195.255,  192.31.197.0",
        "192.52.193.0,     192.52.193.255,  192.52.192.255,  192.52.194.0",
        "192.88.99.0,      192.88.99.255,   192.88.98.255,   192.88.100.0",
        "192.168.0.0,      192.168.255.255, 192.167.255.255, 192.169.0.0",
        "192.175.48.0,     192.175.48.255,  192.175.47.255,  192.175.49.0",
        "198.18.0.0,       198.19.255.255,  198.17.255.255,  198.20.0.0",
        "198.51.100.0,     198.51.100.255,  198.51.99.255,   198.51.101.0",
        "203.0.113.0,      203.0.113.255,   203.0.112.255,   203.0.114.0",
        "168.63.129.16,    168.63.129.16,   168.63.129.15,   168.63.129.17",
        "224.0.0.0,        239.255.255.255, 223.255.255.255, ",
        "240.0.0.0,        255.255.255.255, ,                ",
        "'::',             1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, , 2000::",
        "4000::,           ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 3ffe::, ",
        "2001::,           2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff, 2000:ffff::1, 2001:200::",
        "2001:db8::,       2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, 2001:db7::1, 2001:db9::",
        "2002::,           2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 2001:ffff::1, 2003::",
        "2620:4f:8000::,   2620:4f:8000:ffff:ffff:ffff:ffff:ffff, 2620:4f:7fff::1, 2620:4f:8001::",
        "3fff::,           3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff, 3ffe:ffff::1, 3fff:1000::",
        "64:ff9b::7f00:1,  64:ff9b:1::1,    ,                ",
        "'::7f00:1',       '::ffff:0:127.0.0.1', ,           ",
        "fc00::,           fdff::1,         ,                ",
        "fe80::1,          febf::1,         ,                ",
        "fec0::1,          ff02::1,         ,                ",
    })
    void a_range_is_forbidden_to_its_edges_and_no_further(
            String first, String last, @Nullable String before, @Nullable String after) {
        assertThat(forbidden(first)).as(first).isTrue();
        assertThat(forbidden(last)).as(last).isTrue();
        assertThat(before != null && forbidden(before)).as(before).isFalse();
        assertThat(after != null && forbidden(after)).as(after).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,       loopback",
        "10.1.2.3,        private network",
        "169.254.169.254, link-local",
        "168.63.129.16,   cloud metadata",
        "fd00:ec2::254,   cloud metadata",
        "fd12::1,         unique local",
        "'::1',           loopback",
        "64:ff9b::1,      not global unicast",
    })
    void the_refusal_names_the_range(String address, String name) {
        assertThat(PUBLIC_ONLY.refusal(address(address))).contains(name);
    }

    @Test
    void an_ipv4_address_written_as_ipv6_is_judged_as_ipv4() {
        assertThat(forbidden("::ffff:127.0.0.1")).isTrue();
        assertThat(forbidden("::ffff:7f00:1")).isTrue();
        assertThat(forbidden("::ffff:8.8.8.8")).isFalse();
    }

    @Test
    void what_the_operator_opens_is_open_and_nothing_else() {
        var policy = allowing("10.20.0.0/16", "fd12::/16");

        assertThat(policy.refusal(address("10.20.255.255"))).isEmpty();
        assertThat(policy.refusal(address("10.21.0.0"))).isPresent();
        assertThat(policy.refusal(address("fd12::1"))).isEmpty();
        assertThat(policy.refusal(address("fd13::1"))).isPresent();
        assertThat(policy.refusal(address("8.8.8.8"))).isEmpty();
    }

    @Test
    void opening_ipv4_loopback_opens_ipv6_loopback() {
        assertThat(allowing("127.0.0.0/8").refusal(address("::1"))).isEmpty();
        assertThat(allowing("127.0.0.1").refusal(address("::1"))).isPresent();
        assertThat(allowing("0.0.0.0/0").refusal(address("::1"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0/0,     169.254.169.254,  169.254.169.254/32",
        "169.0.0.0/8,   169.254.0.1,      169.254.0.0/16",
        "100.64.0.0/10, 100.100.100.200,  100.100.100.200",
        "fd00::/8,      fd00:ec2::254,    fd00:ec2::254/128",
        "::/0,          fe80::1,          fe80::/10",
    })
    void metadata_services_stay_closed_unless_they_are_listed(
            String wide, String address, String explicit) {
        assertThat(allowing(wide).refusal(address(address))).isPresent();
        assertThat(allowing(wide, explicit).refusal(address(address))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST",
                "localhost.",
                "foo.localhost",
                "printer.local",
                "metadata.google.internal",
                "metadata.google.INTERNAL.",
                "router.home.arpa",
                "internal",
            })
    void names_of_the_inside_are_refused_unless_something_was_opened(String name) {
        var host = Host.parse(name);

        assertThat(PUBLIC_ONLY.refusal(host)).isPresent();
        assertThat(allowing("192.168.0.0/16").refusal(host)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"notlocalhost", "local.example.com", "xinternal", "home.arpa.com"})
    void names_that_only_look_similar_are_not(String name) {
        assertThat(PUBLIC_ONLY.refusal(Host.parse(name))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8",
                "localhost", "::1/129", "010.0.0.0/8", "fe80::1%eth0/64", "[::1]/128",
                        "10.0.0.0/+8",
            })
    void a_range_that_cannot_be_read_is_named(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cidr.parse(text))
                .withMessageContaining("'" + text + "' is not an address range");
    }

    @ParameterizedTest
    @CsvSource({
        "Example.COM,             example.com",
        "example.com.,            example.com",
        "bücher.example,          xn--bcher-kva.example",
        "a_b.example.com,         a_b.example.com",
        "93.184.216.34,           93.184.216.34",
        "[2606:2800:220:1::1],    '[2606:2800:220:1:0:0:0:1]'",
        "１.２.３.４,              1.2.3.4",
        "127。0。0。1,             127.0.0.1",
        "①②⑦.0.0.1,               127.0.0.1",
        "[::ffff:10.0.0.1],       10.0.0.1",
    })
    void a_host_has_one_spelling(String written, String text) {
        assertThat(Host.parse(written).text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.1",
                "127.0.1",
                "2130706433",
                "0x7f.1",
                "0x7f000001",
                "0x",
                "0177.0.0.1",
                "127.0.0.01",
                "1.2.3.4.5",
                "256.0.0.1",
                "example.1",
                "foo.0x1",
                "99999999999",
            })
    void an_address_in_disguise_is_refused(String host) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Host.parse(host))
                .withMessageContaining("must not point to a private or internal address");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "a..b",
                ".a",
                "a..",
                "%31%32%37.0.0.1",
                "exa mple.com",
                "a/b",
                "a℀b.example",
                "[::1",
                "[]",
                "[fe80::1%25eth0]",
                "[fe80::1%eth0]",
                "[v1.x]",
                "[127.0.0.1]",
                "[::g]",
                "straße.example",
                "a!b.example",
            })
    void a_host_that_is_none_is_refused(String host) {
        assertThatIllegalArgumentException().isThrownBy(() -> Host.parse(host));
    }

    private static boolean forbidden(String address) {
        return PUBLIC_ONLY.refusal(address(address)).isPresent();
    }

    private static AddressPolicy allowing(String... ranges) {
        return AddressPolicy.allowing(Stream.of(ranges).map(Cidr::parse).toList());
    }

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }
}
