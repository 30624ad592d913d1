package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.joining;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Tests that the table of log events lists exactly the events of the code, with their levels and
/// fields.
class LogReferenceTest {

    private static final Path LOG_REFERENCE = Path.of("../docs/reference/logs.md");

    /// Matches a row such as "| `node.joined` | info | `epoch` | … |".
    private static final Pattern EVENT_ROW =
            Pattern.compile(
                    "^\\| (`[a-z_.]+` \\| [a-z, ]+ \\| [a-z_`, –]+) \\|", Pattern.MULTILINE);

    /// Matches the parts of a logging call in order: the level, the fields, and last the event's
    /// name.
    private static final Pattern LOG_CALL =
            Pattern.compile(
                    "\\blog\\.at(?<builder>Error|Warn|Info|Debug|Trace)\\(\\)"
                            + "|\\bLevel\\.(?<level>ERROR|WARN|INFO|DEBUG|TRACE)\\b"
                            + "|\\.addKeyValue\\(\\s*\"(?<field>[^\"]+)\""
                            + "|\\.log\\(\\s*\"(?<event>[^\"]+)\"");

    private static final Pattern PLAIN_CALL =
            Pattern.compile("\\blog\\.(?:error|warn|info|debug|trace)\\(");

    /// Matches `noun.past_participle`. The last word is the participle, or the particle of
    /// `taken_over`.
    private static final Pattern EVENT_NAME =
            Pattern.compile(
                    "[a-z]+(?:_[a-z]+)*\\.(?:[a-z]+_)*(?:[a-z]+ed|found|lost|sent|set|taken_over)");

    /// The levels, most severe first.
    private static final List<String> LEVEL_ORDER =
            List.of("error", "warn", "info", "debug", "trace");

    /// The levels and fields with which an event is logged, from all places together.
    private record LogEvent(Set<String> levels, Set<String> fields) {

        static LogEvent empty() {
            return new LogEvent(new LinkedHashSet<>(), new LinkedHashSet<>());
        }

        void addAll(LogEvent other) {
            levels.addAll(other.levels);
            fields.addAll(other.fields);
        }

        String row(String name) {
            var names = fields.stream().map(field -> "`" + field + "`").collect(joining(", "));
            var sorted = LEVEL_ORDER.stream().filter(levels::contains).collect(joining(", "));
            return "`%s` | %s | %s".formatted(name, sorted, names.isEmpty() ? "–" : names);
        }
    }

    @Test
    void the_reference_has_exactly_the_events_of_the_code() throws IOException {
        var expected =
                eventsInCode().entrySet().stream()
                        .map(event -> event.getValue().row(event.getKey()))
                        .toList();
        var documented =
                EVENT_ROW
                        .matcher(Files.readString(LOG_REFERENCE))
                        .results()
                        .map(row -> row.group(1))
                        .toList();

        assertThat(String.join("\n", documented)).isEqualTo(String.join("\n", expected));
    }

    @Test
    void an_event_name_is_a_noun_and_a_past_participle() {
        assertThat(eventsInCode().keySet()).isNotEmpty().allMatch(EVENT_NAME.asMatchPredicate());
    }

    @Test
    void every_line_of_the_log_is_an_event() {
        assertThat(SourceCode.sources())
                .noneMatch(source -> PLAIN_CALL.matcher(source).find())
                .isNotEmpty();
    }

    /// The events by name, in the order of the table.
    private static Map<String, LogEvent> eventsInCode() {
        var events = new TreeMap<String, LogEvent>();
        for (String source : SourceCode.sources()) {
            var next = LogEvent.empty();
            for (MatchResult call : LOG_CALL.matcher(source).results().toList()) {
                if (call.group("event") != null) {
                    events.computeIfAbsent(call.group("event"), _ -> LogEvent.empty()).addAll(next);
                    next = LogEvent.empty();
                } else if (call.group("field") != null) {
                    next.fields().add(call.group("field"));
                } else {
                    next.levels().add(level(call));
                }
            }
        }
        return events;
    }

    private static String level(MatchResult call) {
        String builder = call.group("builder");
        return (builder == null ? call.group("level") : builder).toLowerCase(Locale.ROOT);
    }
}
