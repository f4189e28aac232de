import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../../docs/operating.md')
const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined
if (!hasMosquitto && process.env.CI !== 'true') {
  console.warn('SKIPPED: the server at an external broker needs mosquitto (package mosquitto)')
}
/** Skips the tests where mosquitto is missing, except on CI, where they fail. */
export const skipsMosquitto = !hasMosquitto && process.env.CI !== 'true'

const serverUser = 'voltkeep'
const serverPassword = 'server-secret'

export interface Mosquitto {
  port: number
  /** `MQTT_URL` of the server. */
  url: string
  /** Rewrites the password file with Voltkeep's own user and these. */
  setUsers(users: readonly { code: string; secret: string }[]): void
  /** Ends it by SIGTERM, which makes it save its sessions, and starts it again. */
  restart(): Promise<void>
  stop(): void
}

/** Starts Mosquitto with the configuration of docs/operating.md, and further lines of its access list. */
export async function startMosquitto({ moreAcl = '' } = {}): Promise<Mosquitto> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-mosquitto-'))
  chmodSync(directory, 0o755)
  const [configuration = '', acl = ''] = [
    ...readFileSync(page, 'utf8').matchAll(/^```conf\n([\s\S]*?)^```$/gm),
  ].map(([, text]) => text)
  const port = await freePort()
  const passwords = join(directory, 'passwords')
  writeFileSync(join(directory, 'acl'), `${acl}\n${moreAcl}`)
  writeFileSync(
    join(directory, 'mosquitto.conf'),
    `${configuration
      .replace('listener 1883', `listener ${port} 127.0.0.1`)
      .replaceAll(
        '/etc/mosquitto',
        directory,
      )}\npersistence_location ${directory}/\n${process.getuid?.() === 0 ? 'user root\n' : ''}`,
  )
  let broker: ChildProcess | undefined
  const setUsers: Mosquitto['setUsers'] = (users) => {
    const lines = users.map(({ code, secret }) => `${code}:${secret}`)
    writeFileSync(passwords, [`${serverUser}:${serverPassword}`, ...lines, ''].join('\n'), { mode: 0o600 })
    const { status, stderr } = spawnSync('mosquitto_passwd', ['-U', passwords])
    if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`)
    broker?.kill('SIGHUP')
  }
  setUsers([])
  const start = () => spawn('mosquitto', ['-c', join(directory, 'mosquitto.conf')], { stdio: 'ignore' })
  broker = start()
  return {
    port,
    url: `mqtt://${serverUser}:${serverPassword}@127.0.0.1:${port}`,
    setUsers,
    async restart() {
      const ended = once(broker as ChildProcess, 'exit')
      broker?.kill('SIGTERM')
      await ended
      broker = start()
    },
    stop() {
      broker?.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
