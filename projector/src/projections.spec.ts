/** Specifies rules that hold for every projection. */
import { createHash } from 'node:crypto';
import { READ_MODEL_TITLES } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { buildDdl, buildIndexDdl } from './engine/projection.ts';
import { projections } from './projections.ts';

it('the user interface has a title for each projection, and no other titles', () => {
  expect(Object.keys(READ_MODEL_TITLES).sort()).toEqual(projections.map(({ name }) => name).sort());
});

/** For each projection, its version and a digest of its tables and indexes at this version. */
const RECORDED: Readonly<Record<string, string>> = {
  audit_activities: '4 95d64a9b893064f8',
  audit_log: '8 c973e256b7faf15c',
  backups: '1 08d426b2889cb774',
  changes: '1 933e20e83d559486',
  collections: '3 89ed0a3e5a39298f',
  crosswalks: '9 608f2d1081919ffa',
  data_sets: '2 47ef96af43c3b0aa',
  filter_configurations: '1 eee4e74a4be64bcd',
  instances: '5 7708777e941a947b',
  jobs: '6 918463d6c2c3ebd7',
  missing_mappings: '4 e4e7dfb2d9b8411c',
  notifications: '5 5397655f732d8e51',
  purges: '2 93a09392050bf4df',
  reference_types: '3 0408fc002c7bf360',
  relationships: '8 861cf47c7885fe9f',
  saved_filters: '2 ece8000df6dbeee8',
  signing_keys: '1 35618d18356cee1d',
};

// Without a new version, an installation keeps the old tables, and queries of a new column fail.
it.each(projections)('$name has a new version if its tables have changed', (projection) => {
  // The storage of a column does not count, because queries do not depend on it.
  const ddl = (buildDdl('build', projection) + buildIndexDdl('build', projection)).replace(
    /^.* SET STORAGE .*\n/gm,
    '',
  );
  const tables = `${projection.version} ${createHash('sha256').update(ddl).digest('hex').slice(0, 16)}`;
  expect(
    RECORDED[projection.name],
    `If the tables of “${projection.name}” have changed, increase its version. Then record ${projection.name}: '${tables}' here`,
  ).toBe(tables);
});
