package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Tx;

/// The number of scans, rows and blocks that statements read from the hot tables, from PostgreSQL's
/// own counters. Immutable.
///
/// @param tableScans sequential scans of work and history tables
/// @param partitionIndexScans index scans of history partitions, summed over all partitions
/// @param rows live rows read from work and history tables
/// @param blocks blocks read from these tables and the lanes, with their indexes and TOAST tables
public record QueryCost(long tableScans, long partitionIndexScans, long rows, long blocks) {

    public static final QueryCost ZERO = new QueryCost(0, 0, 0, 0);

    /// A fixed allowance per measurement, for catalogs and index roots.
    public static final int BASE_BLOCKS = 60;

    /// A low estimate of the dead rows per block, for rows that were inserted one after the other,
    /// index entries included.
    public static final int DEAD_ROWS_PER_BLOCK = 10;

    /// The allowance for each row: a few index pages and one table page.
    private static final int BLOCKS_PER_ROW = 16;

    static QueryCost readTotals(Tx tx) {
        return tx.single(
                """
                select (select sum(seq_scan) from pg_stat_user_tables
                         where relname ~ '^(event|delivery|attempt)(_work|_2.*)$') as whole,
                       (select sum(idx_scan) from pg_stat_user_tables
                         where relname ~ '^(event|delivery|attempt)_2') as partitions,
                       (select sum(seq_tup_read) + sum(coalesce(idx_tup_fetch, 0))
                          from pg_stat_user_tables
                         where relname ~ '^(event|delivery|attempt)(_work|_2.*)$') as rows,
                       (select sum(heap_blks_hit + heap_blks_read
                                   + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0)
                                   + coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0))
                          from pg_statio_user_tables
                         where relname ~ '^(event|delivery|attempt|lane)(_work|_2.*)?$') as blocks
                """,
                row ->
                        new QueryCost(
                                row.number("whole"),
                                row.number("partitions"),
                                row.number("rows"),
                                row.number("blocks")));
    }

    QueryCost since(QueryCost before) {
        return new QueryCost(
                tableScans - before.tableScans,
                partitionIndexScans - before.partitionIndexScans,
                rows - before.rows,
                blocks - before.blocks);
    }

    /// Asserts that only index scans were used, and that the blocks suit this number of rows.
    public void assertIndexed(int wanted) {
        assertIndexed(wanted, 0);
    }

    /// As `assertIndexed(wanted)`, where dead rows lie between the wanted ones.
    ///
    /// @param more blocks allowed for the dead rows
    public void assertIndexed(int wanted, int more) {
        assertThat(tableScans).as("sequential scans").isZero();
        assertBlocks(wanted, more);
    }

    /// Asserts that only the wanted rows were read. Empty tables may be read with sequential scans.
    public void assertFewRows(int wanted) {
        assertFewRows(wanted, 0);
    }

    /// As `assertFewRows(wanted)`, where dead rows lie between the wanted ones.
    ///
    /// @param more blocks allowed for the dead rows
    public void assertFewRows(int wanted, int more) {
        assertThat(rows).as("rows read").isLessThanOrEqualTo(wanted);
        assertBlocks(wanted, more);
    }

    private void assertBlocks(int wanted, int more) {
        assertThat(blocks)
                .as("blocks read for " + wanted + " rows")
                .isLessThanOrEqualTo(BASE_BLOCKS + (long) BLOCKS_PER_ROW * wanted + more);
    }
}
