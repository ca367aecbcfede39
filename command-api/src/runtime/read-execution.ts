/** Reads for somebody outside any command: what they may see, nothing appended. */
import { randomUUID } from 'node:crypto';
import type { Access, ApiRequest, Pool } from '@rdm/platform';
import { type CommandLog, Execution } from './execution.ts';
import type { Streams } from './streams.ts';

/** An execution that reads for somebody and appends nothing. */
export type OpenReadExecution = (request: Pick<ApiRequest, 'principal' | 'needs'>) => Execution;

const refuse = () => Promise.reject(new Error('Only a command appends'));
const NO_LOG: CommandLog = { rememberIds: refuse, rememberStep: refuse };

export function openReadExecution(
  { principal: { userId, apiKey }, needs }: Pick<ApiRequest, 'principal' | 'needs'>,
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
    { ...context, log: NO_LOG },
  );
}
