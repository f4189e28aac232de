import { type RawBuilder, sql } from 'kysely'

/** What the semaphore `e` is about, where its bits are numbered. */
const countedNoun = sql`coalesce(substring(e.name FROM '^(?:充电)?(仓|模块|风扇|风机)'), '')`

/**
 * The names of the definitions behind a value, as `decode` (alarm-decoding.ts) finds them. In SQL, since a page has rows
 * of many semaphores, and a row needs two names of some thirty. What a name repeats of the alarm's own is left out:
 * `仓位过温` means `2号仓、4号仓`, not `2号仓位过温、4号仓位过温`. A number keeps the noun that it counts, since module 3 is
 * not compartment 3. To follow `deviceJoins` and a join of the alarm's dictionary entry `e`.
 */
export const meaningOf = (value: RawBuilder<unknown>) => sql`(
  SELECT string_agg(
    CASE WHEN length(f.name) > length(e.name) AND right(f.name, length(e.name)) = e.name
      THEN left(f.name, -length(e.name))
        || CASE WHEN left(f.name, -length(e.name)) LIKE '%号' THEN ${countedNoun} ELSE '' END
      ELSE f.name END,
    '、' ORDER BY f.bit_position)
  FROM semaphore_definition f
  WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
    WHEN 'BIT' THEN f.bit_position < 63 AND (${value} >> least(f.bit_position, 62)::int) & 1 = 1
    WHEN 'VALUE' THEN f.bit_position = ${value}
  END)`
