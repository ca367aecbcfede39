/** GET /api/search: finds names, codes and labels that the viewer may read. Administrators also find users. */
import { SEARCH_RECENT_MAX, SearchAnswer, SearchQuery } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { viewerOf } from '../access/viewer.ts';
import { openLabelWords } from '../entities/searched-rows.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { type NamesRow, namesQuery } from './names.ts';
import { searchRows } from './rows.ts';

export const searchRoutes = ({ readModels, pool, log }: QueryContext): Route[] => {
  const commonWordsOf = openLabelWords(pool, log);
  return [
    route(
      'get',
      '/api/search',
      { level: 'READ' },
      {
        summary: 'Search everything that the caller may read',
        answers: { 200: SearchAnswer },
        example: { query: { q: 'DE' } },
        query: SearchQuery,
      },
      async (request) => {
        const viewer = viewerOf(request);
        const { q } = request.query;
        const recent = (request.query.recent?.split(',') ?? []).slice(0, SEARCH_RECENT_MAX).map(Number);
        const names = await readModels.read<NamesRow>(request, (tables) => namesQuery(tables, viewer, q, recent), {
          isFrequent: true,
        });
        const { folded, partitions, isPending, ...foundNames } = names.one();
        const rows = await searchRows({ readModels, viewer, q: folded, recent, partitions, commonWordsOf });
        const body: SearchAnswer = { ...foundNames, codes: rows.codes, complete: rows.isComplete && !isPending };
        return answer(names, body);
      },
    ),
  ];
};
