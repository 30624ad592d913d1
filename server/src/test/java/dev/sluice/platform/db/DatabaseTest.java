package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintWriter;
import java.io.StringWriter;

class DatabaseTest {

    @ParameterizedTest
    @CsvSource({
        "postgresql://ann:pw@db.example:5433/relay,   db.example, 5433, relay, ann, pw, ''",
        "postgres://ann:pw@db.example/relay,          db.example, 5432, relay, ann, pw, ''",
        "postgresql://ann@localhost/relay,            localhost,  5432, relay, ann, '', ''",
        "postgresql://ann:a:b@localhost/relay,        localhost,  5432, relay, ann, a:b, ''",
        "postgresql://a%40b:p%2Fw%25+1@localhost/x,   localhost,  5432, x,  a@b, p/w%+1, ''",
        "postgresql://ann:pw@10.0.0.1/x?sslmode=require, 10.0.0.1, 5432, x, ann, pw,"
                + " ?sslmode=require",
        "postgresql://ann:pw@[::1]:6543/x,            [::1],      6543, x, ann, pw, ''",
    })
    void a_url_names_database_user_and_password(
            String url,
            String host,
            int port,
            String name,
            String user,
            String password,
            String parameters) {
        var database = Database.parse(url);

        assertThat(database.host()).isEqualTo(host);
        assertThat(database.port()).isEqualTo(port);
        assertThat(database.name()).isEqualTo(name);
        assertThat(database.user()).isEqualTo(user);
        assertThat(database.password().reveal()).isEqualTo(password);
        assertThat(database.parameters()).isEqualTo(parameters);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://ann:hunter2@db.example/relay",
                "jdbc:postgresql://ann:hunter2@db.example/relay",
                "postgresql://ann:hunter2@db.example",
                "postgresql://ann:hunter2@db.example/",
                "postgresql://db.example/relay?password=hunter2",
                "postgresql://ann:hunter2 @db.example/relay",
                "postgresql://ann:hunter2%zz@db.example/relay",
                "postgresql://ann:hunter2#x@db.example/relay",
                "postgresql://ann:hunter2/x@db.example/relay",
                "postgresql://ann:hunter2@db.example:port/relay",
                "postgresql:ann:hunter2@db.example/relay",
                "hunter2",
                "",
            })
    void what_is_no_such_url_is_refused_without_showing_the_password(String url) {
        var refusal = catchThrowable(() -> Database.parse(url));

        assertThat(refusal)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be postgresql://user:password@host:port/database");
        var trace = new StringWriter();
        refusal.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain("hunter2");
    }

    @Test
    void a_database_does_not_show_its_password() {
        var database = Database.parse("postgresql://ann:hunter2@db.example/relay");

        assertThat(database.toString()).doesNotContain("hunter2");
        assertThat(database.jdbcUrl())
                .isEqualTo("jdbc:postgresql://db.example:5432/relay")
                .doesNotContain("hunter2");
    }
}
