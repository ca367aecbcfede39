/** Test fixture: a draft with default settings, whose file has two columns and has been read. */
import type { ImportDraft } from '@rdm/contracts/imports/drafts';
import type { ColumnProfile } from '@rdm/contracts/imports/file-profile';

export const DRAFT_ID = '396d4ffe-36d7-4621-9591-c00894e0be53';

const column = (index: number, name: string, changes: Partial<ColumnProfile> = {}): ColumnProfile => ({
  ...{ index, name, records: 3, empty: 0, isDistinct: true, distinct: 3, samples: [], codeLength: null },
  ...{ dataType: 'string', format: { blank: 'empty' }, reason: '', misfits: 0 },
  ...changes,
});

export const readyDraft: ImportDraft = {
  ...{ id: DRAFT_ID, revision: 1, state: 'READY', fileName: 'codes.csv', size: 40, hash: 'h', refusal: null },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-08T00:00:00Z' },
  ...{ settings: {}, format: 'text', read: { delimiter: ',', headerRow: 1 }, sheets: [], records: 2 },
  columns: ['code', 'since'],
  profiles: [
    column(0, 'code', { samples: ['A', 'B'] }),
    column(1, 'since', { samples: ['03/04/2025', 'soon'], dataType: 'date', format: { date: 'DMY', blank: 'empty' } }),
  ],
  ...{ key: [0], label: 0, questions: [], notes: [], fixes: [], check: null, jobId: null },
  preview: [
    { record: 2, place: 'line 2', cells: ['A', '03/04/2025'] },
    { record: 3, place: 'line 3', cells: ['B', 'soon'] },
  ],
};
