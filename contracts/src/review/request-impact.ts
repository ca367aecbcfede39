/** How often the translations that a review would change were requested. */

/** How often translate was requested for a source value, known or not. It is a counter without history. */
export interface RequestImpact {
  requests: number;
  firstRequestedAt: string | null;
  lastRequestedAt: string | null;
}
