/**
 * Measures three imports, each against a reference: a workbook against its bare reader, a file of 100 columns against
 * COPY, and the files of three users at once against the file of one user.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { memoryBytes } from '@rdm/command-api/file-imports/sources/fixtures/memory-bytes';
import { workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { openWorkbook } from '@rdm/command-api/file-imports/sources/xlsx/workbook';
import { type Stack, startStack } from '@rdm/embedded/stack';
import pg from 'pg';
import {
  type Caller,
  cellsOf,
  codeOf,
  csvOf,
  FIELDS,
  newDataSet,
  newPerson,
  signIn,
  waitUntilReadable,
} from './data-sets.ts';
import { copySeconds } from './import.ts';
import { describeMachine, median, peakResidentMib } from './measure.ts';

const PASSWORD = 'Bench-import-1';
const COLUMNS = 100;
const USERS = 3;
/** Concurrent imports may take at most this many times as long as the same imports one after another. */
const SLOWDOWN_MAX = 1.5;

interface FileImport {
  name: string;
  rows: number;
  reference: string;
  productSeconds: number[];
  referenceSeconds: number[];
}

interface ImportFilesResult {
  bench: 'import-files';
  machine: string;
  imports: FileImport[];
  /** Maximum resident memory of each service and of the processes of command-api that read files, in MiB. */
  residentMebibytes: Record<string, number>;
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1_000;
};

