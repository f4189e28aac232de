import { Password } from '@voltkeep/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { verifyPassword } from '../../domain/access/accounts/passwords.ts'
import {
  ensureAdministrator,
  type FirstSignIn,
  findSignIn,
  makeFirstSignIn,
  resetAdministrator,
} from './index.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase({ isSeeded: true })
})
afterEach(() => database.close())

const administrator = () =>
  database.db
    .selectFrom('app_user')
    .innerJoin('user_role', 'user_role.user_id', 'app_user.id')
    .innerJoin('role', 'role.id', 'user_role.role_id')
    .select([
      'app_user.id',
      'login_name as loginName',
      'organization_id as organizationId',
      'password_hash as passwordHash',
      'must_change_password as mustChangePassword',
      'role.id as roleId',
      'role.code as roleCode',
    ])
    .executeTakeFirstOrThrow()

/** What a start without ADMIN_PASSWORD prints. */
async function firstSignIn(): Promise<FirstSignIn | undefined> {
  let shown: FirstSignIn | undefined
  await makeFirstSignIn(database.db, (first) => {
    shown = first
  })
  return shown
}

const signInOnce = () =>
  database.db
    .insertInto('user_session')
    .values({ token_hash: Buffer.from('x'), user_id: 1, expires_at: '2099-01-01', address: '127.0.0.1' })
    .execute()

describe('the first start', () => {
  test('creates user 1 with role 1 and a random password that must be changed, printed once', async () => {
    const made = await firstSignIn()
    expect(made?.loginName).toBe('admin')
    expect(z.safeParse(Password, made?.password).success).toBe(true)
    const { passwordHash, ...rest } = await administrator()
    expect(rest).toEqual({
      id: 1,
      loginName: 'admin',
      organizationId: 1,
      mustChangePassword: true,
      roleId: 1,
      roleCode: 'SYSTEM',
    })
    expect(passwordHash).toMatch(/^\$argon2id\$/)
    expect(await verifyPassword(passwordHash, made?.password ?? '')).toBe(true)
    expect(await firstSignIn()).toBeUndefined()
  })

  test('that ended before it printed the password creates another one next time', async () => {
    const lost = makeFirstSignIn(database.db, () => {
      throw new Error('the console is gone')
    })
    await expect(lost).rejects.toThrow('the console is gone')
    const made = await firstSignIn()
    expect(await verifyPassword((await administrator()).passwordHash, made?.password ?? '')).toBe(true)
  })

  test('uses ADMIN_PASSWORD, prints nothing and requires no change', async () => {
    await ensureAdministrator(database.db, 'Chosen-1234')
    expect(await firstSignIn()).toBeUndefined()
    const { passwordHash, mustChangePassword } = await administrator()
    expect(mustChangePassword).toBe(false)
    expect(await verifyPassword(passwordHash, 'Chosen-1234')).toBe(true)
  })

  test('of two processes at the same time creates one administrator', async () => {
    const made = await Promise.all([1, 2].map(firstSignIn))
    expect(made.filter(Boolean)).toHaveLength(1)
  })
})

describe('a later start with ADMIN_PASSWORD', () => {
  test('replaces an unused random password, whose output may have been lost', async () => {
    await firstSignIn()
    await ensureAdministrator(database.db, 'Chosen-1234')
    const { passwordHash, mustChangePassword } = await administrator()
    expect(mustChangePassword).toBe(false)
    expect(await verifyPassword(passwordHash, 'Chosen-1234')).toBe(true)
  })

  test('does not change a password that has been used', async () => {
    const made = await firstSignIn()
    await signInOnce()
    await ensureAdministrator(database.db, 'Chosen-1234')
    expect(await verifyPassword((await administrator()).passwordHash, made?.password ?? '')).toBe(true)
  })
})

describe('the sign-in to print', () => {
  test('has the first of the passwords that is valid, or none', async () => {
    expect(await findSignIn(database.db, ['Chosen-1234'])).toBeUndefined()
    await ensureAdministrator(database.db, 'Chosen-1234')
    const found = await findSignIn(database.db, ['Other-1234', 'Chosen-1234'])
    expect(found).toEqual({ loginName: 'admin', password: 'Chosen-1234' })
    expect(await findSignIn(database.db, ['Other-1234'])).toEqual({ loginName: 'admin', password: undefined })
  })
})

describe('a reset', () => {
  test('sets a new random password, ends the sessions and enables a disabled administrator', async () => {
    await ensureAdministrator(database.db, 'Chosen-1234')
    await signInOnce()
    await database.db.updateTable('app_user').set({ is_enabled: false }).execute()
    const { password } = await resetAdministrator(database.db, undefined)
    const { passwordHash, mustChangePassword } = await administrator()
    expect(mustChangePassword).toBe(true)
    expect(await verifyPassword(passwordHash, password)).toBe(true)
    const user = await database.db.selectFrom('app_user').select('is_enabled').executeTakeFirstOrThrow()
    expect(user.is_enabled).toBe(true)
    const session = await database.db.selectFrom('user_session').select('ended_at').executeTakeFirstOrThrow()
    expect(session.ended_at).toBeInstanceOf(Date)
  })

  test('uses ADMIN_PASSWORD where it is set', async () => {
    await firstSignIn()
    await signInOnce()
    expect((await resetAdministrator(database.db, 'Chosen-1234')).password).toBe('Chosen-1234')
    expect((await administrator()).mustChangePassword).toBe(false)
  })
})
