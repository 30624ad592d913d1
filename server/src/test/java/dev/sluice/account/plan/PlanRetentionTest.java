package dev.sluice.account.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class PlanRetentionTest {

    private static final Instant NOON = Some.NOON;

    @TempDir Path directory;

    private PlanCatalog catalogue(String... limits) throws IOException {
        var plans =
                IntStream.range(0, limits.length)
                        .mapToObj(
                                i -> "{\"name\": \"p" + i + "\", \"limits\": {" + limits[i] + "}}")
                        .collect(Collectors.joining(","));
        return PlanCatalog.read(
                Files.writeString(directory.resolve("plans"), "{\"items\": [" + plans + "]}"));
    }

    @Test
    void an_event_is_over_when_its_days_have_passed() {
        var retention = Retention.ofDays(3);
        var end = NOON.plus(Duration.ofDays(3));

        assertThat(retention.expiresAt(NOON)).contains(end);
        assertThat(retention.isExpired(NOON, end.minusMillis(1))).isFalse();
        assertThat(retention.isExpired(NOON, end)).isTrue();
        assertThat(retention.expiryCutoff(end)).isEqualTo(NOON);
    }

    @Test
    void without_days_it_never_is() {
        assertThat(Retention.UNLIMITED.expiresAt(NOON)).isEmpty();
        assertThat(Retention.UNLIMITED.noticePeriod()).isEmpty();
        assertThat(Retention.UNLIMITED.isExpired(NOON, Instant.parse("9999-01-01T00:00:00Z")))
                .isFalse();
        assertThat(Retention.UNLIMITED.isNearExpiry(NOON, NOON)).isFalse();
    }

    @Test
    void its_end_is_near_a_day_before_and_half_of_less_than_two_days() {
        assertThat(Retention.ofDays(30).noticePeriod()).contains(Duration.ofHours(24));
        assertThat(Retention.ofDays(1).noticePeriod()).contains(Duration.ofHours(12));
        assertThat(Retention.ofDays(3).isNearExpiry(NOON, NOON.plus(Duration.ofDays(2)))).isTrue();
        assertThat(Retention.ofDays(3).isNearExpiry(NOON, NOON.plus(Duration.ofHours(47))))
                .isFalse();
    }

    @Test
    void a_catalogue_keeps_as_long_as_its_longest_plan() throws IOException {
        assertThat(catalogue("\"retention_days\": 3", "\"retention_days\": 7").longestRetention())
                .isEqualTo(Retention.ofDays(7));
        assertThat(
                        catalogue("\"retention_days\": 3", "\"retention_days\": null")
                                .longestRetention())
                .isEqualTo(Retention.UNLIMITED);
    }

    @Test
    void a_plan_that_vanished_keeps_its_days_as_long_as_somebody_has_it() throws IOException {
        var offered = catalogue("\"retention_days\": 3");
        var vanished =
                PlanCatalog.parse(
                        PlanCatalog.text(catalogue("\"retention_days\": 7").offered().getFirst()));

        assertThat(offered.withVanished(List.of(vanished)).longestRetention())
                .isEqualTo(Retention.ofDays(7));
        assertThat(offered.longestRetention()).isEqualTo(Retention.ofDays(3));
    }

    @Test
    void retention_must_be_said() {
        assertThatThrownBy(() -> catalogue("\"sources\": 3"))
                .hasMessageContaining("retention_days");
    }
}
