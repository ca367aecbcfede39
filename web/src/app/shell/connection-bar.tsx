/** A thin bar while the live connection is lost; what is missed meanwhile is fetched afterwards. */
import { useConnectionState } from '../../lib/live/index.tsx';

export function ConnectionBar() {
  const lost = useConnectionState() === 'lost';
  return (
    <div role="status">
      {lost && <p className="bg-pending-fill px-3 py-0.5 text-center text-pending-text text-xs">Reconnecting…</p>}
    </div>
  );
}
