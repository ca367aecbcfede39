/** A warning in mapping dialogs: existing mappings of the pair's values that the cardinality does not allow. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { Alert } from '../../../../components/ui/alert.tsx';
import { besideQuery } from '../../api/mappings.ts';
import { besideText, type Pair } from './cardinality-warning.ts';

export function BesideNote({ crosswalk, ...pair }: Pair & { crosswalk: CrosswalkView }) {
  const { data } = useQuery(besideQuery(crosswalk.id, pair.sourceValue, pair.targetValue));
  const text = besideText(crosswalk, pair, data?.items ?? []);
  return text === undefined ? null : <Alert tone="warning">{text}</Alert>;
}
