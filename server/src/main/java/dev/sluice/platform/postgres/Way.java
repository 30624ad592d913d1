package dev.sluice.platform.postgres;

import com.sun.security.auth.module.UnixSystem;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// How to run PostgreSQL's programs, which refuse to be run by root.
sealed interface Way {

    /// As ourselves: we are not root.
    record Direct() implements Way {}

    /// As another account, by a tool that gives up root's rights.
    record As(Account account, Tool tool) implements Way {}

    /// In a user namespace of its own, where root is nobody. The files stay root's, so this works
    /// below a folder that only root may enter; but many containers don't allow it.
    record Namespace() implements Way {}

    /// What the many systems have to give up root's rights, best first.
    enum Tool {
        SETPRIV,
        RUNUSER,
        SU,
        CHROOT;

        private List<String> prefix(Account account) {
            return switch (this) {
                case SETPRIV ->
                        List.of(
                                "setpriv",
                                "--reuid=" + account.uid(),
                                "--regid=" + account.gid(),
                                "--clear-groups",
                                "--no-new-privs");
                case RUNUSER -> List.of("runuser", "-u", account.name(), "--");
                case SU -> List.of("su", "-s", "/bin/sh", account.name(), "-c");
                case CHROOT ->
                        List.of(
                                "chroot",
                                "--userspec=" + account.uid() + ":" + account.gid(),
                                "--groups=",
                                "/");
            };
        }
    }

    /// All ways worth trying for whoever we are, best first.
    static List<Way> all() {
        if (new UnixSystem().getUid() != 0) {
            return List.of(new Direct());
        }
        var ways = new ArrayList<Way>();
        for (var account : Account.fit()) {
            for (var tool : Tool.values()) {
                ways.add(new As(account, tool));
            }
        }
        ways.add(new Namespace());
        return ways;
    }

    /// The command that runs `command` this way. Where a tool stays in between, it ends with what
    /// it runs.
    default List<String> wrap(List<String> command) {
        return switch (this) {
            case Direct _ -> command;
            case As(Account account, Tool tool) ->
                    join(
                            tool.prefix(account),
                            tool == Tool.SU ? List.of("exec " + quoted(command)) : command);
            case Namespace _ -> join(List.of("unshare", "-U"), command);
        };
    }

    /// Makes what stands at `tree` belong to the user that PostgreSQL will run as.
    default void own(Path tree) {
        switch (this) {
            case Direct _ -> {}
            case As(Account account, _) -> account.own(tree);
            case Namespace _ -> Account.ROOT.own(tree);
        }
    }

    /// Tells one way from another, for people and in the file that keeps what worked.
    default String label() {
        return switch (this) {
            case Direct _ -> "directly";
            case As(Account account, Tool tool) ->
                    tool.prefix(account).getFirst() + " as " + account.name();
            case Namespace _ -> "unshare";
        };
    }

    private static List<String> join(List<String> prefix, List<String> command) {
        return Stream.concat(prefix.stream(), command.stream()).toList();
    }

    private static String quoted(List<String> command) {
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
