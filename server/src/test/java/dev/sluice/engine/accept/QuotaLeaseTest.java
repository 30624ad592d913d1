package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaLeaseTest {

    @ParameterizedTest
    @CsvSource({
        "1000000, 0,      1000", // a hundredth would be 10 000
        "50000,   0,      500",
        "50000,   42000,  500",
        "50000,   48400,  100",
        "50000,   49984,  1",
        "50000,   49999,  1",
        "50000,   50000,  0",
        "50000,   60000,  0", // the plan was larger before
        "99,      0,      1",
        "1,       0,      1",
        "0,       0,      0",
    })
    void a_chunk_is_a_hundredth_and_smaller_toward_the_end(long cap, long taken, long chunk) {
        assertThat(QuotaLease.chunkSize(cap, taken)).isEqualTo(chunk);
    }

    @Test
    void a_lease_is_idle_once_none_was_used_for_sixty_looks() throws Exception {
        var lease = new QuotaLease();
        lease.fetchMore(() -> 5, Some.NOON).get();
        assertThat(lease.spend()).isTrue();

        assertThat(checksUntilIdle(lease)).isEqualTo(61);
        assertThat(lease.spend()).isTrue();
        assertThat(checksUntilIdle(lease)).isEqualTo(61);
        assertThat(lease.drain()).isEqualTo(3);
        assertThat(lease.checkIdle()).isFalse();
        assertThat(lease.spend()).isFalse();
    }

    private static int checksUntilIdle(QuotaLease lease) {
        int looks = 1;
        while (!lease.checkIdle()) {
            looks++;
        }
        return looks;
    }
}
