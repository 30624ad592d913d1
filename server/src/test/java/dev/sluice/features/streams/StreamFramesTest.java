package dev.sluice.features.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.json.JsonObject;

import org.junit.jupiter.api.Test;

class StreamFramesTest {

    private final StreamFrames frames = new StreamFrames();

    @Test
    void a_stream_is_charged_for_each_byte_that_it_copies() {
        frames.message(new byte[450], false);

        assertThat(frames.estimatedNanos()).isEqualTo(450);
    }

    @Test
    void the_stream_that_builds_a_message_is_charged_for_building_it() {
        frames.message(new byte[450], true);

        assertThat(frames.estimatedNanos()).isEqualTo(10_800);
    }

    @Test
    void a_byte_of_a_large_message_is_charged_less() {
        frames.message(new byte[1_000_000], true);

        assertThat(frames.estimatedNanos()).isEqualTo(4_009_000);
    }

    @Test
    void outcomes_are_built_for_each_stream() {
        frames.event("delivery", "cursor", new byte[100]);

        assertThat(frames.estimatedNanos()).isGreaterThan(9_400);
    }

    @Test
    void messages_that_were_taken_are_not_charged_again() {
        frames.event("gap", new JsonObject().put("reason", "retention"));
        frames.take();

        assertThat(frames.estimatedNanos()).isZero();
    }
}
