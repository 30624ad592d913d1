package dev.sluice.bench.operate;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.NginxServer;
import dev.sluice.bench.platform.SimpleHttpClient;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.RelaySetup;
import dev.sluice.bench.scenario.Scenario;

import java.net.URI;
import java.time.Duration;

/// The `nginx` scenario reads a live stream through nginx, which runs with its default settings and
/// only a `proxy_pass` rule. The first event must arrive within a second. After a quiet period, by
/// default about five minutes, the next event must arrive just as fast on the same connection.
///
/// @param quiet how long to wait between the first event and the second one
public record ProxiedStreamScenario(RelaySetup setup, Duration quiet) implements Scenario {

    private static final double MAX_SECONDS = 1;
    private static final Duration EVENT_TIMEOUT = Duration.ofSeconds(30);

    /// The interval at which the stream sends a comment as a heartbeat.
    private static final int HEARTBEAT_SECONDS = 15;

    public static ProxiedStreamScenario from(CommandLineOptions options) {
        return new ProxiedStreamScenario(RelaySetup.from(options), options.seconds("seconds", 310));
    }

    @Override
    public BenchReport run() {
        NginxServer.require();
        return setup.runOwn("nginx", this::measure);
    }

    private void measure(RelayProcess relay, BenchReport report) {
        int port = RelayProcess.freePort();
        var source = relay.api().createSource("bench nginx");
        report.remark(NginxServer.version());
        try (var _ = NginxServer.start(port, "proxy_pass " + relay.api().base());
                var stream =
                        StreamLines.open(
                                URI.create(
                                        "http://127.0.0.1:%d/api/v1/sources/%s/tail"
                                                .formatted(port, source.id())),
                                relay.api().key())) {
            double first = secondsToEvent(stream, throughProxy(source, port), 1);
            long heartbeats = stream.comments();
            Wait.pause(quiet);
            heartbeats = stream.comments() - heartbeats;
            double last = secondsToEvent(stream, throughProxy(source, port), 2);
            report.add(
                    ReportTable.of("Live stream behind nginx", "event | seconds until it was read")
                            .row("first", first)
                            .row("after %d quiet seconds".formatted(quiet.toSeconds()), last));
            report.remark("%d heartbeats meanwhile, on one connection".formatted(heartbeats))
                    .failUnless(first <= MAX_SECONDS, "the first event took too long")
                    .failUnless(last <= MAX_SECONDS, "the last event took too long")
                    .failUnless(stream.isOpen(), "the stream ended")
                    .failUnless(
                            heartbeats >= quiet.toSeconds() / HEARTBEAT_SECONDS - 1,
                            "heartbeats are missing");
        }
    }

    private static URI throughProxy(BenchSource source, int port) {
        return URI.create("http://127.0.0.1:" + port + source.ingest().getPath());
    }

    private static double secondsToEvent(StreamLines stream, URI ingest, int number) {
        Wait.until(EVENT_TIMEOUT, stream::isConnected);
        SimpleHttpClient.post(ingest, "", "{\"number\":%d}".formatted(number));
        return Wait.secondsUntil(EVENT_TIMEOUT, () -> stream.events() >= number);
    }
}
