/** A thin bar that is shown while the live connection is lost. Missed changes are loaded after the reconnect. */
import { useConnectionState } from '../../lib/live/index.tsx';

export function ConnectionBar() {
  const isLost = useConnectionState() === 'lost';
  return (
    <div role="status">
      {isLost && <p className="bg-pending-fill px-3 py-0.5 text-center text-pending-text text-xs">Reconnecting…</p>}
    </div>
  );
}
