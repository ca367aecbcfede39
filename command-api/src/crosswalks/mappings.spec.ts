import { type MappingEvent, mappingKey, REVIEW_REFUSALS, type Reviewer, rowId } from '@rdm/contracts';
import { mappingsDrafted } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowVerb } from '../review/row-review.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { metadataBy, type Past, specify } from '../testing/given.ts';
import { draftMappings, editMappings, reviewMappings } from './mappings.ts';

const STEWARD = 1;
const APPROVER = 2;
const ADMIN = 3;
const { given } = specify(kinds.mappings, STEWARD);

const steward: Reviewer = { userId: STEWARD, level: 'WRITE' };
const approver: Reviewer = { userId: APPROVER, level: 'APPROVER' };
const admin: Reviewer = { userId: ADMIN, level: 'ADMIN' };

const de = rowId(1, mappingKey('de'));
const fr = rowId(2, mappingKey('fr'));
const draftedPair = (id: number, sourceValue: string, targetValue: string): Past<MappingEvent> =>
  mappingsDrafted({ id, sourceValue, targetValue });
const deDrafted = draftedPair(de, 'de', 'DEU');
const submitted = (...ids: number[]): MappingEvent => ({ type: 'MappingsSubmitted', data: { ids } });
const approved = (...ids: number[]): Past<MappingEvent> => ({ type: 'MappingsApproved', data: { ids }, by: APPROVER });
const rejected = (...ids: number[]): Past<MappingEvent> => ({
  type: 'MappingsRejected',
  data: { ids, comment: 'wrong' },
  by: APPROVER,
});
const edited = (id: number, targetValue: string): MappingEvent => ({
  type: 'MappingsEdited',
  data: { rows: [{ id, targetValue, confidence: 100 }] },
});

const act =
  (verb: RowVerb, by: Reviewer, ...rows: [id: number, revision: number][]) =>
  (state: Parameters<typeof reviewMappings>[0]) =>
    reviewMappings(
      state,
      verb,
      rows.map(([id, revision]) => ({ id, revision })),
      by,
      verb === 'reject' || verb === 'revoke' ? 'wrong' : undefined,
    );

describe('drafting pairs', () => {
  const pair = {
    index: 0,
    sequence: 1,
    sourceValue: 'de',
    targetValue: 'DEU',
    confidence: 100,
    origin: 'MANUAL',
  } as const;

  it('drafts a new pair under an id that contains its bucket', () =>
    given()
      .when((state) => draftMappings(state, [pair]))
      .then(deDrafted));
  it('drafts only the first of two equal pairs', () =>
    given()
      .when((state) => draftMappings(state, [pair, { ...pair, index: 1, sequence: 9 }]))
      .then(deDrafted)
      .refusing(1, 'DUPLICATE'));
  it('refuses a pair that exists', () =>
    given(deDrafted)
      .when((state) => draftMappings(state, [{ ...pair, sequence: 9 }]))
      .then()
      .refusing(0, 'DUPLICATE'));
  it('accepts a second target of the same source value', () =>
    given(deDrafted)
      .when((state) => draftMappings(state, [{ ...pair, sequence: 2, targetValue: 'GER' }]))
      .then(draftedPair(rowId(2, mappingKey('de')), 'de', 'GER')));
  it('accepts a deleted pair again', () =>
    given(deDrafted, { type: 'MappingsDeleted', data: { ids: [de] } })
      .when((state) => draftMappings(state, [{ ...pair, sequence: 2 }]))
      .then(draftedPair(rowId(2, mappingKey('de')), 'de', 'DEU')));
});

describe('submitting', () => {
  it('makes drafts pending', () =>
    given(deDrafted)
      .when(act('submit', steward, [de, 1]))
      .then(submitted(de)));
  it('returns an outcome per row', () =>
    given(deDrafted, draftedPair(fr, 'fr', 'FRA'), submitted(fr), approved(fr))
      .when(act('submit', steward, [de, 1], [fr, 3]))
      .then(submitted(de))
      .refusing(fr, 'NOT_DRAFT'));
  it('submits a row once if the request lists it twice', () =>
    given(deDrafted)
      .when(act('submit', steward, [de, 1], [de, 1]))
      .then(submitted(de)));
  it('refuses an outdated revision', () =>
    given(deDrafted, edited(de, 'XXX'))
      .when(act('submit', steward, [de, 1]))
      .then()
      .refusing(de, 'STALE'));
  it('refuses a rejected row that was not changed', () =>
    given(deDrafted, submitted(de), rejected(de))
      .when(act('submit', steward, [de, 3]))
      .then()
      .refusing(de, 'UNCHANGED'));
  it('names a change and an undone rejection as remedies for a rejected row', () =>
    expect(REVIEW_REFUSALS.UNCHANGED).toMatch(/change it .* or ask its reviewer to undo the rejection/));
  it('refuses a user who has only READ', () =>
    given(deDrafted)
      .when(act('submit', { userId: 9, level: 'READ' }, [de, 1]))
      .then()
      .refusing(de, 'LEVEL'));
});

