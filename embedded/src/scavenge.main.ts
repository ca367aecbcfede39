/** `npm run scavenge`: deletes events that no client can read any more, and prints the freed space. */
import { parseArgs } from 'node:util';
import { DirectoryInUse } from './launcher/lock.ts';
import { readSettings } from './launcher/settings.ts';
import { interruption, runScript, sizeText } from './maintenance/command-line.ts';
import { requestScavengeOfRunningProduct } from './maintenance/running-product.ts';
import { scavengeAlone } from './maintenance/scavenge.ts';
import { openStoppedProduct } from './maintenance/stopped-product.ts';

await runScript('npm run scavenge', async () => {
  parseArgs({ options: {} });
  const signal = interruption();
  const settings = readSettings(process.env);
  const stores = await openStoppedProduct(settings, process.env, { scavengePauseFactor: 0 }).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return undefined; // the product is running
    throw error;
  });
  try {
    const bytes = stores
      ? await scavengeAlone({ pool: stores.pool, eventStoreUrl: stores.eventStoreUrl, signal })
      : await requestScavengeOfRunningProduct({ dataDir: settings.dataDir, signal });
    // A scavenged file also stores the offsets of its events. They can need more space than was freed.
    const grown = bytes < 0 ? ` (the files grew by ${sizeText(-bytes)})` : '';
    console.log(`Freed: ${sizeText(Math.max(0, bytes))}${grown}`);
  } finally {
    await stores?.close();
  }
});
