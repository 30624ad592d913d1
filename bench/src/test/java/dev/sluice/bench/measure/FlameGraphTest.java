package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class FlameGraphTest {

    @Test
    void a_frame_is_as_wide_as_its_share_of_the_samples() {
        var graph = new FlameGraph();
        graph.add(List.of("a.Main.run", "a.Work.half"));
        graph.add(List.of("a.Main.run", "a.Work.<other>"));

        assertThat(graph.svg())
                .contains("<title>a.Main.run, 2 samples, 100.00 %</title>")
                .contains("<title>a.Work.half, 1 samples, 50.00 %</title>")
                .contains("<title>a.Work.&lt;other&gt;, 1 samples, 50.00 %</title>")
                .contains("width=\"800.0\"");
    }
}
