/**
 * The file of rejected rows contains each rejected row after its reason, with formulas marked. An import of this file
 * rejects every row that is not corrected.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { done, endOfJob, newCrosswalk, newDataSet, newType } from './fixtures.ts';
import type { Json } from './http-client.ts';
import {
  collectionId,
  downloadRejected,
  importFile,
  prepareImports,
  steward,
  typeId,
  upload,
} from './rejected-rows.ts';

prepareImports();

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

function encodeText(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'windows-1252') return Buffer.from(text, 'latin1');
  const units = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? units.swap16() : units;
}

/** Bytes that are not a character in the encoding. */
const INVALID_BYTES: Record<Encoding, Buffer> = {
  'utf-8': Buffer.from([0xe9]),
  'windows-1252': Buffer.from([0x81]),
  'utf-16le': Buffer.from([0x00, 0xd8]),
  'utf-16be': Buffer.from([0xd8, 0x00]),
};

/** Encodes the rows, and replaces each `§` by invalid bytes. */
function fileOf(rows: readonly string[], encoding: Encoding): Buffer {
  const mark = encoding.startsWith('utf-16') ? '\ufeff' : '';
  const parts = (mark + rows.join('')).split('§').map((part) => encodeText(part, encoding));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [INVALID_BYTES[encoding], part])));
}

/** Each function returns a damaged row. `d` is the delimiter, and `n` the number of the row. */
const DAMAGED_ROWS: ((d: string, n: number) => string)[] = [
  (d, n) => `w${n}${d}Zürich${d}many`,
  (d, n) => `w${n}${d}=1+1${d}many`,
  (d, n) => `w${n}${d}"a ""b""${d} c\nd"${d}many`,
  (d, n) => `x${n}${d}name${d}1${d}more${d}still`,
  (d, n) => `x${n}${d}only`,
  (d, n) => `b${n}${d}M§nchen${d}1`,
  (d, n) => `b${n}${d}"é§${d}x"${d}1`,
  (d, n) => `q${n}${d}"early"end${d}1`,
  (d) => `${d}no key${d}1`,
  (d) => `${d}no key, no number${d}many`,
];
/** Rows with an unclosed quotation mark. These rows come last, because an unclosed value may include the next rows. */
const UNCLOSED_ROWS: typeof DAMAGED_ROWS = [(d, n) => `q${n}${d}"never${d}1`, (d, n) => `"q${n}${d}never${d}1`];

