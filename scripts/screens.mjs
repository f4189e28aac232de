// Writes the images of docs/screens.md by walking every screen.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--root', root, '--project', 'e2e', 'e2e/screens.are-walked.spec.ts', '--retry=0'],
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, WRITE_SCREENS: '1', LC_ALL: 'C.UTF-8' } },
)
process.exit(status ?? 1)
