/** Tests that docker-compose.yml passes on the settings of README.md, and that services accept empty values. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { passedOnProblems } from './config.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** The Dockerfile sets HOST. Only the launcher, which no container runs, reads SAMPLE_DATA and SAMPLE_PASSWORD. */
const NOT_FOR_CONTAINERS = ['HOST', 'SAMPLE_DATA', 'SAMPLE_PASSWORD'];

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');
  const rows = read('README.md').match(/^\| `[A-Z].*$/gm) ?? [];
  const documented = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{4,}/g) ?? []);

  it.each(documented.filter((name) => !NOT_FOR_CONTAINERS.includes(name)))('sets %s or passes it on', (name) => {
    expect(compose).toMatch(new RegExp(`^ +${name}: `, 'm'));
  });

  it('passes on empty values, which services accept', () => {
    const passedOn = [...compose.matchAll(/^ {2}([A-Z_]+): \$\{\1:-\}$/gm)].map(([, name]) => [name, ''] as const);
    expect(passedOn.length).toBeGreaterThan(0);
    expect(passedOnProblems(Object.fromEntries(passedOn))).toEqual([]);
  });
});
