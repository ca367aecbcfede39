/**
 * Exports data sets. After the import of the file into a new data set, every cell has its former value. The import into
 * the exported data set would change nothing.
 */
import { describe, it } from 'vitest';
import { FORMATS, prepareRoundTrips, requireNoChange, requireSameValues } from './export-round-trips.ts';

prepareRoundTrips();

describe.each(FORMATS)('an export with %s', (format) => {
  it('is imported with the same values, even for texts and keys that imports could change', () =>
    requireSameValues(format));

  it('has the exported data set as proposed target, and the dry run finds no change', () => requireNoChange(format));
});
