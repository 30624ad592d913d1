package dev.sluice.bench.fuzz;

import java.util.List;
import java.util.Optional;

/// What a relay answered.
///
/// @param headers lines without their ends, in order
public record Answer(int status, List<String> headers, String body) {

    Optional<String> header(String name) {
        return headers.stream()
                .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }
}
