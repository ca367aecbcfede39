/** The log file of one part: appends whole lines, rotates files by size, and keeps the last lines in memory. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type PartLog = {
  path: string;
  write(line: string): void;
  /** Writes the lines of the streams to the log. */
  follow(...streams: Readable[]): void;
  lastLines(count: number): string[];
};

const MAX_BYTES = 10 * 2 ** 20;
const KEPT_FILES = 3;
const KEPT_LINES = 50;

/** The beginning of the line that is written when the part starts. */
export const RUN_START = '---';

/** Opens the log of a part; `echo` also receives each line. */
export function partLog(folder: string, name: string, echo = (_line: string) => {}, maxBytes = MAX_BYTES): PartLog {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.log`);
  const recent: string[] = [];
  let isFailing = false;
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  function rotate() {
    for (let age = KEPT_FILES - 1; age >= 0; age--) {
      const file = age === 0 ? path : `${path}.${age}`;
      if (statSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, `${path}.${age + 1}`);
    }
    size = 0;
  }

  function write(line: string) {
    recent.push(line);
    if (recent.length > KEPT_LINES) recent.shift();
    echo(line);
    const bytes = Buffer.from(`${line}\n`);
    try {
      if (size > 0 && size + bytes.length > maxBytes) rotate();
      appendFileSync(path, bytes, { mode: 0o600 });
      size += bytes.length;
      isFailing = false;
    } catch (error) {
      // Report only the first failure in a row: the product continues without this log.
      if (!isFailing) echo(`ERROR ${path} cannot be written: ${error instanceof Error ? error.message : error}`);
      isFailing = true;
    }
  }

  return {
    path,
    write,
    follow(...streams) {
      for (const input of streams) createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', write);
    },
    lastLines: (count) => recent.slice(-count),
  };
}

/** Whether a structured or plain line reports a warning or an error. */
export function isWarning(line: string): boolean {
  const level = /^\{.*?"level":(\d+|"\w+")/.exec(line)?.[1];
  if (level !== undefined) return Number(level) >= 40 || /warn|error|fatal/.test(level);
  return /\b(WARNING|ERROR|FATAL|PANIC)\b|^\s*\w*Error:/.test(line);
}

const ERROR_LINE = /^\{"level":(?:50|60),.*"msg":("(?:[^"\\]|\\.)*")\}$/;

/** Returns the message of the last structured error since the last start of the part. */
export function lastErrorMessage(lines: string[]): string | undefined {
  for (const line of [...lines].reverse()) {
    if (line.startsWith(RUN_START)) return undefined;
    const message = ERROR_LINE.exec(line)?.[1];
    if (message !== undefined) return JSON.parse(message) as string;
  }
  return undefined;
}
