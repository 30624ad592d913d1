package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.EntityTag;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A destination, which receives deliveries at a URL. Immutable.
///
/// @param revision the id of the row that stores the destination's current name and URL; attempts
///   refer to that row, so that the history can still show this name and URL after a change
public record Destination(
        DestinationId id,
        WorkspaceId workspace,
        UUID revision,
        DestinationSpec spec,
        Instant createdAt,
        Instant updatedAt) {

    /// The longest timeout that a user may set.
    public static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);

    /// The settings that the user controls.
    public record DestinationSpec(
            String name,
            DestinationUrl url,
            Duration timeout,
            AuthConfig auth,
            CustomHeaders customHeaders,
            RetrySchedule retrySchedule,
            DestinationLimits limits,
            DestinationStatus status) {

        /// Returns the same settings with the values of secret headers masked.
        public DestinationSpec withMaskedHeaders() {
            return new DestinationSpec(
                    name,
                    url,
                    timeout,
                    auth,
                    customHeaders.masked(),
                    retrySchedule,
                    limits,
                    status);
        }

        boolean isAuthReadable() {
            return !(auth instanceof AuthConfig.UnreadableAuth);
        }

        public int maxInFlight() {
            return limits.maxInFlight();
        }

        public Optional<RateLimit> rateLimit() {
            return limits.rateLimit();
        }
    }

    /// Whether deliveries to the destination are sent. While the destination is paused, they wait.
    public enum DestinationStatus {
        ACTIVE,
        PAUSED;

        static final Map<String, DestinationStatus> BY_TEXT =
                Map.of("active", ACTIVE, "paused", PAUSED);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isPaused() {
        return spec.status() == DestinationStatus.PAUSED;
    }

    /// Returns the names of the settings that this node cannot read. If there are any, deliveries
    /// to the destination are held.
    public List<String> unreadableFields() {
        var fields = new ArrayList<String>();
        if (!spec.url().isReadable()) {
            fields.add("url");
        }
        if (!spec.isAuthReadable()) {
            fields.add("auth_config");
        }
        if (!spec.customHeaders().isReadable()) {
            fields.add("custom_headers");
        }
        return fields;
    }

    public boolean isReadable() {
        return spec.url().isReadable()
                && spec.isAuthReadable()
                && spec.customHeaders().isReadable();
    }

    /// Returns the entity tag of the settings. A change in the circuit's state does not change the
    /// tag.
    EntityTag tag() {
        return EntityTag.of(updatedAt);
    }

    /// Returns the JSON that the API shows, with masked secrets and the state of the circuit
    /// breaker.
    public JsonObject json(CircuitView circuit) {
        var json = settingsJson(circuit);
        var unreadable = unreadableFields();
        return unreadable.isEmpty() ? json : json.put("unreadable_fields", unreadable);
    }

    private JsonObject settingsJson(CircuitView circuit) {
        return new JsonObject()
                .put("id", id)
                .put("name", spec.name())
                .put("url", spec.url())
                .put("timeout_ms", spec.timeout().toMillis())
                .put("auth_config", AuthJson.masked(spec.auth()))
                .put("custom_headers", spec.customHeaders().maskedJson())
                .put("secret_headers", spec.customHeaders().orderedSecretNames())
                .put(
                        "retry_policy",
                        new JsonObject()
                                .put(
                                        "intervals_seconds",
                                        spec.retrySchedule().intervals().stream()
                                                .map(Duration::toSeconds)
                                                .toList()))
                .put("max_in_flight", spec.maxInFlight())
                .put("rate_limit", spec.rateLimit().map(RateLimit::json))
                .put("status", spec.status().text())
                .put("circuit_state", circuit.state())
                .put("circuit_reopen_at", circuit.reopenAt())
                .put("created_at", createdAt)
                .put("updated_at", updatedAt);
    }
}
