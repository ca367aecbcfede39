/** Tests the label of a tab's export. */
import { describe, expect, it } from 'vitest';
import { tabExportLabel } from './tab-export-label.ts';

describe("the label of a tab's export", () => {
  it('names all rows if there is neither a search nor a filter', () => {
    expect(tabExportLabel('Approved mappings', { q: undefined, filter: undefined })).toBe('All approved mappings');
  });

  it('names the search and the filter that the rows match', () => {
    const label = (q: string | undefined, filter: string | undefined) => tabExportLabel('Draft values', { q, filter });
    expect(label('a', undefined)).toBe('Draft values that match the search');
    expect(label(undefined, '{}')).toBe('Draft values that match the filter');
    expect(label('a', '{}')).toBe('Draft values that match the search and the filter');
  });
});
