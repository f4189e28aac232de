// Debian's swupdate as a device's update agent, with the configuration of docs/ddi.md, and images for it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../../docs/ddi.md')
/** In a mount namespace of its own it has a boot loader's directory of its own. */
const inOwnMounts = ['--user', '--map-root-user', '--mount'] as const
const isInstalled = spawnSync('swupdate', ['--version']).error === undefined
/** A machine may forbid namespaces to all (containers often do): nothing that CI installs would change that. */
const hasMounts = spawnSync('unshare', [...inOwnMounts, 'true']).status === 0
/** Skips the tests where swupdate cannot run; where CI has not installed it, they fail. */
export const skipsSwupdate = !hasMounts || (!isInstalled && process.env.CI !== 'true')
if (skipsSwupdate) {
  console.warn('SKIPPED: devices that poll need swupdate (package swupdate) and mount namespaces')
}

export interface SwupdateDevice {
  /** An image that installs this version, padded to so many bytes; `isBroken`: its content is not what it says. */
  image(version: string, options?: { sizeBytes?: number; isBroken?: boolean }): Buffer
  /** The version of the running software. */
  readonly version: string
  readonly output: string
  /** Starts the agent. `confirms`: as the start-up script of the new software does. */
  start(confirms?: 'works' | 'fails'): Promise<void>
  /** The device goes down, without a word. */
  kill(): Promise<void>
  /** Resolves when the agent writes this. */
  says(text: string): Promise<void>
  remove(): Promise<void>
}

export interface SwupdateOptions {
  url: string
  code: string
  secret: string
  version: string
}

export function createSwupdate({ url, code, secret, version: first }: SwupdateOptions): SwupdateDevice {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-swupdate-'))
  const at = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  mkdirSync(at('boot/grub'), { recursive: true })
  // An empty environment of 1,024 bytes, as grub-editenv makes it.
  writeFileSync(at('boot/grub/grubenv'), '# GRUB Environment Block\n'.padEnd(1_024, '#'))
  writeFileSync(at('installed'), first)
  openssl(
    ...'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out signer.pem -days 2 -subj /CN=voltkeep'.split(
      ' ',
    ),
    '-addext',
    'extendedKeyUsage=emailProtection',
  )
  const version = () => readFileSync(at('installed'), 'utf8').split('\n')[0] as string

  function configure(): void {
    const [configuration = ''] = [...readFileSync(page, 'utf8').matchAll(/^```conf\n([\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    )
    writeFileSync(
      at('swupdate.cfg'),
      configuration
        .replace('/etc/swupdate/signer.pem', at('signer.pem'))
        .replace('https://voltkeep.example.com', url)
        .replace('EC00000001', code)
        .replace('the-secret-of-the-device', secret)
        .replace('value = "1.3"', `value = "${version()}"`)
        .replace(/(retrywait\s*=) 5;/, '$1 1;'),
    )
  }

  let child: ChildProcess | undefined
  let output = ''
  const heard = new Set<() => void>()

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'close')
    // With its own children, which are of its process group.
    process.kill(-(child.pid as number), 'SIGKILL')
    await exit
  }

  return {
    image(of, { sizeBytes = 0, isBroken = false } = {}) {
      const content = Buffer.from(`${of}\n`.padEnd(sizeBytes, 'voltkeep '))
      const sha256 = createHash('sha256').update(content).digest('hex')
      const told = isBroken ? sha256.replace(/./g, '0') : sha256
      writeFileSync(
        at('sw-description'),
        `software = { version = "${of}"; hardware-compatibility: [ "1.0" ];
          files: ( { filename = "software"; path = "${at('installed')}"; sha256 = "${told}"; } ); };`,
      )
      openssl(
        ...'cms -sign -in sw-description -out sw-description.sig -signer signer.pem -inkey key.pem'.split(
          ' ',
        ),
        ...'-outform DER -nosmimecap -binary'.split(' '),
      )
      const described = ['sw-description', 'sw-description.sig'].map(
        (name) => [name, readFileSync(at(name))] as const,
      )
      return cpioOf([...described, ['software', content]])
    },
    get version() {
      return version()
    },
    get output() {
      return output
    },
    async start(confirms) {
      configure()
      const settings = confirms ? ['-c', confirms === 'works' ? '2' : '3'] : []
      const agent = [
        'swupdate',
        '-v',
        '-f',
        at('swupdate.cfg'),
        '-H',
        'cabinet:1.0',
        '-u',
        settings.join(' '),
      ]
      const bound = 'mount --bind "$0" /boot && exec "$@"'
      child = spawn('unshare', [...inOwnMounts, 'sh', '-c', bound, at('boot'), ...agent], {
        env: { ...process.env, TMPDIR: directory },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (bytes: Buffer) => {
          output += bytes.toString()
          for (const look of heard) look()
        })
    },
    kill,
    says: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!output.includes(text)) return
          heard.delete(look)
          resolve()
        }
        heard.add(look)
        look()
      }),
    async remove() {
      await kill()
      if (existsSync(directory)) rmSync(directory, { recursive: true })
    },
  }
}

/** An archive as `cpio -o -H crc` writes it. */
function cpioOf(files: readonly (readonly [name: string, bytes: Buffer])[]): Buffer {
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
  const entry = (name: string, bytes: Buffer, inode: number) => {
    const checksum = bytes.reduce((sum, byte) => (sum + byte) >>> 0, 0)
    const mode = inode === 0 ? 0 : 0o100644
    const fields = [inode, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, checksum]
    const head = fields.map((field) => field.toString(16).padStart(8, '0').toUpperCase()).join('')
    return Buffer.concat([padded(Buffer.from(`070702${head}${name}\0`)), padded(bytes)])
  }
  return Buffer.concat([
    ...files.map(([name, bytes], n) => entry(name, bytes, n + 1)),
    entry('TRAILER!!!', Buffer.alloc(0), 0),
  ])
}
