/**
 * Returns a function that links to a submitted item on the approvals dashboard. Users who cannot open the dashboard get
 * a link to the page of the crosswalk or relationship.
 */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { approvalLink, type ReviewedItem, rowsLink } from './links.ts';

export function useItemLink(): (item: ReviewedItem) => string {
  const user = useCurrentUser();
  return mayOpen('/approvals', user)
    ? (item) => approvalLink('submitted', item)
    : (item) => rowsLink(item, 'pending', [item.id]);
}
