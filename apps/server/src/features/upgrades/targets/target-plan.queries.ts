/**
 * Which parts of which devices a task upgrades, and why it leaves out the others: one statement, for the preview and
 * for the plan. A chosen device has one row for each part that the packages are for.
 */
import { observedText, type UpgradeSkip } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { isObserved } from '../../../domain/device-work/observed.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import {
  isOnVersion,
  packageFitsDevice,
  packageFitsPart,
  packageVersionText,
  type ReachLimit,
} from '../matching.ts'
import { beyondReach } from './bytes.queries.ts'

/** The source of a task's plan: a choice of devices, or the upgrades of another task. */
export type Plan = ChoicePlan | RollbackPlan

export interface ChoicePlan {
  /** In the order in which a device gets them. */
  packageIds: readonly number[]
  equipTypeId: number
  /** The devices `d`, the scope included. */
  chosen: RawBuilder<SqlBool>
  /** The choice is all devices of the scope. */
  isAll: boolean
  /** Of the packages' people. */
  limits?: readonly ReachLimit[]
}

/** Takes back the upgrades of another task on devices `d`: each gets the package of its earlier version. */
export interface RollbackPlan {
  rollbackOf: number
  /** Of this stage alone; null for all. */
  stage: number | null
  scope: DataScope
  /** Of the people of all packages that it may bring. */
  limits?: readonly ReachLimit[]
  /** Of the rollback itself, which keeps bytes; null before it is made. */
  taskId?: number | null
}

/** The reason of a skipped target, as users read it. */
export const skipTexts: Readonly<Record<UpgradeSkip | 'noPackage' | 'otherType', string>> = {
  otherType: '设备类型与软件文件不一致',
  noPart: '设备没有上报此部件',
  wrongModel: '设备型号不适用',
  wrongBoard: '板卡不符',
  wrongHardware: '硬件版本不符',
  sameVersion: '已是目标版本',
  outOfReach: '超出固件相关人员的数据权限',
  observed: observedText,
  busy: '正在其他任务中升级',
  noPackage: '无旧版本安装包',
}

/** The part `p` of the device `d` is being upgraded by another task. */
const isBusy = sql`EXISTS (
  SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = p.part_type
    AND t.state IN ('waiting', 'sent', 'downloading', 'installing'))`

/**
 * `chosen`: id of each device; `resolved`: device_id, part_type, package_id, file_id (of a rollback), position,
 * from_versions, skip (null where it is to be upgraded), note (a text in place of that of `skip`, or null); of a
 * rollback also former, the versions before the upgrade.
 */
const resolution = (plan: Plan) =>
  'rollbackOf' in plan ? resolutionOfRollback(plan) : resolutionOfChoice(plan)

/** The bytes of the package `k` of a choice, which has one file. */
const ofPackage = { packageId: sql.ref<number>('k.id'), fileId: sql<null>`NULL::uuid` }

/**
 * Of several packages for one part a device gets the first that matches and that its people may bring to it. Models are
 * compared once, not per device.
 */
