/** Forms checked by the schemas of contracts, so that page and server say the same. */
import { zodResolver } from '@hookform/resolvers/zod';

export { zodResolver as checkedBy };
