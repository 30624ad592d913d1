package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Where webhooks come in.
///
/// @param color `#rrggbb`
/// @param token the last segment of its ingest path
/// @param response empty: the default response
public record Source(
        SourceId id,
        WorkspaceId workspace,
        String name,
        Optional<String> description,
        String color,
        String token,
        Status status,
        VerificationConfig verification,
        Optional<ResponseConfig> response,
        Instant createdAt,
        Instant updatedAt) {

    /// Whether what comes in is sent on at once.
    public enum Status {
        ACTIVE,
        PAUSED;

        static final Map<String, Status> BY_TEXT = Map.of("active", ACTIVE, "paused", PAUSED);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public String ingestPath() {
        return "/in/" + token;
    }

    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("description", description)
                .put("color", color)
                .put("token", token)
                .put("ingest_path", ingestPath())
                .put("verification_config", VerificationJson.masked(verification))
                .put("response_config", response.map(ResponseConfig::json))
                .put("status", status.text())
                .put("created_at", createdAt)
                .put("updated_at", updatedAt);
    }
}
