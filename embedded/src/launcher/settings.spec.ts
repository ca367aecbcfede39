/** Tests the settings of the launcher: defaults, refused values, and the names of settings in errors. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

describe('the settings', () => {
  it('have defaults', () => {
    expect(readSettings({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      dataDir: resolve('.data'),
      adminPassword: undefined,
      samplePassword: undefined,
      sampleData: true,
      eventStoreUrl: undefined,
      databaseUrl: undefined,
      auditSigningKey: undefined,
      acceptsLogEnd: false,
      publicUrl: 'http://127.0.0.1:8080',
      verbose: false,
    });
  });

  it('are read from the environment', () => {
    const settings = readSettings({
      PORT: '9000',
      HOST: '::1',
      DATA_DIR: '/srv/rdm',
      ADMIN_PASSWORD: 'Correct-Horse-7',
      SAMPLE_DATA: 'off',
      EVENTSTORE_URL: 'esdb://one:2113,two:2113,three:2113?tls=false',
      DATABASE_URL: 'postgres://user:secret@db:5432/rdm',
    });
    expect(settings).toMatchObject({
      port: 9000,
      publicUrl: 'http://[::1]:9000',
      dataDir: resolve('/srv/rdm'),
      adminPassword: 'Correct-Horse-7',
      sampleData: false,
      eventStoreUrl: 'esdb://one:2113,two:2113,three:2113?tls=false',
    });
  });

  it('treat an empty value as not set', () => {
    expect(readSettings({ PORT: '', ADMIN_PASSWORD: '', DATABASE_URL: ' ' })).toEqual(readSettings({}));
  });

  it('refuse a signing key whose file cannot be read', () => {
    expect(() => readSettings({ AUDIT_SIGNING_KEY: '/no/such.pem' })).toThrow(
      /^AUDIT_SIGNING_KEY cannot be used: the file "\/no\/such.pem" cannot be read \(ENOENT\)/,
    );
  });

  it('remove the slash at the end of the public address', () => {
    expect(readSettings({ PUBLIC_URL: 'https://data.example.org/' }).publicUrl).toBe('https://data.example.org');
  });

  it('have a public address that a browser can open if HOST represents all addresses', () => {
    expect(readSettings({ HOST: '0.0.0.0' }).publicUrl).toBe('http://localhost:8080');
  });

  it.each([
    ['PORT', '80 80'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['HOST', 'localhost:8080'],
    ['SAMPLE_DATA', 'perhaps'],
    ['EVENTSTORE_URL', 'http://127.0.0.1:2113'],
    ['DATABASE_URL', 'mysql://127.0.0.1/rdm'],
    ['ACCEPT_LOG_END', 'yes'],
    ['PUBLIC_URL', 'data.example.org'],
    ['PUBLIC_URL', 'https://data.example.org/app'],
    ['ADMIN_PASSWORD', 'Short-1'],
    ['ADMIN_PASSWORD', 'no-capital-letter-1'],
    ['SAMPLE_PASSWORD', 'NoSpecialCharacter1'],
    ['SESSION_HOURS', '-1'],
    ['REGISTRATION', 'closed'],
    ['API_KEY_REQUESTS_PER_MINUTE', '0'],
    ['BULK_ANSWER_ROWS', '20000'],
    ['SUPPORT_EMAIL', 'nobody'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'Reference data <nobody>'],
    ['TRUST_FORWARDED', 'yes'],
    ['BACKUP_PASSPHRASE_FILE', '/no/such'],
  ])('refuse %s=%s with an error that begins with the name of the setting', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} `));
  });

  it('refuse an address of the event store without repeating its password', () => {
    const EVENTSTORE_URL = 'esdb://operator:Secret-1@127.0.0.1:2113?tlsCAfiles=x';
    expect(() => readSettings({ EVENTSTORE_URL })).toThrow(/^EVENTSTORE_URL has an unknown option/);
    expect(() => readSettings({ EVENTSTORE_URL })).not.toThrow(/Secret-1|operator/);
  });

  it('refuse an invalid address of the mail server with an example of a valid one', () => {
    expect(() => readSettings({ SMTP_URL: 'mail:Secret-1@mail.example' })).toThrow(
      'SMTP_URL must be an address such as smtp://user:password@mail.example.com:587.',
    );
  });

  it.each(['data@localhost', 'Reference data <data@example.com>', '"Codes, lists" <data@example.com>'])(
    'accept MAIL_FROM=%s',
    (MAIL_FROM) => {
      expect(() => readSettings({ MAIL_FROM })).not.toThrow();
    },
  );

  it('accept a password without a special character if a setting makes it optional', () => {
    const env = { ADMIN_PASSWORD: 'NoSpecialCharacter1', PASSWORD_SPECIAL_CHARACTER: 'optional' };
    expect(readSettings(env).adminPassword).toBe('NoSpecialCharacter1');
  });

  it('refuse an incomplete sign-in provider', () => {
    expect(() => readSettings({ SSO_PROVIDER: 'okta', SSO_CLIENT_ID: 'rdm' })).toThrow(/^SSO_ISSUER: is missing/);
  });

  it('refuse a weak password of the administrator without repeating the password', () => {
    expect(() => readSettings({ ADMIN_PASSWORD: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
  });

  it('report all errors at once', () => {
    expect(() => readSettings({ PORT: 'x', SAMPLE_DATA: 'y' })).toThrow(/^PORT .*\nSAMPLE_DATA /);
  });
});
