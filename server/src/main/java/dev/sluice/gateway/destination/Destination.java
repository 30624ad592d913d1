package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Where webhooks go.
///
/// @param revision names the URL and name it has now; attempts point at it
public record Destination(
        DestinationId id,
        WorkspaceId workspace,
        UUID revision,
        Spec spec,
        Instant createdAt,
        Instant updatedAt) {

    /// What the user set.
    ///
    /// @param timeout bounds a whole attempt
    /// @param maxInFlight attempts under way at once, on each node
    /// @param rateLimit of attempts, on each node
    public record Spec(
            String name,
            DestinationUrl url,
            Duration timeout,
            Auth auth,
            List<Header> customHeaders,
            RetryPolicy retryPolicy,
            int maxInFlight,
            Optional<RateLimit> rateLimit,
            Status status) {

        public Spec {
            customHeaders = List.copyOf(customHeaders);
        }
    }

    /// Whether deliveries are sent.
    public enum Status {
        ACTIVE,
        PAUSED;

        static final Map<String, Status> BY_TEXT = Map.of("active", ACTIVE, "paused", PAUSED);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isPaused() {
        return spec.status() == Status.PAUSED;
    }

    /// As the API shows it, secrets masked, with what is known of its circuit.
    public JsonObject json(CircuitView circuit) {
        return new JsonObject()
                .put("id", id)
                .put("name", spec.name())
                .put("url", spec.url())
                .put("timeout_ms", spec.timeout().toMillis())
                .put("auth_config", AuthJson.masked(spec.auth()))
                .put("custom_headers", headersJson())
                .put(
                        "retry_policy",
                        new JsonObject()
                                .put(
                                        "intervals_seconds",
                                        spec.retryPolicy().intervals().stream()
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

    private Map<String, String> headersJson() {
        var headers = new LinkedHashMap<String, String>();
        spec.customHeaders().forEach(header -> headers.put(header.name(), header.value()));
        return headers;
    }
}
