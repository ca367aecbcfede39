/** Sends many requests to one product: with wrong declarations of its routes, with guessed passwords, and random requests. */
import './requests/permission-flips.ts';
import './requests/credential-stuffing.ts';
// Runs last: its requests change the objects of the product that the other checks use.
import './requests/api-requests.ts';
