/** Mappings, crosswalks and suggestions to specify with. */
import type { CrosswalkView, MappingView, SuggestionView } from '@rdm/contracts/crosswalks';

export const mapping = (differs: Partial<MappingView> = {}): MappingView => ({
  id: 1,
  revision: 1,
  crosswalkId: 1,
  sourceValue: 'AT',
  targetValue: 'AUT',
  confidence: 100,
  status: 'DRAFT',
  served: null,
  deletionRequested: false,
  sourceLabel: null,
  targetLabel: null,
  sourceMissing: false,
  targetMissing: false,
  servedMissing: false,
  authors: [],
  createdBy: null,
  submittedBy: null,
  submittedAt: null,
  approvedBy: null,
  approvedAt: null,
  rejectedBy: null,
  rejectedAt: null,
  rejectionReason: null,
  impact: null,
  deleted: false,
  updatedBy: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...differs,
});

export const crosswalk = (differs: Partial<CrosswalkView> = {}): CrosswalkView => ({
  id: 1,
  name: 'Countries',
  description: '',
  sourceSystemId: 1,
  targetSystemId: 2,
  sourceName: 'Alpha-2',
  targetName: 'Alpha-3',
  sourceAttribute: 'code',
  targetAttribute: 'code',
  sourceFieldId: 1,
  targetFieldId: 2,
  similarityThreshold: 0.4,
  cardinality: 'MANY_TO_ONE',
  unmapped: { yields: 'NOTHING' },
  approvalStatus: 'DRAFT',
  deletionRequested: false,
  isServed: false,
  submittedBy: null,
  authors: [],
  counts: { draft: 0, pending: 0, approved: 0, rejected: 0, served: 0 },
  mappedPercent: 0,
  missingCount: 0,
  level: 'ADMIN',
  revision: 1,
  lastApprovedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...differs,
});

/** `suggestion('AT', ['AUT', 100], ['AUS', 60])`. */
export const suggestion = (
  sourceValue: string,
  ...candidates: [target: string, confidence: number][]
): SuggestionView => ({
  sourceValue,
  sourceLabel: null,
  candidates: candidates.map(([targetValue, confidence]) => ({
    targetValue,
    targetLabel: null,
    confidence,
    reason: 'Same value',
  })),
});
