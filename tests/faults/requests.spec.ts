/** Many requests to one product: with wrong declarations of its routes, with guessed passwords, and at random. */
import './requests/permission-flips.ts';
import './requests/credential-stuffing.ts';
// Its requests change the objects of the product.
import './requests/api-requests.ts';
