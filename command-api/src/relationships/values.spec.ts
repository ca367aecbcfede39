import {
  CARDINALITIES,
  type Cardinality,
  heldPairs,
  type Pair,
  type RelationshipValueBucket,
  type RelationshipValueEvent,
  type Reviewer,
  relationshipValueKey,
  rowId,
  sourceIsUnique,
  targetIsUnique,
} from '@rdm/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../kinds.ts';
import type { RowVerb } from '../row-review.ts';
import { metadataBy, type Past, specify } from '../testing/given.ts';
import { draftValues, editValues, reviewValues, type ValueRules } from './values.ts';

const STEWARD = 1;
const APPROVER = 2;
const ADMIN = 3;
const { given } = specify(kinds.relationshipValues, STEWARD);
const steward: Reviewer = { userId: STEWARD, level: 'WRITE' };
const approver: Reviewer = { userId: APPROVER, level: 'APPROVER' };

const rulesOf = (cardinality: Cardinality, more: Partial<ValueRules> = {}): ValueRules => ({
  cardinality,
  refusesSelf: false,
  required: [],
  ...more,
});
const manyToOne = rulesOf('MANY_TO_ONE');

const pair = (sourceInstanceId: number, targetInstanceId: number): Pair => ({ sourceInstanceId, targetInstanceId });
const idOf = (sequence: number, cardinality: Cardinality, source: number, target: number) =>
  rowId(sequence, relationshipValueKey(cardinality, pair(source, target)));
const first = idOf(1, 'MANY_TO_ONE', 10, 20);
const second = idOf(2, 'MANY_TO_ONE', 11, 20);

const drafted = (id: number, source: number, target: number, attributes = {}): Past<RelationshipValueEvent> => ({
  type: 'RelationshipValuesDrafted',
  data: { rows: [{ id, ...pair(source, target), attributes }] },
});
const edited = (id: number, source: number, target: number, attributes = {}): RelationshipValueEvent => ({
  type: 'RelationshipValuesEdited',
  data: { rows: [{ id, ...pair(source, target), attributes }] },
});
const submitted = (...ids: number[]): RelationshipValueEvent => ({
  type: 'RelationshipValuesSubmitted',
  data: { ids },
});
const approved = (...ids: number[]): Past<RelationshipValueEvent> => ({
  type: 'RelationshipValuesApproved',
  data: { ids },
  by: APPROVER,
});
const deleted = (...ids: number[]): RelationshipValueEvent => ({ type: 'RelationshipValuesDeleted', data: { ids } });

const adding =
  (rules: ValueRules, ...pairs: Pair[]) =>
  (state: RelationshipValueBucket) =>
    draftValues(
      state,
      pairs.map((each, index) => ({ ...each, index, sequence: index + 1, attributes: {} })),
      rules,
    );
const act =
  (verb: RowVerb, by: Reviewer, ...rows: [id: number, revision: number][]) =>
  (state: RelationshipValueBucket) =>
    reviewValues(
      state,
      verb,
      rows.map(([id, revision]) => ({ id, revision })),
      manyToOne,
      { by, comment: undefined },
    );

