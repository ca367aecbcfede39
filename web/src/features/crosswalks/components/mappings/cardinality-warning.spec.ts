/** Tests the warnings about mappings that do not fit the cardinality, and about pairs that exist already. */
import { describe, expect, it } from 'vitest';
import { crosswalk, mapping } from '../../fixtures.ts';
import { pairWarning, rowsWarning } from './cardinality-warning.ts';
import { groupBySource } from './siblings.ts';

const manyToOne = crosswalk({ cardinality: 'MANY_TO_ONE' });
const oneToOne = crosswalk({ cardinality: 'ONE_TO_ONE' });
const manyToMany = crosswalk({ cardinality: 'MANY_TO_MANY' });
const fra = mapping({ id: 1, sourceValue: 'FR', targetValue: 'FRA', status: 'APPROVED' });
const fxx = mapping({ id: 2, sourceValue: 'FR', targetValue: 'FXX' });

describe('a pair to draft', () => {
  const pair = { sourceValue: 'FR', targetValue: 'FXX' };

  it('has a warning about existing mappings of its source', () => {
    expect(pairWarning(manyToOne, pair, [fra])).toBe(
      'FR already has the target FRA (approved). In this crosswalk, each source value should have one target. You can draft another mapping, but the approver then has to choose which of these mappings to approve.',
    );
    expect(pairWarning(manyToOne, { ...pair, targetValue: undefined }, [fra])).toContain('FRA (approved)');
  });

  it('has a warning about other sources of its target only if each target should have one source', () => {
    const fx = mapping({ id: 3, sourceValue: 'FX', targetValue: 'FXX', status: 'PENDING' });
    expect(pairWarning(manyToOne, pair, [fx])).toBeUndefined();
    expect(pairWarning(oneToOne, pair, [fx])).toContain(
      'FXX already has the source FX (pending). In this crosswalk, each target should have one source.',
    );
    expect(pairWarning(oneToOne, { sourceValue: undefined, targetValue: 'FXX' }, [fx])).toContain('FX (pending)');
  });

  it('has a warning about an existing mapping of the same pair', () => {
    expect(pairWarning(manyToMany, pair, [fra, fxx])).toBe(
      'FR → FXX exists already (draft): another mapping of this pair will be refused.',
    );
  });

  it('has no warning about mappings that do not conflict', () => {
    expect(pairWarning(manyToMany, pair, [fra])).toBeUndefined();
    expect(pairWarning(manyToOne, { ...pair, id: 2 }, [fxx])).toBeUndefined();
    expect(pairWarning(manyToOne, pair, [{ ...fra, status: 'REJECTED' }])).toBeUndefined();
  });

  it('has a warning about a rejected mapping that is still served', () => {
    expect(
      pairWarning(manyToOne, pair, [{ ...fra, status: 'REJECTED', served: { targetValue: 'FRA', confidence: 1 } }]),
    ).toContain('FRA (rejected)');
  });

  it('lists three mappings and the number of others', () => {
    const many = ['A', 'B', 'C', 'D', 'E'].map((targetValue, id) => mapping({ id, sourceValue: 'FR', targetValue }));
    expect(pairWarning(manyToOne, pair, many)).toContain(
      'FR already has the targets A (draft), B (draft), C (draft) and 2 more. In this crosswalk,',
    );
  });
});

describe('rows to submit', () => {
  const at = mapping({ id: 4, sourceValue: 'AT', targetValue: 'AUT' });

  it('have a warning with the other targets if only one row has other targets', () => {
    expect(rowsWarning(manyToOne, [fxx, at], groupBySource([fxx, at], [fra]))).toBe(
      'FR has another target: FRA (approved). In this crosswalk, each source value should have one target. If several targets are approved, a translation returns all of them.',
    );
  });

  it('have a warning with the number of source values if several rows have other targets', () => {
    const aus = mapping({ id: 5, sourceValue: 'AT', targetValue: 'AUS' });
    expect(rowsWarning(manyToOne, [fxx, at, aus], groupBySource([fxx, at, aus], [fra]))).toContain(
      '2 source values have several targets: FR, AT. In',
    );
    expect(rowsWarning(manyToOne, [at, aus], groupBySource([at, aus], []))).toContain(
      'One source value has several targets: AT. In',
    );
  });

  it('have a warning about a rejected mapping that is still served', () => {
    const rejected = mapping({ ...fra, status: 'REJECTED', served: { targetValue: 'FRA', confidence: 1 } });
    expect(rowsWarning(manyToOne, [fxx], groupBySource([fxx], [rejected]))).toContain('FRA (rejected)');
  });

  it('have no warning about mappings that do not conflict', () => {
    expect(
      rowsWarning(manyToOne, [fxx], groupBySource([fxx], [{ ...fra, status: 'REJECTED', served: null }])),
    ).toBeUndefined();
    expect(rowsWarning(manyToMany, [fxx], groupBySource([fxx], [fra]))).toBeUndefined();
  });
});
