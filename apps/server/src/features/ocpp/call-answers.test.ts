import { expect, test, vi } from 'vitest'
import type { Db } from '../../platform/database/database.ts'
import type { StationLine } from '../../platform/devices/ocpp/line.ts'
import type { Device } from '../intake/index.ts'
import { type AnswerNeeds, createAnswers } from './call-answers.ts'
import { newSession } from './session.ts'

test('samples of one time are one report, and each report behind the first counts as a message', async () => {
  const enter = vi.fn<AnswerNeeds['lines']['enter']>(async () => 'acknowledged')
  const received = vi.fn(() => 0)
  const answer = createAnswers({
    db: {} as Db,
    lines: { enter, received, write: vi.fn(), unreadable() {}, heard() {}, reply() {}, now: () => 0 },
    codes: { alarmOf: () => ({ semaphoreCode: 'X', value: null, isKnown: true }) },
    authorizes: false,
    booted() {},
  })
  const session = newSession({ id: 7, code: 'CP7' } as Device, '10.0.0.1', {} as StationLine)
  const times = ['2026-11-28T08:00:00Z', '2026-11-28T08:00:00Z', '2026-11-28T08:01:00Z', undefined, 'soon']
  const meterValue = times.map((timestamp, n) => ({
    timestamp,
    sampledValue: [{ value: String(n), measurand: 'SoC' }],
  }))
  const payload = { connectorId: 1, meterValue }
  await answer(session, { id: '1', action: 'MeterValues', payload, bytes: Buffer.alloc(0) })
  const reports = enter.mock.calls[0]?.[2].reports.map(({ payload }) => payload)
  expect(reports).toMatchObject([
    { time: Date.parse('2026-11-28T08:00:00Z'), status: { '1.SoC': 1 } },
    { time: Date.parse('2026-11-28T08:01:00Z'), status: { '1.SoC': 2 } },
    { time: 0, status: { '1.SoC': 4 } },
  ])
  expect(received.mock.calls).toEqual([
    [session.identity, 0],
    [session.identity, 0],
  ])
})
