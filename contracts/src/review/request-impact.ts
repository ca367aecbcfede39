/** How often translations were requested that a review would change. */

/** How often translate was asked for a source value, known or not. It is counted, not recorded: it has no past. */
export interface RequestImpact {
  requests: number;
  firstRequestedAt: string | null;
  lastRequestedAt: string | null;
}
