/**
 * Returns a copy of a compressed file with 64 other bytes in its middle. A file with a single changed bit can
 * decompress to the same content.
 */
export function overwriteMiddle(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2);
  return Buffer.from(bytes).fill(0xff, middle, middle + 64);
}
