package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFields;

import java.util.ArrayList;
import java.util.List;

/// A request that is refused. The message tells the sender what to do.
public final class ApiException extends RuntimeException {

    private final ErrorStatus error;
    private final transient List<FieldError> details;
    private final transient List<Header> headers;

    public ApiException(ErrorStatus error, String message) {
        this(error, message, List.of(), List.of());
    }

    private ApiException(
            ErrorStatus error, String message, List<FieldError> details, List<Header> headers) {
        super(message);
        this.error = error;
        this.details = List.copyOf(details);
        this.headers = List.copyOf(headers);
    }

    /// Nothing of that kind and id in the caller's workspace; whether another one has it is not
    /// told.
    public static ApiException notFound(String kind) {
        return new ApiException(ErrorStatus.NOT_FOUND, "There is no such " + kind + ".");
    }

    /// Several fields are wrong.
    static ApiException of(ErrorStatus error, InvalidFields wrong) {
        return new ApiException(
                error, String.valueOf(wrong.getMessage()), wrong.errors(), List.of());
    }

    /// With one header more.
    public ApiException with(Header header) {
        var all = new ArrayList<>(headers);
        all.add(header);
        return new ApiException(error, String.valueOf(getMessage()), details, all);
    }

    public Reply reply() {
        return Reply.error(error, String.valueOf(getMessage()), details).with(headers);
    }
}
