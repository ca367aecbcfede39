/**
 * Exports random values in every format, and fixed values as CSV with a byte order mark. An import of the files must
 * restore every value.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BOOLEAN,
  byCode,
  CSV_WITH_BOM,
  DATE,
  exportFile,
  FORMATS,
  FORMULA,
  importFile,
  NUMBER,
  newSource,
  OTHER_TEXT,
  prepareRoundTrips,
  requireNoChange,
  requireSameValues,
  TEXT,
} from '../export-round-trips.ts';
import { LONG } from '../stack.ts';

prepareRoundTrips();

const RANDOM_ROWS = 100;

describe.each([...FORMATS, CSV_WITH_BOM])('an export with %s', (format) => {
  it('is imported with the same random values', async () => {
    const text = fc
      .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'\'"=+-@\t\r\n;, \u00a0a0_x') }))
      .filter((each) => each !== '' && !each.includes('\0') && each.normalize('NFC') === each);
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    const date = fc
      .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10));
    const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 4 });
    const cells = fc.record({
      ...{ [TEXT]: optional(text), [OTHER_TEXT]: optional(text), [FORMULA]: optional(text) },
      ...{ [NUMBER]: optional(finite), [BOOLEAN]: optional(fc.boolean()), [DATE]: optional(date) },
    });
    const rows = fc.array(cells, { minLength: RANDOM_ROWS, maxLength: RANDOM_ROWS });
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        const { typeId, dataSetId, stored } = await newSource(
          values.map((each, index) => ({ code: `c${index}`, ...each })),
        );
        expect(byCode(await importFile(await exportFile(dataSetId, format), typeId, stored.length))).toEqual(stored);
      }),
      { numRuns: LONG ? 10 : 1, seed: 7, endOnFailure: true },
    );
  });
});

describe.each([CSV_WITH_BOM])('an export with %s', (format) => {
  it('is imported with the same values, even for texts and keys that imports could change', () =>
    requireSameValues(format));

  it('has the exported data set as proposed target, and the dry run finds no change', () => requireNoChange(format));
});
