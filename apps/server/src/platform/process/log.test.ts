import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog, type Log } from './log.ts'

describe('the log', () => {
  let directory: string
  let shown: string[]
  let log: Log

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-log-'))
    shown = []
    log = createLog({ level: 'info', directory, console: { write: (line) => shown.push(line) } })
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const written = () => readFileSync(join(directory, 'voltkeep.log'), 'utf8').trim().split('\n')

  test('is text on the console and JSON in the file', () => {
    log.info({ applied: ['0001'], durationMs: 12 }, '数据库已升级')
    expect(shown[0]).toMatch(/^\d\d:\d\d:\d\d INFO {2}数据库已升级 applied=\["0001"\] durationMs=12\n$/)
    expect(JSON.parse(written()[0] ?? '')).toMatchObject({
      level: 'info',
      durationMs: 12,
      msg: '数据库已升级',
    })
  })

  test('shows an error with its stack', () => {
    log.error({ err: new Error('broken') }, '失败')
    expect(shown[0]).toContain('Error: broken\n    at ')
    expect(JSON.parse(written()[0] ?? '').err.message).toBe('broken')
  })

  test('cannot be forged: input adds no lines and hides no characters', () => {
    log.info({ name: 'a\r\n12:00:00 INFO 伪造\u202e\u200b' }, 'x\ny')
    expect(shown).toEqual([
      expect.stringMatching(/INFO {2}x\\u000ay name=a\\u000d\\u000a12:00:00 INFO 伪造\\u202e\\u200b\n$/),
    ])
  })

  test('contains no secrets, also in nested fields', () => {
    log.info({ password: 'hidden', user: { token: 'hidden', name: '张三' } }, '登录')
    for (const text of [...shown, ...written()]) {
      expect(text).not.toContain('hidden')
      expect(text).toContain('张三')
    }
  })

  test('can be changed in level while the server runs', () => {
    log.debug('not yet')
    log.level = 'debug'
    log.debug('now')
    expect(shown).toHaveLength(1)
    expect(shown[0]).toContain('now')
  })

  test('rotates its file at ten megabytes and keeps five old ones', () => {
    const line = 'x'.repeat(1_000_000)
    for (let n = 0; n < 80; n += 1) log.info(line)
    const files = readdirSync(directory).sort()
    expect(files).toEqual([
      'voltkeep.1.log',
      'voltkeep.2.log',
      'voltkeep.3.log',
      'voltkeep.4.log',
      'voltkeep.5.log',
      'voltkeep.log',
    ])
    for (const name of files) expect(statSync(join(directory, name)).size).toBeLessThan(12_000_000)
  })

  test('survives the removal of its directory, and creates a file again at the next rotation', () => {
    rmSync(directory, { recursive: true })
    // A directory cannot be created where a file exists.
    writeFileSync(directory, '')
    const line = 'x'.repeat(1_000_000)
    for (let n = 0; n < 15; n += 1) log.info(line)
    rmSync(directory)
    log.info('there again')
    expect(written()).toHaveLength(1)
    expect(shown).toHaveLength(16)
  })

  test('has times in the time zone, with the offset', () => {
    vi.stubEnv('TZ', 'Asia/Shanghai')
    try {
      log.info('now')
    } finally {
      vi.unstubAllEnvs()
    }
    const { time } = JSON.parse(written()[0] ?? '') as { time: string }
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+08:00$/)
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000)
  })

  test('continues the file of the run before', () => {
    log.info('one')
    createLog({ level: 'info', directory, console: { write: () => true } }).info('two')
    expect(written()).toHaveLength(2)
    truncateSync(join(directory, 'voltkeep.log'))
    log.info('three')
    expect(written()).toHaveLength(1)
  })
})
