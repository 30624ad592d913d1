package dev.sluice.testkit;

import dev.sluice.testkit.ApiClient.ApiResponse;

import java.net.http.HttpRequest;

/// A person who is signed in, and calls the API with the session's cookie. A reply that replaces
/// the cookie does so here, as in a browser.
public final class Person {

    public static final String PASSWORD = "correct horse battery";

    private final ApiClient api;
    private volatile String cookie;

    private Person(ApiClient api, ApiResponse signedIn) {
        this.api = api;
        this.cookie = signedIn.header("Set-Cookie").orElseThrow();
    }

    /// Registers an account with a workspace of its own.
    public static Person register(ApiClient api, String email) {
        return new Person(api, expectSignedIn(tryRegister(api, email)));
    }

    /// Registers an account that joins the workspace of an invite.
    public static Person registerInvited(ApiClient api, String email, String token) {
        return new Person(api, expectSignedIn(tryRegisterInvited(api, email, token)));
    }

    public static ApiResponse tryRegisterInvited(ApiClient api, String email, String token) {
        return api.send(
                withBody(
                        api.anonymous("/api/v1/auth/register"),
                        "{'email':'%s','password':'%s','name':'%s','invite_token':'%s'}"
                                .formatted(email, PASSWORD, email.split("@", 2)[0], token)));
    }

    public static ApiResponse tryRegister(ApiClient api, String email) {
        return api.send(
                withBody(
                        api.anonymous("/api/v1/auth/register"),
                        "{'email':'%s','password':'%s','name':'%s','workspace_name':'Main'}"
                                .formatted(email, PASSWORD, email.split("@", 2)[0])));
    }

    public static Person signIn(ApiClient api, String email) {
        return signIn(api, email, PASSWORD);
    }

    public static Person signIn(ApiClient api, String email, String password) {
        return new Person(
                api,
                expectSignedIn(
                        api.send(
                                withBody(
                                        api.anonymous("/api/v1/auth/login"),
                                        "{'email':'%s','password':'%s'}"
                                                .formatted(email, password)))));
    }

    private static ApiResponse expectSignedIn(ApiResponse answer) {
        if (answer.status() / 100 != 2) {
            throw new AssertionError("not signed in: " + answer);
        }
        return answer;
    }

    /// @param json JSON with single quotes instead of double quotes
    public static HttpRequest.Builder withBody(HttpRequest.Builder request, String json) {
        return request.header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')));
    }

    /// The whole `Set-Cookie` header that the sign-in, or a later reply, returned.
    public String cookie() {
        return cookie;
    }

    public String token() {
        return cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    }

    public HttpRequest.Builder request(String path) {
        return api.anonymous(path).header("Cookie", "sluice_session=" + token());
    }

    /// A request that creates a workspace, to be changed before it is sent.
    public HttpRequest.Builder post(String path) {
        return withBody(request(path), "{'name':'Another'}");
    }

    public ApiResponse send(HttpRequest.Builder request) {
        var answer = api.send(request);
        answer.header("Set-Cookie")
                .filter(set -> !set.contains("Max-Age=0"))
                .ifPresent(set -> cookie = set);
        return answer;
    }

    public ApiResponse get(String path) {
        return send(request(path).GET());
    }

    public ApiResponse delete(String path) {
        return send(request(path).DELETE());
    }

    /// @param json JSON with single quotes instead of double quotes
    public ApiResponse post(String path, String json) {
        return send(withBody(request(path), json));
    }

    /// @param json JSON with single quotes instead of double quotes
    public ApiResponse patch(String path, String json) {
        return withBody("PATCH", path, json);
    }

    /// @param json JSON with single quotes instead of double quotes
    public ApiResponse put(String path, String json) {
        return withBody("PUT", path, json);
    }

    private ApiResponse withBody(String method, String path, String json) {
        return send(
                request(path)
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
    }
}
