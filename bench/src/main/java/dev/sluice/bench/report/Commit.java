package dev.sluice.bench.report;

import dev.sluice.bench.platform.Tool;

/// What was measured.
final class Commit {

    private Commit() {}

    /// Of the checkout that we run in, and whether its sources were changed since.
    static String here() {
        if (!Tool.has("git")) {
            return "unknown";
        }
        var head = Tool.run("git", "rev-parse", "--short=10", "HEAD");
        var changes = Tool.run("git", "status", "--porcelain", "--", "server", "bench/src");
        if (!head.isGood() || !changes.isGood()) {
            return "unknown";
        }
        return head.said().strip() + (changes.said().isBlank() ? "" : ", with changes");
    }
}