const resolutionOfChoice = ({ packageIds, equipTypeId, chosen, limits = [] }: ChoicePlan) => sql`
  package AS MATERIALIZED (
    SELECT k.*, n.position FROM unnest(${packageIds}::int[]) WITH ORDINALITY AS n(id, position)
    JOIN software_package k ON k.id = n.id
  ),
  part AS (
    SELECT DISTINCT ON (part_type) part_type, id AS package_id, position FROM package ORDER BY part_type, position
  ),
  fit AS MATERIALIZED (
    SELECT k.id AS package_id, d.model_id
    FROM package k
    CROSS JOIN (SELECT id AS model_id FROM equip_model WHERE equip_type_id = ${equipTypeId}) d
    WHERE ${packageFitsDevice}
  ),
  chosen AS MATERIALIZED (
    SELECT d.id, d.model_id, d.operator_id, d.region_id FROM device d
    WHERE d.model_id IN (SELECT id FROM equip_model WHERE equip_type_id = ${equipTypeId}) AND ${chosen}
  ),
  matched AS (
    SELECT d.id AS device_id, k.part_type, k.id AS package_id, k.position,
      jsonb_object_agg(v.addr_id, v.version) AS from_versions,
      bool_and((${isOnVersion}) IS TRUE) AS is_on_version, ${beyondReach(limits, ofPackage)} AS beyond
    FROM chosen d
    JOIN fit ON fit.model_id = d.model_id
    JOIN package k ON k.id = fit.package_id
    JOIN device_version v ON v.device_id = d.id AND ${packageFitsPart}
    GROUP BY d.id, d.model_id, d.operator_id, d.region_id, k.part_type, k.id, k.position
  ),
  best AS MATERIALIZED (
    SELECT DISTINCT ON (device_id, part_type) * FROM matched
    ORDER BY device_id, part_type, beyond IS NOT NULL, position
  ),
  resolved AS MATERIALIZED (
    SELECT d.id AS device_id, p.part_type, coalesce(b.package_id, p.package_id) AS package_id, NULL::uuid AS file_id,
      p.position, coalesce(b.from_versions, '{}') AS from_versions, coalesce(b.beyond, r.beyond) AS note,
      CASE
        WHEN coalesce(b.beyond, r.beyond) IS NOT NULL THEN 'outOfReach'
        WHEN b.device_id IS NULL THEN ${reasonWithoutMatch}
        WHEN b.is_on_version THEN 'sameVersion'
        WHEN ${isObserved(sql`d.id`)} THEN 'observed'
        WHEN ${isBusy} THEN 'busy'
      END AS skip
    FROM chosen d CROSS JOIN part p
    LEFT JOIN best b ON b.device_id = d.id AND b.part_type = p.part_type
    CROSS JOIN LATERAL (${nearestOf(limits)}) r
  )`

/** Where no package for the part `p` may be brought to the device `d`: why. */
const nearestOf = (limits: readonly ReachLimit[]) =>
  limits.length === 0
    ? sql`SELECT NULL::text AS beyond`
    : sql`SELECT k.beyond FROM (
        SELECT k.position, ${beyondReach(limits, ofPackage)} AS beyond FROM package k WHERE k.part_type = p.part_type
      ) k ORDER BY k.beyond IS NOT NULL, k.position LIMIT 1`

/** Why no package matches the part `p` of the device `d`. */
const reasonWithoutMatch = sql`(
  CASE
    WHEN NOT EXISTS (SELECT FROM device_version v WHERE v.device_id = d.id AND v.part_type = p.part_type)
      THEN 'noPart'
    WHEN NOT EXISTS (
      SELECT FROM fit JOIN package k ON k.id = fit.package_id
      WHERE fit.model_id = d.model_id AND k.part_type = p.part_type
    ) THEN 'wrongModel'
    WHEN EXISTS (
      SELECT FROM device_version v JOIN package k ON k.part_type = v.part_type
      JOIN pcb_board b ON b.id = k.pcb_board_id
      WHERE v.device_id = d.id AND v.part_type = p.part_type
        AND (v.pcb_code IS NULL OR v.pcb_code = b.pcb_code)
    ) THEN 'wrongHardware'
    ELSE 'wrongBoard'
  END)`

/**
 * The parts that the task has upgraded, each with the package of the version before: of the same board, one whose people
 * may bring it to the device, the one that it had got rather than another of that version, a release rather than a test. Its bytes are those that the device was given then; where it
 * got the version in another way, those that the rollback was made with. Parts are taken back in the reverse order.
 */
