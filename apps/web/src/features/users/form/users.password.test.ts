import { Password } from '@voltkeep/contract/session'
import { expect, it } from 'vitest'
import { safeParse } from 'zod/mini'
import { presetPassword } from './users.password.ts'

// proves: rule password on add
it('a new user’s preset password follows the password rule and is different each time', () => {
  const made = Array.from({ length: 500 }, presetPassword)
  expect(new Set(made).size).toBe(500)
  for (const password of made) {
    expect(safeParse(Password, password).success).toBe(true)
    expect(password).toMatch(/^[a-km-np-zA-HJ-NP-Z2-9]{12}$/)
  }
})
