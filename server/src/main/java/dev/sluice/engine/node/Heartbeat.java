package dev.sluice.engine.node;

import dev.sluice.platform.loop.Loop;

import java.time.Duration;

/// Keeps a [Node] alive.
///
/// Each round sends one heartbeat, and registers the node again if it was declared dead. A round
/// does nothing else, so that no other work delays a heartbeat. Rounds must run on one thread.
public final class Heartbeat implements Loop.Step {

    public static final Duration INTERVAL = Duration.ofSeconds(3);

    private final Node node;
    private final Runnable fenced;

    /// @param fenced called when the node finds out that it was declared dead, before it registers
    ///   again; must return quickly
    public Heartbeat(Node node, Runnable fenced) {
        this.node = node;
        this.fenced = fenced;
    }

    @Override
    public boolean run() {
        if (!node.renew()) {
            fenced.run();
            node.registerAgain();
        }
        return false;
    }
}
