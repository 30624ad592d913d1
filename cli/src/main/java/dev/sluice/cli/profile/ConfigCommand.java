package dev.sluice.cli.profile;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.TextTable;

import picocli.CommandLine.Command;

import java.util.List;

/// The `sluice config` command, which shows which settings are in effect, and where each comes
/// from.
@Command(name = "config", description = "Show the settings in effect and where each comes from.")
public final class ConfigCommand {

    private static final String DEFAULT = "the default";

    private final CommandContext context;

    public ConfigCommand(CommandContext context) {
        this.context = context;
    }

    @Command(name = "explain", description = "Show each setting, its value and its origin.")
    void explain() {
        var access = ServerAccess.resolve(context);
        var rows =
                List.of(
                        List.of(
                                "server",
                                access.server().value().toString(),
                                access.server().origin()),
                        List.of(
                                "api_key",
                                access.apiKey()
                                        .map(key -> ApiKeys.prefix(key.value()))
                                        .orElse("none"),
                                access.apiKey().map(ResolvedValue::origin).orElse(noKey(access))),
                        List.of(
                                "profile",
                                access.profileName().value(),
                                access.profileName().origin()),
                        List.of(
                                "output",
                                context.output().toString().toLowerCase(java.util.Locale.ROOT),
                                outputOrigin()),
                        List.of(
                                "forward_to",
                                context.shell().variable("SLUICE_FORWARD_TO").orElse("none"),
                                origin("SLUICE_FORWARD_TO")),
                        List.of(
                                "profiles",
                                ProfileFile.of(context.shell()).path().toString(),
                                folderOrigin("XDG_CONFIG_HOME")),
                        List.of(
                                "state",
                                context.shell().stateDirectory().toString(),
                                folderOrigin("XDG_STATE_HOME")));
        if (context.output() == OutputFormat.JSON) {
            var all = JsonTree.object();
            rows.forEach(row ->
                    all.set(
                            row.get(0),
                            JsonTree.object().put("value", row.get(1)).put("origin", row.get(2))));
            context.shell().out().println(JsonTree.write(all));
            return;
        }
        var table = new TextTable(List.of("setting", "value", "origin"));
        rows.forEach(table::add);
        table.print(context.shell().out());
    }

    @Command(name = "path", description = "Print the path of the file with the profiles.")
    void path() {
        context.shell().out().println(ProfileFile.of(context.shell()).path());
    }

    /// Returns why the chosen profile's key is not used, or an empty string if that profile does
    /// not exist.
    private String noKey(ServerAccess access) {
        return ProfileFile.of(context.shell())
                .find(access.profileName().value())
                .map(profile -> "the profile's key is for " + profile.server())
                .orElse("");
    }

    private String outputOrigin() {
        if (context.isOutputOption()) {
            return "--output";
        }
        return origin("SLUICE_OUTPUT");
    }

    private String origin(String variable) {
        return context.shell().variable(variable).map(_ -> variable).orElse(DEFAULT);
    }

    /// Like [#origin], but treats a variable that contains a relative path as unset.
    private String folderOrigin(String variable) {
        return context.shell().folderVariable(variable).map(_ -> variable).orElse(DEFAULT);
    }
}
