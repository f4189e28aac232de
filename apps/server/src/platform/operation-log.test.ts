import { expect, test } from 'vitest'
import { asRecorded } from './operation-log.ts'

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
