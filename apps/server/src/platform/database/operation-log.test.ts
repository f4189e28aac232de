import { expect, test } from 'vitest'
import { asRecorded, shownDevices, shownInput } from './operation-log.ts'

test('fields with the name of a secret are left out, at every depth', () => {
  expect(
    asRecorded({
      before: { name: '甲', passwordHash: 'x', rows: [{ secret: 'y', code: 1 }] },
      after: { name: '乙', newPassword: 'x', accessToken: 'z', mustChangePassword: true, 密钥: 'w' },
    }),
  ).toEqual({
    before: { name: '甲', rows: [{ code: 1 }] },
    after: { name: '乙', mustChangePassword: true },
  })
})

test('a time is recorded in the display format', () => {
  expect(asRecorded({ after: { upgradeTime: new Date(2026, 10, 23, 9, 8, 40) } })).toEqual({
    after: { upgradeTime: '2026-11-23 09:08:40' },
  })
})

test('codes of devices are shown by their number, and a choice of all devices says so', () => {
  expect(shownDevices({ codes: ['A1', 'B2'] })).toEqual({ count: 2 })
  expect(shownDevices({ codes: ['A1', 'C3', 'D4'] }, { codes: ['A1', 'B2'] })).toEqual({
    count: 3,
    added: 2,
    removed: 1,
  })
  expect(shownDevices({ filters: { isOnline: 1 }, codes: ['A1'] })).toEqual({ isOnline: 1, count: 1 })
  expect(shownDevices({ filters: { isOnline: 1 } })).toEqual({ isOnline: 1 })
  expect(shownDevices({ filters: {} })).toEqual({ filters: '全部' })
})

test('an input with several codes, as a list or as pasted text, is shown with their number', () => {
  expect(shownInput({ code: ['A1', 'B2'], isOnline: 1 })).toEqual({ codes: '2 个', isOnline: 1 })
  expect(shownInput({ code: 'A1\nB2；C3' })).toEqual({ codes: '3 个' })
  expect(shownInput({ codes: ['A1', 'B2'] })).toEqual({ codes: '2 个' })
  expect(shownInput({ code: 'manager' })).toEqual({ code: 'manager' })
})
