// SQL of what the values of alarms mean.
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface Definition {
  code: string
  equipClassify: string
  name: string
  bitPosition: number
  analysisType: 'BIT' | 'VALUE'
}

/** All definitions of these semaphores for one family of devices, by position, and what ALARM is called. */
export async function readDefinitions(
  db: Db,
  codes: readonly string[],
  classify: string,
): Promise<{ definitions: Definition[]; typeName: string }> {
  const { rows } = await sql<Omit<Definition, 'bitPosition'> & { bitPosition: string }>`
    SELECT e.code, d.equip_classify AS "equipClassify", d.name, d.bit_position AS "bitPosition",
      e.analysis_type AS "analysisType"
    FROM dictionary_entry e JOIN semaphore_definition d ON d.entry_id = e.id
    WHERE e.type = 'ALARM' AND e.code = ANY(${codes}::text[]) AND d.equip_classify = ${classify}
      AND e.analysis_type IS NOT NULL
    ORDER BY e.code, d.bit_position
  `.execute(db)
  const { rows: names } = await sql<{ name: string }>`
    SELECT name FROM dictionary_entry WHERE type = 'SEMAPHORE_TYPE' AND code = 'ALARM'
  `.execute(db)
  return {
    definitions: rows.map((row) => ({ ...row, bitPosition: Number(row.bitPosition) })),
    typeName: names[0]?.name ?? '告警',
  }
}
