package dev.sluice;

/// An action that must run even if Ctrl-C or SIGTERM ends the process. Java then skips `finally`
/// blocks and runs only shutdown hooks.
final class ExitAction implements AutoCloseable {

    private final Thread hook;

    private ExitAction(Thread hook) {
        this.hook = hook;
    }

    /// Registers `action` to run on a separate thread if a signal ends the process before
    /// [#close()] is called.
    ///
    /// @param name the thread's name
    static ExitAction of(String name, Runnable action) {
        var hook = new Thread(action, name);
        Runtime.getRuntime().addShutdownHook(hook);
        return new ExitAction(hook);
    }

    /// Cancels the action. If the process is already ending, this method does not return, so that
    /// the caller does not continue and report failures that only the shutdown caused.
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            Runtime.getRuntime().exit(1); // waits until the shutdown has ended the process
        }
    }
}
