/** Tests the display of items under review: who can decide them, their changes, impact, pages and groups. */

import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { LiveChange } from '@rdm/contracts/live/live';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { describe, expect, it } from 'vitest';
import { itemKey, linkOf, withinGroup } from '../api/approvals.ts';
import {
  bulkRefusal,
  changesOf,
  changeTitle,
  consequenceOf,
  correctionPageOf,
  durationText,
  impactOf,
  itemRefusal,
  pageOf,
} from './items.ts';
import { newestOtherDecision } from './other-decisions.ts';

const STEWARD = 2;
const APPROVER = 3;
const item = (overrides: Partial<ApprovalView> = {}): ApprovalView => ({
  kind: 'mapping',
  id: 64,
  parentId: 1,
  parentName: 'Countries',
  parentGone: false,
  sourceDataSetId: 1,
  targetDataSetId: 2,
  revision: 2,
  status: 'PENDING',
  deletionRequested: false,
  title: 'AT → AUT',
  before: null,
  after: { sourceValue: 'AT', targetValue: 'AUT', confidence: 100 },
  authors: [STEWARD],
  submittedBy: STEWARD,
  submittedAt: '2026-01-01T00:00:00.000Z',
  comment: null,
  batchId: 'a batch',
  decidedBy: null,
  decidedAt: null,
  decisionComment: null,
  decisionId: null,
  undoneBy: null,
  undoneAt: null,
  impact: null,
  level: 'APPROVER',
  ...overrides,
});

const valueItem = (overrides: Partial<ApprovalView>): ApprovalView =>
  item({ kind: 'relationship-value', parentName: 'is in', after: { source: 'VIE', target: 'AT' }, ...overrides });

describe('deciding', () => {
  it('is allowed for users who are not authors', () => {
    expect(itemRefusal('approve', item(), APPROVER)).toBeUndefined();
    expect(itemRefusal('approve', item({ level: 'ADMIN' }), STEWARD)).toBe(REVIEW_REFUSALS.FOUR_EYES);
  });

  it('requires the level APPROVER on the data set', () => {
    expect(itemRefusal('reject', item({ level: 'WRITE' }), APPROVER)).toBe(REVIEW_REFUSALS.LEVEL);
  });

  it('is disabled for several items only if none of them can be decided', () => {
    const ownItem = item({ authors: [APPROVER] });
    expect(bulkRefusal('approve', [ownItem], APPROVER)).toBe(REVIEW_REFUSALS.FOUR_EYES);
    expect(bulkRefusal('approve', [ownItem, item()], APPROVER)).toBeUndefined();
  });

  it('differs from recalling, which only the submitter may do', () => {
    expect(itemRefusal('recall', item({ level: 'WRITE' }), STEWARD)).toBeUndefined();
    expect(itemRefusal('recall', item(), APPROVER)).toBe(REVIEW_REFUSALS.NOT_SUBMITTER);
  });
});

describe('the changes', () => {
  it('list the values first and omit the id', () => {
    const { before, after } = { before: null, after: { confidence: 90, id: 7, targetValue: 'AUT', sourceValue: 'AT' } };
    expect(changesOf(item({ before, after })).map(({ label }) => label)).toEqual([
      'Source value',
      'Target value',
      'Confidence',
    ]);
  });

  it('show the current ends of a crosswalk by name, and former ends by id', () => {
    const ends = { sourceSystemId: 1, sourceName: 'Alpha-2' } as CrosswalkView;
    const definition = item({ kind: 'crosswalk', before: { sourceSystemId: 9 }, after: { sourceSystemId: 1 } });
    expect(changesOf(definition, ends)).toEqual([{ label: 'Source data set', before: 9, after: 'Alpha-2' }]);
  });

  it('show the data sets of a relationship by name, because its ends never change', () => {
    const ends = { sourceName: 'Cities', sourceField: 'code' } as RelationshipView;
    const definition = item({ kind: 'relationship', before: { sourceDataSetId: 9, sourceFieldId: 4 }, after: null });
    expect(changesOf(definition, ends)).toEqual([
      { label: 'Source data set', before: 'Cities', after: undefined },
      { label: 'Source field', before: 'code', after: undefined },
    ]);
  });

  it.each([
    [item(), 'Translating AT starts to return AUT.'],
    [
      item({ before: { sourceValue: 'AT', targetValue: 'AUS', confidence: 80 } }),
      'Translating AT returns AUT instead of AUS.',
    ],
    [
      item({ deletionRequested: true, before: { sourceValue: 'AT', targetValue: 'AUT' }, after: null }),
      'Translating AT no longer returns AUT.',
    ],
    [item({ kind: 'crosswalk', after: { name: 'Countries' } }), 'The crosswalk starts to serve its approved values.'],
    [valueItem({}), 'is in starts to contain VIE → AT.'],
    [valueItem({ before: { source: 'VIE', target: 'DE' } }), 'is in contains VIE → AT instead of VIE → DE.'],
    [
      valueItem({ before: { source: 'VIE', target: 'AT', since: null } }),
      'is in contains VIE → AT as before, with other attributes.',
    ],
    [
      valueItem({ deletionRequested: true, before: { source: 'VIE', target: 'AT' }, after: null }),
      'is in no longer contains VIE → AT.',
    ],
    [item({ kind: 'relationship', deletionRequested: true }), 'The relationship is deleted with all its values.'],
  ])('are described by a sentence about their impact: %#', (changedItem, effect) =>
    expect(impactOf(changedItem)).toBe(effect),
  );
});

