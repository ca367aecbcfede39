/** The editor of a cell: an input for the type of the field, and below it the problem of the entered text. */
import { booleanByPrefix } from '@rdm/contracts/text/rows';
import { CalendarDays } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import type { CellField } from '../components/cells.ts';

/** The direction in which the cursor moves after an edit; `fill` instead writes the text into all selected cells. */
export type CommitAction = 'down' | 'up' | 'right' | 'left' | 'fill';

export interface CellEditorProps {
  field: CellField;
  text: string;
  /** The typed character that started the edit, if any. If it is set, arrow keys end the edit of a non-boolean cell. */
  firstCharacter: string | undefined;
  /** The problem of the text; set after an attempt to commit an invalid text. */
  problem: string | undefined;
  /** The value that another user saved in the cell after the edit started. */
  newerText: string | undefined;
  onText: (text: string) => void;
  onCommit: (action: CommitAction) => void;
  onCancel: () => void;
  /** Called when the editor loses the focus. */
  onLeave: () => void;
}

const ARROWS: Record<string, CommitAction> = {
  ArrowDown: 'down',
  ArrowUp: 'up',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};
const LINE_HEIGHT = 20;
const LINES_MAX = 8;
const WIDTH_MAX = 448;
/** After this pause, a typed letter starts a new word. */
const WORD_PAUSE_MS = 1_000;

const controlClasses =
  'block w-full min-w-full max-w-full resize-none border-2 border-accent bg-surface px-1.5 py-0.5 text-ink text-sm outline-none';

export function CellEditor({ field, text, firstCharacter, problem, newerText, ...props }: CellEditorProps) {
  const control = useRef<HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [maxWidth, setMaxWidth] = useState(WIDTH_MAX);
  /** The letters typed so far for a boolean, and the time of the last letter. */
  const typedWord = useRef({ word: firstCharacter ?? '', at: performance.now() });
  /** Whether a key has ended the edit, so that the following blur event is ignored. */
  const hasEnded = useRef(false);

  // The editor grows to the right over other cells, up to the edge of the list.
  useLayoutEffect(() => {
    const listBounds = box.current?.closest('[data-scrolls]')?.getBoundingClientRect();
    const ownBounds = box.current?.getBoundingClientRect();
    if (listBounds === undefined || ownBounds === undefined || ownBounds.width === 0) return;
    const zoom = ownBounds.width / (box.current?.offsetWidth ?? ownBounds.width);
    setMaxWidth(Math.min(WIDTH_MAX, Math.floor((listBounds.right - ownBounds.left) / zoom)));
  }, []);

  useLayoutEffect(() => {
    const element = control.current;
    if (element === null) return;
    element.focus({ preventScroll: true });
    if (element.tagName !== 'SELECT') element.setSelectionRange(element.value.length, element.value.length);
  }, []);

  function commit(action: CommitAction) {
    hasEnded.current = true;
    props.onCommit(action);
    // If the text is invalid, the editor stays open, and its next blur event must be handled.
    hasEnded.current = false;
  }

  /** Sets a boolean if the letters typed so far begin a word for true or false. */
  function typeBoolean({ key, timeStamp }: KeyboardEvent) {
    const continuesWord = timeStamp - typedWord.current.at < WORD_PAUSE_MS;
    typedWord.current = { word: continuesWord ? typedWord.current.word + key : key, at: timeStamp };
    const value = booleanByPrefix(typedWord.current.word);
    if (value !== undefined) props.onText(String(value));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const arrow = firstCharacter !== undefined && field.dataType !== 'boolean' ? ARROWS[event.key] : undefined;
    if (event.key === 'Escape') {
      hasEnded.current = true;
      props.onCancel();
    } else if (event.key === 'Enter' && event.altKey && field.dataType === 'string') {
      const { selectionStart, selectionEnd } = event.currentTarget as HTMLTextAreaElement;
      props.onText(`${text.slice(0, selectionStart)}\n${text.slice(selectionEnd)}`);
    } else if (event.key === 'Enter') commit(event.ctrlKey || event.metaKey ? 'fill' : event.shiftKey ? 'up' : 'down');
    else if (event.key === 'Tab') commit(event.shiftKey ? 'left' : 'right');
    else if (arrow !== undefined) commit(arrow);
    else if (field.dataType === 'boolean' && /^\S$/.test(event.key) && !(event.ctrlKey || event.metaKey))
      typeBoolean(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const shared = {
    ref: control,
    'aria-label': field.name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : 'cell-problem',
    value: text,
    onKeyDown,
    onBlur: () => {
      if (!hasEnded.current) props.onLeave();
    },
    onChange: (event: { target: { value: string } }) => props.onText(event.target.value),
  };

  return (
    <div
      ref={box}
      className="absolute top-0 left-0 z-[5] grid min-h-full w-max min-w-full grid-cols-[minmax(0,1fr)]"
      style={{ maxWidth: `max(100%, ${maxWidth}px)` }}
    >
      {field.dataType === 'boolean' ? (
        <select {...shared} className={`${controlClasses} h-8`}>
          <option value="">No value</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : field.dataType === 'string' ? (
        <textarea
          {...shared}
          rows={Math.min(LINES_MAX, text.split('\n').length)}
          spellCheck={!field.isPrimaryKey}
          // If the editor cannot become wider, it becomes taller.
          style={{
            minHeight: LINE_HEIGHT + 8,
            maxHeight: LINES_MAX * LINE_HEIGHT + 8,
            width: `calc(${Math.min(48, Math.max(8, text.length + 2))}ch + 1rem)`,
          }}
          className={`${controlClasses} field-sizing-content ${field.isPrimaryKey ? 'font-mono' : ''}`}
        />
      ) : (
        <div className="flex">
          <input
            {...shared}
            type="text"
            inputMode={field.dataType === 'number' ? 'decimal' : undefined}
            placeholder={field.dataType === 'date' ? 'YYYY-MM-DD' : undefined}
            autoComplete="off"
            spellCheck={false}
            className={`${controlClasses} h-8 font-mono ${field.dataType === 'number' ? 'text-right' : 'min-w-32'}`}
          />
          {field.dataType === 'date' && (
            <span className="relative border-2 border-accent border-l-0 bg-surface">
              <input
                ref={picker}
                type="date"
                tabIndex={-1}
                aria-hidden="true"
                className="absolute bottom-0 size-0 opacity-0"
                onChange={(event) => {
                  props.onText(event.target.value);
                  control.current?.focus();
                }}
              />
              <button
                type="button"
                tabIndex={-1}
                aria-label="Pick a date"
                className="grid size-7 place-items-center text-muted hover:text-ink [&_svg]:size-4"
                // Keeps the focus in the editor, because the editor closes when it loses the focus.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => picker.current?.showPicker()}
              >
                <CalendarDays />
              </button>
            </span>
          )}
        </div>
      )}
      {(problem ?? newerText) !== undefined && (
        <p
          id="cell-problem"
          role="alert"
          className="border border-hairline bg-raised px-2 py-1 text-left font-sans text-danger-text text-xs whitespace-normal"
        >
          {problem ?? `Another user changed this cell to “${newerText}”: you can choose a value when you save.`}
        </p>
      )}
    </div>
  );
}
