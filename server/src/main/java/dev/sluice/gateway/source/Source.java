package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ChangeTime;
import dev.sluice.platform.http.EntityTag;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A source, which receives webhooks at its own ingest path. Immutable.
///
/// @param token the last segment of the ingest path
/// @param previousToken the token before the latest rotation, even if that token has expired; empty
///   if the token was never rotated, or if a new source has taken the expired token
public record Source(
        SourceId id,
        WorkspaceId workspace,
        String token,
        Optional<PreviousToken> previousToken,
        SourceSpec spec,
        Instant createdAt,
        Instant updatedAt) {

    /// Creates a source whose token was never rotated.
    public Source(
            SourceId id,
            WorkspaceId workspace,
            String token,
            SourceSpec spec,
            Instant createdAt,
            Instant updatedAt) {
        this(id, workspace, token, Optional.empty(), spec, createdAt, updatedAt);
    }

    /// The settings that the user controls.
    ///
    /// @param color an RGB color in the form `#rrggbb`
    /// @param response empty for the default response
    public record SourceSpec(
            String name,
            Optional<String> description,
            String color,
            SourceStatus status,
            VerificationConfig verification,
            Optional<ResponseConfig> response) {}

    /// Whether deliveries of the source's events are sent. A paused source still accepts webhooks,
    /// but their deliveries wait.
    public enum SourceStatus {
        ACTIVE,
        PAUSED;

        static final Map<String, SourceStatus> BY_TEXT = Map.of("active", ACTIVE, "paused", PAUSED);

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public String name() {
        return spec.name();
    }

    public SourceStatus status() {
        return spec.status();
    }

    public VerificationConfig verification() {
        return spec.verification();
    }

    public Optional<ResponseConfig> response() {
        return spec.response();
    }

    public String ingestPath() {
        return "/in/" + token;
    }

    /// Returns the names of the settings that this node cannot read.
    public List<String> unreadableFields() {
        return verification() instanceof VerificationConfig.UnreadableVerification
                ? List.of("verification_config")
                : List.of();
    }

    Source with(SourceSpec changed, Instant now) {
        return new Source(
                id,
                workspace,
                token,
                previousToken,
                changed,
                createdAt,
                ChangeTime.next(updatedAt, now));
    }

    EntityTag tag() {
        return EntityTag.of(updatedAt);
    }

    /// Returns the source with a new token.
    ///
    /// @param overlap how long webhooks sent to the current token are still accepted
    Source rotated(String newToken, Duration overlap, Instant now) {
        return new Source(
                id,
                workspace,
                newToken,
                Optional.of(new PreviousToken(token, now.plus(overlap))),
                spec,
                createdAt,
                ChangeTime.next(updatedAt, now));
    }

    /// @param baseUrl the server's public address, without a slash at the end
    JsonObject json(String baseUrl) {
        return new JsonObject()
                .put("id", id)
                .put("name", spec.name())
                .put("description", spec.description())
                .put("color", spec.color())
                .put("token", token)
                .put("ingest_path", ingestPath())
                .put("ingest_url", baseUrl + ingestPath())
                .put("previous_token_until", previousToken.map(PreviousToken::endsAt))
                .put("verification_config", VerificationJson.masked(spec.verification()))
                .put("response_config", spec.response().map(ResponseConfig::json))
                .put("status", spec.status().text())
                .put("created_at", createdAt)
                .put("updated_at", updatedAt);
    }
}
