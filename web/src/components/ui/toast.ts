/** The Radix parts of a toast; styles and rules are in `components/toast`. */
export { Toast } from 'radix-ui';
