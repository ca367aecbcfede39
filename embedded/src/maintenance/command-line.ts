/** Code that the maintenance scripts share: exit codes, interruption, passphrases, output of errors and progress. */
import { readFileSync } from 'node:fs';
import { InvalidSigningKey } from '@rdm/platform';
import { DirectoryInUse } from '../launcher/lock.ts';
import { InvalidSettings } from '../launcher/settings.ts';
import { MaintenanceError } from './errors.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, noSpace: 4, interrupted: 5 } as const;

/** An error in the arguments of a script, or in a file or folder that an argument names. */
export class UsageError extends Error {}

/** The reason of the abort signal when the user or the system stops the script. */
export class Interrupted extends Error {}

/** Returns a signal that aborts with `Interrupted` on SIGINT, SIGTERM, SIGHUP, or a closed channel to the parent. */
export function interruption(): AbortSignal {
  const abort = new AbortController();
  process.once('disconnect', () => abort.abort(new Interrupted('Interrupted.')));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => abort.abort(new Interrupted('Interrupted.')));
  }
  return abort.signal;
}

/**
 * Reads a passphrase without its line break from a file, or from standard input for `-`. Returns undefined without a
 * path. Throws a `UsageError` if the file is empty or cannot be read.
 */
export function readPassphrase(file = process.env['BACKUP_PASSPHRASE_FILE']): string | undefined {
  if (!file) return undefined;
  const text = file === '-' ? readFileSync(0, 'utf8') : readTextFile(file, 'passphrase');
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase === '')
    throw new UsageError(`The passphrase file ${file} is empty: write only the passphrase into it.`);
  return passphrase;
}

export function readTextFile(file: string, kind: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The ${kind} file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Runs a script and exits the process with its exit code. */
export async function runScript(usage: string, main: () => Promise<void>): Promise<never> {
  try {
    await main();
    process.exit(EXIT.done);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    const code = exitCodeOf(error);
    if (code === EXIT.usage) console.error(`Usage: ${usage}`);
    process.exit(code);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof InvalidSettings || isArgumentError(error)) return EXIT.usage;
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof MaintenanceError) return error.code === 'DISK_SPACE' ? EXIT.noSpace : EXIT.refused;
  return error instanceof DirectoryInUse || error instanceof InvalidSigningKey ? EXIT.refused : EXIT.failed;
}

/** Whether `parseArgs` has thrown the error, for example for an unknown option. */
const isArgumentError = (error: unknown) =>
  String((error as NodeJS.ErrnoException | undefined)?.code).startsWith('ERR_PARSE_ARGS');

/** Returns a function that prints a line for each phase and for each tenth of its progress. */
export function progressPrinter(): (progress: { phase?: string; done: number; total: number }) => void {
  let last = '';
  return ({ phase = 'file', done, total }) => {
    const tenth = total === 0 ? 10 : Math.floor((done / total) * 10);
    const line = `  ${phase}: ${tenth * 10} %`;
    if (line !== last) console.log(line);
    last = line;
  };
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${UNITS[unit]}`;
}
