package dev.sluice.engine.assembly;

import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.platform.net.AddressPolicy;

import java.nio.file.Path;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/// The relay's settings.
///
/// @param baseUrl the public base URL of this server, which some senders include in their signature
/// @param headerPrefix the prefix of the headers that this server adds, such as `X-Service`
/// @param retryJitter how much earlier or later than scheduled a retry may be, as a fraction of the
///   retry interval
public record EngineSettings(
        String baseUrl,
        String headerPrefix,
        AddressPolicy addresses,
        double retryJitter,
        CooldownBackoff cooldowns,
        NodeSettings node) {

    /// The settings that depend on the machine.
    ///
    /// @param inFlightFile the file that lists the attempts in flight; the next process on the same
    ///   data directory reads it
    /// @param home identifies the data directory, whose lock this process holds, and the current
    ///   boot of the machine
    /// @param freeShare returns the fraction of the data disk that is free, from 0 to 1
    public record NodeSettings(Path inFlightFile, UUID home, DoubleSupplier freeShare) {}
}
