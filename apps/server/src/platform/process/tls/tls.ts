// The server's certificate, as it is now: the files are read again while the server runs.

import { Counter, type Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { type Sentence, spoken } from '../sentences.ts'
import { StartupError } from '../startup-error.ts'
import { readTls, type TlsMaterial, type TlsPaths, tlsPathsOf } from './files.ts'

export interface Tls {
  readonly current: TlsMaterial
  /** Called after each change of the files that can be used. */
  onChange(listener: (current: TlsMaterial, former: TlsMaterial) => void): void
  /** A client and this server did not come to terms: a scanner, an old protocol, a certificate that it does not trust. */
  handshakeFailed(protocol: 'http' | 'mqtt'): void
  /** What the operator should mend, a line each. */
  warnings(): Sentence[]
  close(): void
}

/**
 * Files are compared by content: it does not matter whether they are written, renamed or a symbolic link is changed.
 */
const lookEveryMs = 5_000
const remindEveryMs = 86_400_000
const dayMs = 86_400_000
const warnBeforeMs = { certificate: 14 * dayMs, list: 3 * dayMs } as const

/**
 * Reads the files, or throws a StartupError. After that the files are checked every few seconds: a pair that can be
 * used replaces the former one for new connections; one that cannot is reported in the log and on the server page,
 * while the former stays.
 */
export function openTls({
  paths,
  log,
  metrics,
  everyMs = lookEveryMs,
}: {
  paths: TlsPaths
  log: Log
  metrics: Registry
  everyMs?: number
}): Tls {
  const failures = new Counter({
    name: 'voltkeep_tls_handshakes_failed_total',
    help: 'TLS handshakes that failed or took too long, of pages and API (http) and of devices (mqtt)',
    labelNames: ['protocol'],
    registers: [metrics],
  })
  for (const protocol of ['http', 'mqtt']) failures.inc({ protocol }, 0)
  let current = usable(paths)
  let problems: Sentence[] = []
  /** What was wrong at the last look: certificate and key are not replaced in one step, so the first look may be early. */
  let suspected = ''
  const listeners: ((current: TlsMaterial, former: TlsMaterial) => void)[] = []

  function look(): void {
    const found = readTls(paths)
    if ('problems' in found) {
      const told = unusable(found.problems)
      const isNew = told.zh !== unusable(problems).zh
      if (isNew && told.zh === suspected) {
        problems = found.problems
        log.warn(spoken(told))
      }
      suspected = told.zh
      return
    }
    problems = []
    suspected = ''
    if (isSame(found, current)) return
    const former = current
    current = found
    log.info(
      { validTo: found.certificate.validToDate.toISOString(), subject: nameOf(found) },
      spoken({
        zh: '证书文件有变化，新的连接使用新的证书',
        en: 'the certificate files have changed: new connections use the new certificate',
      }),
    )
    for (const listener of listeners) listener(current, former)
    remind()
  }

  function warnings(): Sentence[] {
    const lines = lifetimeLines(current, Date.now())
    return problems.length === 0 ? lines : [unusable(problems), ...lines]
  }
  const remind = () => {
    for (const line of lifetimeLines(current, Date.now())) log.warn(spoken(line))
  }

  remind()
  const looking = setInterval(look, everyMs)
  const reminding = setInterval(remind, remindEveryMs)
  looking.unref()
  reminding.unref()
  return {
    handshakeFailed: (protocol) => failures.inc({ protocol }),
    get current() {
      return current
    },
    onChange: (listener) => void listeners.push(listener),
    warnings,
    close() {
      clearInterval(looking)
      clearInterval(reminding)
    },
  }
}

/** Refuses a start whose certificate cannot be used, before anything is opened. */
export function checkTls(config: Config): void {
  const paths = tlsPathsOf(config)
  if (paths) usable(paths)
}

function usable(paths: TlsPaths): TlsMaterial {
  const material = readTls(paths)
  if ('problems' in material) throw new StartupError(material.problems.map(spoken).join('\n'))
  return material
}

const isSame = (one: TlsMaterial, other: TlsMaterial) =>
  (Object.keys(one.texts) as (keyof TlsPaths)[]).every((name) => one.texts[name] === other.texts[name]) &&
  Object.keys(one.texts).length === Object.keys(other.texts).length

const nameOf = ({ certificate }: TlsMaterial) => certificate.subject.replaceAll('\n', ', ')

const unusable = (problems: readonly Sentence[]): Sentence => ({
  zh: `新的证书文件不能使用，继续使用原来的证书：${problems.map(({ zh }) => zh).join('；')}`,
  en: `the new certificate files cannot be used, the former certificate stays in use: ${problems.map(({ en }) => en).join('; ')}`,
})

/** What is wrong with the dates, a line each. */
export function lifetimeLines(material: TlsMaterial, nowMs: number): Sentence[] {
  const { validFromDate, validToDate } = material.certificate
  const lines: Sentence[] = []
  const leftMs = validToDate.getTime() - nowMs
  const day = (date: Date) => date.toISOString().slice(0, 10)
  if (leftMs <= 0) {
    const until = day(validToDate)
    lines.push({
      zh: `TLS 证书已于 ${until} 过期，浏览器和设备会拒绝连接：请更换 TLS_CERT 和 TLS_KEY 的文件，无需重启`,
      en: `the TLS certificate expired on ${until}, browsers and devices will refuse to connect: replace the files of TLS_CERT and TLS_KEY, without a restart`,
    })
  } else if (leftMs < warnBeforeMs.certificate) {
    const days = Math.floor(leftMs / dayMs)
    const until = day(validToDate)
    lines.push({
      zh: `TLS 证书将于 ${until} 过期（剩余 ${days} 天）：请更换 TLS_CERT 和 TLS_KEY 的文件，无需重启`,
      en: `the TLS certificate expires on ${until} (days left: ${days}): replace the files of TLS_CERT and TLS_KEY, without a restart`,
    })
  }
  if (validFromDate.getTime() > nowMs) {
    const from = day(validFromDate)
    lines.push({
      zh: `TLS 证书从 ${from} 起才有效，浏览器和设备会拒绝连接：请检查证书和本机时间`,
      en: `the TLS certificate is valid from ${from} on only, browsers and devices will refuse to connect: check the certificate and this machine's time`,
    })
  }
  const { nextListMs } = material
  if (nextListMs !== null && nextListMs - nowMs < warnBeforeMs.list) {
    const until = day(new Date(nextListMs))
    lines.push(
      nextListMs <= nowMs
        ? {
            zh: `证书吊销列表（MQTT_CLIENT_CRL）已于 ${until} 过期，设备不能再用证书登录：请更换文件，无需重启`,
            en: `the list of revoked certificates (MQTT_CLIENT_CRL) expired on ${until}, devices can no longer sign in with certificates: replace the file, without a restart`,
          }
        : {
            zh: `证书吊销列表（MQTT_CLIENT_CRL）将于 ${until} 过期，届时设备不能再用证书登录：请更换文件，无需重启`,
            en: `the list of revoked certificates (MQTT_CLIENT_CRL) expires on ${until}, from then on devices cannot sign in with certificates: replace the file, without a restart`,
          },
    )
  }
  return lines
}
