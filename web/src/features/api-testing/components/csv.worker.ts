/** Parses the rows of a CSV text in a worker. */
import { slicesOf } from './csv.ts';

self.onmessage = ({ data }: MessageEvent<string>) => {
  for (const slice of slicesOf(data)) self.postMessage(slice);
};
