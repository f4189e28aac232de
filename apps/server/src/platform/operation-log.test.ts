import { expect, test } from 'vitest'
import { withoutSecrets } from './operation-log.ts'

test('fields that are called like a secret are left out, at every depth', () => {
  const at = new Date(0)
  expect(
    withoutSecrets({
      before: { name: '甲', passwordHash: 'x', rows: [{ secret: 'y', code: 1 }] },
      after: { name: '乙', newPassword: 'x', at, accessToken: 'z', mustChangePassword: true, 密钥: 'w' },
    }),
  ).toEqual({
    before: { name: '甲', rows: [{ code: 1 }] },
    after: { name: '乙', at, mustChangePassword: true },
  })
})
