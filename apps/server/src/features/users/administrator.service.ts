import { hashPassword, randomPassword, verifyPassword } from '../../platform/access/passwords.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './administrator.queries.ts'

const firstLoginName = 'admin'

/** With a password of our own making, to be shown on the console once and kept nowhere. */
export interface FirstSignIn {
  loginName: string
  password: string
}

/**
 * Makes user 1 with ADMIN_PASSWORD where there is none.
 *
 * A random password that nobody has ever signed in with gives way to an ADMIN_PASSWORD set later, so that
 * a first print nobody saw locks nobody out. One that was used is never overwritten by the environment:
 * that is what `resetAdministrator` is for.
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
 * Makes user 1 with a random password, which must be changed at the first sign-in, where there is none.
 * `show` is told it before it holds: a start that ends in between makes another one next time, and what
 * holds has been shown.
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
 * For whoever has lost the administrator's password and has the machine: a new one, from ADMIN_PASSWORD
 * or random, with the old sessions ended and the failed sign-ins forgotten.
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
