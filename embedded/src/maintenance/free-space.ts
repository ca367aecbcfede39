/** Requires free space on the disk of a folder, so that a backup never fills it. */
export interface Space {
  free: number;
  size: number;
}
/** The space of the file system of a folder, in bytes. */
export type FreeSpace = (folder: string) => Promise<Space>;
