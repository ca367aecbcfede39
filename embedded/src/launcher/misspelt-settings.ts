/** Finds environment variables that resemble a setting, because the product would silently ignore them. */
import { SETTING_NAMES } from '@rdm/platform/config';

/** Settings that only programs of `embedded` read. */
const LAUNCHER_NAMES = [
  'BACKUP_DIR',
  'BACKUP_PASSPHRASE_FILE',
  'SAMPLE_DATA',
  'SAMPLE_PASSWORD',
  'TRUST_FORWARDED',
  'VERBOSE',
];
const NAMES: readonly string[] = [...SETTING_NAMES, ...LAUNCHER_NAMES];

/**
 * Names of at least this length may be misspelt in two letters. Shorter names may be misspelt in one, because they
 * often resemble variables of other programs.
 */
const LONG_NAME = 8;

/** Returns a sentence per variable that resembles a setting. Ignores empty variables, and settings that are set. */
export function misspeltSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).flatMap((given) => {
    if (NAMES.includes(given) || !env[given]) return [];
    const meant = NAMES.find(
      (name) => !env[name] && mistakes(given.toUpperCase(), name) <= (name.length < LONG_NAME ? 1 : 2),
    );
    return meant === undefined ? [] : [`${given} is not a setting, so it has no effect. Did you mean ${meant}?`];
  });
}

/** Returns the edit distance in letters. A swap of two neighbouring letters counts as one edit. */
function mistakes(given: string, meant: string): number {
  const rows = [Array.from({ length: meant.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= given.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= meant.length; column++) {
      const isSame = given[row - 1] === meant[column - 1];
      const isSwapped = given[row - 1] === meant[column - 2] && given[row - 2] === meant[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(given.length, meant.length);
}