describe('deciding', () => {
  it("approves another user's submission", () =>
    given(deDrafted, submitted(de))
      .when(act('approve', approver, [de, 2]))
      .then({ type: 'MappingsApproved', data: { ids: [de] } }));
  it('refuses the submitter, even an administrator', () =>
    given({ ...deDrafted, by: APPROVER }, { ...submitted(de), by: ADMIN })
      .when(act('approve', admin, [de, 2]))
      .then()
      .refusing(de, 'FOUR_EYES'));
  it('refuses the drafter of the value, even if another user submitted it', () =>
    given({ ...deDrafted, by: APPROVER }, submitted(de))
      .when(act('reject', approver, [de, 2]))
      .then()
      .refusing(de, 'FOUR_EYES'));
  it('lets the author of an approved value review a later edit', () =>
    given({ ...deDrafted, by: ADMIN }, submitted(de), approved(de), edited(de, 'XXX'), submitted(de))
      .when(act('approve', admin, [de, 5]))
      .then({ type: 'MappingsApproved', data: { ids: [de] } }));
  it('rejects with the reason', () =>
    given(deDrafted, submitted(de))
      .when(act('reject', approver, [de, 2]))
      .then({ type: 'MappingsRejected', data: { ids: [de], comment: 'wrong' } }));
  it('refuses a row that is already decided', () =>
    given(deDrafted, submitted(de), approved(de))
      .when(act('approve', approver, [de, 3]))
      .then()
      .refusing(de, 'NOT_PENDING'));
});

describe('editing', () => {
  const edit =
    (by: Reviewer, id: number, revision: number, targetValue: string) => (state: Parameters<typeof editMappings>[0]) =>
      editMappings(state, [{ id, revision, targetValue, confidence: 100 }], by);

  it('keeps serving the approved value while there is a newer draft', () => {
    const story = given(deDrafted, submitted(de), approved(de), edited(de, 'XXX'));
    const row = story.state().rows.get(de);
    expect(row).toMatchObject({
      approvalStatus: 'DRAFT',
      value: { targetValue: 'XXX' },
      served: { targetValue: 'DEU' },
    });
  });
  it('is refused while the row is under review', () =>
    given(deDrafted, submitted(de))
      .when(edit(steward, de, 2, 'XXX'))
      .then()
      .refusing(de, 'PENDING'));
  it('does nothing if the value is unchanged', () =>
    given(deDrafted, submitted(de), rejected(de))
      .when(edit(steward, de, 3, 'DEU'))
      .thenNothing());
  it('refuses a second edit of the same row in one request', () => {
    const twice = ['XXX', 'YYY'].map((targetValue) => ({ id: de, revision: 1, targetValue, confidence: 100 }));
    const decision = given(deDrafted).when((state) => editMappings(state, twice, steward));
    decision.then(edited(de, 'XXX'));
    expect(decision.result()).toMatchObject([
      { outcome: 'done', revision: 2 },
      { outcome: 'refused', code: 'STALE' },
    ]);
  });
  it('refuses the pair of another row', () =>
    given(deDrafted, draftedPair(rowId(2, mappingKey('de')), 'de', 'GER'))
      .when(edit(steward, de, 1, 'GER'))
      .then()
      .refusing(de, 'DUPLICATE'));
});

describe('recalling, revoking, discarding', () => {
  it('lets the submitter recall a pending row', () =>
    given(deDrafted, submitted(de))
      .when(act('recall', steward, [de, 2]))
      .then({ type: 'MappingsRecalled', data: { ids: [de] } }));
  it('refuses a recall by another user, but not by an administrator', () => {
    given(deDrafted, submitted(de))
      .when(act('recall', { userId: 8, level: 'WRITE' }, [de, 2]))
      .then()
      .refusing(de, 'NOT_SUBMITTER');
    given(deDrafted, submitted(de))
      .when(act('recall', admin, [de, 2]))
      .then({ type: 'MappingsRecalled', data: { ids: [de] } });
  });
  it('stops serving a revoked row, and keeps a newer draft', () => {
    const revoked: MappingEvent = { type: 'MappingsRevoked', data: { ids: [de], comment: 'wrong' } };
    given(deDrafted, submitted(de), approved(de))
      .when(act('revoke', approver, [de, 3]))
      .then(revoked);
    expect(given(deDrafted, submitted(de), approved(de), revoked).state().rows.get(de)).toMatchObject({
      approvalStatus: 'REJECTED',
      served: null,
    });
    expect(
      given(deDrafted, submitted(de), approved(de), edited(de, 'XXX'), revoked).state().rows.get(de),
    ).toMatchObject({
      approvalStatus: 'DRAFT',
      served: null,
    });
  });
  it('lets an approver revoke a value of their own', () =>
    given({ ...deDrafted, by: APPROVER }, submitted(de), { ...approved(de), by: ADMIN })
      .when(act('revoke', approver, [de, 3]))
      .then({ type: 'MappingsRevoked', data: { ids: [de], comment: 'wrong' } }));
  it('discards a newer draft and returns to the served value', () => {
    const discarded: MappingEvent = { type: 'MappingsDiscarded', data: { ids: [de] } };
    given(deDrafted, submitted(de), approved(de), edited(de, 'XXX'))
      .when(act('discard', steward, [de, 4]))
      .then(discarded);
    expect(
      given(deDrafted, submitted(de), approved(de), edited(de, 'XXX'), discarded).state().rows.get(de),
    ).toMatchObject({
      approvalStatus: 'APPROVED',
      value: { targetValue: 'DEU' },
    });
  });
});

