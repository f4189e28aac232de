import { expect, test } from 'vitest'
import { connectionBudget, openFilesLimit } from './open-files.ts'

const asked = { http: 4_000, devices: undefined, database: 20 }

test('devices get what the database, HTTP and other files leave of the limit', () => {
  expect(connectionBudget(asked, 20_000)).toEqual({ http: 4_000, devices: 15_780 })
  expect(connectionBudget({ ...asked, devices: 10_000 }, 20_000).devices).toBe(10_000)
  expect(connectionBudget({ ...asked, devices: 90_000 }, 20_000).devices).toBe(15_780)
})

test('with a low limit, HTTP takes at most a quarter', () => {
  expect(connectionBudget(asked, 1_024)).toEqual({ http: 256, devices: 548 })
})

test('the limit of this process is known on Linux', () => {
  const limit = openFilesLimit()
  if (process.platform === 'linux') expect(limit === null || limit > 0).toBe(true)
  else expect(limit).toBeNull()
})
