package dev.sluice.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.MalformedJsonException;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/// Tests that filters decide as the simple [ReferenceFilter] does, or not at all.
class FilterAgreementTest {

    private static final int CASES = 6_000;

    @Test
    void a_filter_decides_as_the_reference_does_and_a_smaller_effort_never_changes_a_result() {
        int compared = 0;
        int passed = 0;
        for (int seed = 0; seed < CASES; seed++) {
            var generator = new FilterGenerator(seed);
            String rules = generator.rules();
            byte[] body = generator.body().getBytes(UTF_8);
            var headers = generator.headers();
            var parsed = parse(rules);
            if (parsed.isPresent()) {
                var expected = FilterResult.of(ReferenceFilter.passes(rules, headers, body));
                check(seed, parsed.get(), headers, body, expected);
                compared++;
                passed += expected == FilterResult.PASSES ? 1 : 0;
            }
        }

        assertThat(compared).as("filters that are valid").isGreaterThan(CASES / 2);
        assertThat(passed).as("events that match").isBetween(compared / 5, compared * 4 / 5);
    }

    private static void check(
            int seed, Filter filter, List<Header> headers, byte[] body, FilterResult expected) {
        var unlimited = Effort.unlimited();
        assertThat(filter.evaluate(FilterInput.of(headers, body, unlimited)))
                .as("seed %s", seed)
                .isEqualTo(expected);
        for (long limit = 0; limit < unlimited.spent(); limit += 1 + limit / 16) {
            var effort = Effort.of(limit);
            assertThat(filter.evaluate(FilterInput.of(headers, body, effort)))
                    .as("seed %s, effort %s of %s", seed, limit, unlimited.spent())
                    .isEqualTo(FilterResult.UNDECIDED);
        }
        var enough = Effort.of(unlimited.spent());
        assertThat(filter.evaluate(FilterInput.of(headers, body, enough))).isEqualTo(expected);
    }

    private static Optional<Filter> parse(String rules) {
        try {
            return Optional.of(Filter.parseStored(rules));
        } catch (InvalidFieldsException | MalformedJsonException e) {
            return Optional.empty(); // a value has a name twice
        }
    }
}
