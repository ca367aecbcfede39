/** The editor of a cell, with a control for the type of its field; shows problems at the cell. */
import { booleanBegunWith } from '@rdm/contracts/text/rows';
import { CalendarDays } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import type { CellField } from '../components/cells.ts';

/** Where the cursor moves when an edit ends; `fill` writes the text into the whole selection. */
export type After = 'down' | 'up' | 'right' | 'left' | 'fill';

export interface CellEditorProps {
  field: CellField;
  text: string;
  /** The typed character that started the edit, if one did: arrow keys then end the edit, as in a spreadsheet. */
  begunWith: string | undefined;
  /** The problem of the text, after an attempt to leave the editor. */
  problem: string | undefined;
  /** The value that another user saved in the cell since the edit started. */
  newerText: string | undefined;
  onText: (text: string) => void;
  onCommit: (after: After) => void;
  onCancel: () => void;
  /** Called when the editor loses the focus. */
  onLeave: () => void;
}

const ARROWS: Record<string, After> = { ArrowDown: 'down', ArrowUp: 'up', ArrowLeft: 'left', ArrowRight: 'right' };
const LINE_HEIGHT = 20;
const LINES_MAX = 8;
const WIDTH_MAX = 448;
/** After this pause, a typed letter starts a new word. */
const WORD_PAUSE_MS = 1_000;

const controlClasses =
  'block w-full min-w-full max-w-full resize-none border-2 border-accent bg-surface px-1.5 py-0.5 text-ink text-sm outline-none';

export function CellEditor({ field, text, begunWith, problem, newerText, ...props }: CellEditorProps) {
  const control = useRef<HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [maxWidth, setMaxWidth] = useState(WIDTH_MAX);
  /** The letters typed so far for a boolean, and the time of the last one; they begin with the letter that started the edit. */
  const typedWord = useRef({ word: begunWith ?? '', at: performance.now() });
  /** Whether Enter or Escape has ended the edit: the blur event that follows is then ignored. */
  const hasEnded = useRef(false);

  // The editor grows to the right over other cells, up to the edge of the list.
  useLayoutEffect(() => {
    const list = box.current?.closest('[data-scrolls]')?.getBoundingClientRect();
    const own = box.current?.getBoundingClientRect();
    if (list === undefined || own === undefined || own.width === 0) return;
    const zoom = own.width / (box.current?.offsetWidth ?? own.width);
    setMaxWidth(Math.min(WIDTH_MAX, Math.floor((list.right - own.left) / zoom)));
  }, []);

  useLayoutEffect(() => {
    const element = control.current;
    if (element === null) return;
    element.focus({ preventScroll: true });
    if (element.tagName !== 'SELECT') element.setSelectionRange(element.value.length, element.value.length);
  }, []);

  function commit(after: After) {
    hasEnded.current = true;
    props.onCommit(after);
    // If the editor is still open, the text was not valid.
    hasEnded.current = false;
  }

  /** Sets a boolean by the letters typed so far, with the same words as in pasted cells. Other letters do not change the value. */
  function spell({ key, timeStamp }: KeyboardEvent) {
    const isOn = timeStamp - typedWord.current.at < WORD_PAUSE_MS;
    typedWord.current = { word: isOn ? typedWord.current.word + key : key, at: timeStamp };
    const chosen = booleanBegunWith(typedWord.current.word);
    if (chosen !== undefined) props.onText(String(chosen));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const arrow = begunWith !== undefined && field.dataType !== 'boolean' ? ARROWS[event.key] : undefined;
    if (event.key === 'Escape') {
      hasEnded.current = true;
      props.onCancel();
    } else if (event.key === 'Enter' && event.altKey && field.dataType === 'string') {
      const { selectionStart, selectionEnd } = event.currentTarget as HTMLTextAreaElement;
      props.onText(`${text.slice(0, selectionStart)}\n${text.slice(selectionEnd)}`);
    } else if (event.key === 'Enter') commit(event.ctrlKey || event.metaKey ? 'fill' : event.shiftKey ? 'up' : 'down');
    else if (event.key === 'Tab') commit(event.shiftKey ? 'left' : 'right');
    else if (arrow !== undefined) commit(arrow);
    else if (field.dataType === 'boolean' && /^\S$/.test(event.key) && !(event.ctrlKey || event.metaKey)) spell(event);
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
                // Keeps the focus in the editor, so that the text is not lost.
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
          {problem ?? `Another user changed it to “${newerText}”: you can choose a value when you save.`}
        </p>
      )}
    </div>
  );
}
