/** Exports data sets and imports the files into new data sets: every cell keeps its value. */
import { describe, it } from 'vitest';
import { FORMATS, prepareRoundTrips, requireNoChange, requireSameValues } from './export-round-trips.ts';

prepareRoundTrips();

describe.each(FORMATS)('an export with %s', (format) => {
  it('is imported with the same values, for texts and keys that imports could change', () => requireSameValues(format));

  it('is proposed for import into its data set, and the import changes no row', () => requireNoChange(format));
});
