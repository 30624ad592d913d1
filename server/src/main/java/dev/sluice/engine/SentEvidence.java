package dev.sluice.engine;

import java.util.Optional;

/// Decides from the record of an attempt whether its request was sent, which means that at least
/// the first byte of the request left this server.
///
/// If the connection broke or no valid response arrived, this is usually unknown. In these cases,
/// only the error texts below show whether the request was sent.
public final class SentEvidence {

    /// An error with this text occurs before the first byte of the request is sent.
    public static final String RESET_IN_HANDSHAKE =
            "The connection was reset during the TLS handshake";

    /// An error with this text occurs after the response has begun to arrive.
    public static final String CLOSED_IN_RESPONSE =
            "The connection was closed before the response ended";

    /// An error whose text has this prefix occurs after the response has begun to arrive.
    public static final String UNENDED_RESPONSE = "The response did not end within ";

    /// An error whose text has this prefix concerns a response that has arrived.
    public static final String INVALID_RESPONSE = "The response is not valid HTTP: ";

    private SentEvidence() {}

    /// Returns whether the request was sent, or empty if that is not known.
    ///
    /// @param code the error code of the attempt; empty if the attempt succeeded
    public static Optional<Boolean> wasSent(
            Optional<ErrorCode> code,
            Optional<String> errorMessage,
            Optional<Integer> responseStatus) {
        if (responseStatus.isPresent() || code.isEmpty()) {
            return Optional.of(true);
        }
        String message = errorMessage.orElse("");
        return switch (code.get()) {
            case DNS_FAILURE,
                    CONNECT_REFUSED,
                    CONNECT_TIMEOUT,
                    TLS_FAILED,
                    BLOCKED_ADDRESS,
                    TRANSFORMATION_FAILED ->
                    Optional.of(false);
            case REDIRECT, HTTP_STATUS -> Optional.of(true);
            case CONNECTION_RESET ->
                    switch (message) {
                        case RESET_IN_HANDSHAKE -> Optional.of(false);
                        case CLOSED_IN_RESPONSE -> Optional.of(true);
                        default -> Optional.empty();
                    };
            case RESPONSE_TIMEOUT -> known(message.startsWith(UNENDED_RESPONSE));
            case INVALID_RESPONSE -> known(message.startsWith(INVALID_RESPONSE));
            case INTERRUPTED,
                    DESTINATION_DELETED,
                    CONNECTION_DELETED,
                    EVENT_EXPIRED,
                    PAYLOAD_UNREADABLE ->
                    Optional.empty();
        };
    }

    private static Optional<Boolean> known(boolean hasResponse) {
        return hasResponse ? Optional.of(true) : Optional.empty();
    }
}
