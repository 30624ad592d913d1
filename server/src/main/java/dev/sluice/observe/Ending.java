package dev.sluice.observe;

import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;

import java.util.Optional;

/// How a delivery ended, and what is said of it wherever it is shown.
///
/// @param attempts made; without any, `responseStatus` and `errorMessage` are empty
public record Ending(
        DeliveryStatus status,
        Optional<ErrorCode> code,
        Optional<Integer> responseStatus,
        Optional<String> errorMessage,
        boolean isAttempted,
        int attempts) {

    /// Of a delivery that the connection's filter kept back.
    public static final Ending FILTERED =
            new Ending(
                    DeliveryStatus.FILTERED,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false,
                    0);

    /// One sentence: why it ended so and what can be done.
    public String reason() {
        return switch (status) {
            case SUCCEEDED -> "Delivered: destination answered " + responseStatus.orElse(0) + ".";
            case FILTERED -> "Filtered: the connection's filter did not match.";
            default -> failure();
        };
    }

    private String failure() {
        if (code.isPresent() && !isAttempted) {
            return "Failed: " + withoutAttempt(code.get()) + ".";
        }
        String why = errorMessage.orElse("the destination did not accept it");
        if (code.filter(ErrorCode.TRANSFORMATION_FAILED::equals).isPresent()) {
            return "Failed: " + why + ". Resend it once that is mended.";
        }
        return status == DeliveryStatus.FAILED
                ? "Failed: "
                        + why
                        + "; this answer is not retried. Resend it once the destination is fixed."
                : "Exhausted after "
                        + attempts
                        + " attempts: "
                        + why
                        + ". Resend it once the destination is fixed.";
    }

    /// What went wrong last; empty when nothing did.
    public Optional<String> error() {
        return errorMessage.or(
                () -> isAttempted ? Optional.empty() : code.map(Ending::withoutAttempt));
    }

    private static String withoutAttempt(ErrorCode code) {
        return switch (code) {
            case DESTINATION_DELETED ->
                    "the destination was deleted before this could be delivered";
            case CONNECTION_DELETED -> "the connection was deleted before this could be delivered";
            case EVENT_EXPIRED -> "the event's retention ended before this could be delivered";
            case INTERRUPTED ->
                    "the relay died twice while it was sending only this delivery. Resend it once"
                            + " the cause is found";
            default -> code.text();
        };
    }
}
