import dev.sluice.client.ApiClient;
import dev.sluice.client.ApiException;
import dev.sluice.client.api.StreamsApi;
import dev.sluice.client.model.Error;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/// What is special to the library `native`, which uses the HTTP client of the JDK and Jackson.
final class Library {

    private Library() {}

    static ApiClient client(String url, String key) {
        var client = new ApiClient();
        client.updateBaseUri(url);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
        return client;
    }

    static Error error(ApiClient client, String body) throws IOException {
        return client.getObjectMapper().readValue(body, Error.class);
    }

    /// Returns the line that names the first message of a stream. The generated method would read
    /// the stream to its end, so an interceptor reads it.
    static String firstEvent(String url, String key, UUID source, String after) {
        var first = new AtomicReference<String>();
        var client =
                client(url, key).setResponseInterceptor(answer -> first.set(firstEvent(answer)));
        try {
            new StreamsApi(client).tailSource(source, after, null, null, null, null, null);
        } catch (ApiException e) {
            // The generated method finds the answer closed.
        }
        return first.get();
    }

    private static String firstEvent(HttpResponse<InputStream> answer) {
        try (var lines =
                new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> line.startsWith("event:"))
                    .findFirst()
                    .orElse("the stream ended");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
