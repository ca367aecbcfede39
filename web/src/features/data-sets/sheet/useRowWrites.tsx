/** Writes chunks of rows. A dialog shows the progress and the refused rows, and offers to resend unconfirmed chunks. */
import { useState } from 'react';
import { type Outcome, OutcomesDialog, type RunningAction } from '../../../components/row-outcomes/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { rowsText } from '../../../lib/number-format.ts';
import { type WriteChunk, writeChunks } from './row-writes.ts';
import type { Step } from './undo/history.ts';

interface State {
  running: RunningAction | undefined;
  outcomes: Outcome[];
  unconfirmed: WriteChunk[];
  unconfirmedReason: string | undefined;
}

export interface RowWrites {
  state: State | undefined;
  start: (chunks: readonly WriteChunk[], total: number) => Promise<void>;
}

/** `onWritten` receives the written rows as a step that can be undone. */
export function useRowWrites(dataSetId: number, onWritten: (step: Omit<Step, 'text'>) => void): RowWrites {
  const [state, setState] = useState<State>();

  async function start(chunks: readonly WriteChunk[], total: number): Promise<void> {
    const earlierOutcomes = state?.outcomes ?? [];
    setState({ running: { done: 0, total }, outcomes: earlierOutcomes, unconfirmed: [], unconfirmedReason: undefined });
    const written = await writeChunks(dataSetId, chunks, (done) =>
      setState((current) => current && { ...current, running: { done, total } }),
    );
    const { cells, added } = written.step;
    const doneOutcomes = [...added, ...cells].map(({ id, key }): Outcome => ({ id, label: key, outcome: 'done' }));
    setState({
      running: undefined,
      outcomes: [...earlierOutcomes, ...doneOutcomes, ...written.refused],
      unconfirmed: written.unconfirmed,
      unconfirmedReason: written.unconfirmedReason,
    });
    if (doneOutcomes.length > 0) onWritten({ cells, added, deleted: [] });
  }

  return { state, start };
}

export interface RowWritesResultProps {
  /** The title while rows are written, such as "Pasting…". */
  doing: string;
  /** The title after the rows are written, such as "Pasted". */
  done: string;
  writing: RowWrites;
  onClose: () => void;
}

export function RowWritesResult({ doing, done, writing, onClose }: RowWritesResultProps) {
  const { state, start } = writing;
  if (state === undefined) return null;
  const unconfirmedCount = state.unconfirmed.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <OutcomesDialog
      title={state.running === undefined ? done : doing}
      running={state.running}
      outcomes={state.outcomes}
      note={
        unconfirmedCount > 0 && (
          <span className="flex flex-wrap items-center gap-2">
            Not confirmed: {rowsText(unconfirmedCount)}. {state.unconfirmedReason}
            <Button size="sm" onClick={() => void start(state.unconfirmed, unconfirmedCount)}>
              Send them again
            </Button>
          </span>
        )
      }
      onClose={onClose}
    />
  );
}
