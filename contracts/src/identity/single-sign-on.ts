/** Names that browser and server share for single sign-on. Small and free of imports, because the sign-in page loads it. */

/** The path to which a provider sends users back. */
export const SSO_CALLBACK_PATH = '/auth/callback';

/**
 * The cookie in which the browser carries `<code verifier>.<state>` to the API until the sign-in ends. A script sets it, so it
 * is readable by scripts; without the provider's answer it is of no use.
 */
export const SSO_COOKIE = 'sso_flow';
export const SSO_COOKIE_SECONDS = 600;

/** The maximum age of a sign-in at the provider that is accepted as a new proof of identity. */
export const FRESH_SIGN_IN_SECONDS = 300;

/**
 * The nonce of a sign-in is the SHA-256 of this, in base64url. With it the server binds an id_token to the browser that
 * requested it: a token stolen elsewhere comes without the verifier.
 */
export const nonceSource = (codeVerifier: string): string => `nonce:${codeVerifier}`;

/** The provider's name in titles and on buttons. */
export const providerLabel = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
