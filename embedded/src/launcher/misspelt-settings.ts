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
 * A variable resembles a setting if at most two letters differ, or one letter if the name of the setting is shorter
 * than this: short names often resemble variables of other programs.
 */
const LONG_NAME = 8;

/** Returns a sentence per variable that resembles a setting. Ignores empty variables, and settings that are set. */
export function misspeltSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).flatMap((variable) => {
    if (NAMES.includes(variable) || !env[variable]) return [];
    const setting = NAMES.find(
      (name) => !env[name] && editDistance(variable.toUpperCase(), name) <= (name.length < LONG_NAME ? 1 : 2),
    );
    return setting === undefined ? [] : [`${variable} is not a setting, so it has no effect. Did you mean ${setting}?`];
  });
}

/** Returns the edit distance in letters. A swap of two neighbouring letters counts as one edit. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
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
  return at(from.length, to.length);
}
