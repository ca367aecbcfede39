/** Sends server-sent events: the head of each response, and the states of a job until the end of the job. */
import { Refusal, STREAM_ENDS } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';
import type { Viewer } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import { requireStillAllowed, waitForDrain } from './download.ts';

type Response = ApiRequest['response'];

export function sendEventsHead(response: Response): void {
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    // The connection ends with the stream, so that a stopping service does not wait for further requests.
    Connection: 'close',
  });
  response.flushHeaders();
}

const READ_EVERY_MS = 500;
const HEARTBEAT_EVERY_MS = 15_000;
const STREAMS_PER_USER = 20;
const openStreams = new Map<number, number>();

/**
 * Sends the first state and each changed state as the event `progress`, and the event `end` with the reason. `read`
 * throws if the viewer has no access to the state. Throws a Refusal if the user has too many open streams.
 */
export async function sendStates<State>(
  context: Pick<QueryContext, 'pool' | 'access' | 'settings' | 'log' | 'streams'>,
  request: Pick<ApiRequest, 'response' | 'raw' | 'needs' | 'principal'>,
  first: State,
  read: (viewer: Viewer) => Promise<State>,
  hasEnded: (state: State) => boolean,
): Promise<void> {
  const { response, principal } = request;
  const openCount = openStreams.get(principal.userId) ?? 0;
  if (openCount >= STREAMS_PER_USER) {
    throw new Refusal('TOO_MANY_REQUESTS', 'Too many streams are open: close one first', undefined, 10);
  }
  openStreams.set(principal.userId, openCount + 1);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const stopping = AbortSignal.any([closed.signal, context.streams.closing]);
  const end = ({ reason, message }: { reason: string; message: string }) =>
    response.end(`event: end\ndata: ${JSON.stringify({ reason, message })}\n\n`);
  let lastData: string | undefined;
  let sentAt = Date.now();
  const write = async (text: string) => {
    sentAt = Date.now();
    if (!response.write(text)) await waitForDrain(response);
  };
  try {
    sendEventsHead(response);
    for (let state = first; ; state = await requireStillAllowed(context, request, read)) {
      const data = JSON.stringify(state);
      if (data !== lastData) await write(`event: progress\ndata: ${data}\n\n`);
      else if (Date.now() - sentAt > HEARTBEAT_EVERY_MS) await write(': still here\n\n');
      lastData = data;
      if (hasEnded(state)) return void end({ reason: 'done', message: 'The job has ended' });
      await pause(READ_EVERY_MS, stopping);
      if (stopping.aborted) return void end(STREAM_ENDS.restarting);
    }
  } catch (error) {
    if (error instanceof Refusal && error.status < 429) {
      return void end(error.status === 401 ? STREAM_ENDS.signedOut : STREAM_ENDS.revoked);
    }
    context.log.warn({ err: error }, 'A stream of states failed');
    end(STREAM_ENDS.restarting);
  } finally {
    const remaining = (openStreams.get(principal.userId) ?? 1) - 1;
    if (remaining > 0) openStreams.set(principal.userId, remaining);
    else openStreams.delete(principal.userId);
  }
}

/** Resolves after this time, or when the signal is aborted. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
