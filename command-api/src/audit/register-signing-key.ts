/** Appends an event that registers the signing key of the audit log, once for each key. */
import { folds, SIGNING_KEYS_STREAM, type SigningKeyEvent } from '@rdm/contracts';
import { type EventStore, type Log, newSalt, requireDecodable, type SigningKey, WrongRevision } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';

/** The namespace of event ids. An id depends only on the key, so that concurrent instances write one event. */
const NAMESPACE = '0d0a3a86-5d3c-5a5b-8c9e-3c0f5d5f2b7e';

/** Does nothing if the key is already registered. */
export async function registerSigningKey(
  store: Pick<EventStore, 'read' | 'append'>,
  log: Log,
  { keyId, publicKey }: Pick<SigningKey, 'keyId' | 'publicKey'>,
): Promise<void> {
  for (;;) {
    const keys = folds.signingKeys.initial();
    let revision = -1;
    for await (const event of store.read(SIGNING_KEYS_STREAM)) {
      requireDecodable(event);
      folds.signingKeys.evolve(keys, event as unknown as SigningKeyEvent);
      revision = event.revision;
    }
    if (keys.has(keyId)) return;
    const id = uuidv5(keyId, NAMESPACE);
    const metadata = {
      $correlationId: id,
      $causationId: id,
      actorId: null,
      requestId: `signing-key-${keyId}`,
      sourceType: 'SYSTEM' as const,
      dataSetIds: [],
      occurredAt: new Date().toISOString(),
      salt: newSalt(),
    };
    const registered = { id, type: 'SigningKeyRegistered', data: { keyId, publicKey }, metadata };
    try {
      await store.append(SIGNING_KEYS_STREAM, [registered], revision < 0 ? 'NO_STREAM' : revision);
      log.info({ keyId }, 'Registered the key that signs the audit log');
      return;
    } catch (error) {
      // Another instance registered a key meanwhile: read the registered keys again.
      if (!(error instanceof WrongRevision)) throw error;
    }
  }
}
