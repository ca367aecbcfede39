/** Previews imports of mappings and relationship values, and validates rows, with the code of their modules. */
import type { Access, Pool } from '@rdm/platform';
import { preview as previewMappings } from './crosswalks/import-commands.ts';
import type { PreviewRequest } from './file-imports/file-process.ts';
import { validateRows } from './imports/validation/validation-test.ts';
import { preview as previewValues } from './relationships/import-commands.ts';
import { openReadExecution } from './runtime/read-execution.ts';
import type { Streams } from './runtime/streams.ts';

export async function previewOf(
  context: { streams: Streams; access: Access; pool: Pool; now: () => Date },
  request: PreviewRequest,
): Promise<unknown> {
  if (request.of === 'rows') return validateRows(request);
  const { of, input, ...requester } = request;
  const x = openReadExecution(requester, context);
  return of === 'mappings' ? previewMappings(x, input as never) : previewValues(x, input as never);
}
