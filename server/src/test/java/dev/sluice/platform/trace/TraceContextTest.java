package dev.sluice.platform.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    @Test
    void it_is_read_and_written() {
        var context = new TraceContext(TRACE, SPAN, true);

        assertThat(context.header()).isEqualTo("00-" + TRACE + "-" + SPAN + "-01");
        assertThat(TraceContext.parse(context.header())).contains(context);
        assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-00"))
                .contains(new TraceContext(TRACE, SPAN, false));
    }

    @Test
    void a_later_version_may_have_more_parts() {
        assertThat(TraceContext.parse("cc-" + TRACE + "-" + SPAN + "-03-more"))
                .contains(new TraceContext(TRACE, SPAN, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g"
            })
    void what_is_not_valid_is_not_read(String header) {
        assertThat(TraceContext.parse(header)).isEmpty();
    }
}
