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

/// Posts events to the sink with Apache HttpClient's asynchronous client.
///
/// A request is started by the thread that calls [#send], or by a client thread that has just
/// finished another request.
final class BareSender {

    private final URI sink;
    private final Consumer<BareStore.BareResult> finish;
    private final ConcurrentLinkedQueue<BareEvent> queue = new ConcurrentLinkedQueue<>();
    private final Semaphore permits;
    private final CloseableHttpAsyncClient client;

    BareSender(URI sink, Consumer<BareStore.BareResult> finish, int inFlight) {
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

    void send(BareEvent event) {
        queue.add(event);
        sendNext();
    }

    private void sendNext() {
        while (!queue.isEmpty() && permits.tryAcquire()) {
            var event = queue.poll();
            if (event == null) {
                permits.release(); // check again, because an event may have arrived
            } else {
                post(event);
            }
        }
    }

    private void post(BareEvent event) {
        var request = new BasicHttpRequest("POST", sink);
        event.forwardHeaders(request::addHeader);
        var _ =
                client.execute(
                        new BasicRequestProducer(
                                request,
                                AsyncEntityProducers.create(
                                        event.body, ContentType.APPLICATION_JSON)),
                        new BasicResponseConsumer<>(new DiscardingEntityConsumer<Void>()),
                        new FutureCallback<Message<HttpResponse, Void>>() {
                            @Override
                            public void completed(Message<HttpResponse, Void> answer) {
                                end(event, answer.getHead().getCode());
                            }

                            @Override
                            public void failed(Exception e) {
                                end(event, 0);
                            }

                            @Override
                            public void cancelled() {
                                end(event, 0);
                            }
                        });
    }

    private void end(BareEvent event, int status) {
        finish.accept(new BareStore.BareResult(event.id, status));
        permits.release();
        sendNext();
    }
}
