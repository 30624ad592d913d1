package dev.sluice.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.platform.Options;

import org.junit.jupiter.api.Test;

import java.util.List;

class ShortTest {

    @Test
    void a_kill_of_the_relay_and_one_of_its_database_lose_nothing() {
        var dose =
                Dose.from(Options.parse(List.of("--sluice", "../bin/sluice", "--rate", "60")))
                        .smallest();

        var criteria = new Trial.UnderLoad(Medley.brief()).run(dose);

        assertThat(criteria.broken()).isEmpty();
    }
}
