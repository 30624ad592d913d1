package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;

class EndpointFailureTest {

    private static final Router ROUTER =
            new Router()
                    .get(
                            "/bug",
                            _ -> {
                                throw new IllegalStateException("secret");
                            })
                    .get(
                            "/error",
                            _ -> {
                                throw new OutOfMemoryError("secret");
                            });

    @Test
    void whatever_is_thrown_is_answered_500_with_the_envelope() throws Exception {
        var settings = new HttpServer.ListenerSettings("127.0.0.1", 0, Duration.ofSeconds(1));
        var ids = new Uuid7(InstantSource.system(), new Random(1));
        try (var server = HttpServer.start(settings, ROUTER, AnswerMemory.ofHeap(), ids)) {
            var api = ApiClient.undocumented(server.port());
            for (String path : new String[] {"/bug", "/error"}) {
                var answer = api.get(path);

                assertThat(answer.status()).as(path).isEqualTo(500);
                assertThat(answer.errorCode()).as(path).isEqualTo("internal_error");
                assertThat(answer.body()).as(path).doesNotContain("secret");
                assertThat(answer.header("X-Request-Id")).as(path).isPresent();
            }
        }
    }
}
