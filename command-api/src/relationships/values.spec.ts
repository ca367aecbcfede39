/** Specifies how values of relationships are added, copied, edited and reviewed. */
import {
  CARDINALITIES,
  type Cardinality,
  fixedEnd,
  type Pair,
  type RelationshipValueBucket,
  type RelationshipValueEvent,
  type Reviewer,
  relationshipValueKey,
  rowId,
} from '@rdm/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowVerb } from '../review/row-review.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { metadataBy, type Past, specify } from '../testing/given.ts';
import { copyableValues, draftValues, editValues, reviewValues, type ValueRules } from './values.ts';

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
  it('drafts a new pair under an id that contains its bucket', () =>
    given()
      .when(adding(manyToOne, pair(10, 20)))
      .then(drafted(first, 10, 20)));
  it('stores attributes without null values', () =>
    given()
      .when((state) =>
        draftValues(state, [{ ...pair(10, 20), index: 0, sequence: 1, attributes: { 1: '007', 2: null } }], manyToOne),
      )
      .then(drafted(first, 10, 20, { 1: '007' })));
  it('refuses an existing pair in a many-to-many relationship', () =>
    given(drafted(idOf(9, 'MANY_TO_MANY', 10, 20), 10, 20))
      .when(adding(rulesOf('MANY_TO_MANY'), pair(10, 20), pair(10, 21)))
      .then(drafted(idOf(2, 'MANY_TO_MANY', 10, 21), 10, 21))
      .refusing(0, 'DUPLICATE'));
  it('allows only one target per source in a many-to-one relationship, and reports the existing pair', () => {
    const decision = given(drafted(first, 10, 20)).when(adding(manyToOne, pair(10, 21)));
    decision.thenNothing();
    expect(decision.result()[0]).toMatchObject({
      code: 'CARDINALITY',
      conflict: { requested: pair(10, 21), held: pair(10, 20) },
    });
  });
  it('allows many sources per target in a many-to-one relationship', () =>
    given(drafted(first, 10, 20))
      .when((state) => draftValues(state, [{ ...pair(11, 20), index: 0, sequence: 2, attributes: {} }], manyToOne))
      .then(drafted(second, 11, 20)));
  it('allows only one source per target in a one-to-many relationship', () =>
    given(drafted(idOf(9, 'ONE_TO_MANY', 10, 20), 10, 20))
      .when(adding(rulesOf('ONE_TO_MANY'), pair(11, 20)))
      .then()
      .refusing(0, 'CARDINALITY'));
  it('accepts the first of two conflicting values in a request', () =>
    given()
      .when(adding(manyToOne, pair(10, 20), pair(10, 21)))
      .then(drafted(first, 10, 20))
      .refusing(1, 'CARDINALITY'));
  it('refuses a pair that conflicts with the served or the edited content of a value', () => {
    const oneToOne = rulesOf('ONE_TO_ONE');
    const id = idOf(1, 'ONE_TO_ONE', 10, 20);
    const reassigned = given(drafted(id, 10, 20), submitted(id), approved(id), edited(id, 10, 21));
    reassigned
      .when(adding(oneToOne, pair(11, 20)))
      .then()
      .refusing(0, 'CARDINALITY');
    reassigned
      .when(adding(oneToOne, pair(11, 21)))
      .then()
      .refusing(0, 'CARDINALITY');
  });
  it('accepts another target for a source once the value of the source is deleted', () =>
    given(drafted(idOf(9, 'MANY_TO_ONE', 10, 20), 10, 20), deleted(idOf(9, 'MANY_TO_ONE', 10, 20)))
      .when(adding(manyToOne, pair(10, 21)))
      .then(drafted(first, 10, 21)));
  it('relates a row to itself only if the rules allow self-relationships', () => {
    given()
      .when(adding({ ...manyToOne, refusesSelf: true }, pair(10, 10)))
      .then()
      .refusing(0, 'SELF');
    given()
      .when(adding(manyToOne, pair(10, 10)))
      .then(drafted(first, 10, 10));
  });
  it('refuses a value without a required attribute', () =>
    given()
      .when(adding({ ...manyToOne, required: [{ attributeId: 1, name: 'since' }] }, pair(10, 20)))
      .then()
      .refusing(0, 'INVALID'));
});

describe('copying values', () => {
  const value = (id: number, source: number, target: number, attributes = {}) => ({
    id,
    ...pair(source, target),
    attributes,
  });
  it('copies the first of several conflicting values, and gives a reason for each refused value', () => {
    const values = [value(1, 10, 20), value(2, 10, 21), value(3, 11, 20), value(4, 12, 12)];
    const { copied, refused } = copyableValues(values, { ...manyToOne, refusesSelf: true });
    expect(copied.map(({ id }) => id)).toEqual([1, 3]);
    expect(refused).toMatchObject([
      { id: 2, code: 'CARDINALITY', conflict: { requested: pair(10, 21), held: pair(10, 20) } },
      { id: 4, code: 'SELF' },
    ]);
  });
  it('refuses values without an attribute that has become required', () => {
    const rules = { ...manyToOne, required: [{ attributeId: 1, name: 'since' }] };
    const { copied, refused } = copyableValues([value(1, 10, 20), value(2, 11, 20, { 1: 'x' })], rules);
    expect(copied.map(({ id }) => id)).toEqual([2]);
    expect(refused).toMatchObject([{ id: 1, code: 'INVALID', message: 'The attribute "since" is required' }]);
  });
});

