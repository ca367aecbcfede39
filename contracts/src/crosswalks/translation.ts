/** Translation: the payload of a request and its answer. */
import { z } from 'zod';
import { TRANSLATE_VALUES_MAX } from '../constants.ts';
import type { Unmapped } from './crosswalks.ts';
import { MAPPED_CHARACTERS_MAX } from './mappings.ts';
import { RequestContext } from './missing-mappings.ts';

export const TranslateValues = z.object({
  values: z.array(z.string().max(MAPPED_CHARACTERS_MAX)).min(1).max(TRANSLATE_VALUES_MAX),
  context: RequestContext,
});

export type TranslateValues = z.infer<typeof TranslateValues>;

/** Answer of GET /api/crosswalks/{id}/translate?value=. */
export interface TranslationView {
  value: string;
  results: {
    targetValue: string;
    mappingId: number;
    confidence: number;
    approvedBy: number | null;
    approvedAt: string | null;
    /** The event that approved the mapping: its id, and its seq in the audit log. */
    approvedEventId: string;
    approvedSeq: number;
  }[];
  /** The crosswalk's answer for a value without results; left out if that is nothing. */
  fallback?: { targetValue: string; yields: Exclude<Unmapped['yields'], 'NOTHING'> };
}
