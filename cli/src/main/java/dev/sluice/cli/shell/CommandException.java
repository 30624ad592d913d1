package dev.sluice.cli.shell;

import java.time.Duration;
import java.util.Optional;

/// The error that ends a command. The message describes the problem in one sentence, and the hint
/// says how to fix it.
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String code;
    private final String problem;
    private final String hint;
    private final transient Optional<String> requestId;
    private final transient Optional<Duration> retryAfter;

    /// @param code a stable, machine-readable code, such as `not_found`
    /// @param hint how to fix the problem; may be empty
    public CommandException(int exitCode, String code, String problem, String hint) {
        this(exitCode, code, problem, hint, Optional.empty(), Optional.empty());
    }

    /// @param requestId the id that the server gave the failed request
    /// @param retryAfter how long the server asks the client to wait
    public CommandException(
            int exitCode,
            String code,
            String problem,
            String hint,
            Optional<String> requestId,
            Optional<Duration> retryAfter) {
        super(problem);
        this.exitCode = exitCode;
        this.code = code;
        this.problem = problem;
        this.hint = hint;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
    }

    /// Returns the error for incorrect usage, such as an invalid argument.
    public static CommandException usage(String problem, String hint) {
        return new CommandException(ExitCode.USAGE, "usage", problem, hint);
    }

    /// Returns the error for an interrupted thread, and sets the thread's interrupt flag again.
    public static CommandException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        var failure = new CommandException(ExitCode.FAILED, "interrupted", "Interrupted.", "");
        failure.initCause(cause);
        return failure;
    }

    public int exitCode() {
        return exitCode;
    }

    public String code() {
        return code;
    }

    public String problem() {
        return problem;
    }

    public String hint() {
        return hint;
    }

    public Optional<String> requestId() {
        return requestId;
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
