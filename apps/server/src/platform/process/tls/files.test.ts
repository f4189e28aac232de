import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Authority, createAuthority, type Pair, skipsTls } from '../../../../test/certificates.ts'
import { readConfig } from '../config.ts'
import { readTls, type TlsMaterial } from './files.ts'
import { checkTls, lifetimeLines } from './tls.ts'

describe.skipIf(skipsTls)('the files of TLS', () => {
  let directory: string
  let authority: Authority
  let pair: Pair
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-tls-'))
    authority = createAuthority(directory)
    pair = authority.issue('localhost')
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const file = (text: string) => {
    const path = join(directory, 'some.pem')
    writeFileSync(path, text)
    return path
  }
  function problemsOf(environment: NodeJS.ProcessEnv): string[] {
    try {
      checkTls(readConfig(environment))
      return []
    } catch (error) {
      return (error as Error).message.split('\n')
    }
  }
  const withPair = (more: NodeJS.ProcessEnv = {}) => ({ TLS_CERT: pair.cert, TLS_KEY: pair.key, ...more })
  const read = (clientCrl?: string) =>
    readTls({ ...pair, clientCa: authority.cert, clientCrl }) as TlsMaterial

  test('are accepted if they match', () => {
    expect(problemsOf(withPair())).toEqual([])
    expect(problemsOf(withPair({ MQTT_CLIENT_CA: authority.cert }))).toEqual([])
  })

  test('are refused at the start, with a line for each problem', () => {
    const other = authority.issue('other')
    const none = join(directory, 'none.pem')
    expect(problemsOf({ TLS_CERT: pair.cert })).toEqual(['TLS_CERT 和 TLS_KEY 必须同时设置'])
    expect(problemsOf({ TLS_CERT: none, TLS_KEY: directory })).toEqual([
      `TLS_CERT 的文件 ${none} 不存在`,
      `TLS_KEY 的文件 ${directory} 是目录，不是文件`,
    ])
    expect(problemsOf(withPair({ TLS_KEY: other.key }))[0]).toMatch(/^TLS_KEY 的私钥与 TLS_CERT 的证书不匹配/)
    expect(problemsOf(withPair({ TLS_CERT: file('no certificate') }))[0]).toMatch(/不是 PEM 格式的证书$/)
    expect(problemsOf(withPair({ TLS_KEY: file('no key') }))[0]).toMatch(/不是 PEM 格式的私钥$/)
    expect(problemsOf(withPair({ MQTT_CLIENT_CA: pair.cert }))[0]).toContain('含有不是 CA 的证书')
    expect(problemsOf(withPair({ MQTT_CLIENT_CA: authority.cert, MQTT_CLIENT_CRL: pair.cert }))[0]).toMatch(
      /不是 PEM 格式的证书吊销列表（CRL）$/,
    )
  })

  test('are required by settings that depend on them', () => {
    expect(problemsOf({ MQTT_TLS_ONLY: 'true', MQTT_CLIENT_CA: 'x', MQTT_PROXY_PROTOCOL: 'true' })).toEqual([
      'MQTT_TLS_ONLY 为 true 时，必须设置 TLS_CERT 和 TLS_KEY',
      '设置了 MQTT_CLIENT_CA 时，必须设置 TLS_CERT 和 TLS_KEY',
      'MQTT_PROXY_PROTOCOL 为 true 时，必须用 TRUSTED_PROXIES 说明代理的地址',
    ])
    expect(problemsOf({ MQTT_CLIENT_CRL: 'x' })).toEqual([
      '设置了 MQTT_CLIENT_CRL 时，必须设置 MQTT_CLIENT_CA',
    ])
  })

  test('a certificate that has expired or expires soon is accepted with a warning', () => {
    const linesAfter = (days: readonly [number, number]) =>
      lifetimeLines(
        readTls({
          ...authority.issue('localhost', { days }),
          clientCa: undefined,
          clientCrl: undefined,
        }) as TlsMaterial,
        Date.now(),
      )
    expect(linesAfter([-1, 15])).toEqual([])
    expect(linesAfter([-1, 13])[0]?.zh).toMatch(/^TLS 证书将于 \d{4}-\d\d-\d\d 过期（剩余 12 天）/)
    expect(linesAfter([-9, -1])[0]?.zh).toMatch(/^TLS 证书已于 \d{4}-\d\d-\d\d 过期/)
    expect(linesAfter([1, 90])[0]?.zh).toMatch(/起才有效/)
  })

  test('a revocation list names its certificates, with a warning before it expires', () => {
    const [first, second] = [authority.issue('A', { use: 'client' }), authority.issue('B', { use: 'client' })]
    expect(read(authority.revocations()).revoked).toEqual(new Set())
    authority.revoke(first)
    const material = read(authority.revocations())
    const serialOf = (of: Pair) => {
      const { certificate } = readTls({ ...of, clientCa: undefined, clientCrl: undefined }) as TlsMaterial
      return BigInt(`0x${certificate.serialNumber}`)
    }
    expect([...(material.revoked ?? [])]).toEqual([serialOf(first)])
    expect(material.revoked?.has(serialOf(second))).toBe(false)
    expect(lifetimeLines(material, Date.now())).toEqual([])
    expect(lifetimeLines(read(authority.revocations(2)), Date.now())[0]?.zh).toContain('将于')
    expect(lifetimeLines(read(authority.revocations(-1)), Date.now())[0]?.zh).toContain('已于')
  })
})
