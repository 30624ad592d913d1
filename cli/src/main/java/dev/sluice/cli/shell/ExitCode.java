package dev.sluice.cli.shell;

/// The exit codes of all commands, which `docs/guide/cli.md` documents.
public final class ExitCode {

    public static final int OK = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    public static final int NOT_FOUND = 3;

    /// The user is not signed in, the key is invalid, or the caller lacks permission.
    public static final int DENIED = 4;

    /// A conflict, values that the server refuses, or mistakes in the file that `apply` reads.
    public static final int REFUSED = 5;

    public static final int NETWORK = 6;
    public static final int RATE_LIMITED = 7;

    /// Forwarding failed, and `--fail-on-error` was given.
    public static final int FORWARDING = 8;

    /// The time limit passed before the expected events arrived.
    public static final int TIME_LIMIT = 124;

    private ExitCode() {}
}
