/** Names that browser and server share for single sign-on. This file is small and imports nothing, because the sign-in page loads it. */

/** The path to which a provider sends users back. */
export const SSO_CALLBACK_PATH = '/auth/callback';

/**
 * The cookie with which the browser sends `<code verifier>.<state>` to the API until the sign-in ends. A script sets it, so scripts can
 * read it. It is useless without the response of the provider.
 */
export const SSO_COOKIE = 'sso_flow';
export const SSO_COOKIE_SECONDS = 600;

/** To prove the identity of a signed-in user, a new sign-in at the provider may be at most this old. */
export const FRESH_SIGN_IN_SECONDS = 300;

/**
 * The text whose SHA-256, in base64url, is the nonce of a sign-in. With the nonce, the server checks that an id_token
 * comes from the browser that requested it, because an attacker who steals a token does not have the code verifier.
 */
export const nonceSource = (codeVerifier: string): string => `nonce:${codeVerifier}`;

/** The name of the provider in titles and on buttons. */
export const providerLabel = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
