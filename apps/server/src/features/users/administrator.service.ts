import { hashPassword, randomPassword } from '../../platform/access/passwords.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './administrator.queries.ts'

const firstLoginName = 'admin'

/** A password of our own making, to be shown on the console once and kept nowhere. */
export interface FirstSignIn {
  loginName: string
  password: string
}

/**
 * Makes user 1 where there is none: with ADMIN_PASSWORD, or with a random password that is answered here
 * and must be changed at the first sign-in.
 *
 * A random password that nobody has ever signed in with gives way to an ADMIN_PASSWORD set later, so that
 * a first print nobody saw locks nobody out. One that was used is never overwritten by the environment:
 * that is what `resetAdministrator` is for.
 */
export async function ensureAdministrator(
  db: Db,
  adminPassword: string | undefined,
): Promise<FirstSignIn | undefined> {
  return db.transaction().execute(async (trx) => {
    await queries.lockAdministrator(trx)
    const existing = await queries.findAdministrator(trx)
    if (!existing) {
      const password = adminPassword ?? randomPassword()
      const isRandom = adminPassword === undefined
      await queries.insertAdministrator(trx, firstLoginName, await hashPassword(password), isRandom)
      return isRandom ? { loginName: firstLoginName, password } : undefined
    }
    if (adminPassword !== undefined && existing.mustChangePassword && !existing.hasSignedIn) {
      await queries.replaceAdministratorPassword(trx, await hashPassword(adminPassword), false)
    }
    return undefined
  })
}

/**
 * For whoever has lost the administrator's password and has the machine: a new one, from ADMIN_PASSWORD
 * or random, with the old sessions ended and the failed sign-ins forgotten.
 */
export async function resetAdministrator(db: Db, adminPassword: string | undefined): Promise<FirstSignIn> {
  const password = adminPassword ?? randomPassword()
  await ensureAdministrator(db, adminPassword)
  return db.transaction().execute(async (trx) => {
    await queries.lockAdministrator(trx)
    const { loginName = firstLoginName } = (await queries.findAdministrator(trx)) ?? {}
    await queries.replaceAdministratorPassword(trx, await hashPassword(password), adminPassword === undefined)
    await queries.deleteFailuresOf(trx, loginName)
    return { loginName, password }
  })
}