describe('adding values', () => {
  it('drafts a new pair under an id that names its bucket', () =>
    given()
      .when(adding(manyToOne, pair(10, 20)))
      .then(drafted(first, 10, 20)));
  it('keeps what attributes say, and nothing of those that say nothing', () =>
    given()
      .when((state) =>
        draftValues(state, [{ ...pair(10, 20), index: 0, sequence: 1, attributes: { 1: '007', 2: null } }], manyToOne),
      )
      .then(drafted(first, 10, 20, { 1: '007' })));
  it('refuses the pair that exists, whatever the cardinality', () =>
    given(drafted(idOf(9, 'MANY_TO_MANY', 10, 20), 10, 20))
      .when(adding(rulesOf('MANY_TO_MANY'), pair(10, 20), pair(10, 21)))
      .then(drafted(idOf(2, 'MANY_TO_MANY', 10, 21), 10, 21))
      .refusing(0, 'DUPLICATE'));
  it('gives a source one target in a many-to-one relationship, and says which one it has', () => {
    const asked = given(drafted(first, 10, 20)).when(adding(manyToOne, pair(10, 21)));
    asked.thenNothing();
    expect(asked.result()[0]).toMatchObject({
      code: 'CARDINALITY',
      conflict: { asked: pair(10, 21), held: pair(10, 20) },
    });
  });
  it('lets many sources lead to one target there', () =>
    given(drafted(first, 10, 20))
      .when((state) => draftValues(state, [{ ...pair(11, 20), index: 0, sequence: 2, attributes: {} }], manyToOne))
      .then(drafted(second, 11, 20)));
  it('gives a target one source in a one-to-many relationship', () =>
    given(drafted(idOf(9, 'ONE_TO_MANY', 10, 20), 10, 20))
      .when(adding(rulesOf('ONE_TO_MANY'), pair(11, 20)))
      .then()
      .refusing(0, 'CARDINALITY'));
  it('takes the first of two in a request that cannot stand beside each other', () =>
    given()
      .when(adding(manyToOne, pair(10, 20), pair(10, 21)))
      .then(drafted(first, 10, 20))
      .refusing(1, 'CARDINALITY'));
  it('counts what serves beside what is asked for', () => {
    const one = rulesOf('ONE_TO_ONE');
    const id = idOf(1, 'ONE_TO_ONE', 10, 20);
    const moved = given(drafted(id, 10, 20), submitted(id), approved(id), edited(id, 10, 21));
    moved
      .when(adding(one, pair(11, 20)))
      .then()
      .refusing(0, 'CARDINALITY');
    moved
      .when(adding(one, pair(11, 21)))
      .then()
      .refusing(0, 'CARDINALITY');
  });
  it('gives a place free when its value is deleted', () =>
    given(drafted(idOf(9, 'MANY_TO_ONE', 10, 20), 10, 20), deleted(idOf(9, 'MANY_TO_ONE', 10, 20)))
      .when(adding(manyToOne, pair(10, 21)))
      .then(drafted(first, 10, 21)));
  it('relates no row to itself unless that is allowed', () => {
    given()
      .when(adding({ ...manyToOne, refusesSelf: true }, pair(10, 10)))
      .then()
      .refusing(0, 'SELF');
    given()
      .when(adding(manyToOne, pair(10, 10)))
      .then(drafted(first, 10, 10));
  });
  it('asks for attributes that are required', () =>
    given()
      .when(adding({ ...manyToOne, required: [{ attributeId: 1, name: 'since' }] }, pair(10, 20)))
      .then()
      .refusing(0, 'INVALID'));
});

describe('editing values', () => {
  const edit = (to: { targetInstanceId?: number; sourceInstanceId?: number; attributes?: object }, revision = 1) => {
    const one = { id: first, revision, ...to } as Parameters<typeof editValues>[1][number];
    return (state: RelationshipValueBucket) => editValues(state, [one], manyToOne, steward);
  };
  it('leads a value elsewhere and keeps its attributes', () =>
    given(drafted(first, 10, 20, { 1: 'a', 2: 'b' }))
      .when(edit({ targetInstanceId: 21, attributes: { 2: null } }))
      .then(edited(first, 10, 21, { 1: 'a' })));
  it('does nothing where nothing is changed', () =>
    given(drafted(first, 10, 20, { 1: 'a' }))
      .when(edit({ targetInstanceId: 20, attributes: { 1: 'a', 2: null } }))
      .thenNothing());
  it('keeps the end that the cardinality groups by', () =>
    given(drafted(first, 10, 20))
      .when(edit({ sourceInstanceId: 11 }))
      .then()
      .refusing(first, 'FIXED_END'));
  it('refuses who saw another revision, and a row under review', () => {
    given(drafted(first, 10, 20))
      .when(edit({ targetInstanceId: 21 }, 2))
      .then()
      .refusing(first, 'STALE');
    given(drafted(first, 10, 20), submitted(first))
      .when(edit({ targetInstanceId: 21 }, 2))
      .then()
      .refusing(first, 'PENDING');
  });
  it('refuses to empty a required attribute', () =>
    given(drafted(first, 10, 20, { 1: 'a' }))
      .when((state) =>
        editValues(
          state,
          [{ id: first, revision: 1, attributes: { 1: null } }],
          { ...manyToOne, required: [{ attributeId: 1, name: 'since' }] },
          steward,
        ),
      )
      .then()
      .refusing(first, 'INVALID'));
});

