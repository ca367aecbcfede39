/** Sends many requests to one product: with guessed passwords, and random requests. */
import { useStack } from './requests/stack.ts';
import './requests/credential-stuffing.ts';
// Runs last: its requests change the objects of the product that the other checks use.
import './requests/api-requests.ts';

useStack();
