import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from './app.ts'
import { type Authority, createAuthority, type Pair, skipsTls } from './certificates.ts'
import { createAppBehindProxy, testDevicesBehind } from './devices-behind-proxy.ts'
import { eventually } from './eventually.ts'
import { example, freePort, isOpen } from './proxy-examples.ts'

const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so'
const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0 && existsSync(streamModule)
if (!hasNginx && process.env.CI !== 'true') console.warn('没有安装 nginx 及其 stream 模块，跳过代理的测试')
const skips = skipsTls || (!hasNginx && process.env.CI !== 'true')

describe.skipIf(skips)('behind nginx as docs/operating.md has it', () => {
  let directory: string
  let authority: Authority
  let own: Pair
  let app: TestApp
  let nginx: ChildProcess
  const ports = { https: 0, ending: 0, passing: 0 }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-proxies-'))
    authority = createAuthority(join(directory, 'ca'))
    own = authority.issue('of-voltkeep')
    const ofProxy = authority.issue('of-nginx')
    copyFileSync(ofProxy.cert, join(directory, 'fullchain.pem'))
    copyFileSync(ofProxy.key, join(directory, 'privkey.pem'))
    app = await createAppBehindProxy(own, authority)
    for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort()
    const placed = (text: string) => text.replaceAll('/etc/voltkeep/tls', directory)
    const stream = placed(example('nginx', 'stream {'))
      .replace('listen 8883 ssl;', `listen 127.0.0.1:${ports.ending} ssl;`)
      .replace('127.0.0.1:1883', `127.0.0.1:${app.ports.mqttPort}`)
      .replace('listen 8884;', `listen 127.0.0.1:${ports.passing};`)
      .replace('127.0.0.1:8883', `127.0.0.1:${app.ports.mqttTlsPort}`)
    // Voltkeep speaks TLS itself here; for a plain one the address begins with http.
    const http = placed(example('nginx', 'listen 443 ssl'))
      .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`)
      .replace('http://127.0.0.1:8080', app.url)
    const path = join(directory, 'nginx.conf')
    writeFileSync(
      path,
      `load_module ${streamModule}; ${process.getuid?.() === 0 ? 'user root;' : ''} daemon off;
       pid ${directory}/pid; error_log ${directory}/error.log; events {}
       ${stream}
       http { access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory};
       fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory}; ${http} }`,
    )
    nginx = spawn('nginx', ['-p', directory, '-c', path], { env, stdio: 'ignore' })
    await eventually(async () => expect(await isOpen(ports.ending)).toBe(true))
  })
  afterAll(async () => {
    if (nginx) {
      nginx.kill('SIGQUIT')
      if (nginx.exitCode === null) await new Promise((resolve) => nginx.once('exit', resolve))
    }
    await app?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  testDevicesBehind('nginx', { subject: 'of-nginx', own: 'of-voltkeep' }, () => ({ app, authority, ports }))

  test('pages and API are served over HTTPS, with HSTS', async () => {
    const options = {
      port: ports.https,
      host: '127.0.0.1',
      path: '/api/ready',
      ca: readFileSync(authority.cert),
    }
    const { statusCode, headers } = await new Promise<{
      statusCode?: number | undefined
      headers: NodeJS.Dict<string | string[]>
    }>((resolve, reject) => {
      get({ ...options, agent: false }, (response) => resolve(response.resume())).on('error', reject)
    })
    expect([statusCode, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  })
})
