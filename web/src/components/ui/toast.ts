/** The parts a toast is made of; their looks and rules are in `components/toast`. */
export { Toast } from 'radix-ui';
