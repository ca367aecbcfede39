/** Requests a signature of the head of the audit log from command-api: query-api must not have the signing key. */
import { Refusal, SignedHead } from '@rdm/contracts';
import type { QueryContext } from '../query-context.ts';

export type UnsignedHead = Omit<SignedHead, 'keyId' | 'signature'>;

const DEADLINE_MS = 10_000;

export async function signHead(
  { pool, settings, log }: Pick<QueryContext, 'pool' | 'settings' | 'log'>,
  entry: Omit<UnsignedHead, 'logId'>,
): Promise<SignedHead> {
  const { rows } = await pool.query<{ logId: string }>('SELECT log_id AS "logId" FROM platform.reader');
  const { seq, chainHash, at } = entry;
  const head: UnsignedHead = { logId: rows[0]?.logId ?? '', seq, chainHash, at };
  let reason: unknown = 'no address of command-api is set';
  for (const url of settings.COMMAND_API_URL ?? []) {
    try {
      const response = await fetch(`${url}/internal/audit-logs/head-signature`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Service-Secret': settings.SERVICE_SECRET },
        body: JSON.stringify(head),
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const body: unknown = await response.json();
      if (response.ok) return SignedHead.parse({ ...head, ...(body as object) });
      if (response.status === 409) throw new Refusal('CONFLICT', (body as { error: string }).error);
      reason = body;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      reason = error;
    }
  }
  log.warn({ err: reason }, 'The head of the audit log could not be signed');
  throw new Refusal(
    'UNAVAILABLE',
    'The head could not be signed: no instance of command-api answered as expected. Please try again.',
    undefined,
    5,
  );
}
