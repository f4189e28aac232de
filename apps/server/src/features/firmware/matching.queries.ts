/**
 * Which parts of which devices a package is for, and which version they have: the one definition, for lists, upgrades
 * and automatic upgrades.
 *
 * The fragments go by these names: `k` software_package, `d` device, `v` device_version. A query that joins them has to
 * say itself that `v` is of `d` and that `k` is not deleted.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Is the package `k` for devices like `d`: is its board built in their type, and in their model? */
export const packageFitsDevice: RawBuilder<SqlBool> = sql`EXISTS (
  SELECT FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
  WHERE b.id = k.pcb_board_id AND m.id = d.model_id AND (
    NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
    OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id)))`

/** Is the package `k` for the part `v`, as far as the part says? */
export const packageFitsPart: RawBuilder<SqlBool> = sql`(
  v.part_type = k.part_type
  AND (v.pcb_code IS NULL OR v.pcb_code = (SELECT b.pcb_code FROM pcb_board b WHERE b.id = k.pcb_board_id))
  AND (k.hw_version IS NULL OR v.hw_version IS NOT DISTINCT FROM k.hw_version))`

/** Is the package `k` for the part `v` of the device `d`? */
export const packageMatches: RawBuilder<SqlBool> = sql`(${packageFitsPart} AND ${packageFitsDevice})`

/**
 * Is the package `k` one that devices may be said to lack: a release that the alarm gate has not stopped? Who stopped
 * at a bad image is not told that it is the newest.
 */
export const isRecommended: RawBuilder<SqlBool> = sql`(k.is_release AND k.gate_failed_at IS NULL)`

/** The version of the package `k`, to be compared: 1.10 is newer than 1.9. */
export const packageVersion: RawBuilder<number[]> = sql`ARRAY[k.major, k.minor]`

/** The version of the package `k` as it is shown, and as its devices report it. */
export const packageVersionText: RawBuilder<string> = sql`(k.major || '.' || k.minor)`

/**
 * The version that the part `v` reported, to be compared with `packageVersion`. A text that is no version counts as the
 * oldest.
 */
export const reportedVersion: RawBuilder<number[]> = sql`(
  CASE WHEN v.version ~ '^[0-9]{1,9}\\.[0-9]{1,9}(\\.[0-9]+)*$'
    THEN ARRAY[split_part(v.version, '.', 1)::int, split_part(v.version, '.', 2)::int]
    ELSE ARRAY[-1, -1] END)`

/** Has the part `v` an older version than the package `k`? */
export const isOlder: RawBuilder<SqlBool> = sql`(${reportedVersion} < ${packageVersion})`

/** Has the part `v` exactly the version of the package `k`? 1.4.1 is not 1.4. */
export const isOnVersion: RawBuilder<SqlBool> = sql`(
  v.version ~ '^[0-9]{1,9}\\.[0-9]{1,9}$' AND ${reportedVersion} = ${packageVersion})`
