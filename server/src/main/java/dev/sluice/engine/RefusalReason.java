package dev.sluice.engine;

import java.util.Locale;

/// Why an ingest request was refused. The database stores each constant's number. The usage ledger
/// does not count `VERIFICATION_FAILED` among the refusals, because the event is still stored and
/// is counted as an event.
public enum RefusalReason {
    VERIFICATION_FAILED(1, 401),
    QUOTA_EXCEEDED(2, 402),
    PAYLOAD_TOO_LARGE(3, 413),
    RATE_LIMITED(4, 429),
    /// The event could not be stored, or storing it could not be confirmed.
    NOT_STORED(5, 500),
    /// The server had no room for the request, or the database was not available. Only counted by
    /// earlier versions and for test events; senders now get `RATE_LIMITED` or `NOT_STORED`.
    UNAVAILABLE(6, 503),
    /// The event failed verification and was only counted, because its source has stored as many
    /// such events as it may, or because the disk has little room.
    UNVERIFIED_NOT_STORED(7, 401),
    WORKSPACE_SUSPENDED(8, 429);

    private final int number;
    private final int status;

    RefusalReason(int number, int status) {
        this.number = number;
        this.status = status;
    }

    public int number() {
        return number;
    }

    public static RefusalReason fromNumber(int number) {
        return values()[number - 1];
    }

    /// Returns the HTTP status of the reply to the refused request.
    public int status() {
        return status;
    }

    /// Returns the name used in the API, such as `rate_limited`.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
