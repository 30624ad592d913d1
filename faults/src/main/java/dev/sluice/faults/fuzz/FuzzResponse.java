package dev.sluice.faults.fuzz;

import java.util.List;
import java.util.Optional;

/// A response from the relay.
///
/// @param headers the header lines without their line endings, in order
public record FuzzResponse(int status, List<String> headers, String body) {

    Optional<String> header(String name) {
        return headers.stream()
                .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }
}
