package dev.sluice.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The record of one HTTP request made for a delivery.
///
/// @param number the position among the delivery's attempts, starting at 1
/// @param latency the time from the start of the DNS lookup until the response was read or the
///   attempt was abandoned
/// @param errorMessage why the attempt failed; for a success, what is wrong with the rest of the
///   response, if anything is
/// @param responseBody at most the first 16 KiB, or 1 KiB of a success
public record Attempt(
        int number,
        Instant attemptedAt,
        UsedSettings settings,
        Duration latency,
        Optional<Integer> responseStatus,
        Optional<ErrorCode> errorCode,
        Optional<String> errorMessage,
        Optional<String> responseBody) {

    private static final int SHORT_BODY_CHARS = 1024;

    /// The settings that a request was made with.
    ///
    /// @param revision identifies the name and URL that the destination had at the time (see
    ///   [dev.sluice.gateway.destination.Destination])
    /// @param configuration the version of the whole configuration at the time
    public record UsedSettings(UUID revision, long configuration) {}

    public UUID revision() {
        return settings.revision();
    }

    public long configuration() {
        return settings.configuration();
    }

    /// Returns the record of an attempt with this outcome.
    public static Attempt of(int number, Instant at, UsedSettings settings, Outcome outcome) {
        return switch (outcome) {
            case Outcome.DestinationResponse(int status, String body, var latency, _, var remark) ->
                    new Attempt(
                            number,
                            at,
                            settings,
                            latency,
                            Optional.of(status),
                            errorCode(status),
                            errorCode(status)
                                    .map(code -> message(code, status, remark))
                                    .or(() -> remark),
                            Optional.of(body));
            case Outcome.AttemptError(ErrorCode code, String detail, var latency) ->
                    new Attempt(
                            number,
                            at,
                            settings,
                            latency,
                            Optional.empty(),
                            Optional.of(code),
                            Optional.of(detail),
                            Optional.empty());
        };
    }

    private static Optional<ErrorCode> errorCode(int status) {
        return switch (ResponseClass.of(status)) {
            case SUCCESS -> Optional.empty();
            case REDIRECT -> Optional.of(ErrorCode.REDIRECT);
            case REFUSAL, TEMPORARY_FAILURE -> Optional.of(ErrorCode.HTTP_STATUS);
        };
    }

    private static String message(ErrorCode code, int status, Optional<String> location) {
        String answered = "Destination answered " + status;
        if (code != ErrorCode.REDIRECT) {
            return answered;
        }
        return location.map(to -> answered + ", which redirects to " + to + "; change the URL")
                .orElse(answered + ", a redirect; redirects are not followed");
    }

    /// Returns a copy of this record with at most the first [#SHORT_BODY_CHARS] of the response.
    public Attempt withShortBody() {
        return new Attempt(
                number,
                attemptedAt,
                settings,
                latency,
                responseStatus,
                errorCode,
                errorMessage,
                responseBody.map(
                        body -> body.substring(0, Math.min(body.length(), SHORT_BODY_CHARS))));
    }

    /// Returns a copy of this record with another number.
    public Attempt withNumber(int other) {
        return new Attempt(
                other,
                attemptedAt,
                settings,
                latency,
                responseStatus,
                errorCode,
                errorMessage,
                responseBody);
    }
}
