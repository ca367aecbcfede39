/**
 * The warning of the mapping dialogs if the pair exists already, or if the cardinality does not allow it in addition to
 * the existing mappings.
 */
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
