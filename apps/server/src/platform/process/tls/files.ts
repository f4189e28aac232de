// Certificates and keys as files: what is in them, and in words what is wrong with them.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Config } from '../config.ts'
import type { Sentence } from '../sentences.ts'
import { readRevocations } from './revocations.ts'

/** Paths of PEM files. */
export interface TlsPaths {
  cert: string
  key: string
  /** The CA of the certificates that devices may sign in with. */
  clientCa: string | undefined
  /** The list of those that are revoked. */
  clientCrl: string | undefined
}

export interface TlsMaterial {
  /** The content of the files, to be compared with their content later. */
  readonly texts: TlsTexts
  /** For the server's own part of a handshake. */
  readonly server: SecureContextOptions
  /** The same, and the CA of devices' certificates. */
  readonly device: SecureContextOptions
  readonly hasClientCa: boolean
  readonly certificate: X509Certificate
  /** Serial numbers; null without a list. */
  readonly revoked: ReadonlySet<bigint> | null
  /** When the list of revoked certificates has to be replaced, ms; null without one, or where it does not say. */
  readonly nextListMs: number | null
}

export type TlsTexts = Readonly<Record<keyof TlsPaths, string | undefined>>

const settingOf: Record<keyof TlsPaths, string> = {
  cert: 'TLS_CERT',
  key: 'TLS_KEY',
  clientCa: 'MQTT_CLIENT_CA',
  clientCrl: 'MQTT_CLIENT_CRL',
}
const fileLimitBytes = 8_388_608

/**
 * Forward secrecy and authenticated encryption alone: what TLS 1.3 has, and of TLS 1.2 what every device of the last
 * ten years can.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':')
const common = { minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true } as const

/** Where certificate and key are; undefined without TLS. */
export function tlsPathsOf({
  tlsCert: cert,
  tlsKey: key,
  mqttClientCa: clientCa,
  mqttClientCrl: clientCrl,
}: Config): TlsPaths | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key, clientCa, clientCrl }
}

/** What the files are, or everything that is wrong with them, a line each. */
export function readTls(paths: TlsPaths): TlsMaterial | { problems: Sentence[] } {
  const texts: Partial<Record<keyof TlsPaths, string>> = {}
  const problems: Sentence[] = []
  for (const name of Object.keys(settingOf) as (keyof TlsPaths)[]) {
    const path = paths[name]
    if (path === undefined) continue
    try {
      texts[name] = readText(path)
    } catch (error) {
      problems.push(ofFile(name, path, unreadable(error)))
    }
  }
  if (problems.length > 0) return { problems }
  return interpret(texts as TlsTexts, paths)
}

function readText(path: string): string {
  const bytes = readFileSync(path)
  if (bytes.length > fileLimitBytes) throw Object.assign(new Error('too large'), { code: 'EFBIG' })
  return bytes.toString('latin1')
}

const ofFile = (name: keyof TlsPaths, path: string | undefined, { zh, en }: Sentence): Sentence => ({
  zh: `${settingOf[name]} 的文件 ${path} ${zh}`,
  en: `The file ${path} of ${settingOf[name]} ${en}`,
})

function unreadable(error: unknown): Sentence {
  const { code, message } = error as NodeJS.ErrnoException
  const known: Record<string, Sentence> = {
    ENOENT: { zh: '不存在', en: 'does not exist' },
    ENOTDIR: { zh: '不存在', en: 'does not exist' },
    EISDIR: { zh: '是目录，不是文件', en: 'is a directory and no file' },
    EACCES: { zh: '没有权限读取', en: 'may not be read' },
    EFBIG: { zh: '过大，不是证书文件', en: 'is too large to be one of certificates' },
  }
  return known[code ?? ''] ?? { zh: `无法读取（${message}）`, en: `cannot be read (${message})` }
}

