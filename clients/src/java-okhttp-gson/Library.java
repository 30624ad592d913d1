import dev.sluice.client.ApiClient;
import dev.sluice.client.ApiException;
import dev.sluice.client.api.StreamsApi;
import dev.sluice.client.model.Error;

import java.io.IOException;
import java.util.UUID;

/// What is special to the library `okhttp-gson`.
final class Library {

    private Library() {}

    static ApiClient client(String url, String key) {
        var client = new ApiClient().setBasePath(url);
        client.setBearerToken(key);
        return client;
    }

    static Error error(ApiClient client, String body) throws IOException {
        return Error.fromJson(body);
    }

    /// Returns the line that names the first message of a stream.
    static String firstEvent(String url, String key, UUID source, String after)
            throws ApiException, IOException {
        var call =
                new StreamsApi(client(url, key))
                        .tailSourceCall(source, after, null, null, null, null, null, null);
        try (var answer = call.execute()) {
            var lines = answer.body().source();
            for (String line = ""; line != null; line = lines.readUtf8Line()) {
                if (line.startsWith("event:")) {
                    return line;
                }
            }
            return "the stream ended";
        }
    }
}
