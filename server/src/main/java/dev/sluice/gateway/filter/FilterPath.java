package dev.sluice.gateway.filter;

import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.JsonText;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/// A filter rule's path: either `body.` followed by steps into the JSON document, or `headers.`
/// followed by a header name.
sealed interface FilterPath {

    int MAX_LENGTH = 256;
    int MAX_STEPS = 32;

    /// @param steps the steps from the document's root to the value
    record BodyPath(String text, List<PathStep> steps) implements FilterPath {
        public BodyPath {
            steps = List.copyOf(steps);
        }
    }

    /// One step into the document.
    ///
    /// @param name the name of an object's member
    /// @param index the index of an array's element; empty if the step cannot be an index
    record PathStep(JsonText name, OptionalInt index) {

        /// Returns the step with this text. The text is also an array index if it is written as in
        /// JSON Pointer: without a sign or leading zeros (RFC 6901, section 4).
        static PathStep of(String step) {
            boolean isIndex =
                    step.length() <= 9
                            && step.chars().allMatch(c -> c >= '0' && c <= '9')
                            && (step.length() == 1 || step.charAt(0) != '0');
            return new PathStep(
                    JsonText.of(step),
                    isIndex ? OptionalInt.of(Integer.parseInt(step)) : OptionalInt.empty());
        }
    }

    /// @param name the header name in lower case
    record HeaderPath(String text, String name) implements FilterPath {}

    /// Returns the path as the user wrote it.
    String text();

    /// Parses a path. `.` separates steps; inside a step, `\.` means a dot and `\\` means a
    /// backslash.
    ///
    /// @throws IllegalArgumentException if the path is invalid; the message has no subject, because
    ///   it is shown after the path of the field
    static FilterPath parse(String text) {
        if (text.codePointCount(0, text.length()) > MAX_LENGTH) {
            throw new IllegalArgumentException("must have at most " + MAX_LENGTH + " characters.");
        }
        var steps = steps(text);
        String root = steps.getFirst();
        if (steps.size() < 2 || !(root.equals("body") || root.equals("headers"))) {
            throw new IllegalArgumentException(
                    "must start with body. or headers. and name a field.");
        }
        var pathSteps = steps.subList(1, steps.size());
        if (root.equals("headers")) {
            // Header names may contain dots, which may be written with or without a backslash.
            String name = String.join(".", pathSteps);
            if (!HeaderSyntax.isName(name)) {
                throw new IllegalArgumentException(
                        "must have the name of a header after headers. (RFC 9110).");
            }
            return new HeaderPath(text, name.toLowerCase(Locale.ROOT));
        }
        if (pathSteps.contains("")) {
            throw new IllegalArgumentException("must not have an empty step.");
        }
        if (pathSteps.size() > MAX_STEPS) {
            throw new IllegalArgumentException("must have at most " + MAX_STEPS + " steps.");
        }
        return new BodyPath(text, pathSteps.stream().map(PathStep::of).toList());
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
