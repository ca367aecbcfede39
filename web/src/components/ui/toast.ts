/** The Radix parts of a toast; `components/toast` adds the styles and the behaviour. */
export { Toast } from 'radix-ui';
