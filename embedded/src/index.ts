/** The package has no common entry: its modules are imported by their paths. */
export {};
