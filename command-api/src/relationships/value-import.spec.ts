import {
  type Cardinality,
  type RelationshipAttribute,
  type RelationshipValueEvent,
  type Reviewer,
  relationshipValueKey,
  rowId,
} from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../file-imports/import-preview.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type Past, specify } from '../testing/given.ts';
import { type FileValue, type ImportOptions, importValues, markRepeats } from './value-import.ts';

const STEWARD = 1;
const APPROVER = 2;
const steward: Reviewer = { userId: STEWARD, level: 'WRITE' };
const { given } = specify(kinds.relationshipValues, STEWARD);

const attribute = (attributeId: number, name: string, more: Partial<RelationshipAttribute> = {}) => ({
  ...{ attributeId, name, dataType: 'string' as const, isRequired: false, description: '', removed: false },
  ...more,
});
const NOTE = attribute(1, 'note');
const SHARE = attribute(2, 'share', { dataType: 'number' });

const idOf = (sequence: number, source: number, target: number, cardinality: Cardinality = 'MANY_TO_MANY') =>
  rowId(sequence, relationshipValueKey(cardinality, { sourceInstanceId: source, targetInstanceId: target }));
const row = (id: number, source: number, target: number, attributes = {}) => ({
  id,
  sourceInstanceId: source,
  targetInstanceId: target,
  attributes,
});
const drafted = (...rows: ReturnType<typeof row>[]): RelationshipValueEvent => ({
  type: 'RelationshipValuesDrafted',
  data: { rows },
});
const edited = (...rows: ReturnType<typeof row>[]): RelationshipValueEvent => ({
  type: 'RelationshipValuesEdited',
  data: { rows },
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

type Line = [source: number, target: number, cells?: FileValue['cells']];
/** Rows of a file, starting at line 2, with sequence numbers starting at 101. */
const file = (lines: readonly Line[]) =>
  markRepeats(
    lines.map(([source, target, cells = {}], index) => ({
      line: index + 2,
      sequence: 101 + index,
      sourceKey: `s${source}`,
      targetKey: `t${target}`,
      sourceInstanceId: source,
      targetInstanceId: target,
      cells,
    })),
  );

interface ImportingOptions extends Partial<ImportOptions> {
  cardinality?: Cardinality;
  refusesSelf?: boolean;
}
const importing =
  (lines: readonly Line[], { cardinality = 'MANY_TO_MANY', refusesSelf = false, ...options }: ImportingOptions = {}) =>
  (state: Parameters<typeof importValues>[0]) => {
    const attributes = options.attributes ?? [NOTE, SHARE];
    const required = attributes.filter(({ isRequired }) => isRequired);
    const rules = { cardinality, refusesSelf, required };
    const defaults = { rules, attributes, format: 'csv', submit: false, by: steward } as const;
    return importValues(state, file(lines), { ...defaults, ...options });
  };

const EXISTING = idOf(1, 10, 20);

describe('importing relationship values', () => {
  it('distinguishes new pairs from existing ones', () => {
    const two = given(drafted(row(EXISTING, 10, 20))).when(
      importing([
        [10, 20],
        [10, 21],
      ]),
    );
    two.then(drafted(row(idOf(102, 10, 21), 10, 21)));
    expect(two.result().map((each) => [each.line, outcomeOf(each), each.id])).toEqual([
      [2, 'unchanged', EXISTING],
      [3, 'new', idOf(102, 10, 21)],
    ]);
  });

  it('does nothing for an unchanged value', () =>
    given(drafted(row(EXISTING, 10, 20, { 1: 'a', 2: 5 })))
      .when(importing([[10, 20, { 1: 'a', 2: '5.0' }]]))
      .thenNothing());

  it('clears an attribute with an empty cell, and leaves attributes without a cell unchanged', () => {
    const changes = given(drafted(row(EXISTING, 10, 20, { 1: 'a', 2: 5, 3: 'of an attribute that was removed' }))).when(
      importing([[10, 20, { 1: '' }]]),
    );
    changes.then(edited(row(EXISTING, 10, 20, { 2: 5, 3: 'of an attribute that was removed' })));
    expect(changes.result()[0]).toMatchObject({ became: 'changed', revision: 2, before: { 1: 'a', 2: 5 } });
  });

  it('submits only the values that it drafted or changed', () =>
    given(drafted(row(EXISTING, 10, 20), row(idOf(2, 10, 22), 10, 22)))
      .when(
        importing(
          [
            [10, 20, { 1: 'b' }],
            [10, 21],
            [10, 22],
          ],
          { submit: true },
        ),
      )
      .then(
        drafted(row(idOf(102, 10, 21), 10, 21)),
        edited(row(EXISTING, 10, 20, { 1: 'b' })),
        submitted(idOf(102, 10, 21), EXISTING),
      ));

  it('refuses an attribute of the wrong type and proposes a fix', () => {
    const wrong = given().when(
      importing([
        [10, 20, { 2: 'half' }],
        [10, 21, { 2: '0.5' }],
      ]),
    );
    wrong.then(drafted(row(idOf(102, 10, 21), 10, 21, { 2: 0.5 }))).refusing(2, 'INVALID');
    expect(wrong.result()[0]).toMatchObject({
      key: 's10 → t20',
      message: 'share: "half" is not a number',
      data: { sourceKey: 's10', targetKey: 't20', share: 'half' },
      problems: [{ column: 'share', value: 'half', fix: 'Write a number such as 12.5' }],
    });
  });

  it('refuses a JSON text for a number', () => {
    const typed = given().when(
      importing(
        [
          [10, 20, { 2: '0.5' }],
          [10, 21, { 2: 0.5 }],
        ],
        { format: 'json' },
      ),
    );
    typed.then(drafted(row(idOf(102, 10, 21), 10, 21, { 2: 0.5 }))).refusing(2, 'INVALID');
  });

  it('refuses cells of an attribute that was removed', () =>
    given()
      .when(importing([[10, 20, { 1: 'a' }]], { attributes: [SHARE] }))
      .then()
      .refusing(2, 'INVALID'));

  it('refuses a new value without a required attribute', () => {
    const attributes = [attribute(1, 'note', { isRequired: true }), SHARE];
    const required = given(drafted(row(EXISTING, 10, 20, { 1: 'a' }))).when(
      importing(
        [
          [10, 20, { 2: '1' }],
          [10, 21, { 2: '1' }],
          [10, 22, { 1: '' }],
        ],
        { attributes },
      ),
    );
    required.then(edited(row(EXISTING, 10, 20, { 1: 'a', 2: 1 }))).refusing(3, 'INVALID');
    expect(required.result()[2]?.message).toBe('The attribute "note" is required');
  });

  it('refuses a repeated pair', () => {
    const twice = given().when(
      importing([
        [10, 20],
        [10, 20, { 1: 'b' }],
      ]),
    );
    twice.then(drafted(row(idOf(101, 10, 20), 10, 20))).refusing(3, 'REPEATED');
    expect(twice.result()[1]?.problems[0]?.rule).toBe('Line 2 already contains this pair');
  });

  it('refuses to change a pending value', () => {
    const pendingValue = given(drafted(row(EXISTING, 10, 20, { 1: 'a' })), submitted(EXISTING));
    pendingValue
      .when(importing([[10, 20, { 1: 'b' }]]))
      .then()
      .refusing(EXISTING, 'PENDING');
    expect(
      pendingValue
        .when(importing([[10, 20, { 1: 'a' }]]))
        .result()
        .map(outcomeOf),
    ).toEqual(['unchanged']);
  });

  it('leaves a served pair unchanged while another pair is drafted', () =>
    given(drafted(row(EXISTING, 10, 20)), submitted(EXISTING), approved(EXISTING), edited(row(EXISTING, 10, 21)))
      .when(importing([[10, 20, { 1: 'b' }]]))
      .thenNothing());

  it('creates a new value for a deleted pair', () =>
    given(drafted(row(EXISTING, 10, 20)), { type: 'RelationshipValuesDeleted', data: { ids: [EXISTING] } })
      .when(importing([[10, 20]]))
      .then(drafted(row(idOf(101, 10, 20), 10, 20))));

  it('refuses to relate a row to itself if the relationship does not allow it', () =>
    given()
      .when(importing([[10, 10]], { refusesSelf: true }))
      .then()
      .refusing(2, 'SELF'));

  it('refuses pairs that violate the cardinality', () => {
    const cardinality = 'MANY_TO_ONE';
    const [existing, added] = [idOf(1, 10, 20, cardinality), idOf(102, 11, 20, cardinality)];
    const decided = given(drafted(row(existing, 10, 20))).when(
      importing(
        [
          [10, 21],
          [11, 20],
          [11, 21],
        ],
        { cardinality },
      ),
    );
    decided.then(drafted(row(added, 11, 20)));
    expect(decided.result()).toMatchObject([
      {
        id: 2,
        code: 'CARDINALITY',
        conflict: {
          requested: { sourceInstanceId: 10, targetInstanceId: 21 },
          held: { sourceInstanceId: 10, targetInstanceId: 20 },
        },
      },
      { became: 'created' },
      { id: 4, code: 'CARDINALITY', conflict: { held: { sourceInstanceId: 11, targetInstanceId: 20 } } },
    ]);
  });

  it.each([
    ['ONE_TO_ONE', ['refused', 'refused', 'done']],
    ['ONE_TO_MANY', ['done', 'refused', 'done']],
    ['MANY_TO_ONE', ['refused', 'done', 'done']],
    ['MANY_TO_MANY', ['done', 'done', 'done']],
  ] as const)('checks the unique ends of %s', (cardinality, outcomes) => {
    const decided = given(drafted(row(idOf(1, 10, 20, cardinality), 10, 20))).when(
      importing(
        [
          [10, 21],
          [11, 20],
          [12, 22],
        ],
        { cardinality },
      ),
    );
    expect(decided.result().map(({ outcome }) => outcome)).toEqual(outcomes);
  });
});
