/** Writes chunks of rows. A dialog shows the progress, then the refused rows with the reasons, and can send lost chunks again. */
import { useState } from 'react';
import { type Outcome, OutcomesDialog, type RunningAction } from '../../../components/row-outcomes/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { type WriteChunk, writeChunks } from './row-writes.ts';
import type { Step } from './undo/history.ts';

interface State {
  running: RunningAction | undefined;
  outcomes: Outcome[];
  unsent: WriteChunk[];
  why: string | undefined;
}

export interface RowWrites {
  state: State | undefined;
  start: (chunks: readonly WriteChunk[], total: number) => Promise<void>;
}

/** `onWritten` receives the written rows as a step that can be undone. */
export function useRowWrites(dataSetId: number, onWritten: (step: Omit<Step, 'text'>) => void): RowWrites {
  const [state, setState] = useState<State>();

  async function start(chunks: readonly WriteChunk[], total: number): Promise<void> {
    const before = state?.outcomes ?? [];
    setState({ running: { done: 0, total }, outcomes: before, unsent: [], why: undefined });
    const written = await writeChunks(dataSetId, chunks, (done) =>
      setState((known) => known && { ...known, running: { done, total } }),
    );
    const { cells, added } = written.step;
    const done = [...added, ...cells].map(({ id, key }): Outcome => ({ id, label: key, outcome: 'done' }));
    setState({
      running: undefined,
      outcomes: [...before, ...done, ...written.refused],
      unsent: written.unsent,
      why: written.why,
    });
    if (done.length > 0) onWritten({ cells, added, deleted: [] });
  }

  return { state, start };
}

export interface RowWritesResultProps {
  /** The title while rows are written, such as "Pasting…"; `done` is the title afterwards, such as "Pasted". */
  doing: string;
  done: string;
  writing: RowWrites;
  onClose: () => void;
}

export function RowWritesResult({ doing, done, writing, onClose }: RowWritesResultProps) {
  const { state, start } = writing;
  if (state === undefined) return null;
  const unsent = state.unsent.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <OutcomesDialog
      title={state.running === undefined ? done : doing}
      running={state.running}
      outcomes={state.outcomes}
      note={
        unsent > 0 && (
          <span className="flex flex-wrap items-center gap-2">
            {formatNumber(unsent)} rows were not sent: {state.why}
            <Button size="sm" onClick={() => void start(state.unsent, unsent)}>
              Send them again
            </Button>
          </span>
        )
      }
      onClose={onClose}
    />
  );
}
