/** Names the users who can approve a submission. Warns if only administrators or no users can approve. */
import type { ApproversView } from '@rdm/contracts/approvals/approvals';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { read } from '../../lib/api/index.ts';
import type { DefinitionName } from '../../lib/definitions/index.ts';
import { Alert } from '../ui/alert.tsx';

export interface ReviewedParent {
  kind: DefinitionName;
  id: number;
}

const approversQuery = ({ kind, id }: ReviewedParent) =>
  queryOptions({
    queryKey: ['approvers', kind, id],
    queryFn: () => read<ApproversView>('/api/approvals/approvers', { query: { kind, id } }),
  });

/** Maximum number of approvers that are named; further approvers and administrators are only counted. */
const NAMES_SHOWN = 3;

export function approversText({ approvers, administrators }: ApproversView): string | undefined {
  if (approvers.length === 0) return undefined;
  const named = approvers.slice(0, NAMES_SHOWN);
  const otherCount = approvers.length - named.length + administrators;
  const names = otherCount > 0 ? [...named, otherCount === 1 ? '1 other user' : `${otherCount} other users`] : named;
  return `${new Intl.ListFormat('en', { type: 'disjunction' }).format(names)} can approve this.`;
}

export function Approvers({ of: parent }: { of: ReviewedParent }) {
  const { data } = useQuery(approversQuery(parent));
  if (data === undefined) return null;
  const text = approversText(data);
  if (text !== undefined) return <p className="text-muted text-sm">{text}</p>;
  return (
    <Alert tone="warning">
      {data.administrators > 0 ? 'Only administrators can approve this.' : 'No user can approve this.'} To let a
      colleague decide, grant them APPROVER on a collection of the source data set, and READ on a collection of the
      target data set.
    </Alert>
  );
}
