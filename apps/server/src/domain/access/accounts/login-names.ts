import { foldLoginName } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The condition that a user signs in with this name: without case, and full-width letters count as plain ones. Two
 * users whose names differ in nothing else (from before that rule) are told apart by their spelling: order by
 * `isSpelledSo`, and take the first.
 */
export const isNamed = (loginName: string): RawBuilder<SqlBool> => sql<SqlBool>`(login_name = ${loginName}
  OR CASE WHEN is_spelled_exactly THEN login_name COLLATE "C" ELSE lower(login_name COLLATE "C") END
    = ${foldLoginName(loginName)})`

/** True sorts after false: descending. */
export const isSpelledSo = (loginName: string): RawBuilder<SqlBool> => sql<SqlBool>`login_name = ${loginName}`
