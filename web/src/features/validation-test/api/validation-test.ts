/** The validation test on the wire. */
import type { ValidationTestView } from '@rdm/contracts/imports/validation-test';
import { write } from '../../../lib/api/index.ts';

/** What rows are validated against. */
export type Target = { dataSetId: number } | { referenceTypeId: number };

export const validateRows = (target: Target, rows: Blob) =>
  write<ValidationTestView>('POST', '/api/validation-test', rows, { query: target });
