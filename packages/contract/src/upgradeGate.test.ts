import { expect, test } from 'vitest'
import { describeGate } from './upgradeGate.ts'
import type { UpgradeGateFigures } from './upgrades.ts'

const gate: UpgradeGateFigures = {
  time: '2026-11-22 10:00:00',
  verified: 50,
  alarmed: 9,
  allowed: 2,
  passes: false,
  code: null,
  alarmLevels: [1, 2],
  windowHours: 0.5,
  expectedPercent: 1.234,
  beforePercent: 1.234,
  controlPercent: 0,
  alarms: [{ code: 'E21', name: '水浸告警', level: 1, devices: 9 }],
  devices: [],
}

test('the text names the compared figures and the allowed number', () => {
  expect(describeGate(gate)).toBe(
    '观察已升级的 50 台，其中 9 台出现新告警（紧急、重要）；同样 30 分钟内这些设备升级前为 1.2%，未升级的设备同期为 0%，最多允许 2 台',
  )
})

test('an alarm that decides alone is named, and without a control group there is no comparison with it', () => {
  expect(describeGate({ ...gate, code: 'E21', controlPercent: null, allowed: 0, windowHours: 2 })).toBe(
    '观察已升级的 50 台，其中 9 台出现新告警“水浸告警”；同样 2 小时内这些设备升级前为 1.2%，不应有设备出现',
  )
})

test('without new alarms nothing is compared', () => {
  expect(describeGate({ ...gate, alarmed: 0, alarms: [] })).toBe(
    '观察已升级的 50 台，没有新告警（紧急、重要）',
  )
})
