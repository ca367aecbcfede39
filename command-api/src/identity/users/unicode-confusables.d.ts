/** Types for the package, whose own are published under another name. */
declare module 'unicode-confusables' {
  const confusables: {
    /** Replaces each character by the representative of its look-alikes. */
    rectifyConfusion(text: string): string;
  };
  export default confusables;
}
