package dev.sluice.account.people;

import dev.sluice.platform.net.Cidr;

import java.util.List;

/// The operator's settings for sign-in and registration.
///
/// @param baseUrl the server's public address, without a trailing slash
/// @param firstPlan the name of the plan that a workspace gets when a person creates it
/// @param isRegistrationOpen whether anyone may register an account with its own workspace
/// @param trustedProxies the address ranges of proxies whose `X-Forwarded-For` is trusted
public record PeopleSettings(
        String baseUrl, String firstPlan, boolean isRegistrationOpen, List<Cidr> trustedProxies) {}