describe('a crosswalk under review', () => {
  it('shows the number of approved values that take effect', () => {
    const definition = item({ kind: 'crosswalk', after: { name: 'Countries' } });
    const counts = { draft: 0, pending: 3, approved: 1_200, rejected: 0, served: 0 };
    expect(impactOf(definition, { counts } as CrosswalkView)).toBe(
      'The crosswalk starts to serve 1,200 approved values.',
    );
  });

  it('delays the effect of its approved mappings until it is approved itself', () => {
    const mapping = item({ before: null, after: { sourceValue: 'AT', targetValue: 'AUT' } });
    expect(impactOf(mapping, { isServed: false } as CrosswalkView)).toBe(
      'Translating AT starts to return AUT. This takes effect once the crosswalk itself is approved.',
    );
    expect(impactOf(mapping, { isServed: true } as CrosswalkView)).toBe('Translating AT starts to return AUT.');
  });
});

describe('an item that is pending again', () => {
  it('has another key in the list', () => {
    expect(itemKey(item())).not.toBe(itemKey(item({ submittedAt: '2026-02-01T00:00:00.000Z' })));
    expect(itemKey(item())).not.toBe(itemKey(item({ undoneAt: '2026-02-01T00:00:00.000Z' })));
  });
  it('has a link with the time of its submission', () => {
    expect(linkOf('decided', item())).toBe('/approvals?tab=decided&item=mapping-1-64-1767225600000');
  });
});

