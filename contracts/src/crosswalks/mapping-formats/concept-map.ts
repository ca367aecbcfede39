/**
 * Writes and reads mappings as a FHIR R4 ConceptMap (hl7.org/fhir/R4/conceptmap.html); also reads the relationship
 * codes of R5. Extensions contain the confidence and the status, for which R4 has no element. A value that is not a
 * valid code is percent-encoded and marked by an extension.
 */
import { CROSSWALK_CONFIDENCE_DEFAULT } from '../../constants.ts';
import type { ImportProblem } from '../../jobs/row-imports.ts';
import { Refusal } from '../../refusal.ts';
import { isObject } from '../../text/json-text.ts';
import {
  addressOf,
  type ExchangedCrosswalk,
  type ExchangedMapping,
  type Format,
  fieldAddress,
  type ReadMapping,
  readConfidence,
  valueProblem,
} from './exchanged-mapping.ts';

const EXTENSIONS = {
  confidence: 'urn:rdm:mapping-confidence',
  status: 'urn:rdm:mapping-status',
  /** Marks a code as the percent-encoded form of a value that is not a valid code. */
  encoded: 'urn:rdm:percent-encoded-code',
};

/** Whether a value is a FHIR code: no white space at either end, and no two white-space characters in a row. */
const isCode = (value: string): boolean => /^[^\s]+(\s[^\s]+)*$/.test(value);

/** Replaces white space that FHIR does not allow in texts. Spaces, tabs and line ends are allowed. */
const fhirText = (text: string): string => text.replaceAll(/[^\S \r\n\t]/g, ' ');

const codeElement = (value: string) =>
  isCode(value)
    ? { code: value }
    : { code: encodeURIComponent(value), extension: [{ url: EXTENSIONS.encoded, valueBoolean: true }] };

const displayElement = (label: string | null) => (label ? { display: fhirText(label) } : {});

function targetOf({ targetValue, targetLabel, confidence, status }: ExchangedMapping) {
  const { code, extension = [] } = codeElement(targetValue) as { code: string; extension?: unknown[] };
  const extensions = [
    ...extension,
    ...(confidence === CROSSWALK_CONFIDENCE_DEFAULT ? [] : [{ url: EXTENSIONS.confidence, valueDecimal: confidence }]),
    ...(status === 'APPROVED' ? [] : [{ url: EXTENSIONS.status, valueCode: status.toLowerCase() }]),
  ];
  return {
    ...(extensions.length > 0 ? { extension: extensions } : {}),
    code,
    ...displayElement(targetLabel),
    equivalence: 'equivalent',
  };
}

