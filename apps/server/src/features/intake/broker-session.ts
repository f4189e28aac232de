import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../platform/process/data-dir.ts'
import { StartupError } from '../../platform/process/startup-error.ts'
import { startupTexts } from '../../platform/process/startup-texts.ts'

export interface Session {
  /** The client id at the broker. */
  name: string
  release(): void
}

const fileName = 'mqtt-session'
/** At most the 23 characters that every MQTT 3.1.1 server must accept. */
const namePattern = /^voltkeep-[0-9a-f]{12}$/

/**
 * The name of this server's session at the external broker, which keeps messages for it while the server is away. It is
 * kept in DATA_DIR and not derived from the host name: a new container has another name, and the messages would never
 * be fetched. Two processes under one name would disconnect each other endlessly, so the second is refused.
 */
export async function openSession(dataDir: string): Promise<Session> {
  const { release } = await lockDataDir(dataDir, {
    name: `${fileName}.lock`,
    refusal: (who) => new StartupError(startupTexts.sessionInUse(dataDir, who)),
  })
  const path = join(dataDir, fileName)
  const kept = read(path)
  if (kept !== undefined && namePattern.test(kept)) return { name: kept, release }
  const name = `voltkeep-${randomBytes(6).toString('hex')}`
  writeFileSync(path, `${name}\n`, { mode: 0o600 })
  return { name, release }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
