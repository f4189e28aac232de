import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServerProcess } from './server-process.ts'

const entry = join(import.meta.dirname, '../src/main.ts')

/** Runs the server until it exits by itself. */
async function run(
  environment: NodeJS.ProcessEnv,
  args: string[] = [],
): Promise<{ code: number; lines: string[] }> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, HOST: '127.0.0.1', HTTP_PORT: '0', MQTT_PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString()
  })
  const [code] = await once(child, 'close')
  return { code, lines: errors.trim().split('\n') }
}

describe('a start that cannot succeed exits with code 1 and one line that says what to do', () => {
  let dataDir: string
  let occupied: Server
  let port: string

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-start-'))
    occupied = createServer().listen(0, '127.0.0.1')
    await once(occupied, 'listening')
    port = String((occupied.address() as { port: number }).port)
  })
  afterAll(() => {
    occupied.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('with an invalid setting', async () => {
    const { code, lines } = await run({ DATA_DIR: dataDir, HTTP_PORT: 'eighty' })
    expect(code).toBe(1)
    expect(lines).toEqual(['启动失败：环境变量 HTTP_PORT 的值 "eighty" 无效：应为端口号（网页和接口的端口）'])
  })

  test('with a data directory that cannot be created or written', async () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    for (const [place, problem] of [
      [file, '是文件，不是目录'],
      [join(file, 'below'), `的上级 ${file} 是文件，不是目录`],
      ['/proc/voltkeep', '不可写（ENOENT）'],
    ]) {
      const { code, lines } = await run({ DATA_DIR: place })
      expect(code).toBe(1)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(`数据目录 ${place} ${problem}`)
    }
  })

  test('with a database that does not answer', async () => {
    const { code, lines } = await run({
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgresql://me:hidden@127.0.0.1:1/shop',
    })
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('无法连接数据库 127.0.0.1:1/shop')
  })

  test.each([
    ['HTTP_PORT', 'api'],
    ['MQTT_PORT', 'ingest'],
    ['METRICS_PORT', 'api'],
  ])('where %s is in use', async (name, roles) => {
    const { code, lines } = await run({ DATA_DIR: dataDir, ROLES: roles, [name]: port })
    expect(code).toBe(1)
    expect(lines.filter((line) => line.startsWith('启动失败'))).toEqual([
      `启动失败：端口 ${port} 已被占用：请停止占用它的程序，或用 ${name} 指定另一个端口。`,
    ])
  })
  test('with a HOST that is no address of this machine', async () => {
    const { code, lines } = await run({ DATA_DIR: dataDir, ROLES: 'api', HOST: 'no-such-host.invalid' })
    expect(code).toBe(1)
    expect(lines).toEqual(['启动失败：本机没有地址 no-such-host.invalid：请检查 HOST。'])
  })

  test('and does not lose the first password: the first successful start shows one, and only that', async () => {
    const keptDataDir = join(dataDir, 'first')
    const startIt = (environment: NodeJS.ProcessEnv) =>
      startServerProcess({ keptDataDir, environment: { ADMIN_PASSWORD: '', ...environment } })
    await expect(startIt({ HTTP_PORT: port })).rejects.toThrow(`端口 ${port} 已被占用`)
    const server = await startIt({})
    try {
      await server.stop()
      await server.start()
      expect(server.output.match(/首次登录：登录名 admin，密码 \w{16}（/g)).toHaveLength(1)
    } finally {
      await server.remove()
    }
  })

  test('with an unknown argument', async () => {
    const { code, lines } = await run({ DATA_DIR: dataDir }, ['--verbose'])
    expect(code).toBe(1)
    expect(lines).toEqual([
      '启动失败：启动参数 --verbose 无效：可用的参数有 --reset-admin（重置管理员密码）、--backup 文件（备份）、--verify-backup 文件（检查备份）、--restore 文件（恢复）、--diagnose（写诊断文件）、--version（版本）。',
    ])
  })

  test('in English on a machine whose language is another one than Chinese', async () => {
    const english = { DATA_DIR: dataDir, LC_ALL: 'en_US.UTF-8' }
    for (const [environment, args, line] of [
      [
        { HTTP_PORT: 'eighty' },
        [],
        'The value "eighty" of HTTP_PORT is not valid: it has to be a port number',
      ],
      [{ MQTT_TLS_ONLY: 'true' }, [], 'MQTT_TLS_ONLY=true needs TLS_CERT and TLS_KEY'],
      [{ DATA_DIR: '/proc/voltkeep' }, [], 'DATA_DIR /proc/voltkeep cannot be written (ENOENT)'],
      [
        { DATABASE_URL: 'postgresql://me:hidden@127.0.0.1:1/shop' },
        [],
        'The database 127.0.0.1:1/shop cannot be reached',
      ],
      [{}, ['--verbose'], 'The argument --verbose is not valid. There are --reset-admin'],
    ] as const) {
      const { code, lines } = await run({ ...english, ...environment }, [...args])
      expect(code).toBe(1)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(`The start has failed. ${line}`)
    }
  })

  test('and one that succeeds greets and logs in that language too', async () => {
    const server = await startServerProcess({
      environment: { ADMIN_PASSWORD: '', LC_ALL: 'en_US.UTF-8', LOG_LEVEL: 'debug' },
    })
    try {
      expect(server.output).toContain('INFO  the database has been upgraded')
      await server.stop()
      expect(server.output).toContain('INFO  stopped')
      expect(server.output).toMatch(/First sign-in: user admin, password \w{16} /)
      expect(server.output).not.toMatch(/\p{Script=Han}/u)
    } finally {
      await server.remove()
    }
  })
})
