package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.measure.CpuProfile.MethodSamples;

import org.junit.jupiter.api.Test;

import java.util.List;

class CpuProfileTest {

    @Test
    void a_method_counts_once_in_each_sample_and_for_itself_where_it_ran() {
        var profile = new CpuProfile();
        profile.add(List.of("a.Main.run", "a.Work.half"));
        profile.add(List.of("a.Main.run", "a.Work.other", "a.Work.other"));

        assertThat(profile.hottest(3))
                .containsExactly(
                        new MethodSamples("a.Work.half", 1, 1),
                        new MethodSamples("a.Work.other", 1, 1),
                        new MethodSamples("a.Main.run", 0, 2));
        assertThat(profile.hottest(1)).hasSize(1);
        assertThat(profile.percent(2)).isEqualTo(100);
        assertThat(profile.percent(1)).isEqualTo(50);
    }
}
