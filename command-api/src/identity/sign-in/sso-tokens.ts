/** Checks the id_tokens of the sign-in provider: whose they are, for whom, of which browser, and how old. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { holdsStorableText, Refusal, type SsoProvider } from '@rdm/contracts';
import { nonceSource } from '@rdm/contracts/identity/single-sign-on';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';

/** Signatures of a key pair only: what both sides could sign is no proof of who did. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Clocks differ a little. */
const SKEW_SECONDS = 30;
/** From the provider's signature to our door: a redirect and two requests. */
const TOKEN_AGE_SECONDS = 600;
const PATIENCE_MS = 5_000;
const METADATA_MS = 3_600_000;
/** An unknown key is looked up again no sooner, so that no stranger can make us ask the provider without end. */
const KEYS_COOLDOWN_MS = 5_000;

/** What the provider says of itself, as far as it is needed here (OpenID Connect Discovery). */
const Metadata = z.object({ issuer: z.url(), jwks_uri: z.url() });

export interface IdToken {
  subject: string;
  claims: JWTPayload;
  /** The same for every spelling of the same token: what may be used once. */
  useHash: Buffer;
  expiresAt: Date;
}

/** Why a token was not taken: for the log, never for whoever sent it. */
export class UnverifiedToken extends Error {}

export interface Tokens {
  /** `codeVerifiers` are those of the flows that the sending browser has begun. */
  verify(idToken: string, codeVerifier: string | undefined): Promise<IdToken>;
}

interface Source {
  issuer: string;
  jwksUri: string;
  keys: JWTVerifyGetKey;
  until: number;
}

export function openTokens(provider: SsoProvider, now: () => Date = () => new Date()): Tokens {
  let known: Source | undefined;
  let asking: Promise<Source> | undefined;

  /** The provider's own word is kept for an hour, and longer where it cannot be asked again. */
  async function source(): Promise<Source> {
    if (known && known.until > now().getTime()) return known;
    asking ??= discover(provider)
      .then(({ issuer, jwks_uri: jwksUri }) => {
        const keys = known?.jwksUri === jwksUri ? known.keys : remoteKeys(jwksUri);
        known = { issuer, jwksUri, keys, until: now().getTime() + METADATA_MS };
        return known;
      })
      .finally(() => {
        asking = undefined;
      });
    const latest = known;
    return latest ? asking.catch(() => latest) : asking;
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
        throw new UnverifiedToken('the subject is not one');
      }
      if (codeVerifier === undefined) throw new UnverifiedToken('the browser has begun no sign-in');
      if (typeof nonce !== 'string' || !sameText(nonce, digest(nonceSource(codeVerifier)).toString('base64url'))) {
        throw new UnverifiedToken('the nonce belongs to another browser');
      }
      if (!holdsStorableText(payload)) throw new UnverifiedToken('a claim cannot be stored');
      return {
        subject,
        claims: payload,
        // Not of the token's text: a signature can be spelled in several ways.
        useHash: digest(JSON.stringify([issuer, subject, nonce])),
        expiresAt: new Date((exp + SKEW_SECONDS) * 1_000),
      };
    },
  };
}

const remoteKeys = (jwksUri: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: PATIENCE_MS, cooldownDuration: KEYS_COOLDOWN_MS });

async function discover({ issuer }: SsoProvider): Promise<z.infer<typeof Metadata>> {
  const response = await fetch(`${withoutSlash(issuer)}/.well-known/openid-configuration`, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
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
const sameText = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

function unreachable(cause: unknown): never {
  const refusal = new Refusal('UNAVAILABLE', 'The sign-in provider cannot be reached. Please try again.', undefined, 1);
  refusal.cause = cause;
  throw refusal;
}

/** What the library has against the token; where it could not get the keys, the token may be good. */
function notVerified(error: unknown): never {
  if (!(error instanceof errors.JOSEError)) return unreachable(error);
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC') {
    return unreachable(error);
  }
  throw new UnverifiedToken(error.message);
}
