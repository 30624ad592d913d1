package dev.sluice.relay;

import dev.sluice.platform.http.Header;

import java.util.List;

/// How many relays an event has passed, told by a header that each of them counts up.
public final class Hops {

    private static final int MOST_DIGITS = 6;

    private Hops() {}

    /// What the first header of that name says. What is no number of at most six digits counts as
    /// none.
    public static int in(List<Header> headers, String name) {
        for (var header : headers) {
            if (header.isNamed(name)) {
                String text = header.value().strip();
                boolean isNumber =
                        !text.isEmpty()
                                && text.length() <= MOST_DIGITS
                                && text.chars().allMatch(c -> c >= '0' && c <= '9');
                return isNumber ? Integer.parseInt(text) : 0;
            }
        }
        return 0;
    }
}
