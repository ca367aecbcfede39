/** Takes one file from the user: dropped on an area or anywhere on the page, or chosen in the browser's dialog. */
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export interface FileInputOptions {
  /** The accessible name of the input. */
  label: string;
  /** File types as in the attribute `accept` of an input. */
  accept: string;
  disabled?: boolean;
  onFile: (file: File) => void;
}

export interface FileInput {
  /** Whether a file is dragged over the area. */
  isOver: boolean;
  /** The properties of the area on which a file can be dropped. */
  dropArea: Record<'onDragOver' | 'onDrop', (event: DragEvent) => void> & { onDragLeave: () => void };
  /** Opens the browser's dialog. */
  choose: () => void;
  /** The hidden input, to render inside of the area. */
  input: ReactNode;
}

export function useFileInput({ label, accept, disabled = false, onFile }: FileInputOptions): FileInput {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => file !== undefined && !disabled && onFile(file);
  return {
    isOver,
    dropArea: {
      onDragOver: (event) => {
        event.preventDefault();
        setOver(!disabled);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      },
    },
    choose: () => input.current?.click(),
    input: (
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          take(event.target.files?.[0]);
          // Resets the input, so that the user can choose the same file again after correcting it.
          event.target.value = '';
        }}
      />
    ),
  };
}

/** Takes a file that is dropped anywhere on the page. Returns whether a file is being dragged over the page. */
export function useFileDrop({ disabled = false, onFile }: Pick<FileInputOptions, 'disabled' | 'onFile'>): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    if (disabled) return undefined;
    const hasFile = ({ dataTransfer }: globalThis.DragEvent) => dataTransfer?.types.includes('Files') === true;
    const listeners = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: globalThis.DragEvent) => void) =>
      window.addEventListener(type, listener, { signal: listeners.signal });
    on('dragover', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    });
    // Ignores moves between elements of the page, which have a related target. An event without a related target means
    // that the pointer has left the page.
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false));
    on('drop', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) take.current(file);
    });
    return () => {
      listeners.abort();
      setOver(false);
    };
  }, [disabled]);
  return isOver;
}
