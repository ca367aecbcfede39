/** The projector's parts that stories, faults and benches drive themselves. */

export { canonicalJson, digestOf, GENESIS, linkTo } from './audit-chain.ts';
export { inBatches, LIMITS, type Limits } from './batches.ts';
export { createProjector, type Projector, type ProjectorOptions } from './leading.ts';
export type { Projection } from './projection.ts';
export { projections } from './projections.ts';
export { checksums } from './rebuild.ts';
