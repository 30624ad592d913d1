package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyMemoryTest {

    @Test
    void no_more_is_taken_than_there_is_until_some_is_given_back() {
        var memory = new BodyMemory(100);

        assertThat(memory.take(60)).isTrue();
        assertThat(memory.take(41)).isFalse();
        assertThat(memory.take(40)).isTrue();
        assertThat(memory.take(1)).isFalse();

        memory.giveBack(60);
        assertThat(memory.take(60)).isTrue();
    }
}
