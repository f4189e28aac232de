import type { AppParts } from './app.ts'

export interface DemoOptions extends AppParts {
  deviceCount: number
  /** Where the fleet reads its codes and secrets: a JSON list of {code, secret}, mode 0600. */
  secretsFile: string
}

/**
 * Fills an empty installation with what `npm run demo` shows, and does nothing but write the secrets
 * where it is already filled. Runs after the seeds and before the server listens.
 */
export async function seedDemo(_options: DemoOptions): Promise<void> {}
