package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Mailbox;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Tests how the owner of a mailbox agrees to get alerts.
class MailboxConfirmationTest {

    private static final Pattern LINK =
            Pattern.compile("\nhttps://relay\\.example/confirm-mailbox#([A-Za-z0-9]{43})\n");

    @AutoClose private static final Mailbox mailbox = Mailbox.start();
    @AutoClose private static final RunningSluice sluice = RunningSluice.start(settings());

    private static final ApiClient api = sluice.api();

    private static Map<String, String> settings() {
        var settings = new HashMap<>(mailbox.settings());
        settings.put("SLUICE_BASE_URL", "https://relay.example");
        settings.put("SLUICE_ALERT_MAIL_DOMAINS", "trusted.example, Other.example");
        settings.put("SLUICE_ADMIN_EMAIL", "owner@members.example");
        return settings;
    }

    private static ApiResponse channel(String to) {
        return api.post(
                "/api/v1/alert-configs", "{'channel':'email','config':{'to':'" + to + "'}}");
    }

    private static ApiResponse confirm(String token) {
        return api.send(
                Person.withBody(
                        api.anonymous("/api/v1/mailbox-confirmations"),
                        "{'token':'" + token + "'}"));
    }

    @Test
    void mailbox_gets_alerts_once_its_owner_has_confirmed_it_with_the_mailed_link()
            throws IOException {
        String to = "stranger@elsewhere.example";
        var channel = channel(to);
        String path = "/api/v1/alert-configs/" + channel.text("id");
        assertThat(channel.json().path("confirmed_at").isNull()).isTrue();
        var request = Mailbox.text(mailbox.awaitMessages(to, 1).getFirst());
        var link = LINK.matcher(request.replace("\r\n", "\n"));
        assertThat(link.find()).as(request).isTrue();

        var tested = api.post(path + "/test", "{}");
        assertThat(tested.json().path("sent").asBoolean()).isFalse();
        assertThat(tested.text("error")).startsWith("This mailbox is not confirmed");

        assertThat(confirm(link.group(1)).status()).isEqualTo(204);
        assertThat(confirm(link.group(1)).status()).as("used").isEqualTo(404);
        assertThat(api.get(path).json().path("confirmed_at").isString()).isTrue();
        assertThat(api.post(path + "/test", "{}").json().path("sent").asBoolean()).isTrue();
        assertThat(mailbox.awaitMessages(to, 2)).as("one request, one test").hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@trusted.example", "b@OTHER.example", "owner@members.example"})
    void mailbox_of_a_member_or_in_a_trusted_domain_needs_no_confirmation(String to) {
        assertThat(channel(to).json().path("confirmed_at").isString()).isTrue();
    }

    @Test
    void mailbox_in_a_domain_below_a_trusted_one_needs_confirmation() {
        var channel = channel("a@not.trusted.example");

        assertThat(channel.json().path("confirmed_at").isNull()).isTrue();
    }

    @Test
    void changed_mailbox_starts_again() {
        var channel = channel("c@trusted.example");

        var changed =
                api.patch(
                        "/api/v1/alert-configs/" + channel.text("id"),
                        "{'config':{'to':'d@elsewhere.example'}}");

        assertThat(changed.json().path("confirmed_at").isNull()).isTrue();
    }

    @Test
    void unknown_token_confirms_nothing() {
        assertThat(confirm("x".repeat(43)).status()).isEqualTo(404);
        assertThat(confirm("").status()).isEqualTo(422);
    }
}
