/** Sets how often V8 collects the whole heap of a process that handles many bytes. */
import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap and the buffers grow by `percent` of the heap before the next full collection. By default, the buffers
 * of a process with a small heap cause a full collection every few MiB, each of which visits every object of the heap
 * (docs/decisions/0111). A version of V8 without this option only prints an error.
 */
export const setHeapGrowth = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);
