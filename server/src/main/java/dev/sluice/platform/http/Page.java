package dev.sluice.platform.http;

import java.util.Optional;

/// Which part of a list is asked for.
///
/// @param number 1-based
/// @param limit of items, 1 to 200
public record Page(int number, int limit) {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MOST = 200;
    private static final int LAST = 10_000_000;

    public static Page of(Request request) {
        return new Page(
                read(request, "page", 1, LAST).orElse(1),
                read(request, "limit", 1, MOST).orElse(DEFAULT_LIMIT));
    }

    /// The page of a list that is whole by default: empty unless the request asks for one.
    public static Optional<Page> asked(Request request) {
        boolean any =
                request.parameter("page").isPresent() || request.parameter("limit").isPresent();
        return any ? Optional.of(of(request)) : Optional.empty();
    }

    /// How many items stand before this page.
    public long offset() {
        return (long) (number - 1) * limit;
    }

    private static Optional<Integer> read(Request request, String name, int least, int most) {
        return request.parameter(name)
                .map(text -> {
                    int number;
                    try {
                        number = Integer.parseInt(text);
                    } catch (NumberFormatException e) {
                        throw new ApiException(
                                ErrorStatus.MALFORMED_REQUEST, name + " must be a whole number.");
                    }
                    if (number < least || number > most) {
                        throw ApiException.invalid(
                                name, name + " must be from " + least + " to " + most + ".");
                    }
                    return number;
                });
    }
}