describe('the page of an item', () => {
  it('is the page of its parent', () => {
    expect(pageOf(item())).toBe('/crosswalks/1/mappings?tab=pending');
    expect(pageOf(valueItem({ parentId: 7, status: 'REJECTED' }))).toBe('/relationships/7/values?tab=rejected');
    expect(pageOf(item({ kind: 'relationship', parentId: 7 }))).toBe('/relationships/7/values');
  });

  it('opens the editor of the row when the author corrects a rejected mapping or value', () => {
    const rejected = { status: 'REJECTED' } as const;
    const correction = new URL(correctionPageOf(item(rejected)), 'http://localhost');
    expect(correction.pathname).toBe('/crosswalks/1/mappings');
    expect(Object.fromEntries(correction.searchParams)).toEqual({
      ...{ tab: 'rejected', edit: '64' },
      filter: '{"logic":"AND","conditions":[{"field":"id","operator":"equals","value":64}]}',
    });
    expect(correctionPageOf(valueItem({ ...rejected, parentId: 7 }))).toMatch(
      /^\/relationships\/7\/values\?tab=rejected&.*&edit=\d+$/,
    );
    expect(correctionPageOf(item({ ...rejected, kind: 'relationship', parentId: 7 }))).toBe('/relationships/7/values');
  });

  const deletion = { deletionRequested: true, before: { sourceValue: 'AT', targetValue: 'AUT' }, after: null };
  it('lists the row or crosswalk after a decision on its deletion', () => {
    expect(pageOf(item({ ...deletion, status: 'APPROVED' }))).toBe('/crosswalks/1/mappings?tab=deleted');
    expect(pageOf(item({ ...deletion, status: 'REJECTED' }))).toBe('/crosswalks/1/mappings?tab=approved');
    const undone = { undoneBy: APPROVER, undoneAt: '2026-01-02T00:00:00.000Z' };
    expect(pageOf(item({ ...deletion, ...undone, status: 'APPROVED' }))).toBe('/crosswalks/1/mappings?tab=pending');
    const deletedPage = new URL(pageOf(item({ kind: 'crosswalk', parentId: 7, parentGone: true })), 'http://page');
    expect([deletedPage.pathname, deletedPage.searchParams.get('deleted')]).toEqual(['/crosswalks', 'true']);
    expect(JSON.parse(deletedPage.searchParams.get('filter') ?? '')).toMatchObject({
      conditions: [{ field: 'id', value: 7 }],
    });
  });

  it('states whether a row is new, will be deleted, was deleted, or was not deleted', () => {
    const titles = (['PENDING', 'APPROVED', 'REJECTED'] as const).map((status) =>
      changeTitle(item({ ...deletion, status })),
    );
    expect(titles).toEqual(['To be deleted', 'Deleted', 'Not deleted']);
    const undone = item({ ...deletion, status: 'APPROVED', undoneAt: '2026-01-02T00:00:00.000Z' });
    expect(changeTitle(undone)).toBe('Not deleted');
    expect(changeTitle(item())).toBe('New');
  });
});

describe('a duration', () => {
  it.each([
    [null, '—'],
    [0, '0 s'],
    [0.4, '1 s'],
    [45, '45 s'],
    [90, '1.5 min'],
    [7_200, '2 h'],
    [864_000, '10 d'],
  ])('of %s seconds is formatted as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));
});

describe('a group', () => {
  it('limits the list in addition to its filter', () => {
    const filter = {
      logic: 'OR' as const,
      conditions: [{ field: 'title', operator: 'contains' as const, value: 'AT' }],
    };
    expect(withinGroup(filter, { field: 'parentId', key: 3 })).toEqual({
      logic: 'AND',
      conditions: [{ field: 'parentId', operator: 'equals', value: 3 }, filter],
    });
  });

  it('of a collection matches the items of the collection', () => {
    expect(withinGroup(undefined, { field: 'collectionIds', key: 4 })?.conditions).toEqual([
      { field: 'collectionIds', operator: 'contains', value: 4 },
    ]);
  });

  it('without a key matches items whose field is empty', () => {
    expect(withinGroup(undefined, { field: 'batchId', key: null })?.conditions).toEqual([
      { field: 'batchId', operator: 'is_null' },
    ]);
  });
});

describe('decisions of others', () => {
  const change = (overrides: Partial<LiveChange>): LiveChange => ({
    seq: 1,
    position: '1',
    type: 'MappingsApproved',
    entity: 'mapping',
    entityId: 1,
    ids: [64],
    count: 1,
    revisions: [3],
    changedFields: null,
    actorId: APPROVER,
    commandId: 'a command',
    ...overrides,
  });

  it('are counted together if one user made the same decision several times', () => {
    expect(
      newestOtherDecision(
        [change({ count: 3 }), change({ type: 'MappingsRejected' }), change({ type: 'CrosswalkApproved', count: 1 })],
        STEWARD,
      ),
    ).toEqual({ by: APPROVER, verb: 'approved', count: 4 });
  });

  it('exclude own decisions and other events', () => {
    expect(newestOtherDecision([change({}), change({ type: 'MappingsSubmitted', actorId: STEWARD })], APPROVER)).toBe(
      undefined,
    );
  });
});

it('the consequence of a decision is described for one item and for several', () => {
  expect(consequenceOf('reject', 1)).toMatch(/^It returns to its authors/);
  expect(consequenceOf('reject', 2)).toMatch(/^They return to their authors .* Approved versions stay/);
  expect(consequenceOf('approve', 1)).toMatch(/^The approved version is used from now on; a mapping is used as soon/);
  expect(consequenceOf('approve', 2)).toMatch(/^The approved versions are used from now on; a mapping is used as soon/);
});
