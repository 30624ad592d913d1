package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/// The command `sluice version`, which also handles the option `--version`.
@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Runnable, IVersionProvider {

    @Spec
    private @SuppressWarnings("NullAway.Init") CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().println(text());
        spec.commandLine().getOut().flush();
    }

    @Override
    public String[] getVersion() {
        return new String[] {text()};
    }

    private static String text() {
        var properties = new Properties();
        try (InputStream in = VersionCommand.class.getResourceAsStream("/sluice.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // The version stays unknown.
        }
        return "sluice " + properties.getProperty("version", "unknown");
    }
}
