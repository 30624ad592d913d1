package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.LedgerComparison;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.measure.LatencySummary;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;

/// A measurement in which the generator and the sink record every message.
///
/// @param firstByte the time from when the relay answers the generator until the delivery's first
///   byte arrives at the sink
record LedgerMeasurement(
        LoadMeasurement measurement, LedgerComparison comparison, LatencySummary firstByte) {

    /// @param received the file that contains the sink's ledger
    /// @param sent the file to which the generator's ledger is written
    static LedgerMeasurement run(
            SystemUnderTest system, SinkProcess sink, Path received, LoadPlan plan, Path sent) {
        var arrivals = new SinkArrivals(sink);
        var measurement = LoadMeasurement.run(system, sink, plan.recorded(sent));
        arrivals.awaitAll(measurement);
        var sender = MessageLedger.read(sent);
        var receiver = MessageLedger.read(received);
        int warmUp = (int) (measurement.result().acceptedInAll() - measurement.answered());
        return new LedgerMeasurement(
                measurement,
                LedgerComparison.of(sender, receiver),
                LedgerComparison.firstByteLatencies(sender, receiver, warmUp).summary());
    }
}
