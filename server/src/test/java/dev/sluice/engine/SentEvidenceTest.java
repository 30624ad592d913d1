package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Optional;

class SentEvidenceTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    DNS_FAILURE           | The host name was not resolved                      | false
                    CONNECT_REFUSED       | The host refused the connection                     | false
                    CONNECT_TIMEOUT       | The host did not accept the connection              | false
                    TLS_FAILED            | The certificate has expired                         | false
                    BLOCKED_ADDRESS       | The address is private                              | false
                    TRANSFORMATION_FAILED | The transformation sets a header                    | false
                    CONNECTION_RESET      | The connection was reset during the TLS handshake   | false
                    CONNECTION_RESET      | The connection was reset                            | unknown
                    CONNECTION_RESET      | The connection was closed without a response        | unknown
                    CONNECTION_RESET      | The connection was closed before the response ended | true
                    RESPONSE_TIMEOUT      | No response within 10 s                             | unknown
                    RESPONSE_TIMEOUT      | The response did not end within 10 s                | true
                    INVALID_RESPONSE      | The response is not valid HTTP: x                   | true
                    INVALID_RESPONSE      | The attempt failed because of an internal error     | unknown
                    INTERRUPTED           | The server stopped during the attempt               | unknown
                    """)
    void an_error_says_as_much_as_is_known(ErrorCode code, String message, String expected) {
        var known = SentEvidence.wasSent(Optional.of(code), Optional.of(message), Optional.empty());

        assertThat(known.map(String::valueOf).orElse("unknown")).isEqualTo(expected);
    }

    /// A delivery that ended for another reason after its last attempt keeps that attempt's status.
    @ParameterizedTest
    @EnumSource
    void what_was_answered_was_sent(ErrorCode code) {
        assertThat(SentEvidence.wasSent(Optional.of(code), Optional.empty(), Optional.of(503)))
                .contains(true);
    }

    @Test
    void what_succeeded_was_sent() {
        assertThat(SentEvidence.wasSent(Optional.empty(), Optional.empty(), Optional.empty()))
                .contains(true);
    }
}
