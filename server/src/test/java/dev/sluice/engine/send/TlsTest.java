package dev.sluice.engine.send;

import static dev.sluice.engine.send.OutboundRequests.to;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.testkit.Certificates;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import javax.net.ssl.SSLContext;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {

    private static final ScriptedDnsLookup LOOKUP =
            new ScriptedDnsLookup()
                    .resolves("receiver.test", "127.0.0.1")
                    .resolves("other.test", "127.0.0.1");

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @BeforeAll
    void makeCertificates(@TempDir Path directory) throws Exception {
        certificates = Certificates.make(directory);
    }

    @Test
    void a_certificate_of_a_trusted_authority_for_the_host_is_enough() throws Exception {
        try (var receiver = Receiver.startTls(certificates.identity("good"));
                var sender = trusting(certificates.trust())) {
            var first =
                    sender.send(to("https://receiver.test:" + receiver.port() + "/"), () -> true);
            var second =
                    sender.send(to("https://receiver.test:" + receiver.port() + "/"), () -> true);

            assertThat(first).isInstanceOf(Outcome.DestinationResponse.class);
            assertThat(second).isInstanceOf(Outcome.DestinationResponse.class);
            assertThat(receiver.connections()).isEqualTo(1);
            assertThat(receiver.requests().getFirst().values("Host"))
                    .containsExactly("receiver.test:" + receiver.port());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "expired,  receiver.test, The certificate has expired",
        "good,     other.test,    The certificate is not for this host name",
        "good,     127.0.0.1,     The certificate is not for this host name",
        "stranger, receiver.test,"
                + " The certificate is not signed by an authority that this server trusts",
    })
    void any_other_certificate_is_refused_and_nothing_sent(
            String certificate, String host, String detail) throws Exception {
        try (var receiver = Receiver.startTls(certificates.identity(certificate));
                var sender = trusting(certificates.trust())) {
            var outcome =
                    sender.send(to("https://" + host + ":" + receiver.port() + "/"), () -> true);

            var unreachable = (Outcome.AttemptError) outcome;
            assertThat(unreachable.code()).isEqualTo(ErrorCode.TLS_FAILED);
            assertThat(unreachable.detail()).isEqualTo(detail);
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void a_connection_closed_idle_is_replaced_over_tls_too() throws Exception {
        try (var receiver = Receiver.startTls(certificates.identity("good"));
                var sender = trusting(certificates.trust())) {
            receiver.willDo(
                    new Receiver.ScriptedResponse(
                            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                            Receiver.ConnectionAction.CLOSE),
                    Receiver.answer(202, ""));
            var request = to("https://receiver.test:" + receiver.port() + "/");

            sender.send(request, () -> true);
            var second = sender.send(request, () -> true);

            assertThat(second).isInstanceOf(Outcome.DestinationResponse.class);
            assertThat(receiver.requests()).hasSize(2);
        }
    }

    private static HttpSender trusting(SSLContext trust) {
        var policy = AddressPolicy.allowing(List.of(Cidr.parse("127.0.0.0/8")));
        return HttpSender.open(
                new HostResolver(LOOKUP, policy, Duration.ZERO),
                new HttpConnectionPool(trust, 64),
                new OutboundHeaderBuilder("X-Service"),
                InstantSource.system());
    }
}
