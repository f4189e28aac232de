// Writes the images of docs/screens.md by walking every screen, and then the page.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const walks = globSync('e2e/screens.*-walked.spec.ts', { cwd: root })
for (const specs of [walks, ['e2e/screens.stand-in-their-page.spec.ts']]) {
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--root', root, '--project', 'e2e', ...specs, '--retry=0'],
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, WRITE_SCREENS: '1', LC_ALL: 'C.UTF-8' } },
  )
  if (status !== 0) process.exit(status ?? 1)
}