describe('the file of rejected rows of an import', () => {
  it('is rejected again for the same reasons', async () => {
    const damaged = fc
      .tuple(fc.array(fc.constantFrom(...DAMAGED_ROWS), { minLength: 1, maxLength: 12 }), fc.subarray(UNCLOSED_ROWS))
      .map((kinds) => kinds.flat());
    const encoding = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be', 'windows-1252');
    const roundTrip = async (
      kinds: typeof DAMAGED_ROWS,
      usedEncoding: Encoding,
      delimiter: string,
      hasHeader: boolean,
    ) => {
      const dataSetId = await newDataSet(steward, typeId, collectionId);
      const rows = kinds.map((kind, index) => kind(delimiter, index));
      const header = hasHeader ? [`${['code', 'name', 'population'].join(delimiter)}\n`] : [];
      const file = fileOf(
        [...header, `good${delimiter}Österreich${delimiter}1\n`, ...rows.map((row) => `${row}\n`)],
        usedEncoding,
      );
      const first = await importFile(dataSetId, file, {
        encoding: usedEncoding,
        delimiter,
        hasHeader: String(hasHeader),
      });
      expect(first.counts).toMatchObject({ total: rows.length + 1, created: 1, failed: rows.length });
      const errors = await downloadRejected(first.jobId);
      for (const row of rows) {
        const expectedRow = encodeText(row.replaceAll('=', "'="), usedEncoding).toString('latin1');
        if (!row.includes('§')) expect(errors.toString('latin1')).toContain(expectedRow);
      }
      const second = await importFile(dataSetId, errors);
      expect(second.counts).toMatchObject({
        total: rows.length,
        created: 0,
        changed: 0,
        unchanged: 0,
        failed: rows.length,
      });
      const secondErrors = await downloadRejected(second.jobId);
      const normalizedLines = (bytes: Buffer) =>
        new TextDecoder(usedEncoding)
          .decode(bytes)
          .replace(/^\ufeff|^ï»¿/, '')
          .replaceAll(/Line \d+:/g, 'Line:')
          .split('\r\n')
          .sort();
      expect(normalizedLines(secondErrors)).toEqual(normalizedLines(errors));
    };
    await roundTrip([...DAMAGED_ROWS, ...UNCLOSED_ROWS], 'utf-8', ',', true);
    await roundTrip([...DAMAGED_ROWS, ...UNCLOSED_ROWS], 'windows-1252', ';', false);
    await fc.assert(
      fc.asyncProperty(damaged, encoding, fc.constantFrom(',', ';', '\t', '|'), fc.boolean(), roundTrip),
      {
        numRuns: 6,
        endOnFailure: true,
      },
    );
  });

  it('names every problem of a row, and can be imported after a correction', async () => {
    const dataSetId = await newDataSet(steward, typeId, collectionId);
    const { jobId } = await importFile(dataSetId, Buffer.from('code;name;population\n;=1+1;lots\nFR;France;68\n'));
    const file = (await downloadRejected(jobId)).toString();
    const [head, row] = file.split('\r\n');
    expect(head).toBe('\ufeffrdm:reason;code;name;population');
    expect(row).toMatch(
      /^"Line 2: .*population.*""lots"" is not a number\..*code.*The key field ""code"" is empty\..*";;'=1\+1;lots$/,
    );
    const corrected = file.replace(/";;/, '";DE;').replace(/lots(\r\n)$/, '83$1');
    const secondImport = await importFile(dataSetId, Buffer.from(corrected));
    expect(secondImport.counts).toMatchObject({ total: 1, created: 1 });
    const { items } = done(await steward.get(`/api/reference-data/${dataSetId}/instances?sort=code`));
    expect(items.map(({ data }: Json) => data)).toMatchObject([
      { code: 'DE', name: '=1+1', population: 83 },
      { code: 'FR' },
    ]);
  });

  it('has the encoding of the imported file', async () => {
    const dataSetId = await newDataSet(steward, typeId, collectionId);
    const type = await newType(steward, [{ name: 'größe ≤ 1', dataType: 'number' }]);
    const withUnencodableField = await newDataSet(steward, type, collectionId);
    const file = Buffer.from('code,name,size\nDE,Zürich,many\n', 'latin1');
    for (const id of [dataSetId, withUnencodableField]) {
      const { jobId } = await importFile(id, file, { encoding: 'windows-1252' });
      const text = (await downloadRejected(jobId)).toString('latin1');
      expect(text).toContain('DE,Zürich,many\r\n');
      expect(text).not.toContain('ï»¿');
    }
  });

  it('contains the SSSOM metadata of the imported file', async () => {
    const rows = ['A', 'B'].map((code) => ({ code }));
    const [source, target] = [
      await newDataSet(steward, typeId, collectionId, rows),
      await newDataSet(steward, typeId, collectionId, rows),
    ];
    const crosswalkId = await newCrosswalk(steward, source, target);
    const file = [
      '#curie_map:',
      '#  x: "https://example.com/"',
      'subject_id\tpredicate_id\tobject_id\tconfidence',
      'A\tskos:exactMatch\tB\t0.9',
      'A\tskos:exactMatch\tB\t0.8',
      'B\tskos:exactMatch\t\tmuch\tsurplus',
      '"B\tskos:exactMatch\tA\t1',
      '',
    ].join('\n');
    const send = async (content: Buffer) => {
      const { id: fileId } = await upload({ crosswalkId }, content);
      const { jobId } = done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/import`, { fileId }));
      return endOfJob(steward, jobId);
    };
    const first = await send(Buffer.from(file));
    expect(first.counts).toMatchObject({ total: 4, created: 1, failed: 3 });
    const errors = (await downloadRejected(first.jobId)).toString();
    expect(errors.split(/\r?\n/).map((line) => line.replace(/^"Line \d+: [^\t]*"\t/, '<reason>\t'))).toEqual([
      '\ufeff#curie_map:',
      '#  x: "https://example.com/"',
      'rdm:reason\tsubject_id\tpredicate_id\tobject_id\tconfidence',
      '<reason>\tA\tskos:exactMatch\tB\t0.8',
      '<reason>\tB\tskos:exactMatch\t\tmuch\tsurplus',
      '<reason>\t"B\tskos:exactMatch\tA\t1',
      '',
    ]);
    const second = await send(Buffer.from(errors));
    expect(second.counts).toMatchObject({ total: 3, created: 0 });
  });
});
