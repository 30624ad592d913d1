package dev.sluice.platform.postgres;

import com.sun.security.auth.module.UnixSystem;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A way to run PostgreSQL's programs: as the current user, as another user, or in a user
/// namespace. The programs refuse to run as root.
sealed interface RunAs {

    /// Runs the programs as Sluice's own user, which is not root.
    record CurrentUnixUser() implements RunAs {}

    /// Runs the programs as another user, through a tool that drops root privileges.
    record OtherUnixUser(UnixUser user, PrivilegeDropTool tool) implements RunAs {}

    /// Runs the programs in a new user namespace, where root has no privileges. The files remain
    /// owned by root, so this also works inside a folder that only root may enter. Many containers
    /// forbid user namespaces.
    record UserNamespace() implements RunAs {}

    /// The tools that drop root privileges, in order of preference. None of them exists on every
    /// system.
    enum PrivilegeDropTool {
        SETPRIV,
        RUNUSER,
        SU,
        CHROOT;

        private List<String> prefix(UnixUser user) {
            return switch (this) {
                case SETPRIV ->
                        List.of(
                                "setpriv",
                                "--reuid=" + user.uid(),
                                "--regid=" + user.gid(),
                                "--clear-groups",
                                "--no-new-privs");
                case RUNUSER -> List.of("runuser", "-u", user.name(), "--");
                case SU -> List.of("su", "-s", "/bin/sh", user.name(), "-c");
                case CHROOT ->
                        List.of(
                                "chroot",
                                "--userspec=" + user.uid() + ":" + user.gid(),
                                "--groups=",
                                "/");
            };
        }
    }

    /// Returns the ways that might work for the current user, in order of preference.
    static List<RunAs> candidates() {
        if (new UnixSystem().getUid() != 0) {
            return List.of(new CurrentUnixUser());
        }
        var candidates = new ArrayList<RunAs>();
        for (var user : UnixUser.candidates()) {
            for (var tool : PrivilegeDropTool.values()) {
                candidates.add(new OtherUnixUser(user, tool));
            }
        }
        candidates.add(new UserNamespace());
        return candidates;
    }

    /// Returns the command that runs `command` this way. If a tool keeps running as the parent
    /// process, it exits when its child does.
    default List<String> wrap(List<String> command) {
        return switch (this) {
            case CurrentUnixUser _ -> command;
            case OtherUnixUser(UnixUser user, PrivilegeDropTool tool) ->
                    join(
                            tool.prefix(user),
                            tool == PrivilegeDropTool.SU
                                    ? List.of("exec " + quoted(command))
                                    : command);
            case UserNamespace _ -> join(List.of("unshare", "-U"), command);
        };
    }

    /// Changes the owner of the files in `tree` to the user that PostgreSQL will run as.
    default void chown(Path tree) {
        switch (this) {
            case CurrentUnixUser _ -> {}
            case OtherUnixUser(UnixUser user, _) -> user.chown(tree);
            case UserNamespace _ -> UnixUser.ROOT.chown(tree);
        }
    }

    /// Returns a label that identifies this way of running the programs. It appears in log lines
    /// and in the file that records which way worked.
    default String label() {
        return switch (this) {
            case CurrentUnixUser _ -> "directly";
            case OtherUnixUser(UnixUser user, PrivilegeDropTool tool) ->
                    tool.prefix(user).getFirst() + " as " + user.name();
            case UserNamespace _ -> "unshare";
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
