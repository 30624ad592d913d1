package dev.sluice.bench.measure;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Determines the name of the group that a thread belongs to. Threads that do the same work are
/// counted as one group.
final class ThreadGroupNames {

    /// Matches the title that a PostgreSQL process sets in place of its command line.
    private static final Pattern POSTGRES_TITLE =
            Pattern.compile("postgres: (?<work>[a-z ]*[a-z])(?: [0-9]+)?[ \\x00]*");

    private static final String AUTOVACUUM_WORKER = "postgres: autovacuum worker";

    /// Matches the title of a session, which contains the user, the database and the client's
    /// address.
    private static final Pattern POSTGRES_SESSION =
            Pattern.compile("postgres: \\S+ \\S+ (\\[local]|\\S+\\([0-9]+\\))(?s:.*)");

    /// The names of the JVM's own threads. The kernel keeps only the first 15 characters of a name.
    private static final Set<String> JVM_THREADS =
            Set.of(
                    "java",
                    "Cleaner",
                    "Common-Cleaner",
                    "Finalizer",
                    "Monitor Deflati",
                    "Notification Th",
                    "Reference Handl",
                    "Service Thread",
                    "Signal Dispatch",
                    "VM Periodic Tas",
                    "VM Thread");

    private ThreadGroupNames() {}

    /// @param name the thread's name in the kernel
    /// @param title the command line of the thread's process
    static String of(String name, String title) {
        return title.startsWith("postgres: ") ? ofPostgres(title) : ofThread(name);
    }

    private static String ofPostgres(String title) {
        if (POSTGRES_SESSION.matcher(title).matches()) {
            return "sessions";
        }
        if (title.startsWith(AUTOVACUUM_WORKER)) {
            return "autovacuum worker"; // its title also contains the database's name
        }
        Matcher work = POSTGRES_TITLE.matcher(title);
        return work.matches() ? work.group("work") : "other";
    }

    private static String ofThread(String name) {
        String base = name.replaceFirst("[-#]([0-9].*)?$", "");
        if (JVM_THREADS.contains(base)) {
            return "JVM";
        }
        if (base.startsWith("G1 ") || base.equals("GC Thread")) {
            return "garbage collector";
        }
        return switch (base) {
            case "C1 CompilerThre", "C2 CompilerThre", "Training replay" -> "compilers";
            case "ForkJoinPool" -> "virtual threads";
            case "postgres" -> "postmaster";
            default -> base;
        };
    }
}
