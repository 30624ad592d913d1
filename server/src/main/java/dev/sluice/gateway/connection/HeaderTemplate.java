package dev.sluice.gateway.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The value of a header with placeholders in it. Immutable.
public final class HeaderTemplate {

    /// What an attempt puts in the place of a placeholder.
    public enum Placeholder {
        EVENT_ID,
        SOURCE_NAME,
        TIMESTAMP
    }

    /// Says what stands for a placeholder.
    @FunctionalInterface
    public interface Values {
        String of(Placeholder placeholder);
    }

    private static final Map<String, Placeholder> BY_TEXT =
            Map.of(
                    "{{event.id}}", Placeholder.EVENT_ID,
                    "{{source.name}}", Placeholder.SOURCE_NAME,
                    "{{timestamp}}", Placeholder.TIMESTAMP);

    /// What is meant as one; other braces are text.
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*[A-Za-z_.]+\\s*}}");

    private sealed interface Part {}

    private record Text(String text) implements Part {}

    private record Hole(Placeholder placeholder) implements Part {}

    private final List<Part> parts;

    private HeaderTemplate(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /// @throws IllegalArgumentException with what is wrong, continuing the field's name
    static HeaderTemplate parse(String text) {
        var parts = new ArrayList<Part>();
        var matcher = PLACEHOLDER.matcher(text);
        int end = 0;
        while (matcher.find()) {
            var placeholder = BY_TEXT.get(matcher.group());
            if (placeholder == null) {
                throw new IllegalArgumentException(
                        "has the unknown placeholder "
                                + matcher.group()
                                + "; there are "
                                + String.join(", ", new TreeSet<>(BY_TEXT.keySet()))
                                + ".");
            }
            parts.add(new Text(text.substring(end, matcher.start())));
            parts.add(new Hole(placeholder));
            end = matcher.end();
        }
        parts.add(new Text(text.substring(end)));
        return new HeaderTemplate(parts);
    }

    public String with(Values values) {
        var text = new StringBuilder();
        for (var part : parts) {
            text.append(
                    switch (part) {
                        case Text(String own) -> own;
                        case Hole(var placeholder) -> values.of(placeholder);
                    });
        }
        return text.toString();
    }
}
