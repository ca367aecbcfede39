/** Leads to what was submitted: on the dashboard, or for those whose role does not open it, among its rows. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { approvalLink, type Reviewed, rowsLink } from './links.ts';

export function useItemLink(): (item: Reviewed) => string {
  const user = useCurrentUser();
  return mayOpen('/approvals', user)
    ? (item) => approvalLink('submitted', item)
    : (item) => rowsLink(item, 'pending', [item.id]);
}
