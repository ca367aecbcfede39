/** Adds many values at once by the keys of their rows: pasted from a spreadsheet or read from a CSV file. */
import type { RelationshipView } from '@rdm/contracts/relationships';
import { useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { type Outcome, OutcomesDialog, type Running } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { reloadRelationship } from '../api/relationships.ts';
import { reviewValues } from '../api/values.ts';
import { draftInPieces, PIECE } from './draft-in-pieces.tsx';
import { ImportPreview } from './ImportPreview.tsx';
import { type ColumnUse, hasHeader, parseValues, proposedUses } from './parse-values.ts';
import { valuesText } from './words.ts';

const ROWS_MAX = 50_000;

export interface ImportDialogProps {
  relationship: RelationshipView;
  onUndoable: (action: Undoable) => void;
  onClose: () => void;
}

interface Read {
  rows: string[][];
  named: boolean;
  uses: ColumnUse[];
}

export function ImportDialog({ relationship, onUndoable, onClose }: ImportDialogProps) {
  const queries = useQueryClient();
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [read, setRead] = useState<Read>();
  const [run, setRun] = useState<{ running: Running | undefined; outcomes: readonly Outcome[] }>();
  const definitions = relationship.attributes;
  const ends = {
    source: { name: relationship.sourceName, field: relationship.sourceField },
    target: { name: relationship.targetName, field: relationship.targetField },
  };
  const parsed = read === undefined ? [] : parseValues(read.rows, read.named, read.uses, definitions);
  const good = parsed.filter((row) => row.problem === undefined);

  async function take(content: string) {
    const { default: papa } = await import('papaparse');
    const { data: rows, errors } = papa.parse<string[]>(content.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' });
    const unquoted = errors.find(({ type }) => type === 'Quotes');
    if (unquoted !== undefined) return setProblem(`Row ${(unquoted.row ?? 0) + 1}: ${unquoted.message}.`);
    const [first] = rows;
    if (first === undefined) return setProblem('There are no rows in it.');
    if (rows.length > ROWS_MAX) {
      return setProblem(`It has ${grouped(rows.length)} rows: at most ${grouped(ROWS_MAX)} at a time.`);
    }
    if (first.length < 2) return setProblem('Each row needs two columns at least: a source key and a target key.');
    const named = hasHeader(first, ends, definitions);
    setProblem(undefined);
    setRead({ rows, named, uses: proposedUses(first, named, ends, definitions) });
  }

  async function takeFile(chosen: File | undefined) {
    if (chosen === undefined) return;
    try {
      await take(await chosen.text());
    } catch (error) {
      setProblem(`${chosen.name} cannot be read: ${messageOf(error)}`);
    }
  }

  async function send() {
    const rows = good.map(({ row, sourceKey, targetKey, value }) => ({
      id: row,
      label: `${sourceKey} → ${targetKey}`,
      value,
    }));
    const { outcomes, added, stopped } = await draftInPieces(relationship.id, rows, (running, sofar) =>
      setRun({ running, outcomes: [...sofar] }),
    );
    if (stopped !== undefined) notify.error(stopped, { title: `Stopped after ${valuesText(outcomes.length)}` });
    setRun({ running: undefined, outcomes });
    await reloadRelationship(queries, relationship.id);
    if (added.length > 0) {
      onUndoable({ text: `Added: ${valuesText(added.length)}.`, undo: () => takeBack(added) });
    }
  }

  async function takeBack(added: readonly { id: number; revision: number }[]) {
    let kept = 0;
    for (let start = 0; start < added.length; start += PIECE) {
      const { results } = await reviewValues(relationship.id, 'delete', { rows: added.slice(start, start + PIECE) });
      kept += results.filter(({ outcome }) => outcome === 'refused').length;
    }
    await reloadRelationship(queries, relationship.id);
    if (kept > 0) throw new Error(`${valuesText(kept)} went on meanwhile and stay as they are.`);
  }

  if (run !== undefined) {
    const left = parsed.length - good.length;
    return (
      <OutcomesDialog
        title={run.running === undefined ? 'Imported as drafts' : 'Importing…'}
        {...run}
        note={left > 0 && `${valuesText(left)} could not be read and ${left === 1 ? 'was' : 'were'} left out.`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      className="xl:w-[60%]"
      dirty={read !== undefined || text.trim() !== ''}
      onClose={onClose}
      title="Import values"
      description={`One value a row: the key of a row of ${relationship.sourceName}, that of a row of ${relationship.targetName}, then attributes. They become drafts.`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          {read === undefined ? (
            <Button variant="primary" disabled={text.trim() === ''} onClick={() => void take(text)}>
              Preview
            </Button>
          ) : (
            <>
              <Button onClick={() => setRead(undefined)}>Back</Button>
              <Button variant="primary" disabled={good.length === 0} onClick={() => void send()}>
                Add {valuesText(good.length)}
              </Button>
            </>
          )}
        </>
      )}
    >
      <div className="flex flex-col gap-4">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {read === undefined ? (
          <>
            <Field
              label="Rows"
              hint="Paste them from a spreadsheet, or as CSV. A first line with names is recognised. A composite key is a JSON array of its parts."
            >
              {(control) => (
                <Textarea
                  {...control}
                  rows={8}
                  className="font-mono"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
              )}
            </Field>
            <Button className="self-start" onClick={() => file.current?.click()}>
              <FileUp />
              Choose a CSV file
            </Button>
            <input
              ref={file}
              type="file"
              hidden
              aria-label="CSV file"
              accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
              onChange={(event) => {
                void takeFile(event.target.files?.[0]);
                // The same file, mended, can be chosen again.
                event.target.value = '';
              }}
            />
          </>
        ) : (
          <>
            <Switch
              label="The first row names the columns"
              checked={read.named}
              onCheckedChange={(named) =>
                setRead({ ...read, named, uses: proposedUses(read.rows[0] ?? [], named, ends, definitions) })
              }
            />
            <ImportPreview
              relationship={relationship}
              rows={read.rows}
              named={read.named}
              uses={read.uses}
              onUses={(uses) => setRead({ ...read, uses })}
              parsed={parsed}
            />
          </>
        )}
      </div>
    </FormDialog>
  );
}
