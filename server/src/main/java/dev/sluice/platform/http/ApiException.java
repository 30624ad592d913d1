package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFieldsException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Thrown to refuse an API request; the server turns it into an error response. The message is
/// shown to the client, so it consists of complete sentences that say what is wrong or what to do.
public final class ApiException extends RuntimeException {

    private final ApiErrorCode error;
    private final transient List<FieldError> details;
    private final transient List<Header> headers;

    public ApiException(ApiErrorCode error, String message) {
        this(error, message, List.of(), List.of());
    }

    private ApiException(
            ApiErrorCode error, String message, List<FieldError> details, List<Header> headers) {
        super(message);
        this.error = error;
        this.details = List.copyOf(details);
        this.headers = List.copyOf(headers);
    }

    /// Returns the error for an id that does not exist in the caller's workspace. The error does
    /// not depend on whether the id exists in another workspace, so callers cannot find out which
    /// ids exist.
    ///
    /// @param kind a singular noun, such as `source`
    public static ApiException notFound(String kind) {
        return new ApiException(ApiErrorCode.NOT_FOUND, "There is no such " + kind + ".");
    }

    /// Returns the same error as `notFound(kind)`, for an id or token in the request's body. The
    /// error's details name the field.
    ///
    /// @param field the path of the field, such as `source_id`
    public static ApiException notFound(String kind, String field) {
        var error = notFound(kind);
        var detail = new FieldError(field, field + " names no " + kind + " that exists here.");
        return new ApiException(
                error.error, String.valueOf(error.getMessage()), List.of(detail), List.of());
    }

    /// Returns a 429 error, which asks the client to wait. Its `Retry-After` header and its message
    /// give the delay in whole seconds, rounded up and at least 1.
    ///
    /// @param reason the beginning of the message, a complete sentence
    public static ApiException tooMany(String reason, Duration delay) {
        long seconds = Math.max(1, delay.toSeconds() + (delay.toNanosPart() > 0 ? 1 : 0));
        return new ApiException(
                        ApiErrorCode.RATE_LIMITED, reason + " Try again in " + seconds + " s.")
                .withHeader(new Header("Retry-After", Long.toString(seconds)));
    }

    /// Returns a 503 error, which asks the client to try again after a second.
    public static ApiException unavailable(String message) {
        return new ApiException(ApiErrorCode.UNAVAILABLE, message)
                .withHeader(new Header("Retry-After", "1"));
    }

    /// Returns an error that lists the invalid fields in its `details`.
    static ApiException of(ApiErrorCode error, InvalidFieldsException wrong) {
        return new ApiException(
                error, String.valueOf(wrong.getMessage()), wrong.errors(), List.of());
    }

    /// Returns a copy whose reply also has this header.
    public ApiException withHeader(Header header) {
        var all = new ArrayList<>(headers);
        all.add(header);
        return new ApiException(error, String.valueOf(getMessage()), details, all);
    }

    public ApiErrorCode error() {
        return error;
    }

    public Reply reply() {
        return Reply.error(error, String.valueOf(getMessage()), details).with(headers);
    }
}
