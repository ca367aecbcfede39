/** Verifies id_tokens of the sign-in provider: signature, issuer, audience, browser and age. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { holdsStorableText, Refusal, type SsoProvider } from '@rdm/contracts';
import { nonceSource } from '@rdm/contracts/identity/single-sign-on';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';

/** Only asymmetric signatures are accepted: with a shared secret, this product could have signed the token itself. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Allowed difference between clocks. */
const SKEW_SECONDS = 30;
/** The greatest age of a token: enough time for a redirect and two requests. */
const TOKEN_AGE_SECONDS = 600;
const TIMEOUT_MS = 5_000;
const METADATA_MS = 3_600_000;
/** Minimum interval between key lookups, so that tokens with unknown keys cannot flood the provider. */
const KEYS_COOLDOWN_MS = 5_000;

/** The provider's metadata, as far as needed (OpenID Connect Discovery). */
const Metadata = z.object({ issuer: z.url(), jwks_uri: z.url() });

export interface IdToken {
  subject: string;
  claims: JWTPayload;
  /** Identifies the token in any encoding, so that it can be used only once. */
  useHash: Buffer;
  expiresAt: Date;
}

/** A rejected token; its message is for the log only. */
export class UnverifiedToken extends Error {}

export interface TokenVerifier {
  /** `codeVerifier` is that of the sign-in that the browser started; undefined if the browser started no sign-in. */
  verify(idToken: string, codeVerifier: string | undefined): Promise<IdToken>;
}

interface Source {
  issuer: string;
  jwksUri: string;
  keys: JWTVerifyGetKey;
  until: number;
}

export function createTokenVerifier(provider: SsoProvider, now: () => Date = () => new Date()): TokenVerifier {
  let cached: Source | undefined;
  let pendingDiscovery: Promise<Source> | undefined;

  /** Caches the provider's metadata for an hour, and longer while the provider is unreachable. */
  async function source(): Promise<Source> {
    if (cached && cached.until > now().getTime()) return cached;
    pendingDiscovery ??= discover(provider)
      .then(({ issuer, jwks_uri: jwksUri }) => {
        const keys = cached?.jwksUri === jwksUri ? cached.keys : remoteKeys(jwksUri);
        cached = { issuer, jwksUri, keys, until: now().getTime() + METADATA_MS };
        return cached;
      })
      .finally(() => {
        pendingDiscovery = undefined;
      });
    const latest = cached;
    return latest ? pendingDiscovery.catch(() => latest) : pendingDiscovery;
  }

  return {
    async verify(idToken, codeVerifier) {
      const { issuer, keys } = await source().catch(unreachable);
      const { payload } = await jwtVerify(idToken, keys, {
        issuer,
        audience: provider.clientId,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: TOKEN_AGE_SECONDS,
        requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
        currentDate: now(),
      }).catch(notVerified);
      if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload['azp'] === undefined) {
        throw new UnverifiedToken('several audiences and no authorised party');
      }
      if (payload['azp'] !== undefined && payload['azp'] !== provider.clientId) {
        throw new UnverifiedToken('the authorised party is another client');
      }
      const { sub: subject, exp = 0, nonce } = payload;
      if (typeof subject !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(subject)) {
        throw new UnverifiedToken('the subject is not valid');
      }
      if (codeVerifier === undefined) throw new UnverifiedToken('the browser has not started a sign-in');
      if (typeof nonce !== 'string' || !isSameText(nonce, digest(nonceSource(codeVerifier)).toString('base64url'))) {
        throw new UnverifiedToken('the nonce belongs to another browser');
      }
      if (!holdsStorableText(payload)) throw new UnverifiedToken('a claim cannot be stored');
      return {
        subject,
        claims: payload,
        // The text of the token cannot identify it, because a signature has several encodings.
        useHash: digest(JSON.stringify([issuer, subject, nonce])),
        expiresAt: new Date((exp + SKEW_SECONDS) * 1_000),
      };
    },
  };
}

const remoteKeys = (jwksUri: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: TIMEOUT_MS, cooldownDuration: KEYS_COOLDOWN_MS });

async function discover({ issuer }: SsoProvider): Promise<z.infer<typeof Metadata>> {
  const response = await fetch(`${withoutSlash(issuer)}/.well-known/openid-configuration`, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The provider answered ${response.status}`);
  const metadata = Metadata.parse(await response.json());
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
    throw new Error(`The provider calls itself ${metadata.issuer}, not ${issuer}`);
  }
  if (!metadata.jwks_uri.startsWith('https:') && !issuer.startsWith('http:')) {
    throw new Error('The keys of the provider are not served over https');
  }
  return metadata;
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '');
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSameText = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

function unreachable(cause: unknown): never {
  const refusal = new Refusal('UNAVAILABLE', 'The sign-in provider cannot be reached. Please try again.', undefined, 1);
  refusal.cause = cause;
  throw refusal;
}

/**
 * Throws UNAVAILABLE if the keys of the provider could not be fetched, because the token may be valid. Otherwise throws
 * UnverifiedToken.
 */
function notVerified(error: unknown): never {
  if (!(error instanceof errors.JOSEError)) return unreachable(error);
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC') {
    return unreachable(error);
  }
  throw new UnverifiedToken(error.message);
}
