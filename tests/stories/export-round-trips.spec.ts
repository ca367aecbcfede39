/**
 * Exports data sets. The import of a file into a new data set gives every cell the same value, and the import into the
 * exported data set changes nothing.
 */
import { describe, it } from 'vitest';
import { FORMATS, prepareRoundTrips, requireNoChange, requireSameValues } from './export-round-trips.ts';

prepareRoundTrips();

describe.each(FORMATS)('an export with %s', (format) => {
  it('is imported with the same values, even for texts and keys that imports could change', () =>
    requireSameValues(format));

  it('is proposed for import into its own data set, and the dry run finds no change', () => requireNoChange(format));
});
