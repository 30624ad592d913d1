package dev.sluice.bench.bare;

import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;

import java.net.URI;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// The library's asynchronous client. A request is begun by the thread that has the event, or by
/// one of the client's own that has just ended another.
final class AsyncSender implements BareSender {

    private final URI sink;
    private final Consumer<BareStore.Finished> finish;
    private final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
    private final Semaphore permits;
    private final CloseableHttpAsyncClient client;

    AsyncSender(URI sink, Consumer<BareStore.Finished> finish, int inFlight) {
        this.sink = sink;
        this.finish = finish;
        permits = new Semaphore(inFlight);
        var connections =
                PoolingAsyncClientConnectionManagerBuilder.create()
                        .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                        .setMaxConnPerRoute(inFlight)
                        .setMaxConnTotal(inFlight)
                        .setDefaultTlsConfig(
                                TlsConfig.custom()
                                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                                        .build())
                        .setDefaultConnectionConfig(
                                ConnectionConfig.custom()
                                        .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                                        .build())
                        .build();
        client =
                HttpAsyncClients.custom()
                        .setConnectionManager(connections)
                        .disableAutomaticRetries()
                        .disableAuthCaching()
                        .disableCookieManagement()
                        .disableRedirectHandling()
                        .disableContentCompression()
                        .build();
        client.start();
    }

    @Override
    public void send(Item item) {
        queue.add(item);
        sendNext();
    }

    private void sendNext() {
        while (!queue.isEmpty() && permits.tryAcquire()) {
            var item = queue.poll();
            if (item == null) {
                permits.release(); // and look again: one may have come in between
            } else {
                post(item);
            }
        }
    }

    private void post(Item item) {
        var request = new BasicHttpRequest("POST", sink);
        item.forward(request::addHeader);
        var _ =
                client.execute(
                        new BasicRequestProducer(
                                request,
                                AsyncEntityProducers.create(
                                        item.body, ContentType.APPLICATION_JSON)),
                        new BasicResponseConsumer<>(new DiscardingEntityConsumer<Void>()),
                        new FutureCallback<Message<HttpResponse, Void>>() {
                            @Override
                            public void completed(Message<HttpResponse, Void> answer) {
                                end(item, answer.getHead().getCode());
                            }

                            @Override
                            public void failed(Exception e) {
                                end(item, 0);
                            }

                            @Override
                            public void cancelled() {
                                end(item, 0);
                            }
                        });
    }

    private void end(Item item, int status) {
        finish.accept(new BareStore.Finished(item.id, status));
        permits.release();
        sendNext();
    }
}
