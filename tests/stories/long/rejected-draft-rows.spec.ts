/** Tests the file with the rejected rows of an imported workbook. */
import { workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { describe, expect, it } from 'vitest';
import {
  downloadRejected,
  draftOf,
  importDraft,
  newTarget,
  prepareDrafts,
  problemsOf,
} from '../rejected-draft-rows.ts';
import { firstSheet } from '../xlsx-reader.ts';

prepareDrafts();

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (value: number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;
const WORKBOOK = workbookOf({
  formats: ['00000'],
  sheets: [
    {
      rows: [
        [text('code'), text('name'), text('population')],
        [text('001'), text('Öse, &quot;gross&quot;'), number(12.5)],
        [text('002'), text('Zwei, &quot;klein&quot;'), text('viele')],
        [text('003'), text('=Drei'), text('31.12.2025')],
        [text('001'), text('Doppelt'), number(7, 1)],
      ]
        .map((cells) => `<row>${cells.join('')}</row>`)
        .join(''),
    },
  ],
});

describe('the rejected rows of a draft', () => {
  it('are a workbook with typed cells if the imported file was a workbook', async () => {
    const job = await importDraft(await draftOf(await newTarget(), WORKBOOK, 'rows.xlsx'));
    expect(job.counts).toMatchObject({ created: 1, failed: 3 });
    const file = await downloadRejected(job.jobId);
    const { cells } = firstSheet(file);
    const row = (number: number) =>
      ['B', 'C', 'D'].map((column) => {
        const { type, value } = cells.get(`${column}${number}`) ?? {};
        return `${type} ${value}`;
      });
    expect(cells.get('A1')?.value).toBe('rdm:reason');
    expect(cells.get('D4')?.format).toBe('00000');
    expect(row(1)).toEqual(['s code', 's name', 's population']);
    expect(cells.get('A2')?.value).toMatch(/^Row 3: population: /);
    expect([row(2), row(3), row(4)]).toEqual([
      ['s 002', 's Zwei, "klein"', 's viele'],
      ['s 003', 's =Drei', 's 31.12.2025'],
      ['s 001', 's Doppelt', 'n 7'],
    ]);

    // The row with the repeated key is valid in the second import, because the file contains this key only once.
    const draft = await draftOf(await newTarget(), file, 'rejected.xlsx');
    expect(draft.columns).toEqual(['code', 'name', 'population']);
    const secondImport = await importDraft(draft);
    expect(secondImport.counts).toMatchObject({ created: 1, failed: 2 });
    const firstProblems = await problemsOf(job.jobId);
    expect(firstProblems).toEqual(['001: DUPLICATE_IN_FILE', '002: WRONG_TYPE', '003: WRONG_TYPE']);
    expect(await problemsOf(secondImport.jobId)).toEqual(firstProblems.slice(1));
  });
});
