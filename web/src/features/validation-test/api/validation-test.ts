/** The request of the validation test. */
import type { ValidationTestView } from '@rdm/contracts/imports/validation-test';
import { write } from '../../../lib/api/index.ts';

/** The data set or type that rows are validated against. */
export type Target = { dataSetId: number } | { referenceTypeId: number };

export const validateRows = (target: Target, rows: Blob) =>
  write<ValidationTestView>('POST', '/api/validation-test', rows, { query: target });
