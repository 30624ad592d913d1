package dev.sluice.testkit;

import dev.sluice.platform.db.Db;

/// Makes a database refuse certain rows of one table, until it is closed.
public final class RowRefusal implements AutoCloseable {

    private final Db db;

    private RowRefusal(Db db) {
        this.db = db;
    }

    /// @param condition which rows are refused, as SQL about `new`
    /// @param state the SQLSTATE of the refusal
    public static RowRefusal of(Db db, String table, String condition, String state) {
        db.run(tx -> {
            tx.update(
                    """
                    create function refuse_row() returns trigger language plpgsql as $$
                    begin
                      if %s then
                        raise exception 'refused' using errcode = '%s';
                      end if;
                      return new;
                    end $$
                    """
                            .formatted(condition, state));
            tx.update(
                    "create trigger row_refusal before insert or update on "
                            + table
                            + " for each row execute function refuse_row()");
        });
        return new RowRefusal(db);
    }

    @Override
    public void close() {
        db.run(tx -> tx.update("drop function refuse_row cascade"));
    }
}
