/** Ends an inactive session, and shows a warning five minutes before its end (specification §4). */
import { useEffect, useRef, useState } from 'react';
import { notify } from '../../components/toast/index.ts';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { write } from '../../lib/api/index.ts';
import { lastActivity, markActivity, markHeartbeat } from '../../lib/auth/activity.ts';
import { expire, logout } from '../../lib/auth/logout.ts';
import { countdown, type InactivityState, inactivityState, watchActivity } from './inactivity.ts';

const TICK_MS = 1_000;

/** A failed heartbeat is not reported, because later activity sends the next one, and a 401 ends the session. */
const sendHeartbeat = () => void write('POST', '/api/session/heartbeat').catch(() => undefined);

export function SessionTimeout() {
  const [state, setState] = useState<InactivityState>({ kind: 'active' });
  const stayButton = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    // The server has just confirmed the session. A stored activity time beyond the limit is therefore from an earlier
    // session.
    if (inactivityState(lastActivity(), Date.now()).kind === 'expired') markActivity();
    let expired = false;
    const check = () => {
      const next = inactivityState(lastActivity(), Date.now());
      setState((current) => (current.kind === 'active' && next.kind === 'active' ? current : next));
      if (next.kind !== 'expired' || expired) return;
      expired = true;
      void expire({ title: 'Session Expired', description: 'You have been logged out due to inactivity.' });
    };
    const unwatch = watchActivity({
      extendsSession: () => inactivityState(lastActivity(), Date.now()).kind === 'active',
      onHeartbeat: sendHeartbeat,
    });
    const timer = setInterval(check, TICK_MS);
    return () => {
      clearInterval(timer);
      unwatch();
    };
  }, []);

  function stay() {
    markActivity();
    setState({ kind: 'active' });
    markHeartbeat();
    sendHeartbeat();
    notify.success('Session Extended');
  }

  return (
    <Dialog
      open={state.kind === 'warning'}
      onOpenChange={(open) => !open && stay()}
      title="Session Timeout"
      description="You have been inactive for a while. To protect your work you will be signed out."
      closeLabel="Close and stay signed in"
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        stayButton.current?.focus();
      }}
      footer={
        <>
          <Button onClick={() => void logout()}>Logout Now</Button>
          <Button ref={stayButton} variant="primary" onClick={stay}>
            Stay Active
          </Button>
        </>
      }
    >
      <p className="py-2 text-center">
        <span role="timer" className="font-semibold text-xl tabular-nums">
          {state.kind === 'warning' ? countdown(state.secondsLeft) : ''}
        </span>
        <span className="block text-muted">until you are signed out</span>
      </p>
    </Dialog>
  );
}
