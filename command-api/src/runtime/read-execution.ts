/** Creates executions that read on behalf of a user outside a command, and append nothing. */
import { randomUUID } from 'node:crypto';
import type { Access, ApiRequest, Pool } from '@rdm/platform';
import { type CommandLog, Execution } from './execution.ts';
import type { Streams } from './streams.ts';

/**
 * Creates an execution that only reads. Without `arrivedAt`, for example in the process that reads files, each check
 * reads the access state again.
 */
export type OpenReadExecution = (
  request: Pick<ApiRequest, 'principal' | 'needs'> & Partial<Pick<ApiRequest, 'arrivedAt'>>,
) => Execution;

const refuse = () => Promise.reject(new Error('Only a command allocates ids and appends events'));
const NO_LOG: CommandLog = { rememberIds: refuse, rememberStep: refuse };

export function openReadExecution(
  { principal: { userId, apiKey }, arrivedAt, needs }: Parameters<OpenReadExecution>[0],
  context: { streams: Streams; access: Access; pool: Pool; now: () => Date },
): Execution {
  const id = randomUUID();
  return new Execution(
    {
      commandId: id,
      ...(apiKey ? { actorId: apiKey.createdBy, apiKeyId: apiKey.apiKeyId } : { actorId: userId }),
      needs,
      requestId: id,
      correlationId: id,
      sourceType: 'SYSTEM',
    },
    { allocated: [], steps: {} },
    { ...context, log: NO_LOG, arrivedAt },
  );
}
