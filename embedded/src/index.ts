/** This package has no common entry point: modules are imported by their paths. */
export {};