export const resolutionOfRollback = ({
  rollbackOf,
  stage,
  scope,
  limits = [],
  taskId = null,
}: RollbackPlan) => sql`
  brought AS MATERIALIZED (
    SELECT t.device_id, t.part_type, t.package_id, t.position, t.from_versions, k.pcb_board_id
    FROM upgrade_target t JOIN device d ON d.id = t.device_id JOIN software_package k ON k.id = t.package_id
    WHERE t.task_id = ${rollbackOf} AND t.state = 'succeeded'
      AND (${stage}::int IS NULL OR t.stage = ${stage}::int) AND ${deviceWithinScope(scope)}
  ),
  chosen AS (SELECT DISTINCT device_id AS id FROM brought),
  resolved AS MATERIALIZED (
    SELECT p.device_id, p.part_type, coalesce(e.id, p.package_id) AS package_id, e.file_id,
      1000 - p.position AS position,
      (SELECT coalesce(jsonb_object_agg(v.addr_id, v.version), '{}') FROM device_version v
       WHERE v.device_id = p.device_id AND v.part_type = p.part_type AND p.from_versions ? v.addr_id
      ) AS from_versions,
      p.from_versions AS former, e.beyond AS note,
      CASE
        WHEN e.id IS NULL THEN 'noPackage'
        WHEN e.beyond IS NOT NULL THEN 'outOfReach'
        WHEN ${isObserved(sql`p.device_id`)} THEN 'observed'
        WHEN ${isBusy} THEN 'busy'
      END AS skip
    FROM brought p
    JOIN device d ON d.id = p.device_id
    LEFT JOIN LATERAL (
      SELECT k.id, g.file_id, ${beyondReach(limits, { packageId: sql.ref('k.id'), fileId: sql.ref('g.file_id') })} AS beyond
      FROM software_package k
      LEFT JOIN LATERAL (
        SELECT n.file_id FROM upgrade_target o
        JOIN upgrade_task_package n ON n.task_id = o.task_id AND n.package_id = o.package_id
          AND (o.file_id IS NULL OR n.file_id = o.file_id)
        WHERE o.device_id = p.device_id AND o.part_type = p.part_type AND o.package_id = k.id
          AND o.state = 'succeeded'
        ORDER BY o.verified_at DESC NULLS LAST, o.id DESC LIMIT 1
      ) had ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(
          had.file_id,
          (SELECT n.file_id FROM upgrade_task_package n WHERE n.task_id = ${taskId}::int AND n.package_id = k.id LIMIT 1),
          k.file_id) AS file_id
      ) g
      WHERE k.pcb_board_id = p.pcb_board_id AND k.part_type = p.part_type AND k.deleted_at IS NULL
        AND k.id <> p.package_id
        AND ${packageVersionText} IN (SELECT f.value FROM jsonb_each_text(p.from_versions) f)
        AND (k.hw_version IS NULL OR EXISTS (
          SELECT FROM device_version v
          WHERE v.device_id = p.device_id AND v.part_type = p.part_type AND v.hw_version = k.hw_version))
      ORDER BY 3 NULLS FIRST, k.major DESC, k.minor DESC, had.file_id IS NULL, k.is_release DESC, k.id DESC LIMIT 1
    ) e ON true
  )`

