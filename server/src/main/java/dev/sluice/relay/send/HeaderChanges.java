package dev.sluice.relay.send;

import dev.sluice.gateway.connection.HeaderTemplate;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.ErrorCode;

import java.time.Instant;
import java.util.List;

/// Applies the header rules of a transformation: rename, remove, set.
final class HeaderChanges {

    private HeaderChanges() {}

    /// @param headers changed in place
    /// @throws Failure when a value cannot stand in a header
    static void apply(
            Transformation transformation, List<Header> headers, Parcel parcel, Instant now)
            throws Failure {
        for (var rule : transformation.renamed()) {
            rename(headers, rule);
        }
        for (String name : transformation.removed()) {
            headers.removeIf(header -> header.isNamed(name));
        }
        for (var rule : transformation.set()) {
            set(headers, rule, parcel, now);
        }
    }

    /// Each header of that name stays where it is; it replaces those that had the new name before.
    private static void rename(List<Header> headers, Transformation.Renamed rule) {
        if (headers.stream().noneMatch(header -> header.isNamed(rule.from()))) {
            return;
        }
        if (!rule.from().equalsIgnoreCase(rule.to())) {
            headers.removeIf(header -> header.isNamed(rule.to()));
        }
        headers.replaceAll(header ->
                header.isNamed(rule.from()) ? new Header(rule.to(), header.value()) : header);
    }

    private static void set(
            List<Header> headers, Transformation.Set rule, Parcel parcel, Instant now)
            throws Failure {
        String value = rule.value().with(placeholder -> value(placeholder, parcel, now));
        if (!HeaderSyntax.isText(value)) {
            throw new Failure(
                    ErrorCode.TRANSFORMATION_FAILED,
                    "The transformation sets the header "
                            + rule.name()
                            + " to a value with a control character (such as a line break in the"
                            + " source's name)");
        }
        headers.removeIf(header -> header.isNamed(rule.name()));
        headers.add(Header.ofText(rule.name(), value));
    }

    private static String value(
            HeaderTemplate.Placeholder placeholder, Parcel parcel, Instant now) {
        return switch (placeholder) {
            case EVENT_ID -> parcel.event().toString();
            case SOURCE_NAME -> parcel.sourceName();
            case TIMESTAMP -> JsonObject.time(now);
        };
    }
}
