/** Reads mappings from plain JSON: a list of objects with a source value, a target value and an optional confidence. */
import { CROSSWALK_CONFIDENCE_DEFAULT } from '../../constants.ts';
import { requireNotTooManyRows } from '../../jobs/row-imports.ts';
import { Refusal } from '../../refusal.ts';
import { isObject } from '../../text/json-text.ts';
import { type ReadMapping, readConfidence, valueProblem } from './exchanged-mapping.ts';

/** Returns a member as text, with a problem if the member is missing, not a text or not a valid value. */
function textOf(record: Record<string, unknown>, name: 'sourceValue' | 'targetValue') {
  const value = record[name] ?? '';
  if (typeof value === 'string') {
    return { value, problem: valueProblem(name, value, name === 'sourceValue' ? 'source' : 'target') };
  }
  const json = JSON.stringify(value);
  return {
    value: json,
    problem: { column: name, value: json, rule: 'The value is not a text', fix: 'Put it in quotation marks' },
  };
}

/** Reads the mappings of a list, or of an object that has the list as `mappings`, `rows` or `items`. */
export function readJson(document: unknown): ReadMapping[] {
  const list = isObject(document) ? (document['mappings'] ?? document['rows'] ?? document['items']) : document;
  if (!Array.isArray(list)) {
    throw new Refusal('INVALID', 'The file holds no list of mappings like [{ "sourceValue": …, "targetValue": … }]');
  }
  requireNotTooManyRows(list.length);
  return list.map((record: unknown, index): ReadMapping => {
    const row = index + 1;
    if (!isObject(record)) {
      const value = JSON.stringify(record).slice(0, 100);
      const problem = {
        column: '',
        value,
        rule: 'This is not a mapping',
        fix: 'Write an object with sourceValue and targetValue',
      };
      const noValue = { value: '' };
      return { row, source: noValue, target: noValue, confidence: 0, problems: [problem], remarks: [] };
    }
    const [source, target] = [textOf(record, 'sourceValue'), textOf(record, 'targetValue')];
    const confidenceValue = record['confidence'] ?? CROSSWALK_CONFIDENCE_DEFAULT;
    const read = readConfidence(
      'confidence',
      typeof confidenceValue === 'number' ? String(confidenceValue) : JSON.stringify(confidenceValue),
      100,
    );
    return {
      row,
      source: { value: source.value },
      target: { value: target.value },
      confidence: 'confidence' in read ? read.confidence : CROSSWALK_CONFIDENCE_DEFAULT,
      problems: [source.problem, target.problem, 'problem' in read ? read.problem : undefined].filter(
        (problem) => problem !== undefined,
      ),
      remarks: [],
    };
  });
}
