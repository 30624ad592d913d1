package dev.sluice.bench.platform;

import java.net.URI;
import java.util.List;

/// The nginx server installed on this machine, with its default settings, one worker, and one rule
/// for all requests.
public final class NginxServer implements AutoCloseable {

    private final InstalledProgram program;
    private final int port;

    private NginxServer(InstalledProgram program, int port) {
        this.program = program;
        this.port = port;
    }

    /// Throws unless nginx is installed.
    public static void require() {
        InstalledProgram.require("nginx");
    }

    /// Returns nginx's version, as nginx prints it.
    public static String version() {
        return SystemCommands.run("nginx", "-v").output().strip();
    }

    /// Starts nginx and returns once it is listening on loopback.
    ///
    /// @param rule the nginx directive that handles all requests, such as `return 200`
    public static NginxServer start(int port, String rule) {
        String configuration =
                """
                daemon off;
                pid nginx.pid;
                error_log stderr;
                events {}
                http {
                  access_log off;
                  server {
                    listen 127.0.0.1:%d;
                    location / { %s; }
                  }
                }
                """
                        .formatted(port, rule);
        var program =
                InstalledProgram.start(
                        List.of("sh", "-c", "exec nginx -p \"$PWD\" -c configuration"),
                        configuration,
                        port);
        return new NginxServer(program, port);
    }

    public URI base() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /// Returns the id of nginx's main process, which is the worker's parent.
    public long pid() {
        return program.pid();
    }

    @Override
    public void close() {
        program.close();
    }
}
