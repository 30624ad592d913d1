package dev.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.FieldReader;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The rules for headers that users choose: their maximum lengths, and the server's only list of
/// reserved names. Users may not set reserved headers on deliveries, and Sluice does not forward
/// reserved headers from a sender. Immutable.
///
/// Names are compared with [HeaderSyntax#FOLDED_ORDER], which ignores case and treats `_` as `-`,
/// as many receivers do.
public final class CustomHeaderRules {

    public static final int MAX_NAME_LENGTH = 200;
    public static final int MAX_VALUE_LENGTH = 4096;

    /// The maximum size of all headers that a resource sets, names and values together, in bytes as
    /// UTF-8.
    public static final int MAX_TOTAL_BYTES = 32 * 1024;

    /// Names of headers that HTTP itself uses, mostly to control a connection or to frame a
    /// message.
    private static final List<String> HTTP_NAMES =
            List.of(
                    "Host",
                    "Content-Length",
                    "Transfer-Encoding",
                    "Connection",
                    "Keep-Alive",
                    "Proxy-Connection",
                    "Proxy-Authenticate",
                    "Proxy-Authorization",
                    "TE",
                    "Trailer",
                    "Upgrade",
                    "Expect",
                    "HTTP2-Settings");

    /// Rules for reading stored rows. They reserve no names, so that a row stays readable if one of
    /// its header names becomes reserved after the row was saved. That header is then left out when
    /// a request is built.
    public static final CustomHeaderRules FOR_STORED_ROWS =
            new CustomHeaderRules(List.of(), List.of(), List.of());

    private final Set<String> httpNames;
    private final Set<String> reservedNames;
    private final Set<String> signingNames;

    private CustomHeaderRules(
            List<String> httpNames, List<String> ownNames, List<String> signingNames) {
        var all = new ArrayList<>(httpNames);
        all.addAll(ownNames);
        this.httpNames = HeaderSyntax.foldedSet(httpNames);
        this.reservedNames = HeaderSyntax.foldedSet(all);
        this.signingNames = HeaderSyntax.foldedSet(signingNames);
    }

    /// Returns rules that reserve the names that HTTP itself uses and those that Sluice sets.
    ///
    /// @param prefix the start of the header names that Sluice sets, such as `X-Service`
    public static CustomHeaderRules withPrefix(String prefix) {
        var own = SluiceHeaders.withPrefix(prefix);
        return new CustomHeaderRules(
                HTTP_NAMES, own.names(), List.of(own.signature(), own.timestamp()));
    }

    /// Whether these rules are [#FOR_STORED_ROWS].
    boolean isForStoredRows() {
        return this == FOR_STORED_ROWS;
    }

    /// Returns why a resource may not set all these headers together, or empty if it may. Stored
    /// rows may exceed the maximum, because it is newer than they are.
    ///
    /// The message is meant to be appended to the field's path.
    ///
    /// @param texts the names and values of all the headers
    public Optional<String> totalError(Stream<String> texts) {
        long bytes = texts.mapToLong(text -> text.getBytes(UTF_8).length).sum();
        return isForStoredRows() || bytes <= MAX_TOTAL_BYTES
                ? Optional.empty()
                : Optional.of(
                        "must have at most "
                                + MAX_TOTAL_BYTES
                                + " bytes of names and values in all; these are "
                                + bytes
                                + ".");
    }

    /// Whether this header is reserved: no user may set it on deliveries, and Sluice does not
    /// forward it from a sender.
    public boolean isReserved(String name) {
        return reservedNames.contains(name);
    }

    /// Returns why users may not choose this header name, or empty if they may.
    ///
    /// The message is meant to be appended to the field's path.
    public Optional<String> nameError(String name) {
        return HeaderSyntax.isName(name)
                ? reservedNameError(name)
                : Optional.of("must be a header name (letters, digits and -).");
    }

    /// Like [#nameError], for a header in which a sender is expected to send a signature or a
    /// timestamp. Sluice's own signature and timestamp headers are allowed there, because the
    /// sender may be another Sluice server.
    public Optional<String> signingNameError(String name) {
        return signingNames.contains(name) ? Optional.empty() : nameError(name);
    }

    /// Returns an error message if this header name is reserved, or empty if it is not.
    ///
    /// The message is meant to be appended to the field's path.
    public Optional<String> reservedNameError(String name) {
        return reservedBy(name).map(by -> "must not be " + name + ": " + by);
    }

    /// Returns a sentence that says why the name is reserved, or empty if it is not.
    public Optional<String> reservedBy(String name) {
        if (!isReserved(name)) {
            return Optional.empty();
        }
        return Optional.of(
                httpNames.contains(name)
                        ? "HTTP itself uses it."
                        : "Sluice sets it on deliveries.");
    }

    /// Whether the text is a header name of at most [#MAX_NAME_LENGTH] characters.
    public static boolean isName(String name) {
        return HeaderSyntax.isName(name) && name.length() <= MAX_NAME_LENGTH;
    }

    /// Returns why users may not choose this header value, or empty if they may. Values are sent as
    /// UTF-8. The message is meant to be appended to the field's path.
    public static Optional<String> valueError(String value) {
        if (value.length() > MAX_VALUE_LENGTH) {
            return Optional.of("must have at most " + MAX_VALUE_LENGTH + " characters.");
        }
        return HeaderSyntax.isText(value)
                        && value.equals(value.strip())
                        && FieldReader.isUnicode(value)
                ? Optional.empty()
                : Optional.of(
                        "must be text without control characters, and without spaces at its ends.");
    }

    /// Returns the description of a valid header name. It completes a message such as "must be …"
    /// about a name for which [#isName] returns false.
    public static String nameFormat() {
        return "a header name of at most " + MAX_NAME_LENGTH + " characters (RFC 9110).";
    }
}
