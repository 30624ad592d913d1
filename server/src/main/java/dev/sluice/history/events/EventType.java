package dev.sluice.history.events;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.engine.Payload;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonPrefix;
import dev.sluice.platform.json.VisibleText;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Finds the type that a sender gives to an event, such as `order.created`, in the places where
/// senders usually put it. Searches only the beginnings of the body and the headers, so that
/// listing events requires reading little data.
public final class EventType {

    /// The maximum number of bytes to search in the body. [#MAX_HEADER_BYTES] is the limit for the
    /// headers.
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
    public static Optional<String> of(Payload payload) {
        return of(
                beginning(payload.headerLines(), MAX_HEADER_BYTES),
                beginning(payload.body(), MAX_BODY_BYTES));
    }

    private static byte[] beginning(byte[] all, int limit) {
        return all.length <= limit ? all : Arrays.copyOf(all, limit);
    }

    /// Returns the type of an event, given the beginnings of its header lines and its body. Uses
    /// the first of these that exists: the body's `type`, the body's `event`, a header such as
    /// `X-GitHub-Event`, the body's `action`, or the body's `topic`. If the header is used and the
    /// body has an `action`, the action is appended after a dot.
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

    /// Returns the text, trimmed and truncated to the maximum length, or empty if nothing visible
    /// is left. Unpaired surrogates become U+FFFD, because strict JSON parsers would reject a reply
    /// that contains them.
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
