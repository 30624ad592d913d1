package dev.sluice.cli.listen;

/// An action that runs if Ctrl-C or SIGTERM ends the process before [#close()] is called. Java does
/// not run `finally` blocks in that case.
final class ShutdownHook implements AutoCloseable {

    private final Thread hook;

    /// @param name the name of the thread that runs `action`
    ShutdownHook(String name, Runnable action) {
        hook = new Thread(action, name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, so the hook cannot be removed.
        }
    }
}
