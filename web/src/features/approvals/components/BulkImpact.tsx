/** Shows the impact of approving several items: the changed translations and the number of their requests. */
import type { ApprovalImpact } from '@rdm/contracts/approvals/approvals';
import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { type DecisionSelection, impactQuery } from '../api/approvals.ts';
import { countText } from './items.ts';

export function BulkImpact({ selection }: { selection: DecisionSelection }) {
  const { data, error } = useQuery(impactQuery(selection));
  return (
    <section aria-label="Downstream impact" className="flex flex-col gap-1.5 text-sm">
      <h3 className="font-medium">When approved</h3>
      {data !== undefined ? (
        <Impact impact={data} />
      ) : error !== null ? (
        <p className="text-muted">The impact could not be loaded: {messageOf(error)}</p>
      ) : (
        <Skeleton className="w-2/3" />
      )}
    </section>
  );
}

/** Describes the totals of the impact, one sentence each. */
export function impactLines({
  asked,
  weighed,
  bounded,
  effects,
  requests,
  valuesAsked,
  others,
}: ApprovalImpact): string[] {
  const { starts, changes, stops } = effects;
  const kinds = [
    starts > 0 && `${formatNumber(starts)} new`,
    changes > 0 && `${formatNumber(changes)} with another target`,
    stops > 0 && `${formatNumber(stops)} deleted`,
  ].filter((text) => text !== false);
  const translations = starts + changes + stops;
  const unchanged = weighed - translations - others.crosswalk - others.relationship - others['relationship-value'];
  const more = [
    [others.crosswalk, 'crosswalk'],
    [others.relationship, 'relationship'],
    [others['relationship-value'], 'relationship value'],
  ] as const;
  return [
    translations === 0 ? 'No translation changes.' : `${countText(translations, 'translation')}: ${kinds.join(', ')}.`,
    ...(translations === 0
      ? []
      : [
          requests === 0
            ? 'None of these translations has been requested yet.'
            : `${formatNumber(valuesAsked)} of their source values ${valuesAsked === 1 ? 'was' : 'were'} requested ${countText(requests, 'time')} in total.`,
        ]),
    ...(translations === 0 || unchanged <= 0
      ? []
      : [`${countText(unchanged, 'item')} ${unchanged === 1 ? 'changes' : 'change'} no translation.`]),
    ...more.flatMap(([count, noun]) => (count === 0 ? [] : [`The items also include ${countText(count, noun)}.`])),
    ...(bounded
      ? [`Only ${formatNumber(weighed)} of the ${formatNumber(asked)} items were checked.`]
      : weighed < asked
        ? [`You cannot decide on ${formatNumber(asked - weighed)} of the ${formatNumber(asked)} items.`]
        : []),
  ];
}

function Impact({ impact }: { impact: ApprovalImpact }) {
  return (
    <>
      <ul className="flex list-disc flex-col gap-1 pl-4">
        {impactLines(impact).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {impact.top.length > 0 && (
        <table className="mt-1 w-full text-left text-xs">
          <caption className="pb-1 text-left text-muted">Most requested</caption>
          <tbody className="divide-y divide-hairline border-hairline border-y">
            {impact.top.map(({ parentId, parentName, id, sourceValue, before, after, requests }) => (
              <tr key={`${parentId} ${id}`}>
                <th scope="row" className="break-all py-1 pr-3 font-mono font-normal">
                  {sourceValue} → {after ?? <span className="text-danger-text">nothing</span>}
                  {before !== null && after !== null && <span className="text-muted"> instead of {before}</span>}
                </th>
                <td className="py-1 pr-3 text-muted">{parentName}</td>
                <td className="whitespace-nowrap py-1 text-right tabular-nums">{countText(requests, 'time')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
