package dev.sluice.engine;

import java.util.Locale;

/// Why an attempt failed, or why a delivery ended before its next attempt.
///
/// The database stores each constant's number. The meaning of a number must never change, and the
/// constants must stay in the order of their numbers.
public enum ErrorCode {
    DNS_FAILURE(1),
    CONNECT_REFUSED(2),
    CONNECT_TIMEOUT(3),
    TLS_FAILED(4),
    CONNECTION_RESET(5),
    RESPONSE_TIMEOUT(6),
    REDIRECT(7),
    BLOCKED_ADDRESS(8),
    HTTP_STATUS(9),
    INVALID_RESPONSE(10),
    TRANSFORMATION_FAILED(11),
    INTERRUPTED(12),
    DESTINATION_DELETED(13),
    CONNECTION_DELETED(14),
    EVENT_EXPIRED(15),
    PAYLOAD_UNREADABLE(16);

    private final short number;

    ErrorCode(int number) {
        this.number = (short) number;
    }

    public short number() {
        return number;
    }

    public static ErrorCode fromNumber(int number) {
        return values()[number - 1];
    }

    /// Returns the name used in the API, such as `response_timeout`.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
