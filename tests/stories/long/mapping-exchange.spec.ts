/** Tests exports of mappings as JSON and SSSOM, and the preview of a large import. */
import { IMPORTED_ROWS_MAX } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { newCrosswalk } from '../fixtures.ts';
import type { Json } from '../http-client.ts';
import {
  newExportedCrosswalk,
  prepareMappings,
  previewImport,
  requireFilteredExport,
  requireImportWithoutLoss,
  source,
  stageFile,
  steward,
  target,
} from '../mapping-files.ts';
import { LONG } from '../stack.ts';

prepareMappings();

describe('an export', () => {
  let id: number;
  beforeAll(async () => {
    id = await newExportedCrosswalk();
  });

  it.each(['json', 'sssom'] as const)('in %s is imported into an empty crosswalk without loss', (format) =>
    requireImportWithoutLoss(id, format),
  );
  it.each(['json', 'sssom'] as const)('in %s as of a time contains only the filtered mappings of that time', (format) =>
    requireFilteredExport(format),
  );
});

describe('an import', () => {
  it('previews very many mappings in one request', async () => {
    const id = await newCrosswalk(steward, source, target);
    const count = LONG ? IMPORTED_ROWS_MAX / 5 : 10_000;
    const lines = Array.from(
      { length: LONG ? IMPORTED_ROWS_MAX + 1 : count },
      (_, index) => `S${index},T${index % 500}`,
    );
    const { counts, rows } = await previewImport(id, `sourceValue,targetValue\n${lines.slice(0, count).join('\n')}`);
    expect(counts).toEqual({ new: count, changed: 0, unchanged: 0, invalid: 0 });
    expect(rows.map(({ row }: Json) => row)).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
    // A file with more rows than the limit is refused. In the short form, only unit tests check this.
    if (!LONG) return;
    const refused = await steward.post(`/api/crosswalks/${id}/mappings/import-preview`, {
      fileId: await stageFile(id, lines.join('\n')),
    });
    expect(refused).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
  });
});
