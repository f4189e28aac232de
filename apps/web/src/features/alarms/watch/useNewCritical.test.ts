// @vitest-environment happy-dom
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { beforeEach, expect, test } from 'vitest'
import { serveAsHost } from '../../../../test/host.ts'
import { until } from '../../../../test/page.tsx'
import { createWatch } from './useNewCritical.ts'

const row = (id: string, occurrenceTime: string) => ({ id, occurrenceTime }) as AlarmRow
const old = row('1', '2026-11-01 09:00:00')
let rows: AlarmRow[] = []
let reads = 0
const told: string[] = []

beforeEach(async () => {
  rows = [old]
  reads = 0
  told.length = 0
  await serveAsHost((_request, response) => {
    reads += 1
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: 200, message: '', data: rows, total: rows.length }))
  })
})
const watching = () => createWatch((alarms) => told.push(...alarms.map(({ id }) => id)))

test('what was active when the page was opened is no news; what came during a break is', async () => {
  const watch = watching()
  watch.missed(0)
  await until(() => expect(reads).toBe(1))
  rows = [row('3', '2026-11-01 10:00:00'), row('2', '2026-11-01 08:00:00'), old]
  watch.missed(0)
  await until(() => expect(told).toEqual(['3']))
  watch.stop()
})

test('alarms that the stream names in a burst are read together, and told once', async () => {
  const watch = watching()
  rows = [row('5', '2026-11-01 10:00:01'), row('4', '2026-11-01 10:00:00')]
  watch.named(['4'])
  watch.named(['5'])
  await until(() => expect(told).toEqual(['5', '4']))
  expect(reads).toBe(1)
  watch.named(['5'])
  await until(() => expect(reads).toBe(2))
  rows = [row('6', '2026-11-01 10:00:02')]
  watch.named(['6'])
  await until(() => expect(told).toEqual(['5', '4', '6']))
  watch.stop()
})
