/** Forms checked by the schemas of contracts, so that page and server say the same. */
import { zodResolver } from '@hookform/resolvers/zod';
import { config } from 'zod';

// Compiled schemas need eval, which the content security policy forbids.
config({ jitless: true });

export { zodResolver as checkedBy };
