package dev.sluice.bench.bare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/// So many virtual threads, each of which posts one event after the other.
final class BareSender {

    private final URI sink;
    private final Consumer<BareStore.Finished> finish;
    private final LinkedBlockingQueue<Item> queue = new LinkedBlockingQueue<>();
    private final CloseableHttpClient client;

    BareSender(URI sink, Consumer<BareStore.Finished> finish, int inFlight) {
        this.sink = sink;
        this.finish = finish;
        var connections =
                PoolingHttpClientConnectionManagerBuilder.create()
                        .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                        .setMaxConnPerRoute(inFlight)
                        .setMaxConnTotal(inFlight)
                        .setDefaultConnectionConfig(
                                ConnectionConfig.custom()
                                        .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                                        .build())
                        .build();
        client =
                HttpClients.custom()
                        .setConnectionManager(connections)
                        .disableAutomaticRetries()
                        .disableAuthCaching()
                        .disableCookieManagement()
                        .disableRedirectHandling()
                        .disableContentCompression()
                        .build();
        for (int thread = 0; thread < inFlight; thread++) {
            var _ = Thread.ofVirtual().name("send").start(this::run);
        }
    }

    void send(Item item) {
        queue.add(item);
    }

    private void run() {
        try {
            while (true) {
                var item = queue.take();
                finish.accept(new BareStore.Finished(item.id, post(item)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int post(Item item) {
        var request = new HttpPost(sink);
        for (String line : new String(item.headers, ISO_8859_1).split("\r\n", -1)) {
            int colon = line.indexOf(": ");
            if (colon > 0 && !isOfTheMessage(line)) {
                request.addHeader(line.substring(0, colon), line.substring(colon + 2));
            }
        }
        request.setEntity(new ByteArrayEntity(item.body, ContentType.APPLICATION_JSON));
        try {
            return client.execute(
                    request,
                    response -> {
                        EntityUtils.consume(response.getEntity());
                        return response.getCode();
                    });
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isOfTheMessage(String line) {
        return line.regionMatches(true, 0, "host:", 0, 5)
                || line.regionMatches(true, 0, "content-", 0, 8);
    }
}
