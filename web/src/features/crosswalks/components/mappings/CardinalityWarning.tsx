/** Warns in the mapping dialogs about a pair that exists already or that violates the cardinality. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { Alert } from '../../../../components/ui/alert.tsx';
import { conflictingMappingsQuery } from '../../api/mappings.ts';
import { type Pair, pairWarning } from './cardinality-warning.ts';

export function CardinalityWarning({ crosswalk, ...pair }: Pair & { crosswalk: CrosswalkView }) {
  const { data } = useQuery(conflictingMappingsQuery(crosswalk.id, pair.sourceValue, pair.targetValue));
  const text = pairWarning(crosswalk, pair, data?.items ?? []);
  return text === undefined ? null : <Alert tone="warning">{text}</Alert>;
}
