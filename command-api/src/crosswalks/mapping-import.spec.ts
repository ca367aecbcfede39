import { type MappingEvent, mappingKey, type Reviewer, rowId } from '@rdm/contracts';
import { mappingsDrafted } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../file-imports/import-preview.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type Past, specify } from '../testing/given.ts';
import { valueIn } from './import-commands.ts';
import { type ImportOptions, importMappings, markRepeats } from './mapping-import.ts';

const STEWARD = 1;
const APPROVER = 2;
const steward: Reviewer = { userId: STEWARD, level: 'WRITE' };
const { given } = specify(kinds.mappings, STEWARD);

const idOf = (sequence: number, sourceValue: string) => rowId(sequence, mappingKey(sourceValue));
const drafted = (
  sequence: number,
  sourceValue: string,
  targetValue: string,
  origin: 'MANUAL' | 'IMPORT' = 'MANUAL',
  confidence = 100,
): Past<MappingEvent> =>
  mappingsDrafted({ id: idOf(sequence, sourceValue), sourceValue, targetValue, confidence, origin });
const submitted = (...ids: number[]): MappingEvent => ({ type: 'MappingsSubmitted', data: { ids } });
const approved = (...ids: number[]): Past<MappingEvent> => ({ type: 'MappingsApproved', data: { ids }, by: APPROVER });
const edited = (id: number, targetValue: string, confidence = 100): MappingEvent => ({
  type: 'MappingsEdited',
  data: { rows: [{ id, targetValue, confidence }] },
});

type Row = [sourceValue: string, targetValue: string, confidence?: number];
/** Rows of a file, starting at line 2, with sequence numbers starting at 101. */
const file = (rows: readonly Row[]) =>
  markRepeats(
    rows.map(([sourceValue, targetValue, confidence = 100], index) => ({
      line: index + 2,
      sequence: 101 + index,
      sourceValue,
      targetValue,
      confidence,
    })),
  );
const importing =
  (rows: readonly Row[], options: Partial<ImportOptions> = {}) =>
  (state: Parameters<typeof importMappings>[0]) =>
    importMappings(state, file(rows), {
      existing: 'change',
      submit: false,
      by: steward,
      deletedTargets: new Set(),
      ...options,
    });

const FR = idOf(2, 'FR');

describe('importing mappings', () => {
  it('distinguishes new pairs from existing ones', () => {
    const importsTwo = given(drafted(1, 'DE', 'DEU')).when(
      importing([
        ['DE', 'DEU'],
        ['FR', 'FRA'],
      ]),
    );
    importsTwo.then(drafted(102, 'FR', 'FRA', 'IMPORT') as MappingEvent);
    expect(importsTwo.result().map((row) => [row.line, outcomeOf(row), row.id])).toEqual([
      [2, 'unchanged', idOf(1, 'DE')],
      [3, 'new', idOf(102, 'FR')],
    ]);
  });
  it('does nothing for an unchanged mapping', () =>
    given(drafted(101, 'FR', 'FRA', 'IMPORT'))
      .when(importing([['FR', 'FRA']]))
      .thenNothing());
  it('changes the confidence or the only target of a source value', () => {
    given(drafted(2, 'FR', 'FRX'))
      .when(importing([['FR', 'FRX', 90]]))
      .then(edited(FR, 'FRX', 90));
    const changed = given(drafted(2, 'FR', 'FRX')).when(importing([['FR', 'FRA']]));
    changed.then(edited(FR, 'FRA'));
    expect(changed.result()[0]).toMatchObject({
      became: 'changed',
      before: { targetValue: 'FRX', confidence: 100 },
      revision: 2,
    });
  });
  it('adds a target on request or to a source value with several targets', () => {
    given(drafted(2, 'FR', 'FRX'))
      .when(importing([['FR', 'FRA']], { existing: 'add' }))
      .then(drafted(101, 'FR', 'FRA', 'IMPORT') as MappingEvent);
    given(drafted(2, 'FR', 'FRX'), drafted(3, 'FR', 'FXX'))
      .when(importing([['FR', 'FRA']]))
      .then(drafted(101, 'FR', 'FRA', 'IMPORT') as MappingEvent);
    const several = given(drafted(2, 'FR', 'FRX')).when(
      importing([
        ['FR', 'FRA'],
        ['FR', 'FXX'],
      ]),
    );
    expect(several.result().map(outcomeOf)).toEqual(['new', 'new']);
  });
  it('submits only the mappings that it drafted or changed', () => {
    given(drafted(1, 'DE', 'DEU'), drafted(2, 'FR', 'FRX'))
      .when(
        importing(
          [
            ['DE', 'DEU'],
            ['FR', 'FRA'],
            ['IT', 'ITA'],
          ],
          { submit: true },
        ),
      )
      .then(drafted(103, 'IT', 'ITA', 'IMPORT') as MappingEvent, edited(FR, 'FRA'), submitted(idOf(103, 'IT'), FR));
  });
  it('refuses to submit a mapping to a deleted target', () =>
    given()
      .when(importing([['FR', 'FRA']], { submit: true, deletedTargets: new Set(['FRA']) }))
      .then()
      .refusing(2, 'INVALID'));
  it('leaves a served pair unchanged while another target is drafted', () =>
    given(drafted(2, 'FR', 'FRA'), submitted(FR), approved(FR), edited(FR, 'FRX'))
      .when(importing([['FR', 'FRA']]))
      .thenNothing());
  it('refuses to change pending mappings', () => {
    const underReview = given(drafted(2, 'FR', 'FRX'), submitted(FR)).when(importing([['FR', 'FRA']]));
    underReview.then().refusing(FR, 'PENDING');
    expect(underReview.result()[0]).toMatchObject({
      line: 2,
      key: 'FR → FRA',
      message: 'This row is under review: recall it first',
      data: { sourceValue: 'FR', targetValue: 'FRA' },
    });
  });
  it('accepts a repeated pair once', () => {
    const twice = given().when(
      importing([
        ['DE', 'DEU'],
        ['DE', 'DEU', 5],
      ]),
    );
    twice.then(drafted(101, 'DE', 'DEU', 'IMPORT') as MappingEvent).refusing(3, 'REPEATED');
    expect(twice.result()[1]?.problems[0]?.rule).toBe('Line 2 already contains this pair');
  });
  it('creates a new mapping for a deleted pair', () =>
    given(drafted(2, 'FR', 'FRA'), { type: 'MappingsDeleted', data: { ids: [FR] } })
      .when(importing([['FR', 'FRA']]))
      .then(drafted(101, 'FR', 'FRA', 'IMPORT') as MappingEvent));
});

describe('an identifier with a prefix', () => {
  const value = { value: 'HP:1', local: '1' };
  it('is resolved to the value of the data set', () => {
    expect(valueIn(new Set(['HP:1']), value)).toBe('HP:1');
    expect(valueIn(new Set(['1']), value)).toBe('1');
    expect(valueIn(new Set(['1', 'HP:1']), value)).toBe('HP:1');
  });
  it('keeps its prefix if no row has the value', () => {
    expect(valueIn(new Set(), value)).toBe('HP:1');
  });
});
