/** Parses the rows of a CSV outside of the page's thread. */
import { slicesOf } from './csv.ts';

self.onmessage = ({ data }: MessageEvent<string>) => {
  for (const slice of slicesOf(data)) self.postMessage(slice);
};
