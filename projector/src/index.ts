/** Exports the parts of the projector that stories, fault checks and benchmarks use. */

export { canonicalJson, digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
export { inBatches, LIMITS, type Limits } from './engine/batches.ts';
export { createProjector, type Projector, type ProjectorOptions } from './engine/leader-term.ts';
export { type LockTimeouts, lockWarning } from './engine/lock-waits.ts';
export { buildSchema, type Projection } from './engine/projection.ts';
export { checksums } from './engine/rebuild.ts';
export { projections } from './projections.ts';
