package dev.sluice.relay.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

class FairLookupQueueTest {

    /// Lookups that hold a thread, in the order they started.
    private final ArrayDeque<Runnable> started = new ArrayDeque<>();

    private final FairLookupQueue queue = new FairLookupQueue(started::add, 2, 8);
    private final List<String> answered = new ArrayList<>();

    private void enqueue(String name) {
        queue.execute(name, () -> answered.add(name));
    }

    @Test
    void names_of_one_domain_take_their_share_and_no_more() {
        enqueue("a.slow.example");
        enqueue("b.slow.example");
        enqueue("c.slow.example");
        enqueue("d.slow.example");
        enqueue("other.test");
        assertThat(started).hasSize(3);

        while (!started.isEmpty()) {
            started.remove().run();
        }
        assertThat(answered)
                .containsExactly(
                        "a.slow.example",
                        "b.slow.example",
                        "other.test",
                        "c.slow.example",
                        "d.slow.example");
    }

    @Test
    void too_many_in_all_are_refused_until_some_are_done() {
        for (int i = 0; i < 4; i++) {
            enqueue(i + ".slow.example");
            enqueue(i + ".slow.test");
        }
        assertThatThrownBy(() -> enqueue("other.test"))
                .isInstanceOf(RejectedExecutionException.class);

        started.remove().run();
        enqueue("other.test");
        assertThat(started).hasSize(5);
    }

    @Test
    void names_of_one_domain_take_a_quarter_of_the_line_and_no_more() {
        for (int i = 0; i < 4; i++) {
            enqueue(i + ".slow.example");
        }
        assertThatThrownBy(() -> enqueue("4.slow.example"))
                .isInstanceOf(RejectedExecutionException.class);
        enqueue("other.test");

        started.remove().run();
        enqueue("5.slow.example");
        while (!started.isEmpty()) {
            started.remove().run();
        }
        assertThat(answered).hasSize(6).contains("other.test", "5.slow.example");
    }

    @ParameterizedTest
    @CsvSource({"a.b.example.com, example.com", "example.com, example.com", "localhost, localhost"})
    void a_domain_is_the_last_two_labels(String name, String domain) {
        assertThat(FairLookupQueue.domainOf(name)).isEqualTo(domain);
    }
}
