/** Sends sign-ins with guessed passwords, and then random requests, to one product. */
import { useStack } from './requests/stack.ts';
import './requests/credential-stuffing.ts';
// Runs last, because random requests change the objects that the earlier checks use.
import './requests/api-requests.ts';

useStack();
