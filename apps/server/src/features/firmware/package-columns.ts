// A package with its file and its board, as every query on packages reads it.
import type { PackageRemark } from '@voltkeep/contract'
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { KeptReach, Person } from '../../domain/access/reaches.ts'
import { boardAppliesTo } from '../boards/index.ts'
import { packageVersionText } from './matching.queries.ts'
import type { WithCreation } from './people.ts'

export interface PackageRecord {
  id: number
  fileId: string
  fileName: string
  fileSize: number
  md5: string
  sha256: string
  pcbBoardId: number
  pcbCode: string
  pcbName: string
  pcbVersion: number
  applyTo: string
  equipTypeId: number
  equipTypeName: string
  partType: string
  partTypeName: string
  major: number
  minor: number
  /** `<major>.<minor>` */
  versionText: string
  hwVersion: string | null
  mcuNum: number | null
  isRelease: boolean
  isAutoUpgrade: boolean
  remark: PackageRemark
  createdBy: number
  createBy: string
  createTime: Date
  createdReach: KeptReach | null
  /** Who supplied the file. */
  fileBy: number
  uploadBy: string
  uploadTime: Date
  fileReach: KeptReach | null
  /** Who switched automatic upgrades on; null while they are off. */
  autoBy: number | null
  autoUpgradeBy: string | null
  autoUpgradeTime: Date | null
  /** The organization in which that decision stays; null: in none. */
  autoIn: number | null
  /** Who agreed to that, where it needed a second person. */
  autoApprovedBy: number | null
  autoUpgradeApprovedBy: string | null
  autoApprovedIn: number | null
  /** How many devices that user agreed to. */
  autoApprovedCount: number | null
  /** Nothing is offered until a second person agrees. */
  isAutoHeld: boolean
  /** Devices are left out that who agreed does not reach. */
  isAutoNarrowed: boolean
  /** When the alarm gate stopped an upgrade with this file; null where it has not, or has let one pass since. */
  gateFailedTime: Date | null
  withCreation: WithCreation
  /** Of the row. */
  version: number
}

/** What of the decisions about the package `k`, and of its bytes in this file, came with its creation. */
export const withCreation = (
  fileId: Expression<string> = sql.ref('k.file_id'),
): RawBuilder<WithCreation> => sql`
  jsonb_build_object(
    'file', k.file_id = ${fileId} AND k.file_at = k.created_at,
    'automatic', coalesce(k.auto_at = k.created_at, false))`

export const packageColumns: RawBuilder<PackageRecord> = sql`
  k.id, k.file_id AS "fileId", k.file_name AS "fileName", f.size_bytes::float8 AS "fileSize", f.md5, f.sha256,
  k.pcb_board_id AS "pcbBoardId", b.pcb_code AS "pcbCode", b.pcb_name AS "pcbName", b.version AS "pcbVersion", ${boardAppliesTo} AS "applyTo",
  b.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", k.part_type AS "partType", p.name AS "partTypeName",
  k.major, k.minor, ${packageVersionText} AS "versionText", k.hw_version AS "hwVersion", k.mcu_num AS "mcuNum",
  k.is_release AS "isRelease", k.is_auto_upgrade AS "isAutoUpgrade", k.remark, k.created_by AS "createdBy",
  k.created_by_name AS "createBy", k.created_at AS "createTime", k.created_reach AS "createdReach",
  k.file_by AS "fileBy", k.file_by_name AS "uploadBy", k.file_at AS "uploadTime", k.file_reach AS "fileReach",
  k.auto_by AS "autoBy", k.auto_by_name AS "autoUpgradeBy", k.auto_at AS "autoUpgradeTime",
  k.auto_in AS "autoIn", k.auto_approved_by AS "autoApprovedBy", k.auto_approved_by_name AS "autoUpgradeApprovedBy",
  k.auto_approved_in AS "autoApprovedIn", k.auto_approved_count AS "autoApprovedCount", k.auto_is_held AS "isAutoHeld",
  k.auto_is_narrowed AS "isAutoNarrowed",
  k.gate_failed_at AS "gateFailedTime",
  ${withCreation()} AS "withCreation", k.version`
export const packagesFrom: RawBuilder<unknown> = sql`
  FROM software_package k
  JOIN stored_file f ON f.id = k.file_id
  JOIN pcb_board b ON b.id = k.pcb_board_id
  JOIN equip_type t ON t.id = b.equip_type_id
  JOIN part_type p ON p.code = k.part_type`

/** The people who decided about a package. */
export function peopleOf({
  createdBy,
  createBy,
  createdReach,
  fileBy,
  uploadBy,
  fileReach,
  autoBy,
  autoUpgradeBy,
}: PackageRecord): { maker: Person; supplier: Person; switcher: Person | null } {
  return {
    maker: { userId: createdBy, name: createBy, reach: createdReach },
    supplier: { userId: fileBy, name: uploadBy, reach: fileReach },
    switcher: autoBy === null ? null : { userId: autoBy, name: autoUpgradeBy ?? '', reach: null },
  }
}
