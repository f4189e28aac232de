import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { TestApp } from './app.ts'
import { type Authority, createAuthority, skipsTls } from './certificates.ts'
import { createAppBehindProxy, testDevicesBehind } from './devices-behind-proxy.ts'
import { eventually } from './eventually.ts'
import { example, freePort, isOpen } from './proxy-examples.ts'

const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
const hasHaproxy = spawnSync('haproxy', ['-v'], { env }).status === 0
if (!hasHaproxy && process.env.CI !== 'true') console.warn('没有安装 haproxy，跳过它的测试')
const skips = skipsTls || (!hasHaproxy && process.env.CI !== 'true')

describe.skipIf(skips)('behind HAProxy as docs/operating.md has it', () => {
  let directory: string
  let authority: Authority
  let app: TestApp
  let haproxy: ChildProcess
  let output = ''
  const ports = { ending: 0, passing: 0 }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-haproxy-'))
    authority = createAuthority(join(directory, 'ca'))
    const own = authority.issue('of-voltkeep')
    const ofProxy = authority.issue('of-haproxy')
    writeFileSync(
      join(directory, 'haproxy.pem'),
      Buffer.concat([readFileSync(ofProxy.cert), readFileSync(ofProxy.key)]),
    )
    app = await createAppBehindProxy(own, authority)
    for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort()
    const path = join(directory, 'haproxy.cfg')
    writeFileSync(
      path,
      example('haproxy', 'send-proxy-v2')
        .replaceAll('/etc/voltkeep/tls', directory)
        .replace('bind :8883 ', `bind 127.0.0.1:${ports.ending} `)
        .replace('127.0.0.1:1883', `127.0.0.1:${app.ports.mqttPort}`)
        .replace('bind :8884', `bind 127.0.0.1:${ports.passing}`)
        .replace('127.0.0.1:8883', `127.0.0.1:${app.ports.mqttTlsPort}`),
    )
    haproxy = spawn('haproxy', ['-db', '-f', path], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    haproxy.stderr?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
    await eventually(async () =>
      expect([await isOpen(ports.ending), output]).toEqual([true, expect.any(String)]),
    )
  })
  afterAll(async () => {
    if (haproxy && haproxy.exitCode === null) {
      // SIGTERM closes connections at once; SIGUSR1 would wait for them.
      haproxy.kill('SIGTERM')
      await once(haproxy, 'exit')
    }
    await app?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  testDevicesBehind('HAProxy', { subject: 'of-haproxy', own: 'of-voltkeep' }, () => ({
    app,
    authority,
    ports,
  }))
})
