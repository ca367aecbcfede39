/**
 * Constants and functions that browser and server share for single sign-on. This file is small and imports nothing,
 * because the sign-in page loads it.
 */

/** The path to which a provider sends users back. */
export const SSO_CALLBACK_PATH = '/auth/callback';

/**
 * The cookie with which the browser sends `<code verifier>.<state>` to the API until the sign-in ends. A script sets
 * the cookie, so scripts can read it. The cookie is useless without the response of the provider.
 */
export const SSO_COOKIE = 'sso_flow';
export const SSO_COOKIE_SECONDS = 600;

/** Maximum age of a sign-in at the provider that proves the identity of a signed-in user. */
export const FRESH_SIGN_IN_SECONDS = 300;

/**
 * The SHA-256 of this text, in base64url, is the nonce of a sign-in. The nonce binds an id_token to the browser that
 * requested it: an attacker who steals the token does not have the code verifier.
 */
export const nonceSource = (codeVerifier: string): string => `nonce:${codeVerifier}`;

/** The name of the provider in titles and on buttons. */
export const providerLabel = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
