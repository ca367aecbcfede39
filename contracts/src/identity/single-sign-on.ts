/** What browser and server agree on about one single sign-on: small, and free of everything else. */

/** Where a provider sends people back to. */
export const SSO_CALLBACK_PATH = '/auth/callback';

/**
 * The cookie in which the browser that began a sign-in carries `<code verifier>.<state>` to the API until it ended.
 * A script sets it, so it cannot be read-only to scripts; it is worth nothing without the provider's answer.
 */
export const SSO_COOKIE = 'sso_flow';
export const SSO_COOKIE_SECONDS = 600;

/**
 * The nonce of a sign-in is the SHA-256 of this, in base64url. So the server can hold an id_token against the browser
 * that asked for it: one that was stolen elsewhere comes without the verifier.
 */
export const nonceSource = (codeVerifier: string): string => `nonce:${codeVerifier}`;

/** The provider's name in titles and on buttons. */
export const providerLabel = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
