package dev.sluice.features.transfer;

import dev.sluice.platform.datafile.DataFileHeader.TableLayout;

import java.util.List;
import java.util.Map;
import java.util.Set;

/// The tables that are exported to a data file, in an order that lets an import satisfy all foreign
/// keys, and the tables that are left out.
///
/// Nothing in the file is owned by a node. Deliveries that a node had in memory are exported as
/// waiting, and leases are released or expire. A test fails if the schema has a table that is
/// neither exported nor left out here.
final class InstallationTables {

    static final List<ExportedTable> EXPORTED =
            List.of(
                    ExportedTable.of("config_version").seeded(),
                    ExportedTable.of("plan"),
                    ExportedTable.of("workspace"),
                    ExportedTable.of("account"),
                    ExportedTable.of("known_network"),
                    ExportedTable.of("member"),
                    ExportedTable.of("api_key"),
                    ExportedTable.of("invite"),
                    ExportedTable.of("source")
                            .sealing(Map.of("verification", "source:verification:")),
                    ExportedTable.of("retired_token"),
                    ExportedTable.of("destination")
                            .sealing(
                                    Map.of(
                                            "auth", "destination:auth:",
                                            "sealed_headers", "destination:custom_headers:")),
                    ExportedTable.of("destination_revision"),
                    ExportedTable.of("connection"),
                    ExportedTable.of("replaced_source"),
                    ExportedTable.of("replaced_destination")
                            .sealing(
                                    Map.of(
                                            "auth", "destination:auth:",
                                            "sealed_headers", "destination:custom_headers:")),
                    ExportedTable.of("replaced_connection"),
                    ExportedTable.of("alert_config")
                            .sealing(Map.of("config", "alert_config:config:")),
                    ExportedTable.of("audit_log"),
                    ExportedTable.of("event"),
                    ExportedTable.of("delivery"),
                    ExportedTable.of("attempt"),
                    ExportedTable.of("delivery_work")
                            .with(
                                    Map.of(
                                            "owner", "null::bigint",
                                            "next_at", "coalesce(next_at, now())")),
                    // A claim on a probe expires on its own. `changed` is a transaction id from the
                    // exported database, and has no meaning in another database.
                    ExportedTable.of("circuit").with(Map.of("changed", "0::bigint")),
                    ExportedTable.of("dismissal"),
                    ExportedTable.of("ledger"),
                    ExportedTable.of("rollup_hour"),
                    ExportedTable.of("rollup_day"),
                    ExportedTable.of("total"),
                    ExportedTable.of("quota"),
                    // A replay's lease expires on its own. The replay's last chunk is then
                    // repeated.
                    ExportedTable.of("replay_job"),
                    ExportedTable.of("retention_notice"),
                    ExportedTable.of("alert_incident"),
                    ExportedTable.of("alert_news"),
                    ExportedTable.of("alert_message"),
                    ExportedTable.of("alert_use"),
                    ExportedTable.of("mailbox_confirmation"),
                    ExportedTable.of("clock").seeded(),
                    ExportedTable.of("audit")
                            .seeded()
                            .with(
                                    Map.of(
                                            "holder", "null::uuid",
                                            "lease_until", "null::timestamptz")));

    /// The sequences of the schema, each with the highest value that a file may have. It is far
    /// beyond what an installation reaches, and leaves as many values to go on with.
    static final Map<String, Long> SEQUENCES = Map.of("node_epoch", Long.MAX_VALUE / 2);

    /// The tables that are left out, each with the reason why an import does not need its rows.
    static final Map<String, String> LEFT_OUT =
            Map.ofEntries(
                    Map.entry("session", "people sign in again: a sign-out must not be undone"),
                    Map.entry("password_reset", "a link works for an hour; it is asked for again"),
                    Map.entry("sealing_canary", "the import writes that of the key in use there"),
                    Map.entry("lane", "hints; the sweep finds what waits within ten seconds"),
                    Map.entry("node", "the processes of the other place"),
                    Map.entry(
                            "commit_log",
                            "names transactions of the other database; the import begins it"),
                    Map.entry("alert_watch", "a snapshot of the other database"),
                    Map.entry("retention", "a lease"),
                    Map.entry("open_stream", "the streams of the processes of the other place"),
                    Map.entry("configuration_use", "counted as the import writes the rows"),
                    Map.entry("api_use", "counts of one minute"),
                    Map.entry("ingest_use", "counts of one minute"),
                    Map.entry("session_use", "counts of one minute"),
                    Map.entry(
                            "idempotency_key",
                            "kept for a day; a repeat after the move is carried out"));

    /// The tables that are not empty in a new database.
    static final Set<String> SEEDED =
            Set.of("config_version", "clock", "audit", "commit_log", "alert_watch", "retention");

    private InstallationTables() {}

    /// Whether this is how a file describes a table of an installation.
    static boolean isExported(TableLayout table) {
        return EXPORTED.stream()
                .filter(exported -> exported.name().equals(table.name()))
                .anyMatch(exported -> exported.layout(table.columns()).equals(table));
    }
}
