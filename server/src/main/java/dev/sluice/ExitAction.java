package dev.sluice;

/// Something that must be done even if Ctrl-C or SIGTERM ends the process. Java then runs no
/// `finally`, only shutdown hooks.
final class ExitAction implements AutoCloseable {

    private final Thread hook;

    private ExitAction(Thread hook) {
        this.hook = hook;
    }

    /// Makes the process run `action` on a thread of its own if it is ended before [#close()].
    ///
    /// @param name the thread's name
    static ExitAction of(String name, Runnable action) {
        var hook = new Thread(action, name);
        Runtime.getRuntime().addShutdownHook(hook);
        return new ExitAction(hook);
    }

    /// Drops the action. Does not return if the process is already ending: what follows would only
    /// report the failures that the end itself causes.
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            Runtime.getRuntime().exit(1); // waits for the end that is under way
        }
    }
}
