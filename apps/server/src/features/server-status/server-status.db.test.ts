import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { createWarnings } from '../../platform/process/warnings.ts'
import { createServerStatus } from './server-status.service.ts'

const database = await databaseOfTests()

async function infoOf(metrics: Registry, warnings = createWarnings()) {
  const status = createServerStatus({
    db: database.db,
    metrics,
    warnings,
    pingBroker: null,
    readReadings: () => Promise.reject(new Error('the database is away')),
    readBackup: async () => undefined,
    version: '1',
    config: {
      dataDir: '.',
      roles: new Set(['api']),
      zone: 'UTC',
      databaseUrl: database.url,
      mqttUrl: undefined,
      streamsPerUser: 20,
      exportsPerUser: 2,
      uploadsPerUser: 3,
      historyRowsPerDay: 0,
    },
  })
  const info = await status.readServerInfo()
  status.close()
  return info
}
const brokerOf = async (metrics: Registry) => (await infoOf(metrics)).broker

test('messages that a defect keeps from being written are reported by kind, the most frequent first', async () => {
  const metrics = new Registry()
  const unwritten = new Counter({
    name: 'voltkeep_intake_unwritten_messages_total',
    help: 'As the intake counts them',
    labelNames: ['topic'],
    registers: [metrics],
  })
  unwritten.inc({ topic: 'event' }, 2)
  unwritten.inc({ topic: 'alarm' }, 5)
  unwritten.inc({ topic: 'reply' }, 0)
  expect((await brokerOf(metrics)).unwritten).toEqual([
    { topic: 'alarm', name: '告警上报与恢复', count: 5 },
    { topic: 'event', name: '事件上报', count: 2 },
  ])
})

test('what the history of readings takes is not known while the database is away', async () => {
  expect((await infoOf(new Registry())).readings).toBeNull()
})

test('a process without ingest reports none', async () => {
  expect((await brokerOf(new Registry())).unwritten).toBeNull()
})

test('warnings of the parts are shown while they last, one per line', async () => {
  const warnings = createWarnings()
  let isFull = true
  warnings.add(() => (isFull ? { zh: '磁盘将满', en: 'nearly full' } : null))
  warnings.add(() => [
    { zh: '证书即将过期', en: 'expires soon' },
    { zh: '密码会以明文传输', en: 'not encrypted' },
  ])
  expect((await infoOf(new Registry(), warnings)).warnings).toEqual([
    '磁盘将满',
    '证书即将过期',
    '密码会以明文传输',
  ])
  isFull = false
  expect((await infoOf(new Registry(), warnings)).warnings).toHaveLength(2)
})
