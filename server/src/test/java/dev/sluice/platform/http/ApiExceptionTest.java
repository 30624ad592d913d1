package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ApiExceptionTest {

    @Test
    void a_header_more_leaves_those_before_it() {
        var first = new Header("Retry-After", "1");
        var second = new Header("WWW-Authenticate", "Bearer");

        var refused = ApiException.notFound("source").withHeader(first).withHeader(second);

        assertThat(refused.reply().headers()).contains(first, second);
    }
}
