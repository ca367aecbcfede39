/** Sends many requests to one product: some while its routes have wrong declarations, others with guessed passwords. */
import { useStack } from '../requests/stack.ts';
import './requests/permission-flips.ts';
import './requests/credential-stuffing.ts';

useStack();
