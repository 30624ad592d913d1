package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

class AcceptedCodingsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gzip                                | true
                    GZIP                                | true
                    x-gzip                              | true
                    'deflate, gzip;q=1.0, *;q=0.5'      | true
                    gzip;q=0.001                        | true
                    gzip ; q=0.5                        | true
                    'gzip;q=0.5, identity;q=0.5'        | true
                    'gzip;q=0.5, identity;q=0.4'        | true
                    '*'                                 | true
                    '*;q=0.1'                           | true
                    'identity;q=0, gzip;q=0.1'          | true
                    ''                                  | false
                    identity                            | false
                    'br, deflate'                       | false
                    gzip;q=0                            | false
                    gzip;q=0.000                        | false
                    'gzip;q=0, *'                       | false
                    '*;q=0'                             | false
                    'gzip;q=0.5, identity'              | false
                    'gzip;q=0.5, identity;q=0.501'      | false
                    'gzip;q=0.3, *;q=0.5'               | false
                    gzip;q=2                            | false
                    gzip;q=0.1234                       | false
                    gzip;level=9                        | false
                    gzipped                             | false
                    ';;,,;q=1'                          | false
                    """)
    void the_highest_weight_wins(String value, boolean prefersGzip) {
        assertThat(AcceptedCodings.of(List.of(value)).prefersGzip()).isEqualTo(prefersGzip);
    }

    @Test
    void several_headers_are_one_list() {
        assertThat(AcceptedCodings.of(List.of("br", "gzip")).prefersGzip()).isTrue();
        assertThat(AcceptedCodings.of(List.of("gzip;q=0.5", "identity")).prefersGzip()).isFalse();
        assertThat(AcceptedCodings.of(List.of()).prefersGzip()).isFalse();
    }
}
