package dev.sluice.platform.postgres;

import dev.sluice.platform.secret.RandomText;
import dev.sluice.platform.secret.Secret;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A server that is ready to be started: its folder with a cluster in it, its programs, and how to
/// run them.
record Installation(Home home, Binaries binaries, Way way, Secret password) {

    /// 256 bits.
    private static final int PASSWORD_LENGTH = 43;

    /// Finds the first of `ways` that works here, and makes the cluster if there is none. A server
    /// that an earlier run left behind is stopped first.
    static Installation prepare(Path directory, List<Way> ways) throws InterruptedException {
        var home = Home.at(directory);
        var cluster = new Cluster(home);
        if (cluster.exists()) {
            cluster.checkVersion();
        }
        Postmaster.stopLeftover(home);
        var password = password(home, cluster);
        var binaries = Binaries.unpackedIn(home);
        var way =
                firstThatWorks(
                        rememberedFirst(ways, home.way().read()),
                        home,
                        binaries,
                        cluster,
                        password);
        return new Installation(home, binaries, way, password);
    }

    private static Secret password(Home home, Cluster cluster) {
        var kept = home.password().read();
        if (kept.isPresent()) {
            return new Secret(kept.get());
        }
        if (cluster.exists()) {
            throw new PostgresRefusal(
                    "%s is missing, and nothing else knows the password of the database in %s. Restore both from the same backup."
                            .formatted(home.password().file(), home.cluster()));
        }
        String fresh = new RandomText().base62(PASSWORD_LENGTH);
        home.password().write(fresh);
        return new Secret(fresh);
    }

    private static List<Way> rememberedFirst(List<Way> ways, Optional<String> label) {
        return ways.stream()
                .sorted(Comparator.comparing(way -> !label.equals(Optional.of(way.label()))))
                .toList();
    }

    private static Way firstThatWorks(
            List<Way> ways, Home home, Binaries binaries, Cluster cluster, Secret password)
            throws InterruptedException {
        var failures = new ArrayList<String>();
        for (var way : ways) {
            var run =
                    Run.of(
                            way.wrap(List.of(binaries.program("postgres"), "--version")),
                            home.directory());
            if (run.succeeded() && cluster.exists()) {
                way.own(home.cluster());
            } else if (run.succeeded()) {
                run = cluster.initialise(binaries, way, password.reveal());
            }
            if (run.succeeded()) {
                home.way().write(way.label());
                return way;
            }
            failures.add(
                    way.label() + ": " + run.output().lines().collect(Collectors.joining(" ")));
        }
        throw refusal(home, ways, failures);
    }

    private static PostgresRefusal refusal(Home home, List<Way> ways, List<String> failures) {
        String tried = String.join("\n  ", failures);
        if (ways.stream().anyMatch(Way.Direct.class::isInstance)) {
            return new PostgresRefusal(
                    "PostgreSQL can't be set up in %s:%n  %s".formatted(home.directory(), tried));
        }
        return new PostgresRefusal(
                """
                PostgreSQL refuses to run as root, and no way was found to run it as another user in %s. \
                Run Sluice as an ordinary user, or set SLUICE_DATABASE_URL to a PostgreSQL of your own. \
                (If other users can't pass through the folders above it, chmod 711 on those helps too.) Tried:
                  %s\
                """
                        .formatted(home.directory(), tried));
    }
}
