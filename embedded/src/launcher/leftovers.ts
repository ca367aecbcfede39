/**
 * Records the processes of a data directory, so that the next start can end the processes that a killed launcher left
 * running.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOutOfSpace } from '../event-store/storage/disk.ts';
import { commandLineOf, end, identify, isRunning, type ProcessIdentity } from './running-processes.ts';

type RecordedProcess = ProcessIdentity & { part: string; commandLine: string };

export type ProcessRecord = {
  add(part: string, pid: number): void;
  remove(pid: number): void;
};

/**
 * Ends the recorded processes of an earlier run, then returns an empty record. Ignores a pid that now belongs to
 * another program.
 */
export async function endOrphanedProcesses(path: string, print: (line: string) => void): Promise<ProcessRecord> {
  const leftovers = read(path).filter(
    (process) => isRunning(process) && commandLineOf(process.pid) === process.commandLine,
  );
  for (const { part, pid } of leftovers) print(`Stopping ${part} (process ${pid}), left over from an earlier run`);
  await Promise.all(leftovers.map((process) => end(process, [['SIGTERM', 3_000]])));

  let processes: RecordedProcess[] = [];
  const save = () => {
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(processes, null, 2));
      renameSync(`${path}.new`, path);
    } catch (error) {
      // Ignore a full disk: only a later start needs the record.
      if (!isOutOfSpace(error)) throw error;
    }
  };
  save();
  return {
    add(part, pid) {
      const process = identify(pid);
      if (process === undefined) return; // already ended
      processes.push({ part, ...process, commandLine: commandLineOf(pid) });
      save();
    },
    remove(pid) {
      processes = processes.filter((process) => process.pid !== pid);
      save();
    },
  };
}

function read(path: string): RecordedProcess[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RecordedProcess[]) : [];
}