describe('deleting', () => {
  it('deletes an unserved row at once, and requests a review for a served row', () => {
    given(deDrafted)
      .when(act('delete', steward, [de, 1]))
      .then({ type: 'MappingsDeleted', data: { ids: [de] } });
    given(deDrafted, submitted(de), approved(de))
      .when(act('delete', steward, [de, 3]))
      .then({ type: 'MappingsDeletionRequested', data: { ids: [de] } });
  });
  it('is undone by a rejection and completed by an approval', () => {
    const requested: MappingEvent = { type: 'MappingsDeletionRequested', data: { ids: [de] } };
    const history = [deDrafted, submitted(de), approved(de), requested];
    expect(
      given(...history, rejected(de))
        .state()
        .rows.get(de),
    ).toMatchObject({
      approvalStatus: 'APPROVED',
      served: { targetValue: 'DEU' },
      deleted: false,
    });
    expect(
      given(...history, approved(de))
        .state()
        .rows.get(de),
    ).toMatchObject({ deleted: true, served: null });
  });
  it('is undone by a restoration, unless another row has the pair', () => {
    const deletedHistory = [deDrafted, { type: 'MappingsDeleted', data: { ids: [de] } } satisfies MappingEvent];
    given(...deletedHistory)
      .when(act('restore', steward, [de, 2]))
      .then({ type: 'MappingsRestored', data: { ids: [de] } });
    given(...deletedHistory, draftedPair(rowId(2, mappingKey('de')), 'de', 'DEU'))
      .when(act('restore', steward, [de, 2]))
      .then()
      .refusing(de, 'DUPLICATE');
  });
  it('refuses a review by the drafter of a restored value', () =>
    given(
      { ...deDrafted, by: APPROVER },
      { type: 'MappingsDeleted', data: { ids: [de] } },
      { type: 'MappingsRestored', data: { ids: [de] } },
      submitted(de),
    )
      .when(act('approve', approver, [de, 4]))
      .then()
      .refusing(de, 'FOUR_EYES'));
});

describe('any sequence of actions', () => {
  const verbs = ['submit', 'recall', 'approve', 'reject', 'revoke', 'discard', 'delete', 'restore', 'edit'] as const;
  const people: Reviewer[] = [steward, approver, admin, { userId: 4, level: 'ADMIN' }];
  const step = fc.record({
    verb: fc.constantFrom(...verbs),
    by: fc.constantFrom(...people),
    target: fc.constantFrom('DEU', 'GER', 'XXX'),
  });

  it('serves only values that a user other than the authors approved', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = given(deDrafted).state();
        /** The authors since the last approval, tracked by this test independently. */
        let authors = new Set([STEWARD]);
        let approvedValue: string | null = null;
        for (const { verb, by, target } of steps) {
          const row = state.rows.get(de);
          if (!row) throw new Error('The row is missing');
          const at = { id: de, revision: row.revision };
          const decision =
            verb === 'edit'
              ? editMappings(state, [{ ...at, targetValue: target, confidence: 100 }], by)
              : reviewMappings(state, verb, [at], by, 'because');
          for (const event of decision.events) {
            if (event.type === 'MappingsApproved') {
              expect(authors.has(by.userId)).toBe(false);
              approvedValue = row.deletionRequested ? null : row.value.targetValue;
              authors = new Set();
            } else if (event.type === 'MappingsRevoked' || event.type === 'MappingsDeleted') approvedValue = null;
            else if (event.type === 'MappingsDiscarded') authors = new Set();
            else if (event.type === 'MappingsRejected' || event.type === 'MappingsRecalled') {
              if (row.deletionRequested) authors = new Set();
            } else authors.add(by.userId);
            state = kinds.mappings.evolve(state, { ...event, metadata: metadataBy(by.userId) });
          }
          const after = state.rows.get(de);
          expect(after?.served?.targetValue ?? null).toBe(approvedValue);
          expect(after?.revision).toBe(row.revision + decision.events.length);
          if (after?.approvalStatus === 'APPROVED' && !after.deleted) expect(after.served).toEqual(after.value);
        }
      }),
      { numRuns: 500 },
    );
  });
});
