package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Tx;

/// What was read of the hot tables, by PostgreSQL's own counters.
///
/// @param wholeTables of history and work
/// @param partitions scans by index of history, in all partitions
/// @param rows of history and work, that are alive
/// @param blocks of all, their indexes included
public record Cost(long wholeTables, long partitions, long rows, long blocks) {

    public static final Cost NOTHING = new Cost(0, 0, 0, 0);

    /// Of catalogs and roots.
    public static final int BLOCKS = 60;

    /// Of rows that came in one after the other, their entries in an index included; and more.
    public static final int DEAD_ROWS_A_BLOCK = 10;

    /// A few pages of an index and one of the table, for each row.
    private static final int BLOCKS_A_ROW = 16;

    static Cost sinceEver(Tx tx) {
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
                        new Cost(
                                row.number("whole"),
                                row.number("partitions"),
                                row.number("rows"),
                                row.number("blocks")));
    }

    Cost since(Cost before) {
        return new Cost(
                wholeTables - before.wholeTables,
                partitions - before.partitions,
                rows - before.rows,
                blocks - before.blocks);
    }

    /// By indexes alone, and by the row.
    public void assertCheap(int wanted) {
        assertCheap(wanted, 0);
    }

    /// As `assertCheap`, where the way to the rows leads past others that are dead.
    ///
    /// @param more blocks
    public void assertCheap(int wanted, int more) {
        assertThat(wholeTables).as("whole tables read").isZero();
        assertBlocks(wanted, more);
    }

    /// Nothing but what was asked for. Tables that are empty may be read whole.
    public void assertFew(int wanted) {
        assertFew(wanted, 0);
    }

    /// As `assertFew`, where the way to the rows leads past others that are dead.
    ///
    /// @param more blocks
    public void assertFew(int wanted, int more) {
        assertThat(rows).as("rows read").isLessThanOrEqualTo(wanted);
        assertBlocks(wanted, more);
    }

    private void assertBlocks(int wanted, int more) {
        assertThat(blocks)
                .as("blocks read for " + wanted + " rows")
                .isLessThanOrEqualTo(BLOCKS + (long) BLOCKS_A_ROW * wanted + more);
    }
}
