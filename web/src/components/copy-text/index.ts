/** Copies a text to the clipboard and shows a message. */
import { notify } from '../toast/index.ts';

/** Returns whether the text was copied. Calls `onError` if it was not copied. */
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
