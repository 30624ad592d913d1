package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestPostgresTest {

    @Test
    void the_tests_run_on_the_postgresql_that_was_named() {
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            String version =
                    db.call(tx ->
                            tx.single(
                                    "select current_setting('server_version') as version",
                                    row -> row.text("version")));

            String folder = System.getProperty("sluice.postgres", "/18/bin");
            assertThat(folder).contains("/" + version.substring(0, version.indexOf('.')) + "/");
        }
    }

    @Test
    void its_sessions_are_not_in_utc() {
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            String zone =
                    db.call(tx ->
                            tx.single(
                                    "select current_setting('timezone') as zone",
                                    row -> row.text("zone")));

            assertThat(zone).isNotEqualToIgnoringCase("UTC").doesNotContain("Etc");
        }
    }
}
