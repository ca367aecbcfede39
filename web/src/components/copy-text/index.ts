/** Copies a text to the clipboard and reports whether that worked. */
import { notify } from '../toast/index.ts';

/** Returns whether the text was copied; `onError` reports that it was not. */
export async function copyText(text: string, success: string, onError: (error: unknown) => void): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    onError(error);
    return false;
  }
  notify.success(success);
  return true;
}
