package dev.sluice.features.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Tests when what is told.
class AlertIncidentTest {

    private static final Set<NewsKind> FAILURE = EnumSet.of(NewsKind.FAILED);

    private static AlertIncident after(int messages) {
        return new AlertIncident(messages, Optional.of(Some.NOON), false, false);
    }

    @Test
    void the_first_failure_is_told_at_once_and_nothing_is_never_told() {
        assertThat(AlertIncident.NONE.dueAt(FAILURE, Some.NOON)).contains(Some.NOON);
        assertThat(AlertIncident.NONE.dueAt(Set.of(), Some.NOON)).isEmpty();
        assertThat(after(1).dueAt(Set.of(), Some.NOON)).isEmpty();
    }

    /// Columns: messages so far, kind of the news, when they came and when they are told, both in
    /// minutes after the last message.
    @ParameterizedTest
    @CsvSource({
        "1, FAILED,     0,    10",
        "1, EXHAUSTED,  9,    10",
        "1, OPENED,     10,   10",
        "1, FAILED,     300,  300",
        "2, FAILED,     1,    60",
        "2, EXHAUSTED,  61,   61",
        "3, FAILED,     1,    360",
        "9, OPENED,     1,    360",
        "0, FAILED,     1,    10",
        "3, EXPIRING,   1,    10",
        "3, UNREADABLE, 11,   11",
        "3, RECOVERED,  1,    1",
        "1, RECOVERED,  0,    0",
        "1, FAILED,     -60,  -50",
    })
    void further_news_are_folded(int messages, NewsKind kind, long came, long due) {
        var now = Some.NOON.plus(Duration.ofMinutes(came));

        assertThat(after(messages).dueAt(EnumSet.of(kind), now))
                .contains(Some.NOON.plus(Duration.ofMinutes(due)));
    }

    @Test
    void a_destination_that_stays_down_is_reported_less_and_less_often() {
        var told = new ArrayList<Long>();
        var incident = AlertIncident.NONE;
        for (int minute = 0; minute <= 24 * 60; minute++) {
            Instant now = Some.NOON.plus(Duration.ofMinutes(minute)); // it fails every minute
            if (!incident.dueAt(FAILURE, now).orElseThrow().isAfter(now)) {
                incident = incident.reported(FAILURE, now);
                told.add((long) minute);
            }
        }

        assertThat(told).isEqualTo(List.of(0L, 10L, 70L, 430L, 790L, 1150L));
    }

    @Test
    void after_a_recovery_the_next_failure_waits_ten_minutes_at_most() {
        var recovered = after(4).reported(EnumSet.of(NewsKind.RECOVERED), Some.NOON);

        assertThat(recovered.dueAt(FAILURE, Some.NOON.plusSeconds(1)))
                .contains(Some.NOON.plus(Duration.ofMinutes(10)));
        assertThat(recovered.reported(FAILURE, Some.NOON).messages()).isEqualTo(1);
    }

    /// A destination that opens and closes again and again costs two messages in ten minutes.
    @Test
    void a_flapping_destination_is_bounded() {
        int messages = 0;
        var incident = AlertIncident.NONE;
        var news = EnumSet.noneOf(NewsKind.class);
        for (int second = 0; second < 3600; second++) {
            Instant now = Some.NOON.plusSeconds(second);
            if (second % 60 == 0) {
                news.remove(NewsKind.RECOVERED);
                news.add(NewsKind.OPENED);
                incident = withCircuit(incident, true);
            } else if (second % 60 == 30) {
                news.remove(NewsKind.OPENED);
                if (incident.isOpenReported()) {
                    news.add(NewsKind.RECOVERED);
                }
                incident = withCircuit(incident, false);
            }
            if (incident.dueAt(news, now).filter(due -> !due.isAfter(now)).isPresent()) {
                incident = incident.reported(news, now);
                news.clear();
                messages++;
            }
        }

        assertThat(messages).isLessThanOrEqualTo(12);
    }

    private static AlertIncident withCircuit(AlertIncident incident, boolean isOpen) {
        return new AlertIncident(
                incident.messages(), incident.lastAt(), isOpen, incident.isOpenReported());
    }
}
