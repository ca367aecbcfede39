/** Limits concurrent downloads: each needs a PostgreSQL connection, and one user must not take all connections. */
import { refuseSlowly } from '@rdm/platform';

/** PostgreSQL connections that are reserved for downloads. */
export const DOWNLOAD_CONNECTIONS = 8;
const SLOTS_PER_USER = 2;
const RETRY_SECONDS = 5;

export interface DownloadSlots {
  /** Takes a slot; returns its release function. Refuses with 429 if the user has two slots, or if no slot is free. */
  take(userId: number): Promise<() => void>;
}

export function openDownloadSlots(): DownloadSlots {
  const countByUser = new Map<number, number>();
  let downloadCount = 0;
  return {
    async take(userId) {
      const ownCount = countByUser.get(userId) ?? 0;
      if (ownCount >= SLOTS_PER_USER) {
        const message = `You have ${SLOTS_PER_USER} downloads under way. Wait until one of them is done and try again.`;
        await refuseSlowly(message, RETRY_SECONDS);
      }
      if (downloadCount >= DOWNLOAD_CONNECTIONS) {
        const message = `${DOWNLOAD_CONNECTIONS} downloads are under way. Try again in a moment.`;
        await refuseSlowly(message, RETRY_SECONDS);
      }
      countByUser.set(userId, ownCount + 1);
      downloadCount += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        downloadCount -= 1;
        const remaining = (countByUser.get(userId) ?? 1) - 1;
        if (remaining > 0) countByUser.set(userId, remaining);
        else countByUser.delete(userId);
      };
    },
  };
}
