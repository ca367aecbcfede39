/** Copies a text to the clipboard and confirms the copy with a message. */
import { notify } from '../toast/index.ts';

/** Returns whether the text was copied; calls `onError` on failure. */
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