/** Rows must be sorted by source value, because only consecutive rows of a source value become one element. */
export function conceptMap(publicUrl: string, crosswalk: ExchangedCrosswalk): Format<ExchangedMapping> {
  const [source, target] = [fieldAddress(publicUrl, crosswalk.source), fieldAddress(publicUrl, crosswalk.target)];
  const head = {
    resourceType: 'ConceptMap',
    url: addressOf(publicUrl, crosswalk),
    title: fhirText(crosswalk.name),
    status: crosswalk.isServed ? 'active' : 'draft',
    description: fhirText(`${crosswalk.source.name} to ${crosswalk.target.name}`),
    sourceUri: source,
    targetUri: target,
  };
  let previousValue: string | undefined;
  return {
    contentType: 'application/fhir+json; charset=utf-8',
    extension: 'json',
    head: JSON.stringify(head).slice(0, -1),
    row(row, first) {
      const written = JSON.stringify(targetOf(row));
      const isSameElement = !first && row.sourceValue === previousValue;
      previousValue = row.sourceValue;
      if (isSameElement) return `,\n${written}`;
      const element = JSON.stringify({ ...codeElement(row.sourceValue), ...displayElement(row.sourceLabel) }).slice(
        0,
        -1,
      );
      const group = JSON.stringify({ source, target }).slice(0, -1);
      return `${first ? `,"group":[${group},"element":[` : ']},'}\n${element},"target":[\n${written}`;
    },
    tail: (isEmpty) => (isEmpty ? '}\n' : ']}\n]}]}\n'),
  };
}

/** Equivalences that are read as mappings without a remark. */
const EXACT = new Set(['equivalent', 'equal']);
/** Equivalences that mean that there is no mapping. */
const NONE = new Set(['unmatched', 'disjoint', 'not-related-to']);

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function extensionOf(record: Record<string, unknown>, url: string): Record<string, unknown> | undefined {
  return list(record['extension'])
    .filter(isObject)
    .find((each) => each['url'] === url);
}

function readCode(record: Record<string, unknown>, path: string, side: 'source' | 'target') {
  const code = text(record['code']);
  const column = `${path}.code`;
  const codeProblem = valueProblem(column, code, side);
  if (codeProblem || extensionOf(record, EXTENSIONS.encoded)?.['valueBoolean'] !== true) {
    return { value: code, problem: codeProblem };
  }
  const value = decodePercent(code);
  const problem = { column, value: code, rule: 'The code is not percent-encoded as declared', fix: 'Export it again' };
  return value === undefined ? { value: code, problem } : { value, problem: valueProblem(column, value, side) };
}

/** Decodes a percent-encoded code; undefined if a percent sign begins no valid code. */
export function decodePercent(code: string): string | undefined {
  try {
    return decodeURIComponent(code);
  } catch {
    return undefined;
  }
}

export const isConceptMap = (document: unknown): boolean =>
  isObject(document) && document['resourceType'] === 'ConceptMap';

export function readConceptMap(document: unknown): { mappings: ReadMapping[]; remarks: string[] } {
  if (!isObject(document) || !isConceptMap(document)) {
    throw new Refusal('INVALID', 'The file is not a ConceptMap: its resourceType must be ConceptMap');
  }
  const groups = list(document['group']).filter(isObject);
  const mappings: ReadMapping[] = [];
  groups.forEach((group, groupAt) => {
    list(group['element'])
      .filter(isObject)
      .forEach((element, elementAt) => {
        const path = `group[${groupAt}].element[${elementAt}]`;
        const targets = list(element['target']).filter(isObject);
        if (targets.length === 0) mappings.push(withoutTarget(mappings.length + 1, element, path));
        targets.forEach((target, targetAt) => {
          mappings.push(readTarget(mappings.length + 1, element, path, target, `${path}.target[${targetAt}]`));
        });
      });
  });
  const systems = (side: 'source' | 'target') => new Set(groups.map((group) => group[side])).size;
  return {
    mappings,
    remarks:
      systems('source') > 1 || systems('target') > 1
        ? ['The map has groups of several code systems: only the codes are read']
        : [],
  };
}

const unmatchedProblem = (column: string, value: string): ImportProblem => ({
  column,
  value,
  rule: 'The map states that there is no target',
  fix: 'Nothing to do: the value stays without a mapping',
});

function withoutTarget(row: number, element: Record<string, unknown>, path: string): ReadMapping {
  const source = readCode(element, path, 'source');
  const problem = unmatchedProblem(`${path}.target`, '');
  return { row, source, target: { value: '' }, confidence: 0, problems: [source.problem ?? problem], remarks: [] };
}

function readTarget(
  row: number,
  element: Record<string, unknown>,
  elementPath: string,
  target: Record<string, unknown>,
  path: string,
): ReadMapping {
  const source = readCode(element, elementPath, 'source');
  const member = target['relationship'] === undefined ? 'equivalence' : 'relationship';
  const equivalence = text(target[member]) || 'equivalent';
  const confidenceExtension = extensionOf(target, EXTENSIONS.confidence)?.['valueDecimal'];
  const column = `${path}.extension(${EXTENSIONS.confidence})`;
  const readResult =
    confidenceExtension === undefined ? undefined : readConfidence(column, String(confidenceExtension), 100);
  const confidence = readResult && 'confidence' in readResult ? readResult.confidence : CROSSWALK_CONFIDENCE_DEFAULT;
  if (NONE.has(equivalence)) {
    const problems = [source.problem ?? unmatchedProblem(`${path}.${member}`, equivalence)];
    return { row, source, target: { value: text(target['code']) }, confidence, problems, remarks: [] };
  }
  const code = readCode(target, path, 'target');
  const isConditional = list(target['dependsOn']).length > 0;
  const problems = [
    source.problem,
    code.problem,
    readResult && 'problem' in readResult ? readResult.problem : undefined,
    isConditional
      ? {
          column: `${path}.dependsOn`,
          value: '',
          rule: 'The mapping holds only under a condition on other elements',
          fix: 'Map the value by hand if the mapping always holds',
        }
      : undefined,
  ].filter((problem) => problem !== undefined);
  const remarks = [
    ...(EXACT.has(equivalence)
      ? []
      : [`The ${member} “${equivalence}” is ignored: the row is imported as an ordinary mapping`]),
    ...(list(target['product']).length > 0 ? ['Products of a mapping are ignored'] : []),
  ];
  return { row, source, target: code, confidence, problems, remarks };
}
