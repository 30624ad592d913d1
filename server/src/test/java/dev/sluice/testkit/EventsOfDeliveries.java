package dev.sluice.testkit;

import dev.sluice.platform.db.Db;

import java.util.List;

/// Gives each delivery that a test inserts the event that it would have on a server.
public final class EventsOfDeliveries {

    private EventsOfDeliveries() {}

    /// Adds a trigger to the tables of deliveries.
    public static void insertAlways(Db db) {
        db.run(tx -> {
            tx.update(
                    """
                    create function insert_event_of_delivery() returns trigger language plpgsql as '
                    begin
                      insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                      values ((left(new.id::text, 33) || ''000'')::uuid, new.source_id, ''POST'', 3, 1, 0, '''', '''')
                      on conflict do nothing;
                      return null;
                    end'
                    """);
            for (var table : List.of("delivery", "delivery_work")) {
                tx.update(
                        "create trigger insert_event after insert on "
                                + table
                                + " for each row execute function insert_event_of_delivery()");
            }
        });
    }
}
