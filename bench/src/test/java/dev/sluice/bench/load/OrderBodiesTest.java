package dev.sluice.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineException;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

class OrderBodiesTest {

    private static final String START = "{\"marker\":\"0-0\",";

    @Test
    void each_body_is_another_order_of_the_same_size() {
        var bodies = new OrderBodies(new SplittableRandom(1), 1024);
        var ids = new HashSet<String>();

        for (int count = 0; count < 1000; count++) {
            byte[] body = bodies.next(START);

            assertThat(body).hasSize(1024);
            var order = BenchJson.MAPPER.readTree(new String(body, StandardCharsets.UTF_8));
            assertThat(order.path("marker").asString()).isEqualTo("0-0");
            assertThat(order.path("order").path("lines")).hasSize(2);
            ids.add(order.path("order").path("id").asString());
        }

        assertThat(ids).hasSize(1000);
    }

    @Test
    void more_than_100_bytes_of_each_are_random() {
        var random = new CountedRandom();
        var bodies = new OrderBodies(random, 1024);

        var _ = bodies.next(START);

        assertThat(random.bits / Byte.SIZE).isBetween(100.0, 130.0);
    }

    @Test
    void a_size_without_room_for_an_order_is_refused() {
        var bodies = new OrderBodies(new SplittableRandom(1), 512);

        assertThatThrownBy(() -> bodies.next(START))
                .isInstanceOf(CommandLineException.class)
                .hasMessageContaining("--size");
    }

    /// Adds up how much chance is in what it gave.
    private static final class CountedRandom implements RandomGenerator {

        private final RandomGenerator random = new SplittableRandom(1);
        private double bits;

        @Override
        public int nextInt(int bound) {
            bits += Math.log(bound) / Math.log(2);
            return random.nextInt(bound);
        }

        @Override
        public long nextLong() {
            bits += Long.SIZE;
            return random.nextLong();
        }
    }
}
