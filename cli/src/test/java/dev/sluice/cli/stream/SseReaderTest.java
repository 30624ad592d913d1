package dev.sluice.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.stream.SseReader.SseMessage;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Tests reading Server-Sent Events.
class SseReaderTest {

    @Test
    void messages_heartbeats_and_their_ids_are_read() throws IOException {
        assertThat(
                        read(
                                "retry: 2000\n"
                                        + "id: a\n"
                                        + "event: ready\n"
                                        + "data: {}\n\n"
                                        + "id: b\n"
                                        + ": alive\n\n"
                                        + "data: x\n"
                                        + "data:y\n\n"))
                .containsExactly(
                        new SseMessage("ready", "{}", "a"),
                        new SseMessage("", "", "b"),
                        new SseMessage("", "x\ny", "b"));
    }

    @Test
    void every_line_end_counts_once() throws IOException {
        assertThat(read("event: e\r\ndata: 1\r\n\r\nevent: e\rdata: 2\r\r"))
                .containsExactly(new SseMessage("e", "1", ""), new SseMessage("e", "2", ""));
    }

    @Test
    void a_message_that_is_cut_off_does_not_count() throws IOException {
        assertThat(read("event: e\ndata: 1\n")).isEmpty();
        assertThat(read("")).isEmpty();
    }

    @Test
    void text_is_utf_8_across_reads() throws IOException {
        String text = "ü€😀".repeat(10_000);

        assertThat(read("data: " + text + "\n\n")).containsExactly(new SseMessage("", text, ""));
    }

    private static List<SseMessage> read(String text) throws IOException {
        var reader = new SseReader(new ByteArrayInputStream(text.getBytes(UTF_8)), () -> {});
        var messages = new ArrayList<SseMessage>();
        for (var next = reader.next(); next.isPresent(); next = reader.next()) {
            messages.add(next.get());
        }
        return messages;
    }
}
