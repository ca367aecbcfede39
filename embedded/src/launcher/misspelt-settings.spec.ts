/** Tests which environment variables count as misspelt settings. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { misspeltSettings } from './misspelt-settings.ts';

describe('misspelt settings', () => {
  it.each([
    ['REGISTATION', 'REGISTRATION'],
    ['SESION_HOUR', 'SESSION_HOURS'],
    ['registration', 'REGISTRATION'],
    ['PROT', 'PORT'],
    ['SMPT_URL', 'SMTP_URL'],
    ['BACKUP_DIRS', 'BACKUP_DIR'],
  ])('include %s, with the suggestion %s', (variable, suggestion) => {
    expect(misspeltSettings({ [variable]: 'x' })).toEqual([
      `${variable} is not a setting, so it has no effect. Did you mean ${suggestion}?`,
    ]);
  });

  it('do not include an empty variable, or a variable whose suggestion is set', () => {
    expect(misspeltSettings({ REGISTATION: '' })).toEqual([]);
    expect(misspeltSettings({ REGISTATION: 'off', REGISTRATION: 'off' })).toEqual([]);
  });

  it('do not include documented settings or variables of other programs', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const rows = readme.match(/^\| `[A-Z].*$/gm) ?? [];
    const documented = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{4,}/g) ?? []);
    expect(documented.length).toBeGreaterThan(25);
    for (const name of documented) expect(misspeltSettings({ [name]: 'x' })).toEqual([]);
    const systemVariables = [
      'HOME',
      'PATH',
      'PWD',
      'USER',
      'SHLVL',
      'HOSTNAME',
      'HOSTTYPE',
      'LOGNAME',
      'MAIL',
      'NODE_ENV',
      'TZ',
    ];
    const toolVariables = [
      'PGHOST',
      'PGPORT',
      'PGDATA',
      'XDG_DATA_DIRS',
      'SSH_AUTH_SOCK',
      'npm_config_yes',
      'INIT_CWD',
      'TMPDIR',
    ];
    const others = [...systemVariables, ...toolVariables];
    expect(misspeltSettings(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
  });
});
