package dev.sluice.features.pages;

import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Serves the dashboard under `/`, for paths that no other route handles.
///
/// A request for one of the dashboard's files gets that file. For any other path of at most
/// [#MAX_DEPTH] segments, a browser that asks for HTML gets the dashboard's index page, whose
/// script then shows the view that belongs to the path. Under `/api`, `/in`, `/healthz` and
/// `/metrics`, unknown paths still get a 404.
public final class PageRoutes {

    private static final Logger log = LoggerFactory.getLogger(PageRoutes.class);

    private static final String CLASS_PATH_DIRECTORY = "/dashboard/";

    /// The placeholder in the page that is replaced with the relative path to the dashboard's root.
    /// Because the path is relative, the dashboard needs no setting to work behind a proxy that
    /// adds a path prefix.
    private static final String ROOT_MARK = "{{root}}";

    /// The reply to programs that request `/`.
    private static final String WHERE_TO_GO =
            "This is Sluice. Its API is below /api/v1, and /api/openapi.json describes it. In a"
                    + " browser, this address opens the dashboard.";

    private static final Set<String> RESERVED = Set.of("api", "in", "healthz", "metrics");

    /// The maximum number of segments in a page's path, counting the empty segment before the first
    /// `/`. No dashboard page has a longer path.
    private static final int MAX_DEPTH = 8;

    private static final List<Header> PAGE_HEADERS =
            List.of(
                    new Header(
                            "Content-Security-Policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; img-src"
                                    + " 'self' data:; connect-src 'self'; form-action 'self';"
                                    + " base-uri 'none'; frame-ancestors 'none';"
                                    + " require-trusted-types-for 'script'"),
                    new Header("Cache-Control", "no-store"),
                    new Header("Cross-Origin-Opener-Policy", "same-origin"),
                    new Header("Cross-Origin-Resource-Policy", "same-origin"),
                    new Header(
                            "Permissions-Policy",
                            "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
                    new Header("Referrer-Policy", "no-referrer"),
                    new Header("Vary", "Accept"),
                    new Header("X-Frame-Options", "DENY"));

    private static final List<Header> FILE_HEADERS =
            List.of(
                    new Header("Cache-Control", "public, max-age=31536000, immutable"),
                    new Header("Cross-Origin-Resource-Policy", "same-origin"),
                    new Header("Vary", "Accept-Encoding"));

    private static final Header HTTPS_ONLY =
            new Header("Strict-Transport-Security", "max-age=31536000");

    private final PageFiles files;
    private final List<Header> pageHeaders;

    PageRoutes(PageFiles files, String baseUrl) {
        this.files = files;
        var headers = new ArrayList<>(PAGE_HEADERS);
        if (baseUrl.startsWith("https://")) {
            headers.add(HTTPS_ONLY);
        }
        this.pageHeaders = List.copyOf(headers);
    }

    /// @param baseUrl the server's public address; if it uses HTTPS, pages tell browsers to use
    ///   only HTTPS
    public static void addTo(Router router, String baseUrl) {
        var files = PageFiles.load(CLASS_PATH_DIRECTORY);
        if (files.index().isEmpty()) {
            log.atInfo().log("dashboard.skipped");
        }
        router.otherwise(new PageRoutes(files, baseUrl)::answer);
    }

    Reply answer(Request request) {
        boolean isRead = request.method().equals("GET") || request.method().equals("HEAD");
        var path = List.of(request.path().split("/", -1));
        if (!isRead || path.size() < 2 || RESERVED.contains(path.get(1))) {
            throw notFound("There is nothing at this path.");
        }
        var file = files.find(request.path().substring(1));
        if (file.isPresent()) {
            return file(file.get(), request);
        }
        if (!acceptsHtml(request) || path.size() > MAX_DEPTH) {
            throw notFound(
                    request.path().equals("/") ? WHERE_TO_GO : "There is nothing at this path.");
        }
        return page(path.size() - 2);
    }

    private Reply page(int depth) {
        String index =
                files.index()
                        .orElseThrow(() ->
                                notFound(
                                        "This server was built without its dashboard. Its API is"
                                                + " below /api/v1, and /api/openapi.json describes"
                                                + " it. For the dashboard, build the server on a"
                                                + " machine with Node.js 20.19 or newer."));
        String root = depth == 0 ? "./" : "../".repeat(depth);
        return Reply.text(200, "text/html; charset=utf-8", index.replace(ROOT_MARK, root))
                .with(pageHeaders);
    }

    private static Reply file(PageFiles.PageFile file, Request request) {
        var type = List.of(new Header("Content-Type", file.contentType()));
        String accepted = request.firstHeader("Accept-Encoding").orElse("");
        for (var form : file.forms().entrySet()) {
            if (!form.getKey().equals(PageFiles.IDENTITY) && accepts(accepted, form.getKey())) {
                return Reply.bytes(200, type, form.getValue())
                        .with(FILE_HEADERS)
                        .with("Content-Encoding", form.getKey());
            }
        }
        return Reply.bytes(200, type, file.plain()).with(FILE_HEADERS);
    }

    /// Returns whether the request explicitly accepts HTML, as browsers do. Programs that accept
    /// anything (`*/*`) get the API's 404.
    private static boolean acceptsHtml(Request request) {
        return accepts(request.firstHeader("Accept").orElse(""), "text/html");
    }

    /// Returns whether a list such as `gzip, br;q=0.5` contains `value` and does not refuse it with
    /// the weight `q=0`.
    private static boolean accepts(String list, String value) {
        for (String one : list.split(",", -1)) {
            var parts = one.strip().toLowerCase(Locale.ROOT).split(";", 2);
            boolean isRefused = parts.length == 2 && parts[1].strip().matches("q=0(\\.0*)?");
            if (parts[0].strip().equals(value) && !isRefused) {
                return true;
            }
        }
        return false;
    }

    private static ApiException notFound(String message) {
        return new ApiException(ApiErrorCode.NOT_FOUND, message);
    }
}
