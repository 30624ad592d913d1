package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.Role;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.relay.Api;
import dev.sluice.bench.relay.Elsewhere;
import dev.sluice.bench.relay.Installed;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// Which relay a scenario works on: one of its own, or one that runs already on this machine.
///
/// @param postgres the folder of the programs of an installed one, to be used instead of the
///   relay's own
record Setup(Path launcher, boolean keep, Optional<Elsewhere> running, Optional<Path> postgres) {

    static Setup from(Options options) {
        var launcher = options.path("sluice").orElse(Path.of("bin", "sluice"));
        var url = options.uri("url");
        var key = options.text("key");
        var processes = new EnumMap<Role, Long>(Role.class);
        int relay = options.number("pid", 0);
        int postgres = options.number("postgres-pid", 0);
        if (relay > 0) {
            processes.put(Role.RELAY, (long) relay);
        }
        if (postgres > 0) {
            processes.put(Role.POSTGRES, (long) postgres);
        }
        return new Setup(
                launcher,
                options.flag("keep"),
                url.map(base -> running(base, key, processes)),
                options.path("postgres-bin"));
    }

    Target open() {
        if (running.isPresent()) {
            return running.get();
        }
        return postgres.<Target>map(programs -> Installed.start(launcher, keep, programs))
                .orElseGet(() -> Relay.start(launcher, keep));
    }

    /// For scenarios that look behind the relay's address.
    Relay openOwn() {
        if (running.isPresent() || postgres.isPresent()) {
            throw new UsageException(
                    "this scenario starts a relay and its PostgreSQL: no --url, no --postgres-bin");
        }
        return Relay.start(launcher, keep);
    }

    /// Stops a relay of our own, which must end well.
    static void stop(Target target, Report report) {
        switch (target) {
            case Relay own -> stopWell(own, report);
            case Installed(var own, _) -> stopWell(own, report);
            default -> {}
        }
    }

    private static void stopWell(Relay own, Report report) {
        int exit = own.stop();
        report.failUnless(exit == 0, "the relay stopped with exit status " + exit);
    }

    private static Elsewhere running(URI base, Optional<String> key, Map<Role, Long> processes) {
        try {
            if (!InetAddress.getByName(base.getHost()).isLoopbackAddress()) {
                throw new UsageException("--url must be on loopback");
            }
        } catch (UnknownHostException e) {
            throw new UsageException("--url names an unknown host: " + e.getMessage());
        }
        var api = new Api(base, key.orElseThrow(() -> new UsageException("--url needs --key")));
        return new Elsewhere(api, processes);
    }
}