/** The packages that a rollback would bring, by the order of their parts. */
export async function listEarlierPackages(db: Db, plan: RollbackPlan): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH ${resolution(plan)}
    SELECT package_id AS id FROM resolved WHERE skip IS DISTINCT FROM 'noPackage'
    GROUP BY 1 ORDER BY min(position), 1`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The files that a rollback would bring, by the order of their parts: those that devices had got, where that is known, and
 * not the present ones of the packages.
 */
export async function listEarlierFiles(
  db: Db,
  plan: RollbackPlan,
): Promise<{ fileId: string; fileName: string }[]> {
  const { rows } = await sql<{ fileId: string; fileName: string }>`
    WITH ${resolution(plan)}
    SELECT file_id AS "fileId", (
      SELECT file_name FROM (
        SELECT file_id, file_name FROM software_package
        UNION ALL
        SELECT file_id, file_name FROM upgrade_task_package
      ) s WHERE s.file_id = r.file_id LIMIT 1) AS "fileName"
    FROM resolved r WHERE skip IS NULL OR skip = 'busy'
    GROUP BY 1 ORDER BY min(position), 1`.execute(db)
  return rows
}

export interface PlannedFigures {
  chosen: number
  /** That would be upgraded now. */
  devices: number
  /** These, and those that another task upgrades at present: it may be over when this one begins. */
  possible: number
  /** Why the packages' people may not bring them to any of the chosen devices; null where they may, to some. */
  beyond: string | null
}

/** The parts that a plan leaves out, and chosen devices of another type: (device_id, part, reason). */
export const leftOutBy = (plan: Plan): RawBuilder<unknown> => sql`
  WITH ${resolution(plan)}
  SELECT device_id, part_type, coalesce(note, skip) FROM resolved WHERE skip IS NOT NULL
  ${'rollbackOf' in plan || plan.isAll ? sql`` : sql`UNION ALL SELECT d.id, NULL, 'otherType' ${ofOtherTypes(plan)}`}`

/** How many devices the choice has, and how many of them would be upgraded. */
export async function countPlanned(db: Db, plan: Plan): Promise<PlannedFigures> {
  const { rows } = await sql<PlannedFigures>`
    WITH ${resolution(plan)}
    SELECT (SELECT count(*) FROM chosen)::int AS chosen,
      (SELECT count(DISTINCT device_id) FROM resolved WHERE skip IS NULL)::int AS devices,
      (SELECT count(DISTINCT device_id) FROM resolved WHERE skip IS NULL OR skip = 'busy')::int AS possible,
      (SELECT CASE WHEN bool_and(skip IS NOT DISTINCT FROM 'outOfReach') THEN min(note) END FROM resolved) AS beyond`.execute(
    db,
  )
  return rows[0] ?? { chosen: 0, devices: 0, possible: 0, beyond: null }
}

export interface PreviewFigures {
  chosen: number
  devices: number
  offline: number
  /** Devices of the choice that are of another type; none where it is all devices. */
  otherType: number
  /** Devices of which an upgraded part could not be rolled back: its version has no package. */
  oneWay: number
  /** By package and skip; skip null: devices that would be upgraded. */
  parts: { packageId: number; skip: UpgradeSkip | null; note: string | null; devices: number }[]
  from: { packageId: number; version: string; devices: number }[]
}

export async function readPreview(db: Db, plan: ChoicePlan): Promise<PreviewFigures> {
  const { rows } = await sql<PreviewFigures>`
    WITH ${resolution(plan)},
    upgraded AS (SELECT DISTINCT device_id FROM resolved WHERE skip IS NULL),
    parts AS (
      SELECT package_id AS "packageId", skip, note, count(*)::int AS devices FROM resolved
      GROUP BY 1, 2, 3 ORDER BY 4 DESC
    ),
    versions AS (
      SELECT DISTINCT r.device_id, r.package_id, f.value AS version
      FROM resolved r CROSS JOIN jsonb_each_text(r.from_versions) f WHERE r.skip IS NULL
    ),
    sources AS (
      SELECT package_id AS "packageId", version, count(*)::int AS devices FROM versions
      GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 100
    ),
    returning_to AS MATERIALIZED (
      SELECT v.package_id, v.version FROM (SELECT DISTINCT package_id, version FROM versions) v
      JOIN software_package n ON n.id = v.package_id
      WHERE EXISTS (
        SELECT FROM software_package k
        WHERE k.pcb_board_id = n.pcb_board_id AND k.part_type = n.part_type AND k.deleted_at IS NULL
          AND k.id <> n.id AND ${packageVersionText} = v.version)
    )
    SELECT (SELECT count(*) FROM chosen)::int AS chosen,
      (SELECT count(*) FROM upgraded)::int AS devices,
      (SELECT count(*) FROM upgraded u LEFT JOIN device_state s ON s.device_id = u.device_id
       WHERE s.is_online IS NOT TRUE)::int AS offline,
      ${countOfOtherTypes(plan)} AS "otherType",
      (SELECT count(DISTINCT r.device_id) FROM resolved r WHERE r.skip IS NULL AND NOT EXISTS (
        SELECT FROM versions v JOIN returning_to b ON b.package_id = v.package_id AND b.version = v.version
        WHERE v.device_id = r.device_id AND v.package_id = r.package_id))::int AS "oneWay",
      (SELECT coalesce(jsonb_agg(parts), '[]') FROM parts) AS parts,
      (SELECT coalesce(jsonb_agg(sources), '[]') FROM sources) AS "from"`.execute(db)
  return rows[0] ?? { chosen: 0, devices: 0, offline: 0, otherType: 0, oneWay: 0, parts: [], from: [] }
}

/** Of all devices nobody expects that they have one type. */
const countOfOtherTypes = ({ chosen, equipTypeId, isAll }: ChoicePlan) =>
  isAll ? sql`0` : sql`(SELECT count(*) ${ofOtherTypes({ chosen, equipTypeId })})::int`

const ofOtherTypes = ({ chosen, equipTypeId }: Pick<ChoicePlan, 'chosen' | 'equipTypeId'>) => sql`
  FROM device d WHERE ${chosen} AND d.model_id NOT IN (SELECT id FROM equip_model WHERE equip_type_id = ${equipTypeId})`

/**
 * Targets are made active, by planning or by trying again, in one transaction at a time: a device that one has taken is
 * busy for the next. The lock lasts until the end of the transaction.
 */
export async function lockActivation(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('upgrade_target_active'))`.execute(trx)
}