function interpret(texts: TlsTexts, paths: TlsPaths): TlsMaterial | { problems: Sentence[] } {
  const problems: Sentence[] = []
  /** Returns undefined where it cannot be read, and says so. */
  const attempt = <T>(name: keyof TlsPaths, what: Sentence, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      const detail = error instanceof UnfitError ? error.sentence : what
      problems.push(ofFile(name, paths[name], detail))
      return undefined
    }
  }
  const certificate = attempt('cert', noCertificate, () => {
    const [first = ''] = blocksOf(texts.cert, 'CERTIFICATE')
    return new X509Certificate(first)
  })
  const privateKey = attempt('key', noKey, () => {
    try {
      return createPrivateKey(texts.key ?? '')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MISSING_PASSPHRASE') throw error
      throw new UnfitError({
        zh: '设有口令：请提供没有口令的私钥，并只允许运行本服务的用户读取',
        en: 'has a passphrase: give a key without one, which the user that runs the server alone may read',
      })
    }
  })
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey)) {
    problems.push({
      zh: `TLS_KEY 的私钥与 TLS_CERT 的证书不匹配（${paths.key}，${paths.cert}）`,
      en: `The key of TLS_KEY does not go with the certificate of TLS_CERT (${paths.key}, ${paths.cert})`,
    })
  }
  const ca = texts.clientCa === undefined ? undefined : blocksOf(texts.clientCa, 'CERTIFICATE')
  attempt('clientCa', noCertificate, () => {
    if (ca === undefined) return
    if (ca.length === 0) throw new UnfitError(noCertificate)
    const isAuthority = ca.map((pem) => new X509Certificate(pem)).every((one) => one.ca)
    if (!isAuthority)
      throw new UnfitError({
        zh: '含有不是 CA 的证书：这里应是签发设备证书的 CA',
        en: 'has a certificate that is no CA: it has to be the CA that signs the certificates of devices',
      })
  })
  const crl = texts.clientCrl === undefined ? undefined : blocksOf(texts.clientCrl, 'X509 CRL')
  const revocations = attempt('clientCrl', noList, () => {
    if (crl === undefined) return null
    if (crl.length === 0) throw new Error('no list')
    return crl.map(readRevocations)
  })
  if (problems.length > 0 || !certificate) return { problems }

  const server: SecureContextOptions = { ...common, cert: texts.cert, key: texts.key }
  const device = ca === undefined ? server : { ...server, ca, ...(crl === undefined ? {} : { crl }) }
  try {
    createSecureContext(device)
  } catch (error) {
    const { message } = error as Error
    return {
      problems: [
        {
          zh: `TLS_CERT 的证书 ${paths.cert} 无法使用：${message}`,
          en: `The certificate ${paths.cert} of TLS_CERT cannot be used: ${message}`,
        },
      ],
    }
  }
  const nextLists = revocations?.flatMap(({ nextMs }) => nextMs ?? []) ?? []
  return {
    texts,
    server,
    device,
    hasClientCa: ca !== undefined,
    certificate,
    revoked: revocations ? new Set(revocations.flatMap(({ serials }) => serials)) : null,
    nextListMs: nextLists.length > 0 ? Math.min(...nextLists) : null,
  }
}

const noCertificate: Sentence = { zh: '不是 PEM 格式的证书', en: 'is no certificate in PEM' }
const noKey: Sentence = { zh: '不是 PEM 格式的私钥', en: 'is no private key in PEM' }
const noList: Sentence = {
  zh: '不是 PEM 格式的证书吊销列表（CRL）',
  en: 'is no list of revoked certificates (CRL) in PEM',
}

class UnfitError extends Error {
  readonly sentence: Sentence

  constructor(sentence: Sentence) {
    super(sentence.en)
    this.sentence = sentence
  }
}

/** The PEM blocks of a kind, each by itself: Node takes one list of revoked certificates a string. */
function blocksOf(text: string | undefined, kind: string): string[] {
  const pattern = new RegExp(`-----BEGIN ${kind}-----[\\s\\S]*?-----END ${kind}-----`, 'g')
  return [...(text ?? '').matchAll(pattern)].map(([block]) => block)
}