describe('editing values', () => {
  const edit = (to: { targetInstanceId?: number; sourceInstanceId?: number; attributes?: object }, revision = 1) => {
    const change = { id: first, revision, ...to } as Parameters<typeof editValues>[1][number];
    return (state: RelationshipValueBucket) => editValues(state, [change], manyToOne, steward);
  };
  it('changes the target of a value, and clears only attributes with null', () =>
    given(drafted(first, 10, 20, { 1: 'a', 2: 'b' }))
      .when(edit({ targetInstanceId: 21, attributes: { 2: null } }))
      .then(edited(first, 10, 21, { 1: 'a' })));
  it('does nothing when nothing changes', () =>
    given(drafted(first, 10, 20, { 1: 'a' }))
      .when(edit({ targetInstanceId: 20, attributes: { 1: 'a', 2: null } }))
      .thenNothing());
  it('refuses to change the end that determines the bucket', () =>
    given(drafted(first, 10, 20))
      .when(edit({ sourceInstanceId: 11 }))
      .then()
      .refusing(first, 'FIXED_END'));
  it('refuses an outdated revision, and a pending row', () => {
    given(drafted(first, 10, 20))
      .when(edit({ targetInstanceId: 21 }, 2))
      .then()
      .refusing(first, 'STALE');
    given(drafted(first, 10, 20), submitted(first))
      .when(edit({ targetInstanceId: 21 }, 2))
      .then()
      .refusing(first, 'PENDING');
  });
  it('refuses to clear a required attribute', () =>
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

describe('editing several values', () => {
  const oneToOne = rulesOf('ONE_TO_ONE');
  const [a, b] = [idOf(1, 'ONE_TO_ONE', 10, 20), idOf(2, 'ONE_TO_ONE', 11, 21)];
  const to = (id: number, targetInstanceId: number) => ({ id, revision: 1, targetInstanceId });
  const both = given(drafted(a, 10, 20), drafted(b, 11, 21));

  it('accepts the first of two edits to the same target in a one-to-one relationship', () =>
    both
      .when((state) => editValues(state, [to(a, 22), to(b, 22)], oneToOne, steward))
      .then(edited(a, 10, 22))
      .refusing(b, 'CARDINALITY'));
  it('allows a target that an earlier edit of the same request released', () =>
    both
      .when((state) => editValues(state, [to(a, 22), to(b, 20)], oneToOne, steward))
      .then({
        type: 'RelationshipValuesEdited',
        data: {
          rows: [
            { id: a, ...pair(10, 22), attributes: {} },
            { id: b, ...pair(11, 20), attributes: {} },
          ],
        },
      }));
});

describe('reviewing values', () => {
  it('lets only a user other than the author approve a submitted draft', () => {
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
  it('refuses to approve a value that is already approved', () =>
    given(drafted(first, 10, 20), submitted(first), approved(first))
      .when(act('approve', approver, [first, 3]))
      .then()
      .refusing(first, 'NOT_PENDING'));
  it('deletes drafts at once, but requires a review to delete served values', () => {
    given(drafted(first, 10, 20), drafted(second, 11, 20), submitted(first), approved(first))
      .when(act('delete', steward, [first, 3], [second, 1]))
      .then({ type: 'RelationshipValuesDeletionRequested', data: { ids: [first] } }, deleted(second));
  });
  it('restores only values without conflicts', () => {
    const other = idOf(3, 'MANY_TO_ONE', 10, 21);
    given(drafted(first, 10, 20), deleted(first), drafted(other, 10, 21))
      .when(act('restore', steward, [first, 2]))
      .then()
      .refusing(first, 'CARDINALITY');
    given(drafted(first, 10, 20), deleted(first))
      .when(act('restore', steward, [first, 2]))
      .then({ type: 'RelationshipValuesRestored', data: { ids: [first] } });
  });
  it('checks required attributes again at submission', () =>
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

/** Random actions on up to three rows. The numbers of ends and rows are small, so that the actions conflict. */
const END = fc.integer({ min: 1, max: 4 });
const PAIRS = fc.array(fc.record({ sourceInstanceId: END, targetInstanceId: END }), { minLength: 1, maxLength: 3 });
const ROWS = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 });
const VERB = fc.constantFrom<RowVerb | 'add' | 'edit'>(
  ...(['add', 'add', 'edit', 'edit', 'submit', 'recall', 'approve', 'reject'] as const),
  ...(['revoke', 'discard', 'delete', 'restore'] as const),
);
interface Action {
  verb: RowVerb | 'add' | 'edit';
  rows: number[];
  pairs: Pair[];
}
const anyAction = fc.record<Action>({ verb: VERB, rows: ROWS, pairs: PAIRS });
/** Submits, approves and edits the same rows, because random actions rarely produce served values with edits. */
const servedAndEdited = fc
  .record({ rows: ROWS, pairs: PAIRS })
  .map((input): Action[] => (['submit', 'approve', 'edit'] as const).map((verb) => ({ ...input, verb })));
const actionSequences = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: anyAction.map((action) => [action]) }, { weight: 1, arbitrary: servedAndEdited }),
    {
      minLength: 10,
      maxLength: 50,
    },
  )
  .map((groups) => groups.flat());

/** Decides on an action; returns its user and its events. New rows get sequence numbers from `sequence` on. */
function decideAction(
  bucket: RelationshipValueBucket,
  { verb, rows, pairs }: Action,
  rules: ValueRules,
  sequence: number,
) {
  const allRows = [...bucket.rows.values()];
  const chosenRows = rows.flatMap((index) => allRows[index] ?? []);
  const fixed = fixedEnd(rules.cardinality);
  const by = { userId: verb === 'approve' || verb === 'reject' ? ADMIN : STEWARD, level: 'ADMIN' } as const;
  const details = { by, comment: 'why' };
  switch (verb) {
    case 'add': {
      const values = pairs.map((each, index) => ({ ...each, index, sequence: sequence + index, attributes: {} }));
      return { by, events: draftValues(bucket, values, rules).events };
    }
    case 'edit': {
      const edits = chosenRows.map(({ id, revision, value }, index) => {
        const to = pairs[index % pairs.length] as Pair;
        return { id, revision, ...to, ...(fixed && { [fixed]: value[fixed] }) };
      });
      return { by, events: editValues(bucket, edits, rules, by).events };
    }
    default:
      return { by, events: reviewValues(bucket, verb, chosenRows, rules, details).events };
  }
}

/** Which ends are unique per cardinality, stated independently of the code under test. */
const UNIQUE_ENDS: Record<Cardinality, readonly (keyof Pair)[]> = {
  ONE_TO_ONE: ['sourceInstanceId', 'targetInstanceId'],
  ONE_TO_MANY: ['targetInstanceId'],
  MANY_TO_ONE: ['sourceInstanceId'],
  MANY_TO_MANY: [],
};

const workingAndServedContents = (bucket: RelationshipValueBucket) =>
  [...bucket.rows.values()].flatMap(({ id, deleted, value, served }) =>
    deleted ? [] : [value, ...(served ? [served] : [])].map((content) => ({ id, content })),
  );

/** Returns each pair of rows whose contents conflict. */
function violations(bucket: RelationshipValueBucket, cardinality: Cardinality): string[] {
  const contents = workingAndServedContents(bucket);
  const hasSameEnd = (a: Pair, b: Pair, end: keyof Pair) => a[end] === b[end];
  return contents.flatMap((one) =>
    contents.flatMap((other) => {
      if (other.id <= one.id) return [];
      const [a, b] = [one.content, other.content];
      const isSame = hasSameEnd(a, b, 'sourceInstanceId') && hasSameEnd(a, b, 'targetInstanceId');
      return isSame || UNIQUE_ENDS[cardinality].some((end) => hasSameEnd(a, b, end))
        ? [`${one.id} and ${other.id}`]
        : [];
    }),
  );
}

describe.each(CARDINALITIES)('any sequence of actions on %s values', (cardinality) => {
  it('never breaks the cardinality, and indexes each row by its working and served ends', () => {
    const rules = rulesOf(cardinality);
    let editedCount = 0;
    fc.assert(
      fc.property(actionSequences, (actions) => {
        let bucket = kinds.relationshipValues.initial();
        actions.forEach((action, index) => {
          const { by, events } = decideAction(bucket, action, rules, index * 3 + 1);
          for (const event of events) {
            bucket = kinds.relationshipValues.evolve(bucket, { ...event, metadata: metadataBy(by.userId) });
          }
          expect(violations(bucket, cardinality)).toEqual([]);
        });
        const ends = (end: keyof Pair) =>
          workingAndServedContents(bucket).map(({ id, content }) => `${content[end]} ${id}`);
        const indexedEnds = (rows: RelationshipValueBucket['bySource']) =>
          [...rows].flatMap(([end, ids]) => [...ids].map((id) => `${end} ${id}`));
        expect(new Set(indexedEnds(bucket.bySource))).toEqual(new Set(ends('sourceInstanceId')));
        expect(new Set(indexedEnds(bucket.byTarget))).toEqual(new Set(ends('targetInstanceId')));
        editedCount += [...bucket.rows.values()].filter((row) => row.served && row.served !== row.value).length;
      }),
      { numRuns: 300 },
    );
    // The sequences must produce served values with edits, because both pairs of such a value can conflict.
    expect(editedCount).toBeGreaterThan(20);
  });
});
