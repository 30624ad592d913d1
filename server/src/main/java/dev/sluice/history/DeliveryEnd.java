package dev.sluice.history;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;

import java.util.Optional;

/// How a delivery ended, and the text that the API shows to explain it.
///
/// @param attempts the number of attempts made; if it is 0, `responseStatus` and `errorMessage` are
///   empty
/// @param errorMessage why the last attempt failed; for a success, a note about the response
/// @param isAttempted whether the delivery's row contains data about its last attempt
public record DeliveryEnd(
        DeliveryStatus status,
        Optional<ErrorCode> code,
        Optional<Integer> responseStatus,
        Optional<String> errorMessage,
        boolean isAttempted,
        int attempts) {

    /// The end of a delivery whose event does not match the connection's filter.
    public static final DeliveryEnd FILTERED =
            new DeliveryEnd(
                    DeliveryStatus.FILTERED,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    false,
                    0);

    /// Returns a sentence that says how and why the delivery ended. For most failures, it also says
    /// what the user can do.
    public String reason() {
        return switch (status) {
            case SUCCEEDED ->
                    "Delivered: destination answered "
                            + responseStatus.orElse(0)
                            + errorMessage.map(note -> ". " + note).orElse("")
                            + ".";
            case FILTERED -> "Filtered: the connection's filter did not match.";
            default -> failureReason();
        };
    }

    private String failureReason() {
        if (code.isPresent() && !isAttempted) {
            return "Failed: " + reasonWithoutAttempt(code.get()) + ".";
        }
        String why = errorMessage.orElse("the destination did not accept it");
        if (code.filter(ErrorCode.TRANSFORMATION_FAILED::equals).isPresent()) {
            return "Failed: " + why + ". Resend it once this is fixed.";
        }
        return status == DeliveryStatus.FAILED
                ? "Failed: "
                        + why
                        + "; this answer is not retried. Resend it once the destination is fixed."
                : ExhaustedReason.sentence(attempts, why);
    }

    /// Returns the error of the last attempt or, if the row has no attempt, the reason why the
    /// delivery failed without one. Returns empty if there is no error.
    public Optional<String> error() {
        if (status == DeliveryStatus.SUCCEEDED) {
            return Optional.empty();
        }
        return errorMessage.or(
                () -> isAttempted ? Optional.empty() : code.map(DeliveryEnd::reasonWithoutAttempt));
    }

    private static String reasonWithoutAttempt(ErrorCode code) {
        return switch (code) {
            case DESTINATION_DELETED ->
                    "the destination was deleted before this could be delivered";
            case CONNECTION_DELETED -> "the connection was deleted before this could be delivered";
            case EVENT_EXPIRED -> "the event's retention ended before this could be delivered";
            case PAYLOAD_UNREADABLE ->
                    "the stored payload is damaged and cannot be read, so nothing was sent. Ask the"
                            + " sender to send the webhook again";
            case INTERRUPTED ->
                    "the relay died twice while it was sending only this delivery. Resend it once"
                            + " the cause is found";
            default -> code.text();
        };
    }
}
