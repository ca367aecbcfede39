/** Tests that the encoding of a text is detected beyond its first MiB. */
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { readWhole } from '../fixtures/memory-bytes.ts';

describe('the encoding of a text', () => {
  it('is detected from all lines, also beyond the first MiB', async () => {
    const ascii = `Code;Name\n${'001;Name\n'.repeat(150_000)}`;
    const { read, columns } = await readWhole(iconv.encode(`${ascii}${'002;Größe\n'.repeat(9_000)}`, 'windows-1252'));
    expect(read.encoding).toBe('windows-1252');
    expect(columns[1]).toMatchObject({ distinct: 2, records: 159_000 });
  });
});
