package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

class TakenPortTest {

    @TempDir private Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"SLUICE_PORT", "SLUICE_METRICS_PORT"})
    void a_taken_port_is_refused_before_anything_is_created(String setting) throws IOException {
        var data = parent.resolve("data");
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var settings = Map.of(setting, Integer.toString(taken.getLocalPort()));

            assertThatThrownBy(() -> RunningSluice.start(data, InstantSource.system(), settings))
                    .isInstanceOf(StartupException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageEndingWith(setting + ".");
        }
        assertThat(data).doesNotExist();
    }
}
