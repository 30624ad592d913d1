package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `sluice serve`, declared here only so that `--help` lists it.
///
/// The script `bin/sluice` starts the server without this class.
@Command(
        name = "serve",
        description =
                "Run the server in the foreground; settings are SLUICE_* environment variables.")
final class ServeCommand implements Runnable {

    @Spec
    private @SuppressWarnings("NullAway.Init") CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Start the server with bin/sluice serve.");
    }
}
