/**
 * Returns a copy of a compressed file with other bytes in its middle. A single changed bit is not enough, because the
 * file can then decompress to the same content, for example if the bit changes how far back a run of zeros is copied
 * from.
 */
export function overwriteMiddle(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2);
  return Buffer.from(bytes).fill(0xff, middle, middle + 64);
}
