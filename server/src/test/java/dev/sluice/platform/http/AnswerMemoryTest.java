package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

class AnswerMemoryTest {

    private static final int UNIT_BYTES = 16 << 10;
    private static final int UNITS = 120;

    private long nanoTime;
    private final AnswerMemory memory = new AnswerMemory(UNITS * UNIT_BYTES, () -> nanoTime);
    private final List<String> dropped = new ArrayList<>();

    private static UUID workspace(int number) {
        return new UUID(0, number);
    }

    /// Takes answers of this many units until one is refused, and returns those that were given.
    private List<AnswerMemory.AnswerReservation> takeAll(UUID workspace, int units) {
        var given = new ArrayList<AnswerMemory.AnswerReservation>();
        while (true) {
            var answer = memory.open(workspace);
            try {
                answer.growTo((long) units * UNIT_BYTES);
            } catch (ApiException e) {
                return given;
            }
            given.add(answer);
        }
    }

    private void write(AnswerMemory.AnswerReservation answer, String name) {
        answer.beginWriting(() -> dropped.add(name));
    }

    private void pass(Duration time) {
        nanoTime += time.toNanos();
    }

    @Test
    void a_workspace_alone_gets_half_and_others_find_their_part() {
        assertThat(takeAll(workspace(1), 1)).hasSize(UNITS / 2);
        assertThat(takeAll(workspace(2), 1)).hasSize(UNITS / 6);
        assertThat(takeAll(workspace(3), 1)).hasSizeGreaterThanOrEqualTo(UNITS / 12);
    }

    @Test
    void ten_workspaces_that_take_all_they_may_leave_an_eleventh_part() {
        for (int each = 0; each < 10; each++) {
            takeAll(workspace(each), 1);
        }

        long held = memory.bytesByWorkspace().values().stream().mapToLong(Long::longValue).sum();

        assertThat(UNITS - held / UNIT_BYTES).isGreaterThanOrEqualTo(UNITS / 11);
    }

    @Test
    void an_answer_without_room_is_refused_with_retry_after_and_keeps_what_it_had() {
        var answer = memory.open(workspace(1));
        answer.growTo(UNIT_BYTES);

        assertThatThrownBy(() -> answer.growTo((UNITS / 2 + 1) * UNIT_BYTES))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.reply().status()).isEqualTo(503);
                            assertThat(e.reply().header("Retry-After")).contains("1");
                        });

        assertThat(memory.bytesByWorkspace()).containsEntry(workspace(1), (long) UNIT_BYTES);
    }

    @Test
    void what_an_answer_gives_back_another_may_take() {
        var given = takeAll(workspace(1), 10);

        given.forEach(AnswerMemory.AnswerReservation::release);
        given.getFirst().release();

        assertThat(memory.bytesByWorkspace()).isEmpty();
        assertThat(takeAll(workspace(2), 10)).hasSameSizeAs(given);
    }

    @Test
    void a_client_that_reads_nothing_is_dropped_when_its_workspace_finds_no_room() {
        var given = takeAll(workspace(1), 20);
        write(given.getFirst(), "silent");
        pass(Duration.ofSeconds(6));

        assertThat(takeAll(workspace(1), 20)).isEmpty();

        assertThat(dropped).containsExactly("silent");
    }

    @Test
    void a_client_that_reads_a_byte_a_second_is_dropped_and_one_that_reads_is_not() {
        var given = takeAll(workspace(1), 20);
        write(given.get(0), "dripping");
        write(given.get(1), "reading");
        pass(Duration.ofSeconds(10));
        given.get(0).taken(10);
        given.get(1).taken(10 * (16 << 10));

        assertThat(takeAll(workspace(1), 20)).isEmpty();

        assertThat(dropped).containsExactly("dripping");
    }

    @Test
    void slow_clients_of_the_largest_workspace_are_dropped_for_another_and_those_of_a_third_stay() {
        write(takeAll(workspace(1), 40).getFirst(), "largest");
        write(takeAll(workspace(2), 10).getFirst(), "third");
        pass(Duration.ofSeconds(6));

        takeAll(workspace(3), 20);

        assertThat(dropped).containsExactly("largest");
    }

    @Test
    void while_there_is_room_nobody_is_dropped() {
        var slow = memory.open(workspace(1));
        slow.growTo(UNIT_BYTES);
        write(slow, "slow");
        pass(Duration.ofMinutes(5));

        memory.open(workspace(1)).growTo(UNIT_BYTES);

        assertThat(dropped).isEmpty();
    }

    @Test
    void an_answer_is_dropped_once() {
        write(takeAll(workspace(1), 60).getFirst(), "slow");
        pass(Duration.ofSeconds(6));

        takeAll(workspace(1), 1);
        takeAll(workspace(1), 1);

        assertThat(dropped).containsExactly("slow");
    }

    @Test
    void an_answer_that_must_be_sent_counts_even_beyond_the_share() {
        var answer = memory.open(workspace(1));

        answer.countTo(UNITS * UNIT_BYTES);

        assertThat(takeAll(workspace(2), 1)).isEmpty();
        answer.release();
        assertThat(takeAll(workspace(2), 1)).hasSize(UNITS / 2);
    }
}
