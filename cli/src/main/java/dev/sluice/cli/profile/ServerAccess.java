package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAddress;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import java.util.Optional;

/// Decides which server a command calls, and with which API key. An option takes precedence over
/// the environment, and the environment over the profile. There is no option for the key.
public final class ServerAccess {

    private static final String FILE_ORIGIN = "the profiles' file";

    private final ResolvedValue<String> profileName;
    private final ResolvedValue<ServerAddress> server;
    private final Optional<ResolvedValue<String>> apiKey;
    private final CommandContext context;

    private ServerAccess(
            ResolvedValue<String> profileName,
            ResolvedValue<ServerAddress> server,
            Optional<ResolvedValue<String>> apiKey,
            CommandContext context) {
        this.profileName = profileName;
        this.server = server;
        this.apiKey = apiKey;
        this.context = context;
    }

    public static ServerAccess resolve(CommandContext context) {
        var shell = context.shell();
        var file = ProfileFile.of(shell);
        var name = profileName(context, file);
        var profile = file.find(name.value());
        String origin = "profile '" + name.value() + "'";
        var server =
                context.server()
                        .map(text -> new ResolvedValue<>(ServerAddress.parse(text), "--server"))
                        .or(() ->
                                shell.variable("SLUICE_SERVER")
                                        .map(text ->
                                                new ResolvedValue<>(
                                                        ServerAddress.parse(text),
                                                        "SLUICE_SERVER")))
                        .or(() -> profile.map(found -> new ResolvedValue<>(found.server(), origin)))
                        .orElseGet(() -> new ResolvedValue<>(ServerAddress.LOCAL, "the default"));
        // A profile's key is sent only to the profile's server.
        var key =
                shell.variable("SLUICE_API_KEY")
                        .map(text -> new ResolvedValue<>(text, "SLUICE_API_KEY"))
                        .or(() ->
                                profile.filter(found -> found.server().equals(server.value()))
                                        .map(found -> new ResolvedValue<>(found.apiKey(), origin)));
        if (profile.isEmpty() && key.isEmpty() && !name.origin().equals(FILE_ORIGIN)) {
            throw new CommandException(
                    ExitCode.DENIED,
                    "unknown_profile",
                    "There is no profile '%s', which %s names."
                            .formatted(name.value(), name.origin()),
                    "`sluice login --list` lists the profiles; `sluice login --profile %s` makes this one."
                            .formatted(name.value()));
        }
        return new ServerAccess(name, server, key, context);
    }

    /// Returns the name of the profile to use. It comes from `--profile`, or else from
    /// `SLUICE_PROFILE`, or else from the file, which names the current profile.
    static ResolvedValue<String> profileName(CommandContext context, ProfileFile file) {
        return context.profile()
                .map(name -> new ResolvedValue<>(name, "--profile"))
                .or(() ->
                        context.shell()
                                .variable("SLUICE_PROFILE")
                                .map(name -> new ResolvedValue<>(name, "SLUICE_PROFILE")))
                .orElseGet(() -> new ResolvedValue<>(file.currentName(), FILE_ORIGIN));
    }

    ResolvedValue<String> profileName() {
        return profileName;
    }

    ResolvedValue<ServerAddress> server() {
        return server;
    }

    Optional<ResolvedValue<String>> apiKey() {
        return apiKey;
    }

    /// Returns a client that sends the API key.
    ///
    /// @throws CommandException if there is no key for this server, or the key is malformed
    public ServerClient client() {
        return client(Optional.of(requiredKey().value()));
    }

    /// Returns a client that sends no key, for operations that need none.
    ServerClient publicClient() {
        return client(Optional.empty());
    }

    private ServerClient client(Optional<String> key) {
        var checked = key.map(ServerAccess::checkedKey);
        return new ServerClient(server.value(), checked, context.shell()::note);
    }

    /// Returns a phrase that names the server and says where the API key comes from.
    public String description() {
        return "%s with the key of %s"
                .formatted(server.value(), apiKey.map(ResolvedValue::origin).orElse("nobody"));
    }

    private ResolvedValue<String> requiredKey() {
        return apiKey.orElseThrow(() ->
                new CommandException(
                        ExitCode.DENIED,
                        "not_signed_in",
                        "There is no API key for " + server.value() + ".",
                        "Run `sluice login --server "
                                + server.value()
                                + "`, or set SLUICE_API_KEY."));
    }

    /// Returns the key, or throws if it is not 1 to 400 printable ASCII characters without spaces.
    /// Without this check, a malformed key would cause an obscure error when the request is built.
    static String checkedKey(String key) {
        if (!key.matches("[!-~]{1,400}")) {
            throw new CommandException(
                    ExitCode.DENIED,
                    "malformed_key",
                    "The API key is malformed: it must be printable ASCII without spaces.",
                    "Copy it again; it begins with slk_ unless you chose it yourself.");
        }
        return key;
    }
}
