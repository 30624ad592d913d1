package dev.sluice.gateway.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class DestinationUrlTest {

    private static final AddressPolicy PUBLIC_ONLY = AddressPolicy.allowing(List.of());
    private static final AddressPolicy LOOPBACK =
            AddressPolicy.allowing(List.of(Cidr.parse("127.0.0.0/8")));

    @ParameterizedTest
    @CsvSource({
        "https://example.com,              https, example.com, 443,  example.com,        /",
        "http://example.com/,              http,  example.com, 80,   example.com,        /",
        "HTTPS://Example.COM./A%2fb,       https, example.com, 443,  example.com,        /A%2fb",
        "http://example.com:80/,           http,  example.com, 80,   example.com,        /",
        "https://example.com:80,           https, example.com, 80,   example.com:80,     /",
        "http://example.com?a=b,           http,  example.com, 80,   example.com,        /?a=b",
        "http://h.example/a//../b;c?x=[1]&y, http, h.example,  80,   h.example, /a//../b;c?x=[1]&y",
        "http://h.example:8080/?a@b:c/d,   http,  h.example,   8080, h.example:8080,     /?a@b:c/d",
        "http://8.8.8.8:08080/,            http,  8.8.8.8,     8080, 8.8.8.8:8080,       /",
        "https://[2606:4700::1]:8443/x, https, [2606:4700:0:0:0:0:0:1], 8443,"
                + " [2606:4700:0:0:0:0:0:1]:8443, /x",
        "https://bücher.example/,      https, xn--bcher-kva.example, 443, xn--bcher-kva.example, /",
    })
    void a_url_is_taken_apart(
            String text, String scheme, String host, int port, String authority, String target) {
        var url = DestinationUrl.parse(text, PUBLIC_ONLY);

        assertThat(url.text()).isEqualTo(text);
        assertThat(url.scheme()).isEqualTo(scheme);
        assertThat(url.host().text()).isEqualTo(host);
        assertThat(url.port()).isEqualTo(port);
        assertThat(url.authority()).isEqualTo(authority);
        assertThat(url.requestTarget()).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost/",
                "http://LOCALHOST./",
                "http://foo.localhost:8080/",
                "https://printer.local/",
                "https://db.internal./x",
                "http://router.home.arpa",
                "http://127.0.0.1/",
                "http://127.0.0.1./",
                "http://127.1/",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://0x7f000001/",
                "http://0177.0.0.1/",
                "http://127。0。0。1/",
                "http://①②⑦.0.0.1/",
                "http://10.0.0.1/",
                "http://0/",
                "http://169.254.169.254/latest/meta-data",
                "http://[::1]/",
                "http://[::]/",
                "http://[::ffff:127.0.0.1]/",
                "http://[::ffff:7f00:1]/",
                "http://[::127.0.0.1]/",
                "http://[fd00:ec2::254]/",
                "http://[64:ff9b::7f00:1]/",
                "http://[2002:7f00:1::]/",
            })
    void a_private_one_is_refused_with_the_promised_words(String text) {
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse(text, PUBLIC_ONLY))
                .withMessageContaining("must not point to a private or internal address");
    }

    @Test
    void the_refusal_of_a_private_one_names_the_setting_that_opens_it() {
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse("http://10.0.0.1/", PUBLIC_ONLY))
                .withMessage(
                        "must not point to a private or internal address; the operator of this"
                                + " server can allow it with SLUICE_ALLOW_PRIVATE_DESTINATIONS.");
    }

    @ParameterizedTest
    @CsvSource({
        "example.com,                        must be absolute",
        "//example.com/,                     must be absolute",
        "/hook,                              must be absolute",
        "'',                                 must be absolute",
        "ftp://example.com/,                 must be absolute",
        "http:example.com,                   must be absolute",
        "http:/example.com,                  must be absolute",
        "javascript:alert(1),                must be absolute",
        "http://,                            must name a host",
        "http:///path,                       must name a host",
        "http://:80/,                        must name a host",
        "http://?x,                          must name a host",
        "http://user@example.com/,           basic_auth",
        "http://user:pass@example.com/,      basic_auth",
        "http://@example.com/,               basic_auth",
        "http://example.com@127.0.0.1/,      basic_auth",
        "http://example.com/#frag,           fragment",
        "http://example.com#@127.0.0.1/,     fragment",
        "http://example.com\\@127.0.0.1/,    backslash",
        "http://example.com/a b,             spaces",
        "' http://example.com/',             spaces",
        "http://example.com/\u00a0,          spaces",
        "http://example.com:0/,              port",
        "http://example.com:65536/,          port",
        "http://example.com:99999/,          port",
        "http://example.com:/,               port",
        "http://example.com:8o/,             port",
        "http://example.com:-1/,             port",
        "http://example.com:25/,             port 25",
        "http://example.com:6667/,           port 6667",
        "http://example.com/ü,               percent-encode",
        "http://example.com/{id},            percent-encode",
        "http://example.com/%zz,             two hexadecimal digits",
        "http://example.com/%2,              two hexadecimal digits",
        "http://%31%32%37.0.0.1/,            not allowed",
        "http://exa<mple.com/,               not allowed",
        "http://[fe80::1%25eth0]/,           network interface",
        "http://[::1/,                       bracket",
        "http://[::1]x/,                     bracket",
        "http://a..b/,                       1 to 63",
    })
    void what_cannot_be_sent_to_is_refused_with_a_reason(String text, String reason) {
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse(text, PUBLIC_ONLY))
                .withMessageMatching("(must|has) .*")
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r", "\n", "\t", "\0", "\u007f", "\u0085"})
    void control_characters_are_refused(String control) {
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse("http://a.example/" + control, PUBLIC_ONLY));
    }

    @Test
    void it_has_at_most_2048_characters() {
        String longest = "http://example.com/" + "a".repeat(2048 - 19);

        assertThatNoException().isThrownBy(() -> DestinationUrl.parse(longest, PUBLIC_ONLY));
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse(longest + "a", PUBLIC_ONLY))
                .withMessageContaining("2048");
    }

    @Test
    void an_opened_address_passes_and_names_are_left_to_what_they_resolve_to() {
        assertThatNoException()
                .isThrownBy(() -> {
                    DestinationUrl.parse("http://127.0.0.1:9000/", LOOPBACK);
                    DestinationUrl.parse("http://[::1]:9000/", LOOPBACK);
                    DestinationUrl.parse("http://localhost:9000/", LOOPBACK);
                    DestinationUrl.parse("http://db.internal/", LOOPBACK);
                });
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse("http://10.0.0.1/", LOOPBACK));
        assertThatExceptionOfType(InvalidDestinationUrlException.class)
                .isThrownBy(() -> DestinationUrl.parse("http://127.1/", LOOPBACK));
    }

    @Test
    void a_stored_one_is_read_whatever_the_policy_says_today() {
        assertThat(DestinationUrl.parseStored("http://10.0.0.1/x").requestTarget()).isEqualTo("/x");
    }
}
