/** Identifies processes of this machine, checks whether they run, and ends them reliably. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type ProcessIdentity = {
  pid: number;
  /** The start time in the format of the platform. It tells the process from a later process with the same pid. */
  started: string;
};

/** Returns the identity of the process with this pid; undefined if there is no such process or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether the identified process runs. Returns false if another process has its pid now. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return startOf(pid) === started;
}

/** Returns the command line of a process, with blanks between the arguments; empty if it cannot be read. */
export function commandLineOf(pid: number): string {
  if (process.platform === 'linux') return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() ?? '';
  if (process.platform === 'win32') return queryWindows(pid, 'CommandLine') ?? '';
  return queryPs(pid, 'command') ?? '';
}

/**
 * Sends the signals in order until the process has ended, and waits up to the timeout (milliseconds) after each signal.
 * The last signal is SIGKILL. Throws if the process still runs 5 seconds later.
 */
export async function end(target: ProcessIdentity, steps: [NodeJS.Signals, number][]): Promise<void> {
  for (const [signal, timeoutMs] of [...steps, ['SIGKILL', 5_000] as const]) {
    sendSignal(target, signal);
    if (await waitUntilGone(target, timeoutMs)) return;
  }
  throw new Error(`Process ${target.pid} could not be ended`);
}

function sendSignal(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function waitUntilGone(target: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(target)) {
    if (Date.now() >= deadline) return false;
    await pause(20);
  }
  return true;
}

function startOf(pid: number): string | undefined {
  if (process.platform === 'win32') return queryWindows(pid, 'CreationDate.Ticks');
  if (process.platform !== 'linux') return queryPs(pid, 'lstart', (state) => !state.startsWith('Z'));
  // The second field is the name in brackets. Names may contain blanks and brackets, so count from the last bracket.
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const [state, ticksSinceBoot] = [fields?.[0], fields?.[19]];
  if (state === undefined || ticksSinceBoot === undefined || state === 'Z' || state === 'X') return undefined;
  return `${bootId()}+${ticksSinceBoot}`;
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // already ended
  }
}

function queryPs(pid: number, column: string, isWanted = (_state: string) => true): string | undefined {
  try {
    const line = execFileSync('ps', ['-p', String(pid), '-o', 'state=', '-o', `${column}=`], QUIET).trim();
    const [, state = '', value] = /^(\S+)\s+(.*)$/s.exec(line) ?? [];
    return value !== undefined && isWanted(state) ? value.trim() : undefined;
  } catch {
    return undefined; // ps exits with 1 if there is no such process
  }
}

function queryWindows(pid: number, property: string): string | undefined {
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').${property}`;
  try {
    return execFileSync('powershell.exe', ['-NoProfile', '-Command', query], QUIET).trim() || undefined;
  } catch {
    return undefined;
  }
}

const QUIET: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  windowsHide: true,
};
