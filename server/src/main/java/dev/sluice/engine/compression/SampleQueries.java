package dev.sluice.engine.compression;

import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.StoredPayload;
import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.List;

/// Reads a source's stored payloads, which serve as samples for making a dictionary.
final class SampleQueries {

    static final int MAX_SAMPLES = 400;

    /// The maximum total size of all samples.
    private static final int MAX_BYTES = 1 << 20;

    private SampleQueries() {}

    /// Returns small payloads from the source's newest events, newest first and at most 1 MiB in
    /// total. Leaves out events that failed verification and payloads that cannot be decoded.
    static List<Payload> newest(Tx tx, PayloadDecoder decoder, SourceId source) {
        var rows =
                tx.query(
                        """
                        select encoding, headers, body
                          from (select encoding, headers, body, body_size, verification
                                  from event
                                 where source_id = ?
                                 order by id desc
                                 limit ?) as newest
                         where body_size <= ? and verification <> ?
                        """,
                        row ->
                                StoredPayload.of(
                                        row.integerOrNone("encoding"),
                                        row.bytes("headers"),
                                        row.bytes("body")),
                        source.value(),
                        MAX_SAMPLES,
                        PayloadEncoder.MAX_SMALL_BODY_BYTES,
                        VerificationStatus.FAILED.number());
        var samples = new ArrayList<Payload>();
        int bytes = 0;
        for (var row : rows) {
            try {
                var payload = decoder.decode(row);
                bytes += payload.memoryBytes();
                if (bytes > MAX_BYTES) {
                    break;
                }
                if (PayloadEncoder.isSmall(payload)) {
                    samples.add(payload);
                }
            } catch (UnreadablePayloadException e) {
                // Skipped. The damage is reported when a delivery of the event is loaded.
            }
        }
        return samples;
    }
}
