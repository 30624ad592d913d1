package dev.sluice.engine;

/// SQL that decides whether a dead letter is resolved. A dead letter is resolved if it was
/// dismissed, or if the newest delivery of the same event on the same connection succeeded.
///
/// The query that uses this SQL must provide its dead letters as `page`, with the columns `id`,
/// `source_id`, `connection_id` and `status`. Each row costs a few index probes, however many other
/// dead letters there are. The subqueries select a value and test it for null instead of using
/// `exists`, because PostgreSQL may evaluate an `exists` by reading the whole table.
public final class ResolvedSql {

    private static final String LAST_ID = "(left(page.id::text, 33) || 'fff')::uuid";

    /// The join to append to a `from` clause, after `page`. It adds `newest`, the newest finished
    /// delivery of the same event and connection that was created after the dead letter. The
    /// columns of `newest` are null if there is none.
    public static final String JOIN =
            """
             left join lateral (select later.id, later.status
                                  from delivery as later
                                 where later.source_id = page.source_id and later.id > page.id
                                   and later.id <= %s
                                   and later.connection_id = page.connection_id
                                 order by later.id desc
                                 limit 1) as newest on true
            """
                    .formatted(LAST_ID);

    public static final String IS_DISMISSED =
            """
            (select true
               from dismissal
              where dismissal.source_id = page.source_id and dismissal.delivery_id = page.id
              limit 1) is not null
            """;

    /// Whether the newest delivery has succeeded. This is false while the newest delivery is
    /// unfinished. The query must contain [#JOIN].
    public static final String HAS_SUCCEEDED =
            """
            (coalesce(newest.status, page.status) = %d
             and (select true
                    from delivery_work as work
                   where work.source_id = page.source_id
                     and work.id > coalesce(newest.id, page.id) and work.id <= %s
                     and work.connection_id = page.connection_id
                   limit 1) is null)
            """
                    .formatted(DeliveryStatus.SUCCEEDED.number(), LAST_ID);

    /// Whether the dead letter is resolved. The query must contain [#JOIN].
    public static final String IS_RESOLVED = "(" + IS_DISMISSED + " or " + HAS_SUCCEEDED + ")";

    private ResolvedSql() {}
}
