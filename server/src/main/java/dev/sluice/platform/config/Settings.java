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

/// Reads and checks named text settings, such as environment variables.
///
/// An invalid setting is recorded as an error and treated as not set. After reading every setting,
/// the caller must call `errors`, which also reports unknown names. A blank value counts as not
/// set.
///
/// Not thread-safe.
public final class Settings {

    /// The prefix of the environment variables that contain the server's own settings.
    public static final String PREFIX = "SLUICE_";

    private final Map<String, String> values;
    private final Map<String, String> namesInFile;
    private final TreeSet<String> readNames = new TreeSet<>();
    private final TreeSet<String> foreignNames = new TreeSet<>();
    private final List<String> errors = new ArrayList<>();

    public Settings(Map<String, String> values) {
        this(values, Map.of());
    }

    /// @param namesInFile maps each setting that comes from a file to its name in that file; error
    ///   messages use the name in the file
    public Settings(Map<String, String> values, Map<String, String> namesInFile) {
        this.namesInFile = Map.copyOf(namesInFile);
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

    public int integer(String name, int fallback, int min, int max) {
        return read(
                        name,
                        text -> {
                            int number = Integer.parseInt(text);
                            return number >= min && number <= max ? number : null;
                        },
                        "must be a whole number from " + min + " to " + max)
                .orElse(fallback);
    }

    /// Reads a number from 0 to 1.
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

    /// Reads a positive duration such as `500ms`, `60s`, `10m`, `1h`, or one in ISO 8601 format
    /// (`PT30S`).
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

    /// Reads a setting and converts it with `parse`. If `parse` throws an
    /// `IllegalArgumentException`, the recorded error is the setting's name followed by the
    /// exception's message, such as "must be at most 5m".
    public <T> Optional<T> read(String name, Function<String, T> parse) {
        readNames.add(name);
        @Nullable String text = values.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse.apply(text));
        } catch (IllegalArgumentException e) {
            addError(name, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /// @param parse returns null, or throws a `NumberFormatException` or `DateTimeParseException`,
    ///   if the value breaks the rule
    /// @param rule the error message, which follows the setting's name
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
                        // The exception below explains the error in words that the operator
                        // understands.
                    }
                    throw new IllegalArgumentException(rule + ", not '" + text + "'");
                });
    }

    /// Returns the settings whose names begin with `prefix`, such as OpenTelemetry's. This class
    /// does not know their exact names, so none of them are reported as unknown.
    public Map<String, String> withPrefix(String prefix) {
        var found = new LinkedHashMap<>(values);
        found.keySet().removeIf(name -> !name.startsWith(prefix));
        foreignNames.addAll(found.keySet());
        return found;
    }

    /// Records an error for a setting.
    ///
    /// @param message the rest of a sentence that starts with the setting's name
    public void addError(String name, String message) {
        errors.add(shownName(name) + " " + message);
    }

    /// Returns the names of all settings read so far, sorted.
    public List<String> readNames() {
        return List.copyOf(readNames);
    }

    /// Returns all errors, including one for each name that was set but never read.
    public List<String> errors() {
        var all = new ArrayList<>(errors);
        for (String name : values.keySet()) {
            if (!readNames.contains(name) && !foreignNames.contains(name)) {
                all.add(shownName(name) + " is not a setting" + suggestion(name));
            }
        }
        return all;
    }

    /// Returns the name as the operator wrote it.
    private String shownName(String name) {
        return namesInFile.getOrDefault(name, name);
    }

    private String suggestion(String wrong) {
        boolean isInFile = namesInFile.containsKey(wrong);
        String meant = isInFile ? wrong.replace(PREFIX + PREFIX, PREFIX) : wrong;
        return readNames.stream()
                .min(Comparator.comparingInt(name -> distance(name, meant)))
                .filter(name -> distance(name, meant) <= 3)
                .map(name -> "; did you mean " + (isInFile ? nameInFile(name) : name) + "?")
                .orElse("");
    }

    /// Returns the name of a setting in a settings file, such as `admin.email` for
    /// `SLUICE_ADMIN_EMAIL`.
    private static String nameInFile(String name) {
        return name.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /// Returns the Levenshtein distance: the number of letters that must be added, removed or
    /// changed to turn one text into the other.
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
