package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.features.alerts.AlertQueries.DestinationFacts;
import dev.sluice.features.alerts.AlertQueries.News;
import dev.sluice.features.alerts.AlertQueries.SourceNews;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.mail.MailMessage;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Composes the message about an incident, as subject, text and JSON: what failed, how often, the
/// last error, and links to the dashboard. The message contains no payloads, headers or secrets.
///
/// @param circuitOpen whether the destination's circuit is open
/// @param nextIn how long further news is collected before the next message
record AlertText(
        String baseUrl,
        AlertKey key,
        DestinationFacts destination,
        News news,
        Optional<String> lastError,
        boolean circuitOpen,
        Duration nextIn,
        Instant now) {

    /// The maximum number of sources for which a message counts the deliveries separately. The
    /// deliveries of all further sources are counted together.
    static final int MAX_SOURCES = 100;

    /// The maximum number of sources that the text lists. For further sources, the text contains
    /// only their number.
    private static final int MAX_LINES = 10;

    private static final int MAX_NAME_LENGTH = 100;
    private static final int MAX_ERROR_LENGTH = 500;

    /// One source's counts of failed, exhausted and expiring deliveries.
    private record SourceCount(UUID id, String name, long failed, long exhausted, long expiring) {

        SourceCount plus(SourceNews more) {
            return switch (more.kind()) {
                case FAILED -> new SourceCount(id, name, failed + more.n(), exhausted, expiring);
                case EXHAUSTED -> new SourceCount(id, name, failed, exhausted + more.n(), expiring);
                case EXPIRING -> new SourceCount(id, name, failed, exhausted, expiring + more.n());
                case OPENED, RECOVERED, UNREADABLE -> this;
            };
        }

        String line() {
            var parts = new ArrayList<String>();
            if (exhausted > 0) {
                parts.add(exhausted + " exhausted");
            }
            if (failed > 0) {
                parts.add(failed + " failed without a retry");
            }
            if (expiring > 0) {
                parts.add(expiring + " expire within a day");
            }
            return "- Source " + quoted(name) + ": " + String.join(", ", parts) + "\n";
        }
    }

    /// Returns a test message, whose arrival shows that a channel works.
    static AlertMessage test(
            UUID id, UUID workspace, String workspaceName, String baseUrl, Instant now) {
        String text =
                "This is a test. Alerts of the workspace "
                        + quoted(workspaceName)
                        + " arrive here.\n\n"
                        + pagesUrl(baseUrl, workspace)
                        + "/failures\n";
        var details =
                new JsonObject()
                        .put("id", id)
                        .put("kind", "test")
                        .put("subject", "Sluice: test of an alert channel")
                        .put("text", text)
                        .put("time", now);
        return new AlertMessage(id, "Sluice: test of an alert channel", text, Json.text(details));
    }

    AlertMessage compose(UUID id) {
        String subject = "Sluice: " + subject();
        String text = text();
        var details =
                new JsonObject()
                        .put("id", id)
                        .put("kind", kind())
                        .put("subject", subject)
                        .put("text", text)
                        .put("time", now)
                        .put("workspace_id", key.workspace())
                        .put("destination_id", ofDestination(key.destination()))
                        .put("destination_name", ofDestination(destination.name()))
                        .put("circuit_open", circuitOpen)
                        .put("failed", sum(NewsKind.FAILED))
                        .put("exhausted", sum(NewsKind.EXHAUSTED))
                        .put("expiring", sum(NewsKind.EXPIRING))
                        .put("last_error", lastError)
                        .put("sources", sources().stream().map(this::json).toList())
                        .put("more_sources", news.moreSources());
        return new AlertMessage(id, subject, text, Json.text(details));
    }

    private <T> Optional<T> ofDestination(T value) {
        return key.isRest() || destination.isSource() ? Optional.empty() : Optional.of(value);
    }

    /// Returns the sources that the message reports on, with their counts. If the incident is about
    /// a source, returns only that source, with counts of zero.
    private List<SourceCount> sources() {
        return destination.isSource()
                ? List.of(new SourceCount(key.destination(), destination.name(), 0, 0, 0))
                : List.copyOf(counts().values());
    }

    private JsonObject json(SourceCount source) {
        return new JsonObject()
                .put("source_id", source.id())
                .put("source_name", source.name())
                .put("failed", source.failed())
                .put("exhausted", source.exhausted())
                .put("expiring", source.expiring())
                .put("url", failuresUrl(source.id()));
    }

    private boolean has(NewsKind kind) {
        return news.items().stream().anyMatch(one -> one.kind() == kind);
    }

    private long sum(NewsKind kind) {
        return news.items().stream()
                .filter(one -> one.kind() == kind)
                .mapToLong(SourceNews::n)
                .sum();
    }

    private String kind() {
        if (has(NewsKind.RECOVERED)) {
            return "recovered";
        }
        if (has(NewsKind.UNREADABLE)) {
            return "unreadable";
        }
        boolean isFailing = has(NewsKind.FAILED) || has(NewsKind.EXHAUSTED) || has(NewsKind.OPENED);
        return isFailing ? "failing" : "expiring";
    }

    private String subject() {
        String name = key.isRest() ? "further destinations" : quoted(destination.name());
        long ended = sum(NewsKind.FAILED) + sum(NewsKind.EXHAUSTED);
        return switch (kind()) {
            case "recovered" -> name + " can be reached again";
            case "unreadable" -> "settings of " + name + " cannot be read";
            case "expiring" -> deliveries(sum(NewsKind.EXPIRING)) + " to " + name + " will expire";
            default ->
                    ended > 0
                            ? deliveries(ended) + " to " + name + " failed"
                            : name + " cannot be reached";
        };
    }

    private String text() {
        var text = new StringBuilder();
        text.append(
                        key.isRest()
                                ? "Further destinations"
                                : destination.isSource() ? "Source " : "Destination ")
                .append(key.isRest() ? "" : quoted(destination.name()));
        if (!destination.host().isEmpty()) {
            text.append(" at ").append(destination.host());
        }
        text.append(" of the workspace ").append(quoted(destination.workspaceName()));
        text.append(":\n\n");
        if (key.isRest()) {
            addRestState(text);
        } else {
            addState(text);
        }
        addExpiring(text);
        var counts = List.copyOf(counts().values());
        counts.stream().limit(MAX_LINES).forEach(source -> text.append(source.line()));
        long more = Math.max(0, counts.size() - MAX_LINES) + news.moreSources();
        if (more > 0) {
            text.append("- and ").append(more).append(" more sources\n");
        }
        if (!counts.isEmpty()) {
            text.append("\n");
            addSince(text);
        }
        lastError.ifPresent(error ->
                text.append("Last error: ")
                        .append(MailMessage.oneLine(error, MAX_ERROR_LENGTH))
                        .append("\n\n"));
        addLinks(text, counts);
        if (!destination.isSource()) {
            text.append("\nFurther failures will be reported in ")
                    .append(words(nextIn))
                    .append(" at the earliest.\n");
        }
        return text.toString();
    }

    private void addState(StringBuilder text) {
        if (has(NewsKind.RECOVERED)) {
            text.append("It can be reached again, and waiting deliveries are sent.\n\n");
        } else if (circuitOpen) {
            text.append("It cannot be reached. Its circuit is open: deliveries wait, and a probe");
            text.append(" is sent now and then.\n\n");
        }
        if (destination.isSource()) {
            text.append(
                    "This server cannot read its verification settings, so every webhook to it");
            text.append(" is answered 401 and not delivered. Enter them again.\n\n");
        } else if (has(NewsKind.UNREADABLE)) {
            text.append("This server cannot read its settings, so nothing is sent to it. ");
            text.append("Enter its authentication and custom headers again.\n\n");
        }
    }

    private void addRestState(StringBuilder text) {
        text.append("There are so many failing destinations that these are reported together.\n\n");
        if (has(NewsKind.OPENED)) {
            text.append("Some of them cannot be reached: deliveries to these wait.\n\n");
        }
        if (has(NewsKind.UNREADABLE)) {
            text.append(
                    "This server cannot read the settings of some of them, so nothing is sent ");
            text.append("to these. Enter their authentication and custom headers again. ");
            text.append("Sources may be among them: these answer 401 to every webhook, until ");
            text.append("their verification is entered again.\n\n");
        }
    }

    private void addExpiring(StringBuilder text) {
        if (has(NewsKind.EXPIRING)) {
            news.items().stream()
                    .filter(one -> one.kind() == NewsKind.EXPIRING)
                    .map(SourceNews::since)
                    .min(Instant::compareTo)
                    .ifPresent(first ->
                            text.append("Deliveries wait that will expire unsent, the first at ")
                                    .append(seconds(first))
                                    .append(".\n\n"));
        }
    }

    private void addSince(StringBuilder text) {
        news.items().stream()
                .filter(one -> one.kind() == NewsKind.FAILED || one.kind() == NewsKind.EXHAUSTED)
                .map(SourceNews::since)
                .min(Instant::compareTo)
                .ifPresent(first -> text.append("Since ").append(seconds(first)).append(".\n\n"));
    }

    private void addLinks(StringBuilder text, List<SourceCount> counts) {
        if (counts.size() == 1) {
            text.append("Dead letters: ").append(failuresUrl(counts.getFirst().id())).append("\n");
        } else if (!counts.isEmpty()) {
            text.append("Dead letters: ").append(pagesUrl()).append("/failures\n");
        }
        if (destination.isSource()) {
            text.append("Source: ")
                    .append(pagesUrl())
                    .append("/sources/")
                    .append(key.destination());
            text.append("\n");
            return;
        }
        text.append(key.isRest() ? "Destinations: " : "Destination: ");
        text.append(pagesUrl()).append("/destinations");
        text.append(key.isRest() ? "" : "/" + key.destination()).append("\n");
    }

    private String failuresUrl(UUID source) {
        return pagesUrl() + "/failures?source=" + source;
    }

    private String pagesUrl() {
        return pagesUrl(baseUrl, key.workspace());
    }

    /// Returns the address below which the dashboard shows a workspace.
    private static String pagesUrl(String baseUrl, UUID workspace) {
        return baseUrl + "/w/" + workspace;
    }

    /// Returns the counts by source, the largest first. Leaves out news that does not concern a
    /// single source.
    private Map<UUID, SourceCount> counts() {
        var counts = new LinkedHashMap<UUID, SourceCount>();
        for (var one : news.items()) {
            if (!one.source().equals(key.destination())) {
                var known =
                        counts.getOrDefault(
                                one.source(), new SourceCount(one.source(), one.name(), 0, 0, 0));
                counts.put(one.source(), known.plus(one));
            }
        }
        return counts;
    }

    private static String quoted(String name) {
        return "\"" + MailMessage.oneLine(name, MAX_NAME_LENGTH) + "\"";
    }

    private static String deliveries(long n) {
        return n == 1 ? "1 delivery" : n + " deliveries";
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String words(Duration time) {
        return time.toHours() == 0
                ? time.toMinutes() + " minutes"
                : time.toHours() == 1 ? "an hour" : time.toHours() + " hours";
    }
}