/**
 * Resolves a task's plan into a table of this transaction, for `insertTargets` and `insertTally`; once a transaction.
 * Devices are in a random order that the task's id determines, so that a stage is a sample of all places. Answers how
 * many of them are to be upgraded.
 */
export async function resolvePlan(trx: Trx, taskId: number, plan: Plan): Promise<number> {
  await lockActivation(trx)
  await sql`
    CREATE TEMPORARY TABLE upgrade_planned (
      device_id integer, part_type text, package_id integer, file_id uuid, position smallint, from_versions jsonb,
      skip text, note text, rank integer, is_first boolean
    ) ON COMMIT DROP`.execute(trx)
  // The rank is the device's, null where it is not upgraded at all; `is_first` is the part that it gets first.
  await sql`
    WITH ${resolution(plan)},
    ranked AS (
      SELECT device_id, min(position) AS first,
        (row_number() OVER (ORDER BY md5(${taskId}::text || ' ' || device_id), device_id))::int AS rank
      FROM resolved WHERE skip IS NULL GROUP BY device_id
    )
    INSERT INTO upgrade_planned
    SELECT r.device_id, r.part_type, r.package_id, r.file_id, r.position, r.from_versions, r.skip, r.note, n.rank,
      r.skip IS NULL AND r.position = n.first
    FROM resolved r LEFT JOIN ranked n ON n.device_id = r.device_id
    ORDER BY n.rank NULLS LAST, r.device_id, r.position`.execute(trx)
  const { rows } = await sql<{ devices: number }>`
    SELECT coalesce(max(rank), 0) AS devices FROM upgrade_planned`.execute(trx)
  return rows[0]?.devices ?? 0
}

/** The stage of a planned row `p`, 0 where it is skipped. `firsts`: the rank of each stage's first device, from 0. */
const stageOf = (firsts: readonly number[]) =>
  sql`CASE WHEN p.skip IS NULL THEN width_bucket(p.rank - 1, ${firsts}::int[]) ELSE 0 END`
const stateOf = sql`CASE WHEN p.skip IS NULL THEN 'waiting' ELSE 'skipped' END`

/**
 * Writes the targets of a resolved plan. Targets of the first stage are due already, so many devices a minute: writing
 * them again when the stage begins would cost as much once more.
 */
export async function insertTargets(
  trx: Trx,
  { taskId, firsts, pacePerMinute }: { taskId: number; firsts: readonly number[]; pacePerMinute: number },
): Promise<void> {
  await sql`
    INSERT INTO upgrade_target
      (task_id, device_id, part_type, package_id, file_id, position, stage, rank, state, reason, from_versions, next_at)
    SELECT ${taskId}, p.device_id, p.part_type, p.package_id, p.file_id, p.position, ${stageOf(firsts)},
      CASE WHEN p.skip IS NULL THEN p.rank ELSE 0 END,
      ${stateOf}, coalesce(p.note, ${JSON.stringify(skipTexts)}::jsonb ->> p.skip), p.from_versions,
      CASE WHEN p.is_first AND ${stageOf(firsts)} = 1
        THEN statement_timestamp() + (p.rank - 1) * interval '1 minute' / ${pacePerMinute} END
    FROM upgrade_planned p
    ORDER BY p.rank NULLS LAST, p.device_id, p.position`.execute(trx)
}

/** How many parts of a resolved plan are left out because of its packages' people, by the reason. */
export async function countBeyond(trx: Trx): Promise<{ note: string; count: number }[]> {
  const { rows } = await sql<{ note: string; count: number }>`
    SELECT note, count(*)::int AS count FROM upgrade_planned WHERE skip = 'outOfReach'
    GROUP BY 1 ORDER BY 2 DESC, 1`.execute(trx)
  return rows
}

/** Writes the first tally of a task: the counts that `refreshTally` would find for a resolved plan. */
export async function insertTally(trx: Trx, taskId: number, firsts: readonly number[]): Promise<void> {
  await sql`
    INSERT INTO upgrade_tally (task_id, stage, state, operator_id, model_id, region_id, count)
    SELECT ${taskId}, p.stage, p.state, d.operator_id, d.model_id, d.region_id, count(*)
    FROM (SELECT p.device_id, ${stageOf(firsts)} AS stage, ${stateOf} AS state FROM upgrade_planned p) p
    JOIN device d ON d.id = p.device_id
    GROUP BY 2, 3, 4, 5, 6`.execute(trx)
}
