package dev.sluice.cli;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;

import picocli.CommandLine.Command;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/// The `sluice version` command, which prints the version of this command line tool.
@Command(name = "version", description = "Print the version of this command line tool.")
final class VersionCommand implements Runnable {

    private final CommandContext context;

    VersionCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var out = context.shell().out();
        String version = version();
        switch (context.output()) {
            case PRETTY -> out.println("sluice " + version);
            case JSON -> out.println(JsonTree.write(JsonTree.object().put("version", version)));
            case QUIET -> out.println(version);
        }
    }

    private static String version() {
        var properties = new Properties();
        try (InputStream in = VersionCommand.class.getResourceAsStream("/sluice.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // The version is then reported as unknown.
        }
        return properties.getProperty("version", "unknown");
    }
}