describe('reviewing values', () => {
  it('goes from draft to served with four eyes, row by row', () => {
    given(drafted(first, 10, 20))
      .when(act('submit', steward, [first, 1]))
      .then(submitted(first));
    given(drafted(first, 10, 20), submitted(first))
      .when(act('approve', { userId: STEWARD, level: 'ADMIN' }, [first, 2], [second, 1]))
      .then()
      .refusing(first, 'FOUR_EYES');
    given(drafted(first, 10, 20), submitted(first))
      .when(act('approve', approver, [first, 2]))
      .then({ type: 'RelationshipValuesApproved', data: { ids: [first] } });
  });
  it('does nothing the second time', () =>
    given(drafted(first, 10, 20), submitted(first), approved(first))
      .when(act('approve', approver, [first, 3]))
      .then()
      .refusing(first, 'NOT_PENDING'));
  it('deletes what serves by review, the rest at once', () => {
    given(drafted(first, 10, 20), drafted(second, 11, 20), submitted(first), approved(first))
      .when(act('delete', steward, [first, 3], [second, 1]))
      .then({ type: 'RelationshipValuesDeletionRequested', data: { ids: [first] } }, deleted(second));
  });
  it('restores only what can still stand beside the others', () => {
    const other = idOf(3, 'MANY_TO_ONE', 10, 21);
    given(drafted(first, 10, 20), deleted(first), drafted(other, 10, 21))
      .when(act('restore', steward, [first, 2]))
      .then()
      .refusing(first, 'CARDINALITY');
    given(drafted(first, 10, 20), deleted(first))
      .when(act('restore', steward, [first, 2]))
      .then({ type: 'RelationshipValuesRestored', data: { ids: [first] } });
  });
  it('asks before a submission for what has become required', () =>
    given(drafted(first, 10, 20))
      .when((state) =>
        reviewValues(
          state,
          'submit',
          [{ id: first, revision: 1 }],
          { ...manyToOne, required: [{ attributeId: 1, name: 'since' }] },
          { by: steward, comment: undefined },
        ),
      )
      .then()
      .refusing(first, 'INVALID'));
});

/** What somebody tries: on few ends and few rows, so that they meet. */
const attempt = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    source: fc.integer({ min: 1, max: 4 }),
    target: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    kind: fc.constant('edit' as const),
    row: fc.nat(),
    source: fc.integer({ min: 1, max: 4 }),
    target: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    kind: fc.constantFrom<RowVerb>('submit', 'recall', 'approve', 'reject', 'revoke', 'discard', 'delete', 'restore'),
    row: fc.nat(),
  }),
);

function violations(bucket: RelationshipValueBucket, cardinality: Cardinality): string[] {
  const held = [...bucket.rows.values()].flatMap((row) => heldPairs(row).map((each) => ({ id: row.id, ...each })));
  return held.flatMap((a) =>
    held
      .filter((b) => b.id > a.id)
      .flatMap((b) => {
        const sameSource = a.sourceInstanceId === b.sourceInstanceId;
        const sameTarget = a.targetInstanceId === b.targetInstanceId;
        const broken =
          (sameSource && sameTarget) ||
          (sameSource && sourceIsUnique(cardinality)) ||
          (sameTarget && targetIsUnique(cardinality));
        return broken ? [`${a.id} and ${b.id}`] : [];
      }),
  );
}

describe.each(CARDINALITIES)('whatever is tried on %s values', (cardinality) => {
  it('no two of them break the rule, and each is found by the ends that it holds', () => {
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), (attempts) => {
        const rules = rulesOf(cardinality);
        let bucket = kinds.relationshipValues.initial();
        let sequence = 0;
        for (const tried of attempts) {
          const rows = [...bucket.rows.values()];
          const row = 'row' in tried ? rows[tried.row % Math.max(1, rows.length)] : undefined;
          const by = {
            userId: tried.kind === 'approve' || tried.kind === 'reject' ? ADMIN : STEWARD,
            level: 'ADMIN',
          } as const;
          sequence += 1;
          const { events } =
            tried.kind === 'add'
              ? draftValues(
                  bucket,
                  [{ ...pair(tried.source, tried.target), index: 0, sequence, attributes: {} }],
                  rules,
                )
              : row === undefined
                ? { events: [] }
                : tried.kind === 'edit'
                  ? editValues(
                      bucket,
                      [
                        {
                          id: row.id,
                          revision: row.revision,
                          sourceInstanceId: tried.source,
                          targetInstanceId: tried.target,
                        },
                      ],
                      rules,
                      by,
                    )
                  : reviewValues(bucket, tried.kind, [row], rules, { by, comment: 'why' });
          for (const event of events) {
            bucket = kinds.relationshipValues.evolve(bucket, { ...event, metadata: metadataBy(by.userId) });
          }
        }
        expect(violations(bucket, cardinality)).toEqual([]);
        for (const row of bucket.rows.values()) {
          for (const each of heldPairs(row)) {
            expect(bucket.bySource.get(each.sourceInstanceId)?.has(row.id)).toBe(true);
            expect(bucket.byTarget.get(each.targetInstanceId)?.has(row.id)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
