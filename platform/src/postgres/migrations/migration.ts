/** One step of the schema of the vault and of the infrastructure. Its name is recorded in platform.migrations and never changes. */
export interface Migration {
  name: string;
  up: string;
}
