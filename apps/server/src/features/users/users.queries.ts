import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/** Users with a phone, of the organization given and those under it; of all where none is given. */
export async function listPhoneUsers(db: Db, organizationId: number | null) {
  const { rows } = await sql<{ id: number; userName: string; phone: string }>`
    WITH RECURSIVE own AS (
      SELECT id FROM organization WHERE id = ${organizationId}
      UNION
      SELECT o.id FROM organization o JOIN own ON o.parent_id = own.id
    )
    SELECT id, user_name AS "userName", phone FROM app_user
    WHERE phone <> '' AND is_enabled
      AND (${organizationId}::int IS NULL OR organization_id IN (SELECT id FROM own))
    ORDER BY user_name, id`.execute(db)
  return rows
}
