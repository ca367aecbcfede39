/** The kinds of items that are reviewed. */

export const APPROVAL_KINDS = ['crosswalk', 'mapping', 'relationship', 'relationship-value'] as const;

export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Whether an item of this kind is a crosswalk or relationship, not one of its rows. */
export const isDefinitionKind = (kind: ApprovalKind): kind is 'crosswalk' | 'relationship' =>
  kind === 'crosswalk' || kind === 'relationship';
