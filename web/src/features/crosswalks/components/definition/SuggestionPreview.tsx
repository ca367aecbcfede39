/** Previews the suggestions for the crosswalk in the form: at most twenty pairs, equal values first. */
import { useQuery } from '@tanstack/react-query';
import { EmptyState, ErrorState } from '../../../../components/empty-state/index.tsx';
import { Skeleton } from '../../../../components/ui/skeleton.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';
import { type PreviewInput, previewQuery } from '../../api/crosswalks.ts';
import { Confidence } from '../suggestions/Confidence.tsx';

const headClasses = 'border-hairline border-b bg-canvas px-2 py-1.5 text-left font-medium text-muted text-xs';
const cellClasses = 'border-hairline border-b px-2 py-1.5 align-top';

/** The maximum number of pairs that the server returns. */
const SHOWN_PAIRS = 20;

export function SuggestionPreview({ input }: { input: PreviewInput | undefined }) {
  const preview = useQuery(previewQuery(input));
  return (
    <section aria-labelledby="preview-title" className="flex min-w-0 flex-col gap-2">
      <h2 id="preview-title" className="font-semibold text-base">
        Preview of suggestions
      </h2>
      <p role="status" className="text-muted text-sm">
        {preview.data === undefined
          ? 'Shows up to 20 suggestions. Nothing is saved.'
          : `${formatNumber(preview.data.suggested)} of ${formatNumber(preview.data.sourceValues)} source values match a target value or label, ignoring case, accents and punctuation. Similar values are suggested too${preview.data.items.length < SHOWN_PAIRS ? '' : `; the first ${SHOWN_PAIRS} pairs are shown`}.`}
      </p>
      <div className="overflow-x-auto rounded-md border border-hairline bg-surface">{body()}</div>
    </section>
  );

  function body() {
    if (input === undefined) {
      return (
        <EmptyState
          title="Nothing to compare yet"
          description="Choose both data sets and both attributes to see pairs."
        />
      );
    }
    if (preview.error !== null) {
      return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />;
    }
    if (preview.data === undefined) {
      return (
        <div className="flex flex-col gap-3 p-3">
          <Skeleton className="w-3/4" />
          <Skeleton className="w-1/2" />
          <Skeleton className="w-2/3" />
        </div>
      );
    }
    if (preview.data.items.length === 0) {
      return (
        <EmptyState
          title="No similar values found"
          description="Lower the similarity threshold, or map other attributes. You can always map values by hand."
        />
      );
    }
    return (
      <table className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr>
            <th scope="col" className={headClasses}>
              Source
            </th>
            <th scope="col" className={headClasses}>
              Best target
            </th>
            <th scope="col" className={headClasses}>
              Confidence
            </th>
          </tr>
        </thead>
        <tbody>
          {preview.data.items.map(({ sourceValue, sourceLabel, candidates }) => {
            const best = candidates[0];
            return (
              <tr key={sourceValue}>
                <td className={cellClasses}>
                  <span className="font-mono">{sourceValue}</span> <span className="text-muted">{sourceLabel}</span>
                </td>
                <td className={cellClasses}>
                  <span className="font-mono">{best?.targetValue}</span>{' '}
                  <span className="text-muted">{best?.targetLabel}</span>
                </td>
                <td className={cellClasses}>
                  {best !== undefined && (
                    <>
                      <Confidence value={best.confidence} />
                      <span className="block text-muted text-xs">{best.reason}</span>
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    );
  }
}
