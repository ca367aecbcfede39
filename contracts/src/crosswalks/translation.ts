/** Translation: the payload of a request, and the response. */
import { z } from 'zod';
import { TRANSLATE_VALUES_MAX } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { MAPPED_CHARACTERS_MAX } from './mappings.ts';
import { RequestContext } from './missing-mappings.ts';

export const TranslateValues = z.object({
  values: z.array(z.string().max(MAPPED_CHARACTERS_MAX)).min(1).max(TRANSLATE_VALUES_MAX),
  context: RequestContext,
});

export type TranslateValues = z.infer<typeof TranslateValues>;

/** The translation of one value, in the response to GET or POST /api/crosswalks/{id}/translate. */
export const TranslationView = defineView(() =>
  z.object({
    value: z.string(),
    results: z.array(
      z.object({
        targetValue: z.string(),
        mappingId: z.number(),
        confidence: z.number(),
        approvedBy: z.number().nullable(),
        approvedAt: z.string().nullable(),
        approvedEventId: z
          .string()
          .describe(
            'The id of the event that approved the mapping or restored its approved value; `approvedSeq` is its seq in the audit log.',
          ),
        approvedSeq: z.number(),
      }),
    ),
    fallback: z
      .object({ targetValue: z.string(), yields: z.enum(['SOURCE_VALUE', 'FIXED']) })
      .exactOptional()
      .describe('The value that the crosswalk defines for values without results; left out if it defines none.'),
  }),
);
export type TranslationView = z.infer<typeof TranslationView>;
