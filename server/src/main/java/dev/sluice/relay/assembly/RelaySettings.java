package dev.sluice.relay.assembly;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.relay.circuit.Cooldowns;

import java.nio.file.Path;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/// The relay's settings, from the operator and from the machine it runs on.
///
/// @param baseUrl public address of this server, which some senders include in their signature
/// @param headerPrefix prefix of the server's own headers, such as `X-Service`
/// @param retryJitter share of a retry interval by which a retry may be earlier or later
/// @param inFlightFile file that lists the attempts in flight; the next process of the data
///   directory reads it
/// @param home identity of the data directory, whose lock this process holds
/// @param freeShare returns the free share of the disk that holds the data, from 0 to 1
public record RelaySettings(
        String baseUrl,
        String headerPrefix,
        AddressPolicy addresses,
        double retryJitter,
        Cooldowns cooldowns,
        Path inFlightFile,
        UUID home,
        DoubleSupplier freeShare) {}
