/** Tests where a single sign-on can start and which pages it can return to (specification §4). */
import { describe, expect, it } from 'vitest';
import { ownPath } from '../lib/auth/sso.ts';
import { signOnRequestIn } from './sso-start.tsx';

describe('after a sign-in', () => {
  it.each(['/', '/crosswalks/3/mappings?tab=draft#row', '/reference-types?q=%2F%2Fevil'])(
    'the user returns to %s',
    (path) => expect(ownPath(path)).toBe(path),
  );
  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/.//evil.example/',
    '/..//evil.example/',
    '/\t/evil.example/',
    '\\\\evil.example/',
    'javascript:alert(1)',
    'crosswalks',
    '',
    undefined,
    null,
    7,
  ])('the user returns to the start page instead of %j', (path) => expect(ownPath(path)).toBe('/'));
});

describe('the URL', () => {
  const requestAt = (address: string) => signOnRequestIn(new URL(address, 'http://localhost'));
  const issuer = 'https://id.example.com';
  it.each([
    [`/?iss=${issuer}`, '/'],
    [`/?issuer=${issuer}`, '/'],
    [`/auth?iss=${issuer}`, '/'],
    [`/crosswalks?q=a&iss=${issuer}&page=2#x`, '/crosswalks?q=a&page=2#x'],
  ])('%s starts a sign-on that returns to %s', (address, returnTo) =>
    expect(requestAt(address)).toEqual({ issuer, returnTo }),
  );
  it.each([`/auth/callback?iss=${issuer}`, `/auth/callback/?issuer=${issuer}`, '/crosswalks'])(
    '%s starts no sign-on',
    (address) => expect(requestAt(address)).toBeUndefined(),
  );
});
