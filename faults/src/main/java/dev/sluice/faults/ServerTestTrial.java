package dev.sluice.faults;

import dev.sluice.bench.platform.SystemCommands;

import java.util.Optional;
import java.util.regex.Pattern;

/// Runs server tests that cause faults themselves, because only code inside the server can time
/// these faults exactly. Maven runs the tests, which repeat each fault many times.
///
/// @param classes the test classes, separated by commas
/// @param rounds how many times each fault is caused, unless the command line gives another number
record ServerTestTrial(String title, String classes, int rounds) implements FaultTrial {

    private static final Pattern SUREFIRE_SUMMARY =
            Pattern.compile("Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+)");

    @Override
    public Optional<String> unmetRequirement() {
        return SystemCommands.isInstalled("mvn") ? Optional.empty() : Optional.of("needs Maven");
    }

    @Override
    public Criteria run(FaultOptions options) {
        int times = options.rounds(rounds);
        String command =
                "mvn -B -ntp -pl server test -Dtest=%s -Dsluice.rounds=%d"
                        .formatted(classes, times);
        var result = SystemCommands.run(command.split(" ", -1));
        var criteria = new Criteria();
        long run = 0;
        long failed = 0;
        var summary = SUREFIRE_SUMMARY.matcher(result.output());
        while (summary.find()) {
            // The last summary is the total for all classes.
            run = Long.parseLong(summary.group(1));
            failed = Long.parseLong(summary.group(2)) + Long.parseLong(summary.group(3));
        }
        if (!result.isSuccess()) {
            criteria.remark(
                    result.output().substring(Math.max(0, result.output().length() - 4000)));
        }
        return criteria.remark("each point %d times".formatted(times))
                .atLeast("tests run", 1, run)
                .none("tests failed", failed)
                .holds(
                        "Maven ended with 0",
                        result.exitStatus() == 0,
                        Integer.toString(result.exitStatus()));
    }
}
