package dev.sluice.bench.bare;

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

/// The library's blocking client: so many virtual threads, each of which posts one event after the
/// other.
final class ClassicSender implements BareSender {

    private final URI sink;
    private final Consumer<BareStore.Finished> finish;
    private final LinkedBlockingQueue<Item> queue = new LinkedBlockingQueue<>();
    private final CloseableHttpClient client;

    ClassicSender(URI sink, Consumer<BareStore.Finished> finish, int inFlight) {
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

    @Override
    public void send(Item item) {
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
        item.forward(request::addHeader);
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
}
