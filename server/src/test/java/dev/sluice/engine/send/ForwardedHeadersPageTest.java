package dev.sluice.engine.send;

import static dev.sluice.engine.send.OutboundRequests.to;
import static dev.sluice.engine.send.OutboundRequests.withInbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.http.Header;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Compares the dropped headers that docs/reference/receiving.md lists with those that
/// [OutboundHeaderBuilder] drops.
class ForwardedHeadersPageTest {

    private static final Path PAGE = Path.of("../docs/reference/receiving.md");
    private static final Pattern NAME = Pattern.compile("`([A-Za-z0-9-]+)(…?)`");

    private final OutboundHeaderBuilder builder = new OutboundHeaderBuilder("X-Service");

    @ParameterizedTest
    @MethodSource("namesOnThePage")
    void every_header_that_the_page_lists_is_dropped(String name) throws Exception {
        assertThat(isForwarded(name, "x")).isFalse();
        assertThat(isForwarded(name.replace('-', '_'), "x")).isFalse();
        assertThat(isForwarded(name.toUpperCase(Locale.ROOT), "x")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept",
                "Alt-Used",
                "Authorization",
                "Content-Encoding",
                "Content-Type",
                "Cookies",
                "Forwarded-For",
                "Max-Forwards",
                "Origin",
                "Proxy-Authentication-Info",
                "Proxy-Foo",
                "Proxy-Status",
                "Range",
                "Referer",
                "Set-Cookie",
                "User-Agent",
                "X-Forwarded",
                "X-Real",
                "X-Service",
                "X-Service-Other",
                "webhook-id",
                "webhook-signature",
                "webhook-timestamp"
            })
    void other_headers_are_forwarded(String name) throws Exception {
        assertThat(isForwarded(name, "x")).isTrue();
    }

    @Test
    void the_page_lists_every_header_that_the_code_names() throws IOException {
        assertThat(namesOnThePage()).containsAll(OutboundHeaderBuilder.UNFORWARDED_HEADERS);
    }

    @Test
    void a_masked_value_is_dropped() throws Exception {
        assertThat(section()).contains("whose value is exactly `***`");
        assertThat(isForwarded("X-Any", "***")).isFalse();
        assertThat(isForwarded("X-Any", "****")).isTrue();
    }

    private boolean isForwarded(String name, String value) throws Exception {
        var request = withInbound(to("https://example.com/hook"), name + ": " + value);
        return builder.build(request, request.body(), Instant.EPOCH)
                .contains(new Header(name, value));
    }

    /// Returns the names in the first two items of the list, which name what is dropped by name,
    /// and those of the table that Sluice sets on every delivery. A prefix becomes one name.
    static List<String> namesOnThePage() throws IOException {
        String[] items = section().split("\n- ", -1);
        return NAME.matcher(tableRows(items[0]) + items[1] + items[2])
                .results()
                .map(ForwardedHeadersPageTest::name)
                .filter(name -> !name.equals("hmac"))
                .toList();
    }

    private static String tableRows(String text) {
        return String.join(
                "\n",
                text.lines()
                        .filter(line -> line.startsWith("| `X-"))
                        .map(line -> line.split("\\|", -1)[1])
                        .toList());
    }

    private static String name(MatchResult found) {
        return found.group(2).isEmpty() ? found.group(1) : found.group(1) + "For";
    }

    private static String section() throws IOException {
        String text = Files.readString(PAGE);
        int begin = text.indexOf("## Headers");
        return text.substring(begin, text.indexOf("\n## ", begin));
    }
}
