/** Specifies which settings of single sign-on let the product start. */
import { describe, expect, it } from 'vitest';
import { readSettings, ssoProviderOf } from '../config.ts';

const otherSettings = {
  PORT: '8081',
  DATABASE_URL: 'postgres://127.0.0.1/rdm',
  EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
  SESSION_SECRET: 'a secret of thirty-two characters',
  SERVICE_SECRET: 'a secret of thirty-two characters',
};
const okta = { SSO_PROVIDER: 'okta', SSO_ISSUER: 'https://id.example.com/oauth2', SSO_CLIENT_ID: 'rdm' };
const read = (settings: Record<string, string>) => readSettings({ ...otherSettings, ...settings });

describe('the settings of single sign-on', () => {
  it('name a provider if provider, issuer and client id are set, and no provider if none of them is set', () => {
    expect(ssoProviderOf(read(okta))).toEqual({
      name: 'okta',
      issuer: 'https://id.example.com/oauth2',
      clientId: 'rdm',
    });
    expect(ssoProviderOf(read({}))).toBeUndefined();
    expect(ssoProviderOf(read({ SSO_PROVIDER: '', SSO_ISSUER: '', SSO_CLIENT_ID: '' }))).toBeUndefined();
  });

  it.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
    'accept the issuer %s without TLS, because it is on this machine',
    (issuer) => {
      expect(ssoProviderOf(read({ ...okta, SSO_ISSUER: issuer }))?.issuer).toBe(issuer);
    },
  );

  it.each<[Record<string, string>, string]>([
    [{ SSO_PROVIDER: 'okta' }, 'SSO_ISSUER: is missing'],
    [{ ...okta, SSO_CLIENT_ID: '' }, 'SSO_CLIENT_ID: is missing'],
    [
      { SSO_ROLE_CLAIM: 'role' },
      'SSO_ROLE_CLAIM: has an effect only if SSO_PROVIDER, SSO_ISSUER and SSO_CLIENT_ID are set',
    ],
    [{ ...okta, SSO_PROVIDER: 'Okta' }, 'SSO_PROVIDER: must be'],
    [{ ...okta, SSO_PROVIDER: '../x' }, 'SSO_PROVIDER: must be'],
    [{ ...okta, SSO_PROVIDER: 'local' }, 'SSO_PROVIDER: must be'],
    [{ ...okta, SSO_ISSUER: 'http://id.example.com' }, 'SSO_ISSUER: must be'],
    [{ ...okta, SSO_ISSUER: 'http://127.0.0.1.example.com' }, 'SSO_ISSUER: must be'],
    [{ ...okta, SSO_ISSUER: 'https://id.example.com/?tenant=1' }, 'SSO_ISSUER: must be'],
    [{ ...okta, SSO_ISSUER: 'https://me:secret@id.example.com' }, 'SSO_ISSUER: must be'],
    [{ ...okta, SSO_ISSUER: 'id.example.com' }, 'SSO_ISSUER: must be'],
  ])('prevent the start, with a message, if they contain %j', (settings, words) => {
    expect(() => read(settings)).toThrow(words);
  });
});
