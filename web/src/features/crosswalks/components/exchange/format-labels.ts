/** Labels of the mapping formats. */
import type { MappingFormat } from '@rdm/contracts/crosswalks/mapping-exchange';

export const FORMAT_LABELS: Record<MappingFormat, string> = {
  csv: 'CSV',
  json: 'JSON',
  conceptmap: 'FHIR ConceptMap',
  sssom: 'SSSOM (TSV)',
};
