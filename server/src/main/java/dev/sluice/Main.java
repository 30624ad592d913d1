package dev.sluice;

/// The server's command line.
public final class Main {

    private Main() {}

    public static void main(String[] args) {}
}
