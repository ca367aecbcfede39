/** The kinds of items that are reviewed. */

export const APPROVAL_KINDS = ['crosswalk', 'mapping', 'relationship', 'relationship-value'] as const;

export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** The crosswalk or relationship itself, rather than a row of it. */
export const isDefinitionKind = (kind: ApprovalKind): kind is 'crosswalk' | 'relationship' =>
  kind === 'crosswalk' || kind === 'relationship';
