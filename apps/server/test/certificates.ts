// Certificate authorities and certificates for TLS tests, created with openssl.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0
if (!hasOpenssl && process.env.CI !== 'true') {
  console.warn('没有安装 openssl，跳过 TLS 的测试')
}
/** Without openssl, TLS tests are skipped, except on CI. */
export const skipsTls = !hasOpenssl && process.env.CI !== 'true'

/** Paths of a certificate and its key. */
export interface Pair {
  cert: string
  key: string
}

export interface IssueOptions {
  /** Validity in days from now: `[-2, -1]` has expired. By default a year from yesterday. */
  days?: readonly [from: number, to: number]
  /** The default is a server on this machine. */
  use?: 'server' | 'client'
}

/** A CA in a directory, run with openssl. */
export interface Authority {
  /** Path of the CA's certificate. */
  cert: string
  /** Issues a new certificate at each call, also for the same name. */
  issue(name: string, options?: IssueOptions): Pair
  revoke(pair: Pair): void
  /** Path of the list of certificates revoked so far; with a negative number of days, the list has expired. */
  revocations(days?: number): string
}

const config = `
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
rand_serial = yes
policy = any
unique_subject = no
default_crl_days = 30
[any]
commonName = supplied
[server]
subjectAltName = DNS:localhost, IP:127.0.0.1
extendedKeyUsage = serverAuth
[client]
extendedKeyUsage = clientAuth
`

export function createAuthority(directory: string, name = 'Voltkeep Test CA'): Authority {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'ca.cnf'), config)
  writeFileSync(join(directory, 'index.txt'), '')
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl(
    ...['req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-days', '3650', '-subj', `/CN=${name}`],
  )
  let count = 0
  const sign = (...args: string[]) => openssl('ca', '-config', 'ca.cnf', '-batch', '-notext', ...args)
  return {
    cert: join(directory, 'ca.pem'),
    issue(commonName, { days: [from, to] = [-1, 365], use = 'server' } = {}) {
      count += 1
      const pair = { cert: join(directory, `${count}.pem`), key: join(directory, `${count}.key`) }
      openssl('req', '-new', ...newKey, '-keyout', pair.key, '-out', 'request', '-subj', `/CN=${commonName}`)
      const dates = ['-startdate', dayFromNow(from), '-enddate', dayFromNow(to)]
      sign('-in', 'request', '-out', pair.cert, ...dates, '-extfile', 'ca.cnf', '-extensions', use)
      return pair
    },
    revoke: ({ cert }) => void sign('-revoke', cert),
    revocations(days = 30) {
      count += 1
      const path = join(directory, `${count}.crl`)
      const dates = ['-crl_lastupdate', dayFromNow(days - 60), '-crl_nextupdate', dayFromNow(days)]
      sign('-gencrl', '-out', path, ...dates)
      return path
    },
  }
}

const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/[-:T]|\.\d+/g, '')

/** Makes this process trust the CA, including `fetch` and virtual devices. */
export function trustAuthority({ cert }: Pick<Authority, 'cert'>): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(cert, 'utf8')])
}

/** Replaces a certificate and its key, like a renewal. */
export function replace(at: Pair, by: Pair): void {
  copyFileSync(by.cert, at.cert)
  copyFileSync(by.key, at.key)
}

export const readPair = ({ cert, key }: Pair) => ({ cert: readFileSync(cert), key: readFileSync(key) })
