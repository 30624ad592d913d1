package dev.sluice.platform.db;

/// Rows that one `insert` statement can insert. Unlike a COPY, which alone needs two round trips,
/// the statement can share its round trip with other statements ([Tx#updateAll]).
public sealed interface StatementRows extends NewRows permits InsertRows, ArrayRows {

    /// Returns the statement that inserts the rows. There must be at least one row.
    ///
    /// @param table the table and its columns, such as `event (id, method)`
    SqlStatement into(String table);
}
