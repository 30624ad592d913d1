package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `sluice serve`: stands here for the help. The script `bin/sluice` runs the server itself.
@Command(
        name = "serve",
        description =
                "Run the server in the foreground; settings are SLUICE_* environment variables.")
final class Serve implements Runnable {

    @Spec
    private @SuppressWarnings("NullAway.Init") CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Start the server with bin/sluice serve.");
    }
}
