package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Tool;

import java.util.Optional;
import java.util.regex.Pattern;

/// A fault that only tests inside the server can place exactly; run by Maven, many times in a row.
///
/// @param classes of tests, separated by commas
/// @param rounds each fault so often
record ServerTests(String title, String classes, int rounds) implements Trial {

    private static final Pattern SUMMARY =
            Pattern.compile("Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+)");

    @Override
    public Optional<String> refusal() {
        return Tool.has("mvn") ? Optional.empty() : Optional.of("needs Maven");
    }

    @Override
    public Criteria run(Dose dose) {
        int times = dose.rounds(rounds);
        var ended =
                Tool.run(
                        "mvn",
                        "-B",
                        "-ntp",
                        "-pl",
                        "server",
                        "test",
                        "-Dtest=" + classes,
                        "-Dsluice.rounds=" + times);
        var criteria = new Criteria();
        long run = 0;
        long failed = 0;
        var summary = SUMMARY.matcher(ended.said());
        while (summary.find()) {
            // The last one sums up all classes.
            run = Long.parseLong(summary.group(1));
            failed = Long.parseLong(summary.group(2)) + Long.parseLong(summary.group(3));
        }
        if (!ended.isGood()) {
            criteria.remark(ended.said().substring(Math.max(0, ended.said().length() - 4000)));
        }
        return criteria.remark("each point %d times".formatted(times))
                .atLeast("tests run", 1, run)
                .none("tests failed", failed)
                .holds("Maven ended with 0", ended.exit() == 0, Integer.toString(ended.exit()));
    }
}
