package dev.sluice.platform.postgres;

import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Everything that a PostgreSQL server needs to start, apart from its [PostgresSettings]: the
/// directory that contains its data, the programs, the way to run them, and the password.
record Installation(
        PostgresDirectory postgresDirectory, Binaries binaries, RunAs runAs, Secret password) {

    /// The length of a generated password. 43 base62 characters contain 256 bits of randomness.
    private static final int PASSWORD_LENGTH = 43;

    /// Stops any server that an earlier run left behind, finds or unpacks the programs, and creates
    /// the data directory if there is none. Tries the candidates, beginning with the one that
    /// worked last time, and uses the first one that can run the programs on this machine.
    static Installation prepare(Path directory, List<RunAs> candidates)
            throws InterruptedException {
        var postgresDirectory = PostgresDirectory.prepare(directory);
        var cluster = new DatabaseCluster(postgresDirectory);
        if (cluster.exists()) {
            cluster.checkVersion();
        }
        Postmaster.stopLeftover(postgresDirectory);
        var password = password(postgresDirectory, cluster);
        var binaries = Binaries.find(postgresDirectory);
        var runAs =
                findWorking(
                        rememberedFirst(candidates, postgresDirectory.runAs().read()),
                        postgresDirectory,
                        binaries,
                        cluster,
                        password);
        return new Installation(postgresDirectory, binaries, runAs, password);
    }

    private static Secret password(PostgresDirectory postgresDirectory, DatabaseCluster cluster) {
        var stored = postgresDirectory.password().read();
        if (stored.isPresent()) {
            return new Secret(stored.get());
        }
        if (cluster.exists()) {
            throw new PostgresStartException(
                    "%s is missing. Only this file holds the password of the database in %s. Restore both from the same backup."
                            .formatted(
                                    postgresDirectory.password().path(),
                                    postgresDirectory.cluster()));
        }
        String generated = new SecretGenerator().base62(PASSWORD_LENGTH);
        postgresDirectory.password().write(generated);
        return new Secret(generated);
    }

    private static List<RunAs> rememberedFirst(List<RunAs> candidates, Optional<String> label) {
        return candidates.stream()
                .sorted(Comparator.comparing(runAs -> !label.equals(Optional.of(runAs.label()))))
                .toList();
    }

    private static RunAs findWorking(
            List<RunAs> candidates,
            PostgresDirectory postgresDirectory,
            Binaries binaries,
            DatabaseCluster cluster,
            Secret password)
            throws InterruptedException {
        var failures = new ArrayList<String>();
        for (var runAs : candidates) {
            var result =
                    CommandResult.run(
                            runAs.wrap(List.of(binaries.program("postgres"), "--version")),
                            postgresDirectory.path());
            if (result.succeeded() && cluster.exists()) {
                runAs.chown(postgresDirectory.cluster());
            } else if (result.succeeded()) {
                result = cluster.initialise(binaries, runAs, password.reveal());
            }
            if (result.succeeded()) {
                postgresDirectory.runAs().write(runAs.label());
                return runAs;
            }
            failures.add(
                    runAs.label()
                            + ": "
                            + result.output().lines().collect(Collectors.joining(" ")));
        }
        throw refusal(postgresDirectory, candidates, failures);
    }

    private static PostgresStartException refusal(
            PostgresDirectory postgresDirectory, List<RunAs> candidates, List<String> failures) {
        String tried = String.join("\n  ", failures);
        if (candidates.stream().anyMatch(RunAs.CurrentUnixUser.class::isInstance)) {
            return new PostgresStartException(
                    "PostgreSQL can't be set up in %s:%n  %s"
                            .formatted(postgresDirectory.path(), tried));
        }
        return new PostgresStartException(
                """
                PostgreSQL refuses to run as root, and Sluice found no way to run it as another user in %s. \
                Run Sluice as an ordinary user, or set SLUICE_DATABASE_URL to your own PostgreSQL server. \
                (If other users can't enter the folders above it, run chmod 711 on those.) Tried:
                  %s\
                """
                        .formatted(postgresDirectory.path(), tried));
    }
}