async function measureImportFiles({ rows = 1_000_000, rounds = 2 } = {}): Promise<ImportFilesResult> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-import-files-'));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  const memory = watchMemory(stack);
  try {
    const admin = await signIn(stack.baseUrl, PASSWORD);
    const typeId = await newType(admin, FIELDS);
    return {
      bench: 'import-files',
      machine: describeMachine(),
      imports: [
        await measureWorkbook(directory, admin, typeId, rows, rounds),
        await measureWideFile(directory, admin, stack.databaseUrl, rows / 10, rounds),
        await measureUsers(directory, stack.baseUrl, admin, typeId, rows / 5, rounds),
      ],
      residentMebibytes: memory.stop(),
    };
  } finally {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function newType(person: Caller, fields: readonly (readonly [string, string])[]): Promise<number> {
  const schemas = fields.map(([name, dataType], index) => ({ name, dataType, isPrimaryKey: index === 0 }));
  return (await person.write('/api/reference-types', { name: `Import ${randomUUID()}`, schemas })).id;
}

/**
 * Imports a file in any format into a new data set; returns the seconds from the upload until the last row is readable.
 */
async function importSeconds(person: Caller, typeId: number, file: string, rows: number): Promise<number> {
  const dataSetId = await newDataSet(person, typeId);
  return seconds(async () => {
    await person.startImport(dataSetId, file);
    await waitUntilReadable(person, dataSetId, rows);
  });
}

async function measureWorkbook(
  directory: string,
  person: Caller,
  typeId: number,
  rows: number,
  rounds: number,
): Promise<FileImport> {
  const file = join(directory, 'rows.xlsx');
  writeFileSync(file, workbookWith(rows));
  const result = emptyImport('a workbook', rows, 'the bare reader reads all records of the file');
  const read = async () => {
    const source = await openWorkbook(memoryBytes(readFileSync(file)), {});
    let records = 0;
    for await (const batch of source.records()) records += batch.records.length;
    if (records !== rows + 1) throw new Error(`The reader found ${records} records`);
  };
  for (let round = 0; round < rounds; round++) {
    result.productSeconds.push(await importSeconds(person, typeId, file, rows));
    result.referenceSeconds.push(await seconds(read));
  }
  return result;
}

/** A workbook with rows of FIELDS: texts are shared, as spreadsheet programs write them. */
function workbookWith(rows: number): Buffer {
  const strings = new Map<string, number>();
  const sharedIndex = (text: string) => {
    const index = strings.get(text);
    if (index !== undefined) return index;
    strings.set(text, strings.size);
    return strings.size - 1;
  };
  const cellOf = (value: string | number | boolean, reference: string) => {
    if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${Number(value)}</v></c>`;
    return `<c r="${reference}" t="s"><v>${sharedIndex(value)}</v></c>`;
  };
  const rowOf = (cells: readonly (string | number | boolean)[], number: number) =>
    `<row r="${number}">${cells.map((value, column) => cellOf(value, `${'ABCDEFG'[column]}${number}`)).join('')}</row>`;
  const xml = [
    rowOf(
      FIELDS.map(([name]) => name),
      1,
    ),
  ];
  for (let row = 0; row < rows; row++) {
    xml.push(rowOf(cellsOf(row), row + 2));
  }
  return workbookOf({ sheets: [{ rows: xml.join('') }], strings: [...strings.keys()] });
}

async function measureWideFile(
  directory: string,
  person: Caller,
  databaseUrl: string,
  rows: number,
  rounds: number,
): Promise<FileImport> {
  const names = Array.from({ length: COLUMNS }, (_, index) => (index === 0 ? 'code' : `column ${index}`));
  const typeId = await newType(
    person,
    names.map((name) => [name, 'string'] as const),
  );
  const file = join(directory, 'wide.csv');
  const valuesOf = (row: number) =>
    names.map((_, index) => (index === 0 ? codeOf(row) : `Value ${(row * index) % 1_000}`));
  const lines = function* () {
    yield `${names.join(',')}\n`;
    for (let row = 0; row < rows; row++) yield `${valuesOf(row).join(',')}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const result = emptyImport(`${COLUMNS} columns`, rows, 'COPY into a table with the same columns and indexes');
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const copiedLines = function* () {
    for (let row = 0; row < rows; row++) {
      const values = valuesOf(row).map((value, index) => `""${index + 1}"":""${value}""`);
      yield `1,${row + 1},1,"[""${codeOf(row)}""]","{${values.join(',')}}",f,1,2026-01-01Z,1,2026-01-01Z,1,${row + 1}\n`;
    }
  };
  try {
    for (let round = 0; round < rounds; round++) {
      result.productSeconds.push(await importSeconds(person, typeId, file, rows));
      result.referenceSeconds.push(await copySeconds(pool, copiedLines()));
    }
  } finally {
    await pool.end();
  }
  return result;
}

/** Measures several users who import the same file at once. `productSeconds` has the seconds of the slowest user. */
async function measureUsers(
  directory: string,
  baseUrl: string,
  admin: Caller,
  typeId: number,
  rows: number,
  rounds: number,
): Promise<FileImport> {
  const file = join(directory, 'rows.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  const people: Caller[] = [];
  for (let user = 0; user < USERS; user++) people.push(await newPerson(baseUrl, admin, PASSWORD));
  const result = emptyImport(
    `${USERS} users at once`,
    rows,
    `the import of one user alone (maximum ratio ${SLOWDOWN_MAX * USERS})`,
  );
  for (let round = 0; round < rounds; round++) {
    result.referenceSeconds.push(await importSeconds(people[0] as Caller, typeId, file, rows));
    const secondsPerUser = await Promise.all(people.map((person) => importSeconds(person, typeId, file, rows)));
    result.productSeconds.push(Math.max(...secondsPerUser));
  }
  return result;
}

const emptyImport = (name: string, rows: number, reference: string): FileImport => ({
  name,
  rows,
  reference,
  productSeconds: [],
  referenceSeconds: [],
});

/** Records the peak memory of all processes every second, because a process that reads files can end at any time. */
function watchMemory(stack: Stack) {
  const resident: Record<string, number> = {};
  const record = (name: string, pid: number) => {
    const mebibytes = peakResidentMib(pid);
    if (mebibytes > (resident[name] ?? 0)) resident[name] = mebibytes;
  };
  const timer = setInterval(() => {
    for (const [name, { pid }] of Object.entries(stack.parts)) if (pid) record(name, pid);
    const commandApi = stack.parts['command-api']?.pid;
    for (const pid of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
      if (parentOf(pid) === commandApi) record('files', Number(pid));
    }
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      return resident;
    },
  };
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // the process ended
  }
}

function table({ imports, machine, residentMebibytes }: ImportFilesResult): string {
  return [
    '### import-files',
    '',
    `Machine: ${machine}.`,
    '',
    '| import | rows | product s | reference s | ratio (median) | reference |',
    '|---|---|---|---|---|---|',
    ...imports.map(({ name, rows, reference, productSeconds, referenceSeconds }) => {
      const [productMedian, referenceMedian] = [median(productSeconds), median(referenceSeconds)];
      return `| ${name} | ${rows.toLocaleString('en')} | ${productMedian.toFixed(1)} | ${referenceMedian.toFixed(1)} | ${(productMedian / referenceMedian).toFixed(2)}× | ${reference} |`;
    }),
    '',
    `Maximum memory, MiB: ${Object.entries(residentMebibytes)
      .map(([name, mebibytes]) => `${name} ${mebibytes}`)
      .join(', ')}.`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { rows: 50_000, rounds: 1 } : {};
  const once = process.argv.includes('--once') ? { rounds: 1 } : {};
  const result = await measureImportFiles({ ...quick, ...once });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
