/** The resolver that validates forms by schemas of contracts, so that page and server show the same messages. */
import { zodResolver } from '@hookform/resolvers/zod';

export { zodResolver };
