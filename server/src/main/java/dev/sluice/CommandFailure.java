package dev.sluice;

import dev.sluice.platform.db.DbException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;

/// Explains in one line why a command could not run and, for common problems, how to fix them.
final class CommandFailure {

    private static final String DISK_FULL = "No space left on device";

    private CommandFailure() {}

    /// @return one or more sentences without line breaks
    static String reason(Exception failure) {
        @Nullable Throwable cause =
                failure instanceof UncheckedIOException ? failure.getCause() : failure;
        String reason =
                switch (cause) {
                    case IOException onFile -> ofFile(onFile);
                    case DbException ofDatabase -> ofDatabase(ofDatabase);
                    case null, default -> String.valueOf(failure.getMessage());
                };
        return reason.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static String ofFile(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof AccessDeniedException denied) {
            return "this user may not read or write "
                    + denied.getFile()
                    + ". Run the command as another user, or choose another file.";
        }
        return message.contains(DISK_FULL)
                ? "the disk is full (" + message + "). Free some space, or choose another disk."
                : message;
    }

    private static String ofDatabase(DbException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.isConnectionLost() || failure.isLoginRefused()
                ? message.replaceFirst("\\.?$", ".")
                        + " Check SLUICE_DATABASE_URL, and that PostgreSQL runs there."
                : message;
    }
}
