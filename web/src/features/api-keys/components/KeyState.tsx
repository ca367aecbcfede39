/** The state of a key: active, about to expire, expired or revoked. */
import type { ApiKeyView } from '@rdm/contracts/identity/api-keys';
import { Ban, CircleCheck, Clock, type LucideIcon, TriangleAlert } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { cn } from '../../../components/ui/cn.ts';

type KeyStateName = 'Active' | 'Expires soon' | 'Expired' | 'Revoked';

const STATE_STYLES: Readonly<Record<KeyStateName, { icon: LucideIcon; classes: string }>> = {
  Active: { icon: CircleCheck, classes: 'border-accent/40 bg-accent-soft' },
  'Expires soon': { icon: TriangleAlert, classes: 'border-pending bg-pending-fill text-pending-text' },
  Expired: { icon: Clock, classes: 'text-muted' },
  Revoked: { icon: Ban, classes: 'text-muted' },
};

export function stateOf({ isActive, expiresSoon, revokedAt }: ApiKeyView): KeyStateName {
  if (revokedAt !== null) return 'Revoked';
  if (!isActive) return 'Expired';
  return expiresSoon ? 'Expires soon' : 'Active';
}

export function KeyState({ apiKey }: { apiKey: ApiKeyView }) {
  const state = stateOf(apiKey);
  const { icon: Icon, classes } = STATE_STYLES[state];
  return (
    <Badge className={cn(classes)}>
      <Icon aria-hidden="true" className="size-3.5" />
      {state}
    </Badge>
  );
}
