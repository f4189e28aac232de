import { hashPassword, randomPassword, verifyPassword } from '../../domain/access/accounts/passwords.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './administrator.queries.ts'

const firstLoginName = 'admin'

/** A sign-in with a random password, which is shown on the console once and kept nowhere. */
export interface FirstSignIn {
  loginName: string
  password: string
}

/**
 * Makes user 1 with ADMIN_PASSWORD where there is none.
 *
 * An ADMIN_PASSWORD that is set later replaces a random password with which no sign-in has succeeded: its only print
 * may have been lost. A password that was used is replaced by `resetAdministrator` only.
 */
export async function ensureAdministrator(db: Db, adminPassword: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await queries.lockAdministrator(trx)
    const existing = await queries.findAdministrator(trx)
    if (!existing) {
      await queries.insertAdministrator(trx, firstLoginName, await hashPassword(adminPassword), false)
    } else if (existing.mustChangePassword && !existing.hasSignedIn) {
      await queries.replaceAdministratorPassword(trx, await hashPassword(adminPassword), false)
    }
  })
}

/**
 * Makes user 1 with a random password, which must be changed at the first sign-in, where there is none. `show` gets
 * the password before the commit: a start that ends in between makes another one next time, and a password that is
 * in effect has been shown.
 */
export async function makeFirstSignIn(db: Db, show: (first: FirstSignIn) => void): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await queries.lockAdministrator(trx)
    if (await queries.findAdministrator(trx)) return
    const password = randomPassword()
    await queries.insertAdministrator(trx, firstLoginName, await hashPassword(password), true)
    show({ loginName: firstLoginName, password })
  })
}

/** The first of these passwords that is user 1's, with the name to sign in with. */
export async function findSignIn(
  db: Db,
  passwords: readonly string[],
): Promise<{ loginName: string; password: string | undefined } | undefined> {
  const existing = await queries.findAdministrator(db)
  if (!existing) return undefined
  const { loginName, passwordHash } = existing
  for (const password of passwords) {
    if (await verifyPassword(passwordHash, password)) return { loginName, password }
  }
  return { loginName, password: undefined }
}

/**
 * Sets a new password for user 1, from ADMIN_PASSWORD or random; ends the old sessions and forgets the failed
 * sign-ins. For an operator of the machine who has lost the password.
 */
export async function resetAdministrator(db: Db, adminPassword: string | undefined): Promise<FirstSignIn> {
  const password = adminPassword ?? randomPassword()
  await ensureAdministrator(db, password)
  return db.transaction().execute(async (trx) => {
    await queries.lockAdministrator(trx)
    const { loginName = firstLoginName } = (await queries.findAdministrator(trx)) ?? {}
    await queries.replaceAdministratorPassword(trx, await hashPassword(password), adminPassword === undefined)
    await queries.deleteFailuresOf(trx, loginName)
    return { loginName, password }
  })
}
