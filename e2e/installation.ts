import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { prepareInstallations } from '../apps/server/test/prepared.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Data directory of a server that was started with the demonstration and stopped. */
    demonstrationDataDir: string
  }
}

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const demoDevices = 30

/** Once per run: builds the pages, and creates the data that each stage copies. */
export async function setup(project: TestProject): Promise<() => void> {
  buildWebWhereOutdated()
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-demonstration-'))
  const removePrepared = prepareInstallations([0])
  const clear = () => {
    removePrepared()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const server = await startServerProcess({
      demoDevices,
      keptDataDir: directory,
      environment: { LOG_LEVEL: 'warn' },
    })
    await server.stop()
  } catch (error) {
    clear()
    throw error
  }
  project.provide('demonstrationDataDir', directory)
  return clear
}

/** Builds the pages if a source is newer than the build. */
function buildWebWhereOutdated(): void {
  const built = join(web, 'dist/index.html')
  const sources = [
    join(web, 'src'),
    join(web, 'shell'),
    join(web, 'public'),
    join(root, 'packages/contract/src'),
  ]
  const newest = Math.max(...sources.map(newestIn), statSync(join(web, 'index.html')).mtimeMs)
  if (existsSync(built) && existsSync(join(web, 'dist/index.en.html')) && statSync(built).mtimeMs > newest)
    return
  execFileSync(process.execPath, [join(root, 'scripts/web-build.mjs')], { stdio: 'pipe' })
}

function newestIn(folder: string): number {
  let newest = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs)
  }
  return newest
}
