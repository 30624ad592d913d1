package dev.sluice.platform.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// A mail server that answers each command as a test says, for what a real one does rarely: refuse,
/// fall silent, offer `STARTTLS`.
final class ScriptedSmtpServer implements AutoCloseable {

    /// A reply that never comes.
    static final String SILENCE = "";

    private final ServerSocket listener;
    private final Map<String, String> replies;
    private final SSLContext tls;
    private final boolean isTlsFromTheStart;

    /// The lines that clients sent, `TLS` before those that came encrypted.
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private ScriptedSmtpServer(
            ServerSocket listener,
            Map<String, String> replies,
            SSLContext tls,
            boolean isTlsFromTheStart) {
        this.listener = listener;
        this.replies = replies;
        this.tls = tls;
        this.isTlsFromTheStart = isTlsFromTheStart;
    }

    /// @param replies by command, such as `RCPT`; `GREETING` is what it says first
    static ScriptedSmtpServer start(Map<String, String> replies, SSLContext tls)
            throws IOException {
        return start(replies, tls, false);
    }

    /// Starts a server whose connections are encrypted from their first byte.
    static ScriptedSmtpServer startTls(SSLContext tls) throws IOException {
        return start(Map.of(), tls, true);
    }

    private static ScriptedSmtpServer start(
            Map<String, String> replies, SSLContext tls, boolean isTlsFromTheStart)
            throws IOException {
        var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var server = new ScriptedSmtpServer(listener, replies, tls, isTlsFromTheStart);
        Thread.ofVirtual().start(server::accept);
        return server;
    }

    int port() {
        return listener.getLocalPort();
    }

    List<String> lines() {
        return lines;
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                Thread.ofVirtual().start(() -> talk(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void talk(Socket socket) {
        try (socket) {
            var plain = isTlsFromTheStart ? encrypted(socket) : socket;
            reply(plain, "GREETING", "220 test");
            converse(plain, isTlsFromTheStart ? "TLS " : "");
        } catch (IOException e) {
            // the client went away
        }
    }

    private void converse(Socket socket, String mark) throws IOException {
        var in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        boolean isData = false;
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            lines.add(mark + line);
            String command = line.split(" ", 2)[0].toUpperCase(Locale.ROOT);
            if (isData) {
                isData = !line.equals(".");
                if (!isData) {
                    reply(socket, ".", "250 stored");
                }
            } else if (command.equals("STARTTLS")) {
                reply(socket, "STARTTLS", "220 go on");
                converse(encrypted(socket), "TLS ");
                return;
            } else if (command.equals("DATA")) {
                isData = !replies.containsKey("DATA");
                reply(socket, "DATA", "354 go on");
            } else {
                reply(socket, command, "250 fine");
            }
        }
    }

    private SSLSocket encrypted(Socket socket) throws IOException {
        var encrypted =
                (SSLSocket)
                        tls.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
        encrypted.setUseClientMode(false);
        return encrypted;
    }

    private void reply(Socket socket, String command, String usual) throws IOException {
        String reply = replies.getOrDefault(command, usual);
        if (!reply.equals(SILENCE)) {
            socket.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
