/**
 * Receivers of syslog over TLS: one that reads strictly what RFC 5424 and 5425 write down, and misbehaves on demand; and
 * Debian's rsyslogd.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { type Pair, readPair } from './certificates.ts'
import { eventually } from './eventually.ts'

export interface SyslogMessage {
  facility: number
  severity: number
  time: string
  host: string
  app: string
  procId: string
  messageId: string
  data: Record<string, Record<string, string>>
  text: string
}

/** Reads whole messages off the beginning; throws where something is not as it must be. */
export function readFrames(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = []
  let rest = bytes
  for (;;) {
    const space = rest.indexOf(0x20)
    if (space < 0) {
      if (!/^(?:[1-9]\d{0,5})?$/.test(rest.toString('latin1'))) throw new Error('no octet count')
      return { messages, rest }
    }
    const count = rest.subarray(0, space).toString('latin1')
    if (!/^[1-9]\d{0,5}$/.test(count)) throw new Error(`no octet count: ${count}`)
    const end = space + 1 + Number(count)
    if (rest.length < end) return { messages, rest }
    messages.push(rest.subarray(space + 1, end))
    rest = rest.subarray(end)
  }
}

const head =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) /

export function parseMessage(bytes: Buffer): SyslogMessage {
  if (bytes.length > 8_192) throw new Error(`${bytes.length} octets`)
  // Throws where it is no UTF-8; the mark before the text stays.
  const all = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const found = head.exec(all)
  if (!found) throw new Error(`no header: ${all}`)
  const [begin, priority, time = '', host = '', app = '', procId = '', messageId = ''] = found
  if (Number(priority) > 191) throw new Error(`priority ${priority}`)
  let at = begin.length
  const data: SyslogMessage['data'] = {}
  if (all[at] !== '[') throw new Error('no structured data')
  while (all[at] === '[') {
    const name = /^\[((?:(?![=\]"])[!-~]){1,32})/.exec(all.slice(at))?.[1]
    if (name === undefined || data[name]) throw new Error(`element at ${at}`)
    if (!/^(?:origin|meta|timeQuality)$/.test(name) && !/@\d+(?:\.\d+)*$/.test(name))
      throw new Error(`${name} is neither registered nor somebody's own`)
    at += 1 + name.length
    const own: Record<string, string> = {}
    while (all[at] === ' ') {
      const one = /^ ((?:(?![=\]"])[!-~]){1,32})="((?:[^"\\\]]|\\[\s\S])*)"/.exec(all.slice(at))
      if (!one) throw new Error(`parameter at ${at} of ${all}`)
      const [whole, key = '', value = ''] = one
      if (Object.hasOwn(own, key)) throw new Error(`${key} twice`)
      own[key] = value.replaceAll(/\\(["\\\]])/g, '$1')
      at += whole.length
    }
    if (all[at] !== ']') throw new Error(`element ${name} has no end`)
    at += 1
    data[name] = own
  }
  if (all.slice(at, at + 2) !== ' \uFEFF') throw new Error('a text in UTF-8 begins with its mark')
  const facility = Number(priority) >> 3
  return {
    facility,
    severity: Number(priority) & 7,
    time,
    host,
    app,
    procId,
    messageId,
    data,
    text: all.slice(at + 2),
  }
}

/** What becomes of a connection: read to its end; broken off behind so many messages; or never answered. */
type Behaviour = 'reads' | { breaksAfter: number } | 'is silent'

export async function openSyslogReceiver(pair: Pair, options: { clientCa?: string } = {}) {
  const messages: SyslogMessage[] = []
  const problems: string[] = []
  const open = new Set<TLSSocket>()
  let behaviour: Behaviour = 'reads'
  let connections = 0
  const server = createTlsServer(
    {
      ...readPair(pair),
      ...(options.clientCa !== undefined && {
        ca: readFileSync(options.clientCa),
        requestCert: true,
        rejectUnauthorized: true,
      }),
    },
    (socket) => {
      connections += 1
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => undefined)
      if (behaviour === 'is silent') return
      const most = behaviour === 'reads' ? Number.POSITIVE_INFINITY : behaviour.breaksAfter
      let count = 0
      let rest: Buffer = Buffer.alloc(0)
      socket.on('data', (part: Buffer) => {
        try {
          const read = readFrames(Buffer.concat([rest, part]))
          rest = read.rest
          for (const message of read.messages) {
            if (count === most) return socket.destroy()
            count += 1
            messages.push(parseMessage(message))
          }
          if (count === most) socket.destroy()
        } catch (error) {
          problems.push((error as Error).message)
        }
      })
      socket.on('end', () => {
        if (rest.length > 0) problems.push('the end within a message')
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `tls://localhost:${port}`,
    port,
    messages,
    problems,
    get connections() {
      return connections
    },
    behave(as: Behaviour) {
      behaviour = as
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

const isInstalled = ['rsyslogd', '/usr/sbin/rsyslogd'].find(
  (path) => spawnSync(path, ['-v']).error === undefined,
)
/** Without rsyslogd its tests are skipped, except on CI. */
export const skipsRsyslog = isInstalled === undefined && process.env.CI !== 'true'
if (skipsRsyslog)
  console.warn('SKIPPED: a syslog receiver as it is shipped (packages rsyslog, rsyslog-gnutls)')

/** rsyslogd, as docs/operating.md configures it: it takes who shows a certificate of the CA, and writes JSON lines. */
export async function startRsyslog(pair: Pair, ca: string) {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-rsyslog-'))
  const at = (name: string) => join(directory, name)
  const port = await freePort()
  writeFileSync(
    at('rsyslog.conf'),
    `global(
  workDirectory="${directory}"
  defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${ca}"
  defaultNetstreamDriverCertFile="${pair.cert}"
  defaultNetstreamDriverKeyFile="${pair.key}"
)
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
input(type="imtcp" port="${port}")
template(name="lines" type="list" option.jsonf="on") {
  property(outname="priority" name="pri" format="jsonf")
  property(outname="message" name="msgid" format="jsonf")
  property(outname="data" name="structured-data" format="jsonf")
  property(outname="text" name="msg" format="jsonf")
}
action(type="omfile" file="${at('received')}" template="lines" flushInterval="1" asyncWriting="off")
`,
  )
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(isInstalled ?? 'rsyslogd', ['-n', '-f', at('rsyslog.conf'), '-i', at('pid')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (said += String(part)))
    await eventually(async () => {
      if (child?.exitCode !== null) throw new Error(`rsyslogd ended: ${said}`)
      const socket = (await import('node:net')).connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.destroy()
    })
  }
  await start()
  const stop = async () => {
    if (!child || child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return {
    url: `tls://localhost:${port}`,
    start,
    stop,
    /** What it has written to its file. */
    received(): { priority: string; message: string; data: string; text: string }[] {
      try {
        const lines = readFileSync(at('received'), 'utf8').trim().split('\n')
        return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    async close() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  return port
}
