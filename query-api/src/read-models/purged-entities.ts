/** Answers 410 instead of 404 to administrators for a purged entity; the message names the day and the purge. */
import { isAdministrator, purgedOn, Refusal, streams } from '@rdm/contracts';
import { type ApiRequest, type EventStore, idParam, PurgedEvents, type Route } from '@rdm/platform';

export interface PurgedEntities {
  /** Throws PURGED if a purge names the stream. */
  refuseIfPurged(stream: string): Promise<void>;
}

export function openPurgedEntities(store: Pick<EventStore, 'read'>): PurgedEntities {
  const purged = new PurgedEvents(store);
  return {
    async refuseIfPurged(stream) {
      // Invalid manifests are ignored here: the verification of the audit log reports them.
      await purged.load(() => undefined);
      const manifest = purged.manifestOf(stream);
      if (manifest) throw new Refusal('PURGED', purgedOn(manifest.sealedAt, manifest.purgeId));
    },
  };
}

/** The streams of an entity, by the path of the route that reads the entity. */
const STREAMS = new Map<string, (request: ApiRequest) => readonly string[]>([
  ['/api/reference-data/:id', (request) => [streams.dataSet(idParam(request))]],
  ['/api/crosswalks/:id', (request) => [streams.crosswalk(idParam(request))]],
  ['/api/relationships/:id', (request) => [streams.relationship(idParam(request))]],
  [
    '/api/jobs/:jobId',
    (request) => [streams.importJob, streams.bulkDecision].map((streamOf) => streamOf(idParam(request, 'jobId'))),
  ],
]);

/**
 * Adds the answer 410 to the routes of `STREAMS`; returns other routes unchanged. Only administrators get this answer,
 * because the grants on a purged entity are gone.
 */
export function withPurgedEntities(entities: PurgedEntities, declared: Route): Route {
  const streamsOf = declared.method === 'get' ? STREAMS.get(declared.path) : undefined;
  if (streamsOf === undefined) return declared;
  return {
    ...declared,
    handle: async (request) => {
      try {
        return await declared.handle(request);
      } catch (error) {
        const { access, principal } = request as unknown as ApiRequest;
        if (error instanceof Refusal && error.code === 'NOT_FOUND' && isAdministrator(access, principal.userId)) {
          for (const stream of streamsOf(request as unknown as ApiRequest)) await entities.refuseIfPurged(stream);
        }
        throw error;
      }
    },
  };
}
