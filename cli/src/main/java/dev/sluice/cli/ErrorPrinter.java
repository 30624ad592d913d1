package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

/// Prints the error that ends a command. The output is one line on standard error, as text or JSON.
final class ErrorPrinter {

    private final CommandContext context;

    private ErrorPrinter(CommandContext context) {
        this.context = context;
    }

    /// Installs an error printer on a command and all its subcommands, and sets their output
    /// streams and colours.
    static CommandLine on(CommandLine command, CommandContext context) {
        var printer = new ErrorPrinter(context);
        var shell = context.shell();
        var colours = CommandLine.Help.defaultColorScheme(shell.hasColours() ? Ansi.ON : Ansi.OFF);
        return command.setOut(writer(shell.out()))
                .setErr(writer(shell.err()))
                .setColorScheme(colours)
                .setParameterExceptionHandler(printer::parameters)
                .setExecutionExceptionHandler(printer::execution);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, UTF_8);
    }

    private int parameters(ParameterException wrong, String[] args) {
        String message =
                String.valueOf(wrong.getMessage()).lines().findFirst().orElse("Wrong usage");
        var suggestions =
                wrong instanceof UnmatchedArgumentException unmatched
                        ? unmatched.getSuggestions()
                        : List.<String>of();
        String hint =
                suggestions.isEmpty()
                        ? "`%s --help` shows the usage."
                                .formatted(wrong.getCommandLine().getCommandSpec().qualifiedName())
                        : "Did you mean " + String.join(" or ", suggestions) + "?";
        boolean isJson = wantsJson() || Arrays.asList(args).contains("json");
        return print(
                CommandException.usage(message + (message.endsWith(".") ? "" : "."), hint), isJson);
    }

    private int execution(Exception thrown, CommandLine command, CommandLine.ParseResult parsed) {
        if (thrown instanceof CommandException failure) {
            return print(failure, wantsJson());
        }
        var unexpected =
                new CommandException(
                        ExitCode.FAILED,
                        "internal_error",
                        "%s failed unexpectedly: %s"
                                .formatted(command.getCommandSpec().qualifiedName(), thrown),
                        "Please report this.");
        return print(unexpected, wantsJson());
    }

    private boolean wantsJson() {
        try {
            return context.output() == OutputFormat.JSON;
        } catch (CommandException e) {
            return false;
        }
    }

    private int print(CommandException failure, boolean isJson) {
        var err = context.shell().err();
        if (isJson) {
            var error =
                    JsonTree.object()
                            .put("code", failure.code())
                            .put("message", failure.problem())
                            .put("hint", failure.hint())
                            .put("request_id", failure.requestId().orElse(null));
            err.println(JsonTree.write(JsonTree.object().set("error", error)));
        } else {
            String hint = failure.hint().isEmpty() ? "" : " " + failure.hint();
            err.println(SafeText.line("sluice: " + failure.problem() + hint));
        }
        err.flush();
        return failure.exitCode();
    }
}
