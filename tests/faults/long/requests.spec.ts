/** Tests one product with wrong declarations of permissions and with guessed passwords. */
import { useStack } from '../requests/stack.ts';
import './requests/permission-flips.ts';
import './requests/credential-stuffing.ts';

useStack();
