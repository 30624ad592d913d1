package dev.sluice.observe.events;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonPrefix;
import dev.sluice.platform.json.VisibleText;
import dev.sluice.relay.Payload;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The name that a sender gives to the type of an event, such as `order.created`. The type is
/// looked for where senders usually put it. Only the beginnings of the body and the headers are
/// searched, so that a list of events reads little.
final class EventType {

    /// The maximum number of bytes of the body, and of the headers, that are searched.
    static final int MAX_BODY_BYTES = 2048;

    static final int MAX_HEADER_BYTES = 4096;

    private static final int MAX_CHARACTERS = 200;

    private static final Set<String> MEMBERS = Set.of("type", "event", "action", "topic");

    /// Matches only whole lines, because the last line may be cut off.
    private static final Pattern HEADER =
            Pattern.compile(
                    "^(x-[a-z0-9-]{1,60}-(?:event|topic)|x-event-type|ce-type): (.*)(?=\\r\\n)",
                    Pattern.CASE_INSENSITIVE | Pattern.MULTILINE | Pattern.UNIX_LINES);

    private EventType() {}

    /// Returns the type of an event with this payload.
    static Optional<String> of(Payload payload) {
        return of(
                beginning(payload.headerLines(), MAX_HEADER_BYTES),
                beginning(payload.body(), MAX_BODY_BYTES));
    }

    private static byte[] beginning(byte[] all, int limit) {
        return all.length <= limit ? all : Arrays.copyOf(all, limit);
    }

    /// Returns the type that these beginnings of the header lines and the body contain. The body's
    /// `type` or `event` comes first. A header such as `X-GitHub-Event` comes next, followed by the
    /// body's `action` if there is one. The body's `action` or `topic` alone comes last.
    static Optional<String> of(byte[] headerStart, byte[] bodyStart) {
        var body = JsonPrefix.strings(bodyStart, MEMBERS);
        var action = member(body, "action");
        return member(body, "type")
                .or(() -> member(body, "event"))
                .or(() ->
                        header(headerStart)
                                .map(name -> name + action.map(one -> "." + one).orElse("")))
                .or(() -> action)
                .or(() -> member(body, "topic"));
    }

    private static Optional<String> member(Map<String, String> body, String name) {
        return Optional.ofNullable(body.get(name)).flatMap(EventType::shown);
    }

    /// Returns the text, trimmed and cut to the maximum length. Empty if nothing is left. Halves of
    /// surrogate pairs become U+FFFD, because strict parsers would refuse the answer.
    private static Optional<String> shown(String text) {
        String shown =
                text.strip()
                        .codePoints()
                        .limit(MAX_CHARACTERS)
                        .map(c ->
                                c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE
                                        ? 0xfffd
                                        : c)
                        .collect(
                                StringBuilder::new,
                                StringBuilder::appendCodePoint,
                                StringBuilder::append)
                        .toString();
        return Optional.of(shown).filter(VisibleText::isVisible);
    }

    private static Optional<String> header(byte[] start) {
        var found = HEADER.matcher(new String(start, ISO_8859_1));
        return found.find()
                ? shown(new Header(found.group(1), found.group(2)).text())
                : Optional.empty();
    }
}
