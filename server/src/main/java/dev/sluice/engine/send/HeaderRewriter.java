package dev.sluice.engine.send;

import dev.sluice.gateway.connection.HeaderTemplate;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.List;

/// Applies a transformation's header rules: renames, then removals, then assignments.
///
/// A rename or removal affects only headers whose name matches exactly, ignoring case. A renamed or
/// assigned header also replaces headers whose names would be the same if every `_` were a `-`,
/// because many receivers treat the two characters as equal.
final class HeaderRewriter {

    private HeaderRewriter() {}

    /// @param headers changed in place
    /// @throws TransformationException if a rule sets a value that is not allowed in a header
    static void apply(
            Transformation transformation,
            List<Header> headers,
            OutboundRequest request,
            Instant now)
            throws TransformationException {
        for (var rule : transformation.headerRenames()) {
            rename(headers, rule);
        }
        for (String name : transformation.removedHeaders()) {
            headers.removeIf(header -> header.isNamed(name));
        }
        for (var rule : transformation.headerAssignments()) {
            headers.removeIf(header -> HeaderSyntax.isSameFolded(header.name(), rule.name()));
        }
        for (var rule : transformation.headerAssignments()) {
            set(headers, rule, request, now);
        }
    }

    /// Renames each header that has the old name, without changing its position. Removes the
    /// headers that already had the new name. Does nothing if no header has the old name.
    private static void rename(List<Header> headers, Transformation.HeaderRename rule) {
        if (headers.stream().noneMatch(header -> header.isNamed(rule.from()))) {
            return;
        }
        headers.removeIf(header ->
                HeaderSyntax.isSameFolded(header.name(), rule.to())
                        && !header.isNamed(rule.from()));
        headers.replaceAll(header ->
                header.isNamed(rule.from()) ? new Header(rule.to(), header.value()) : header);
    }

    private static void set(
            List<Header> headers,
            Transformation.HeaderAssignment rule,
            OutboundRequest request,
            Instant now)
            throws TransformationException {
        String value = rule.value().render(placeholder -> value(placeholder, request, now));
        if (!HeaderSyntax.isText(value)) {
            throw new TransformationException(
                    "The transformation sets the header "
                            + rule.name()
                            + " to a value with a control character (such as a line break in the"
                            + " source's name)");
        }
        headers.removeIf(header -> header.isNamed(rule.name()));
        headers.add(Header.ofText(rule.name(), value));
    }

    private static String value(
            HeaderTemplate.HeaderPlaceholder placeholder, OutboundRequest request, Instant now) {
        return switch (placeholder) {
            case EVENT_ID -> request.event().toString();
            case SOURCE_NAME -> request.source().name();
            case TIMESTAMP -> JsonObject.time(now);
        };
    }
}
