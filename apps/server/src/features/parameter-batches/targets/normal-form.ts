import { type RawBuilder, sql } from 'kysely'

/** A value as `normalParameterValue` of the contract has it; a test compares the two. */
export function normalForm(value: RawBuilder<unknown>): RawBuilder<string | null> {
  const text = sql`lower(btrim(${value}, E' \\t\\n\\r'))`
  return sql`CASE ${text} WHEN 'true' THEN '1' WHEN 'false' THEN '0'
    ELSE CASE WHEN ${text} ~ '^-?[0-9]+(\\.[0-9]*)?$' THEN trim_scale(${text}::numeric)::text ELSE ${text} END END`
}
