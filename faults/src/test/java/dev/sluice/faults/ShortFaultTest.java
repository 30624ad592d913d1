package dev.sluice.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.platform.CommandLineOptions;

import org.junit.jupiter.api.Test;

import java.util.List;

class ShortFaultTest {

    @Test
    void a_kill_of_the_relay_and_one_of_its_database_lose_nothing() {
        var options =
                FaultOptions.from(
                                CommandLineOptions.parse(
                                        List.of("--sluice", "../bin/sluice", "--rate", "60")))
                        .minimal();

        var criteria =
                new FaultTrial.UnderLoadTrial("short", FaultSequence.shortRun()).run(options);

        assertThat(criteria.unmetExceptTiming()).isEmpty();
    }
}
