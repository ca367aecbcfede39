/** The parts that every server needs. */

export * from './config.ts';
export * from './event-store/connect-event-store.ts';
export { requireDecodable } from './event-store/event-codec.ts';
export * from './event-store/event-store.ts';
export * from './event-store/event-store-problem.ts';
export * from './event-store/keep-subscribed.ts';
export * from './event-store/log-problem.ts';
export { InexactNumber, inexactNumber } from './http/exact-numbers.ts';
export * from './http/http.ts';
export * from './http/listening.ts';
export * from './http/route-access.ts';
export * from './http/to-refusal.ts';
export * from './identity/access.ts';
export * from './identity/api-key-use.ts';
export * from './identity/api-keys.ts';
export * from './identity/authenticate.ts';
export { isOwnOrigin } from './identity/origin.ts';
export * from './identity/session.ts';
export * from './postgres/batching.ts';
export * from './postgres/cells.ts';
export * from './postgres/postgres.ts';
export * from './postgres/written-rows.ts';
export * from './service/encodings.ts';
export * from './service/error-log.ts';
export * from './service/log.ts';
export * from './service/metrics.ts';
export * from './service/service.ts';
