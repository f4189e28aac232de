import { sql } from 'kysely'
import type { Seed } from './seed.ts'

/** Models of before there were parts of models: each gets those of its type. */
export const modelParts: Seed = {
  name: 'model-parts',
  async plant(trx) {
    await sql`
      INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
      SELECT m.id, p.part_type, true
      FROM equip_model m JOIN equip_type_part p USING (equip_type_id)
      ORDER BY m.id, p.part_type
      ON CONFLICT (equip_model_id, part_type) DO NOTHING`.execute(trx)
  },
}
