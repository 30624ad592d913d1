package dev.sluice.platform.http;

import java.util.Locale;

/// An API error code and its HTTP status. `docs/reference/errors.md` lists the codes for users.
public enum ApiErrorCode {
    MALFORMED_REQUEST(400),
    UNAUTHORIZED(401),
    VERIFICATION_FAILED(401),
    QUOTA_EXCEEDED(402),
    PLAN_LIMIT_REACHED(402),
    FORBIDDEN(403),
    WORKSPACE_SUSPENDED(403),
    NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    REQUEST_TIMEOUT(408),
    CONFLICT(409),
    REQUEST_IN_PROGRESS(409),
    PRECONDITION_FAILED(412),
    PAYLOAD_TOO_LARGE(413),
    UNSUPPORTED_MEDIA_TYPE(415),
    VALIDATION_FAILED(422),
    IDEMPOTENCY_KEY_REUSED(422),
    RATE_LIMITED(429),
    STREAM_LIMIT_REACHED(429),
    HEADERS_TOO_LARGE(431),
    INTERNAL_ERROR(500),
    UNAVAILABLE(503);

    private final int status;

    ApiErrorCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }

    /// Returns the code as it appears in the error envelope, such as `not_found`.
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
