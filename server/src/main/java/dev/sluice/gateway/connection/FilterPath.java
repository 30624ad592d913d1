package dev.sluice.gateway.connection;

import dev.sluice.platform.http.HeaderSyntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Where a rule looks: `body.` and the way down the JSON document, or `headers.` and a name.
sealed interface FilterPath {

    int MOST_CHARACTERS = 256;
    int MOST_STEPS = 32;

    /// @param steps names of members, or indexes of elements
    record Body(String text, List<String> steps) implements FilterPath {
        public Body {
            steps = List.copyOf(steps);
        }
    }

    /// @param name in lower case
    record Header(String text, String name) implements FilterPath {}

    /// As it was given.
    String text();

    /// `.` ends a step; `\.` is a dot and `\\` a backslash inside of one.
    ///
    /// @throws IllegalArgumentException with what is wrong, continuing the field's name
    static FilterPath parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "must have at most " + MOST_CHARACTERS + " characters.");
        }
        var steps = steps(text);
        String root = steps.getFirst();
        if (steps.size() < 2 || !(root.equals("body") || root.equals("headers"))) {
            throw new IllegalArgumentException(
                    "must start with body. or headers. and name a field.");
        }
        var way = steps.subList(1, steps.size());
        if (root.equals("headers")) {
            // A dot may stand in a header's name, with and without a backslash.
            String name = String.join(".", way);
            if (!HeaderSyntax.isName(name)) {
                throw new IllegalArgumentException(
                        "must have the name of a header after headers. (RFC 9110).");
            }
            return new Header(text, name.toLowerCase(Locale.ROOT));
        }
        if (way.contains("")) {
            throw new IllegalArgumentException("must not have an empty step.");
        }
        if (way.size() > MOST_STEPS) {
            throw new IllegalArgumentException("must have at most " + MOST_STEPS + " steps.");
        }
        return new Body(text, way);
    }

    private static List<String> steps(String text) {
        var steps = new ArrayList<String>();
        var step = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
            if (c == '\\' && (next == '.' || next == '\\')) {
                step.append(next);
                i++;
            } else if (c == '.') {
                steps.add(step.toString());
                step.setLength(0);
            } else {
                step.append(c);
            }
        }
        steps.add(step.toString());
        return steps;
    }
}
