/** The package ships no types under the name that its manifest gives. */
declare module 'unicode-confusables' {
  const confusables: {
    /** Replaces each character by the one that stands for all that look like it. */
    rectifyConfusion(text: string): string;
  };
  export default confusables;
}
