package dev.sluice.gateway.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A header value that may contain placeholders such as `{{event.id}}`. Immutable.
public final class HeaderTemplate {

    /// A placeholder, which is replaced in each delivery attempt with the value for that attempt.
    public enum HeaderPlaceholder {
        EVENT_ID,
        SOURCE_NAME,
        TIMESTAMP
    }

    /// Supplies the value for each placeholder.
    @FunctionalInterface
    public interface PlaceholderValues {
        String of(HeaderPlaceholder placeholder);
    }

    private static final Map<String, HeaderPlaceholder> PLACEHOLDERS_BY_TEXT =
            Map.of(
                    "{{event.id}}", HeaderPlaceholder.EVENT_ID,
                    "{{source.name}}", HeaderPlaceholder.SOURCE_NAME,
                    "{{timestamp}}", HeaderPlaceholder.TIMESTAMP);

    /// Matches any text that has the form of a placeholder. All other braces are literal text.
    private static final Pattern PLACEHOLDER_PATTERN =
            Pattern.compile("\\{\\{\\s*[A-Za-z_.]+\\s*}}");

    private sealed interface TemplateSegment {}

    private record LiteralSegment(String text) implements TemplateSegment {}

    private record PlaceholderSegment(HeaderPlaceholder placeholder) implements TemplateSegment {}

    private final String text;
    private final List<TemplateSegment> segments;

    private HeaderTemplate(String text, List<TemplateSegment> segments) {
        this.text = text;
        this.segments = List.copyOf(segments);
    }

    /// Returns the template as it was written.
    String text() {
        return text;
    }

    /// @throws IllegalArgumentException if the text contains an unknown placeholder; the message is
    ///   meant to be appended to the field's path
    static HeaderTemplate parse(String text) {
        var segments = new ArrayList<TemplateSegment>();
        var matcher = PLACEHOLDER_PATTERN.matcher(text);
        int end = 0;
        while (matcher.find()) {
            var placeholder = PLACEHOLDERS_BY_TEXT.get(matcher.group());
            if (placeholder == null) {
                throw new IllegalArgumentException(
                        "has the unknown placeholder "
                                + matcher.group()
                                + "; use one of "
                                + String.join(", ", new TreeSet<>(PLACEHOLDERS_BY_TEXT.keySet()))
                                + ".");
            }
            segments.add(new LiteralSegment(text.substring(end, matcher.start())));
            segments.add(new PlaceholderSegment(placeholder));
            end = matcher.end();
        }
        segments.add(new LiteralSegment(text.substring(end)));
        return new HeaderTemplate(text, segments);
    }

    public String render(PlaceholderValues values) {
        var rendered = new StringBuilder();
        for (var segment : segments) {
            rendered.append(
                    switch (segment) {
                        case LiteralSegment(String literal) -> literal;
                        case PlaceholderSegment(var placeholder) -> values.of(placeholder);
                    });
        }
        return rendered.toString();
    }
}
