package dev.sluice.platform.config;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/// Named settings, read once. A wrong or unknown one becomes a complaint; the caller reads
/// everything and then looks at `complaints`. An empty value counts as not set.
///
/// Owned by one thread.
public final class Settings {

    private final Map<String, String> values;
    private final TreeSet<String> asked = new TreeSet<>();
    private final List<String> complaints = new ArrayList<>();

    public Settings(Map<String, String> values) {
        this.values = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (!value.isBlank()) {
                this.values.put(name, value.strip());
            }
        });
    }

    public Optional<String> text(String name) {
        return read(name, text -> text);
    }

    public String text(String name, String fallback) {
        return text(name).orElse(fallback);
    }

    public int integer(String name, int fallback, int least, int most) {
        return read(
                        name,
                        text -> {
                            int number = Integer.parseInt(text);
                            return number >= least && number <= most ? number : null;
                        },
                        "must be a whole number from " + least + " to " + most)
                .orElse(fallback);
    }

    public double fraction(String name, double fallback) {
        return read(
                        name,
                        text -> {
                            double number = Double.parseDouble(text);
                            return number >= 0 && number <= 1 ? number : null;
                        },
                        "must be a number from 0 to 1")
                .orElse(fallback);
    }

    /// Such as `500ms`, `60s`, `10m`, `1h`, or ISO 8601 (`PT30S`).
    public Duration duration(String name, Duration fallback) {
        return read(name, Settings::durationOf, "must be a duration such as 60s, 10m or PT30S")
                .orElse(fallback);
    }

    private static @Nullable Duration durationOf(String text) {
        String iso = text.toUpperCase(Locale.ROOT);
        if (iso.endsWith("MS")) {
            return positive(
                    Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2))));
        }
        return positive(Duration.parse(iso.startsWith("P") ? iso : "PT" + iso));
    }

    private static @Nullable Duration positive(Duration duration) {
        return duration.isPositive() ? duration : null;
    }

    public String oneOf(String name, String fallback, List<String> words) {
        return read(
                        name,
                        text -> words.contains(text) ? text : null,
                        "must be one of " + String.join(", ", words))
                .orElse(fallback);
    }

    /// What `parse` makes of the text; its `IllegalArgumentException` becomes the complaint.
    public <T> Optional<T> read(String name, Function<String, T> parse) {
        asked.add(name);
        @Nullable String text = values.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse.apply(text));
        } catch (IllegalArgumentException e) {
            complain(name, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private <T> Optional<T> read(String name, Function<String, @Nullable T> parse, String rule) {
        return read(
                name,
                text -> {
                    try {
                        @Nullable T value = parse.apply(text);
                        if (value != null) {
                            return value;
                        }
                    } catch (NumberFormatException | DateTimeParseException e) {
                        // Said below, in words for a person.
                    }
                    throw new IllegalArgumentException(rule + ", not '" + text + "'");
                });
    }

    /// Notes what is wrong with a setting; `message` continues its name.
    public void complain(String name, String message) {
        complaints.add(name + " " + message);
    }

    /// The names asked for so far, in order.
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /// All that is wrong, names that nobody asked for included.
    public List<String> complaints() {
        var all = new ArrayList<>(complaints);
        for (String name : values.keySet()) {
            if (!asked.contains(name)) {
                all.add(name + " is not a setting" + nearest(name));
            }
        }
        return all;
    }

    private String nearest(String wrong) {
        return asked.stream()
                .min(Comparator.comparingInt(name -> distance(name, wrong)))
                .filter(name -> distance(name, wrong) <= 3)
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
    }

    /// How many letters must be added, dropped or changed (Levenshtein).
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
