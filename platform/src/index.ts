/** What every server needs. */
export * from './access.ts';
export * from './api-key-use.ts';
export * from './api-keys.ts';
export * from './cells.ts';
export * from './config.ts';
export * from './event-store.ts';
export * from './gathering.ts';
export * from './http.ts';
export * from './listening.ts';
export * from './log.ts';
export * from './metrics.ts';
export { isOwnOrigin } from './origin.ts';
export * from './postgres.ts';
export * from './refusing.ts';
export * from './route-access.ts';
export * from './service.ts';
export * from './session.ts';
export * from './written-rows.ts';
