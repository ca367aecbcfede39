/** Types for the package unicode-confusables, which declares its types under another name. */
declare module 'unicode-confusables' {
  const confusables: {
    /** Replaces each character by the representative of its look-alikes. */
    rectifyConfusion(text: string): string;
  };
  export default confusables;
}
