/**
 * Packages as users see and change them, under both names that the console has for them. They belong to boards, which
 * every user may see; no data scope narrows them.
 */
import {
  type countFirmwareReach,
  describeStop,
  type insertFirmware,
  type KeptFile,
  type listFirmware,
  type ParsedInputFor,
  type readFirmwareJson,
  type StoredFile,
  type UpgradeJson,
  type updateFirmware,
  type uploadFirmware,
} from '@voltkeep/contract'
import { intersectScopes, scopeOf } from '../../domain/access/data-scope.ts'
import { reachesPeople, readKeptReach, scopesOfPeople } from '../../domain/access/reaches.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { type Board, lockBoardsByCode } from '../boards/index.ts'
import type { AutomaticConsent } from './automatic.service.ts'
import * as queries from './firmware.queries.ts'
import { boardOf, imageHeaderBytes, readPackageFile, tamperedFields } from './identify.ts'
import { type PackageRecord, peopleOf } from './package-columns.ts'
import { partCodesOf, splitsOf } from './package-name.ts'
import { automaticApprover, stopOf } from './people.ts'
import { countOlder } from './reach.queries.ts'

export type Firmware = ReturnType<typeof createFirmware>

type Form = ParsedInputFor<typeof insertFirmware>
/** A package by either name that its id has. */
type Named = ParsedInputFor<typeof readFirmwareJson>

const pathPrefix = 'firmware/'
const noReview = { approvalId: null }
const jsonAddressMs = 86_400_000

/** A file, its identity, and the board that it is for. */
interface Identified {
  file: StoredFile
  board: Board
  identity: queries.PackageIdentity
}

export function createFirmware({
  db,
  files,
  consent,
}: {
  db: Db
  consent: AutomaticConsent
  files: Pick<Files, 'find' | 'read' | 'addressForUser'>
}) {
  const withConsent = async (devices: number) => ({
    devices,
    needsConsent: await consent.isNeeded(devices),
  })

  return {
    async listFirmware(input: ParsedInputFor<typeof listFirmware>) {
      const { ids, equipTypeId, partType, version, pcbCode, isRelease, isAutoUpgrade } = input
      const filter: queries.PackageFilter = {
        ids: ids?.map(idNumber),
        equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
        partTypes: partType === undefined ? undefined : partCodesOf(partType),
        version: version?.replace(/^v/i, ''),
        pcbCode,
        isRelease: isRelease === undefined ? undefined : isRelease === 1,
        isAutoUpgrade: isAutoUpgrade === undefined ? undefined : isAutoUpgrade === 1,
      }
      const [rows, total] = await Promise.all([
        queries.listPackages(db, filter, pageOf(input)),
        queries.countPackages(db, filter),
      ])
      const [stops, waits] = [await stopsOf(db, rows), await consent.waitsOf(db, rows)]
      return {
        rows: rows.map((row) => {
          const stop = stops.get(row.id)
          return {
            ...shownOf(row),
            autoUpgradeStop: stop ?? waits.get(row.id) ?? null,
            isAutoUpgradeHeld: stop === undefined && waits.has(row.id),
          }
        }),
        total,
      }
    },

    /**
     * Identifies the file. Refuses a file whose name does not follow the convention, whose header says another version,
     * or whose board is unknown or of another part (400 on `file`); for a new package `packageVersionTaken`; for
     * another file of a package `packageNotFound`, `packageReachesBeyond` where its maker or supplier reaches devices
     * that the caller does not, and 400 on `file` where it is not the same board, part and version.
     */
    async uploadFirmware(actor: Actor, { file, type, versionId }: ParsedInputFor<typeof uploadFirmware>) {
      const identified = await identify(file, 'file')
      const known = await queries.findByIdentity(db, identified.identity)
      if (type === 'create') {
        if (known !== undefined) throw new Refusal('packageVersionTaken', [taken('file')])
      } else if (versionId !== undefined) {
        const replaced = (await queries.findPackage(db, idNumber(versionId))) ?? refuse('packageNotFound')
        if (known !== replaced.id) refuseInput({ field: 'file', message: otherThan(replaced) })
      } else if (known === undefined) {
        refuseInput({ field: 'file', message: '还没有相同板卡、部件和版本的固件，请新增' })
      }
      if (type === 'update' && known !== undefined) {
        const replaced = (await queries.findPackage(db, known)) ?? refuse('packageNotFound')
        await mustReach(db, actor, replaced)
      }
      const { board, identity } = identified
      return {
        fileName: file.name,
        ...addressesOf(file.id),
        fileSize: file.sizeBytes,
        md5: file.md5,
        sha256: file.sha256,
        pcbCode: board.pcbCode,
        pcbName: board.pcbName,
        pcbVersion: board.version,
        applyTo: board.applyTo,
        equipTypeId: board.equipTypeId,
        equipTypeName: board.equipTypeName,
        partType: board.partType,
        partTypeName: board.partTypeName,
        version: versionOf(identity),
        hwVersion: identity.hwVersion,
        mcuNum: identity.mcuNum,
        fgRelease: identity.isRelease ? (1 as const) : (0 as const),
      }
    },

    /**
     * Refuses (400) a file that the caller has not uploaded or that is in use, and fields that differ from the file;
     * `packageVersionTaken`.
     */
    async insertFirmware(actor: Actor, form: Form) {
      const file = await uploadedFile(actor, form.filePath)
      const identified = await identify(file, 'filePath')
      const saved = await db.transaction().execute(async (trx) => {
        await checkFields(trx, form, identified)
        if ((await queries.findByIdentity(trx, identified.identity)) !== undefined)
          refuse('packageVersionTaken')
        if (await queries.isFileUsed(trx, file.id)) refuseFile()
        const values = {
          ...identified.identity,
          fileId: file.id,
          fileName: file.name,
          isAutoUpgrade: form.isAutoUpgrade === 1,
          remark: form.remark,
        }
        const newId = await queries.insertPackage(trx, values, await authorOf(trx, actor))
        await recordOperation(trx, actor, {
          target: targetOf({ pcbCode: identified.board.pcbCode, version: versionOf(identified.identity) }),
          changes: {
            after: {
              pcbCode: identified.board.pcbCode,
              partType: identified.board.partType,
              isRelease: values.isRelease,
              ...loggedOf({ ...values, sha256: file.sha256 }),
            },
          },
        })
        const { approvalId } = values.isAutoUpgrade
          ? await consent.review(trx, newId, actor.client)
          : noReview
        return { id: newId, automaticApprovalId: approvalId ?? undefined }
      })
      if (saved.automaticApprovalId !== undefined) consent.told(saved.automaticApprovalId)
      return saved
    },

    /**
     * Descriptions, automatic upgrade, and another file of the same identity; tasks that use the package go on with the
     * file that they were made with. Refuses `packageNotFound`, `conflict`, (400) what `insertFirmware` refuses, as well
     * as a file of another identity; and `packageReachesBeyond` for another file where its maker or supplier reaches
     * devices that the caller does not, and for switching off where each of its people does.
     */
    async updateFirmware(actor: Actor, form: ParsedInputFor<typeof updateFirmware>) {
      const { id, lockVersion, remark } = form
      const kept = (await queries.findPackage(db, idNumber(id))) ?? refuse('packageNotFound')
      const isKept = form.filePath === pathPrefix + kept.fileId
      // Read before the transaction: the store may be slow, and a row is locked in it.
      const identified = isKept
        ? undefined
        : await identify(await uploadedFile(actor, form.filePath), 'filePath')
      const told: string[] = []
      let automaticApprovalId: string | undefined
      await changing(db, actor, { ...packageOf(id), version: lockVersion }, async (trx, before) => {
        const file = identified ? await replacement(trx, actor, form, identified, before) : undefined
        // Somebody else has replaced the file since the form was opened.
        if (!file && form.filePath !== pathPrefix + before.fileId) refuse('conflict')
        if (!file) refuseTampered(tamperedFields(form, { ...before, version: before.versionText }))
        const values = {
          fileId: file?.id ?? before.fileId,
          fileName: file?.name ?? before.fileName,
          isAutoUpgrade: form.isAutoUpgrade === 1,
          remark,
        }
        if (before.isAutoUpgrade && !values.isAutoUpgrade) await mustReachOne(trx, actor, before)
        await queries.updatePackage(trx, before, values, await authorOf(trx, actor))
        const isDecidedAnew = file !== undefined || before.isAutoUpgrade !== values.isAutoUpgrade
        if (isDecidedAnew) {
          const ended = await consent.end(trx, before, file ? '软件文件已更换' : '自动升级已关闭')
          const { approvalId } = values.isAutoUpgrade
            ? await consent.review(trx, before.id, actor.client)
            : noReview
          automaticApprovalId = approvalId ?? undefined
          told.push(...[ended, approvalId].filter((one) => one !== null))
        }
        return differenceOf(loggedOf(before), loggedOf({ ...values, sha256: file?.sha256 ?? before.sha256 }))
      })
      for (const one of told) consent.told(one)
      return { automaticApprovalId }
    },

    /**
     * Refuses `packageNotFound`, `packageInUse` while a task upgrades with it, and `packageReachesBeyond` where its maker
     * or supplier reaches devices that the caller does not.
     */
    async deleteFirmware(actor: Actor, { versionId, id }: Named): Promise<void> {
      let ended: string | null = null
      await changing(db, actor, packageOf(versionId ?? id ?? ''), async (trx, before) => {
        await mustReach(trx, actor, before)
        if (await queries.isInUse(trx, before.id)) refuse('packageInUse')
        await queries.markDeleted(trx, before.id)
        ended = await consent.end(trx, before, '固件已删除')
        return { before: loggedOf(before) }
      })
      if (ended !== null) consent.told(ended)
    },

    /**
     * How many devices automatic upgrades would bring the package to if the caller switched them on: within the scopes of
     * the caller and of those who made the package and supplied its file. Refuses what saving the form refuses about its
     * file, and `packageNotFound`.
     */
    async countFirmwareReach(actor: Actor, { id, filePath }: ParsedInputFor<typeof countFirmwareReach>) {
      const own = await scopeOf(db, actor)
      const kept =
        id === undefined
          ? undefined
          : ((await queries.findPackage(db, idNumber(id))) ?? refuse('packageNotFound'))
      if (!kept) {
        const { identity } = await identify(await uploadedFile(actor, filePath), 'filePath')
        return withConsent(await countOlder(db, own, identity))
      }
      const { maker, supplier } = peopleOf(kept)
      const isReplaced = filePath !== pathPrefix + kept.fileId
      const others = await scopesOfPeople(db, isReplaced ? [maker] : [maker, supplier])
      return withConsent(await countOlder(db, intersectScopes([own, ...others]), kept))
    },

    /** Refuses `packageNotFound`, and `downloadAddressMissing` where the file is gone. */
    async readUpgradeJson(actor: Actor, { versionId, id }: Named): Promise<UpgradeJson> {
      const found =
        (await queries.findPackage(db, idNumber(versionId ?? id ?? ''))) ?? refuse('packageNotFound')
      await mustBeThere(found.fileId)
      const { partType, pcbCode, versionText, hwVersion, mcuNum, fileName, fileSize, md5, sha256 } = found
      const expiresAt = new Date(sharedNowMs() + jsonAddressMs)
      return {
        partType,
        pcbCode,
        version: versionText,
        ...(hwVersion !== null && { hwVersion }),
        ...(mcuNum !== null && { mcuNum }),
        fileName,
        // Signed for the user who asked, in place of a device.
        url: files.addressForUser(actor.userId, found.fileId, { expiresAt }),
        sizeBytes: fileSize,
        md5,
        sha256,
      }
    },

    /** Refuses `downloadAddressMissing` where there is no such file for the caller, or its bytes are gone. */
    async downloadFirmware(actor: Actor, filePath: string): Promise<KeptFile> {
      const file = await findFile(filePath)
      const isOwn = file?.uploadedBy === actor.userId
      if (!file || !(isOwn || (await queries.isFileOffered(db, file.id)))) refuse('downloadAddressMissing')
      await mustBeThere(file.id)
      return { file, disposition: 'attachment' }
    },
  }

  /** Undefined where the path names no file. */
  async function findFile(filePath: string): Promise<StoredFile | undefined> {
    if (!filePath.startsWith(pathPrefix)) return undefined
    return files.find(filePath.slice(pathPrefix.length)).catch((error: unknown) => {
      if (error instanceof Refusal && error.refusal === 'fileNotFound') return undefined
      throw error
    })
  }

  async function uploadedFile(actor: Actor, filePath: string): Promise<StoredFile> {
    const file = await findFile(filePath)
    // Another user's upload counts as no file.
    return file && file.uploadedBy === actor.userId ? file : refuseFile()
  }

  async function mustBeThere(fileId: string): Promise<void> {
    try {
      const stream = await files.read({ id: fileId }, { start: 0, end: 0 })
      stream.destroy()
    } catch (error) {
      if (error instanceof Refusal && error.refusal === 'fileNotFound') refuse('downloadAddressMissing')
      throw error
    }
  }

  /** `field`: where the form has the file. */
  async function identify(file: StoredFile, field: 'file' | 'filePath'): Promise<Identified> {
    const read = readPackageFile(file.name, await beginningOf(file))
    if ('problem' in read) return refuseInput({ field, message: read.problem })
    const board = await db.transaction().execute(async (trx) => {
      const splits = splitsOf(read.head)
      const boards = await lockBoardsByCode(
        trx,
        splits.map(({ pcbCode }) => pcbCode),
      )
      const parts = await queries.listPartTypes(
        trx,
        splits.flatMap(({ partName }) => partCodesOf(partName)),
      )
      return boardOf(read, boards, parts)
    })
    if ('problem' in board) return refuseInput({ field, message: board.problem })
    const { major, minor, hwVersion, mcuNum, isRelease } = read
    const identity = {
      pcbBoardId: board.id,
      partType: board.partType,
      major,
      minor,
      hwVersion,
      mcuNum,
      isRelease,
    }
    return { file, board, identity }
  }

  async function beginningOf({ id, sizeBytes }: StoredFile): Promise<Uint8Array> {
    if (sizeBytes === 0) return Buffer.alloc(0)
    const stream = await files.read({ id }, { start: 0, end: Math.min(sizeBytes, imageHeaderBytes) - 1 })
    return Buffer.concat(await stream.toArray())
  }
}

/** The file that replaces the package's; refuses one of another identity. */
async function replacement(
  trx: Trx,
  actor: Actor,
  form: Form,
  identified: Identified,
  before: PackageRecord,
) {
  await mustReach(trx, actor, before)
  await checkFields(trx, form, identified)
  const { file, identity } = identified
  if ((await queries.findByIdentity(trx, identity)) !== before.id)
    refuseInput({ field: 'filePath', message: otherThan(before) })
  if (await queries.isFileUsed(trx, file.id)) refuseFile()
  return file
}

/** Refuses `packageReachesBeyond` where the package's maker or supplier reaches devices that the caller does not. */
async function mustReach(db: Db, actor: Actor, before: PackageRecord): Promise<void> {
  const { maker, supplier } = peopleOf(before)
  if (!(await reachesPeople(db, actor.userId, [maker, supplier]))) refuse('packageReachesBeyond')
}

/**
 * Refuses `packageReachesBeyond` unless the caller reaches as far as one of the people behind the automatic upgrades:
 * those lie within the reach of each of them.
 */
async function mustReachOne(db: Db, actor: Actor, before: PackageRecord): Promise<void> {
  const { maker, supplier, switcher } = peopleOf(before)
  for (const person of [maker, supplier, ...(switcher ? [switcher] : [])])
    if (await reachesPeople(db, actor.userId, [person])) return
  refuse('packageReachesBeyond')
}

async function authorOf(trx: Trx, { userId, loginName }: Actor): Promise<queries.Author> {
  return { userId, name: loginName, reach: (await readKeptReach(trx, userId)) ?? refuse('sessionEnded') }
}

/** Why packages are not offered although automatic upgrades are on, by id. */
async function stopsOf(db: Db, rows: readonly PackageRecord[]): Promise<Map<number, string>> {
  const stops = new Map<number, string>()
  for (const row of rows) {
    const { switcher, ...people } = peopleOf(row)
    const approved = { approvedBy: row.autoApprovedBy, approvedByName: row.autoUpgradeApprovedBy }
    const approver = automaticApprover(approved, row.autoApprovedIn)
    const stopped =
      switcher && (await stopOf(db, { ...people, switcher, approver, withCreation: row.withCreation }))
    if (stopped) stops.set(row.id, describeStop(stopped))
  }
  return stops
}

/**
 * Locks the board and compares the fields of the form. Refuses `conflict` where the board has been changed since the file
 * was identified or since the form's upload: the package could be for other models than the user was told.
 */
async function checkFields(trx: Trx, form: Form, { file, board, identity }: Identified): Promise<void> {
  const [locked] = await lockBoardsByCode(trx, [board.pcbCode])
  if (locked?.id !== board.id || locked.version !== board.version) refuse('conflict')
  if (form.pcbVersion !== undefined && form.pcbVersion !== locked.version) refuse('conflict')
  refuseTampered(
    tamperedFields(form, {
      ...identity,
      pcbCode: board.pcbCode,
      version: versionOf(identity),
      fileName: file.name,
      fileSize: file.sizeBytes,
      md5: file.md5,
      sha256: file.sha256,
      equipTypeId: locked.equipTypeId,
    }),
  )
}

function refuseTampered(problems: ReturnType<typeof tamperedFields>): void {
  const [first, ...others] = problems
  if (first) refuseInput(first, ...others)
}

const refuseFile = () => refuseInput({ field: 'filePath', message: '文件不存在或已失效，请重新上传' })
const taken = (field: string) => ({ field, message: '该版本已存在' })

const packageOf = (id: string): Subject<PackageRecord> => ({
  lock: (trx) => queries.lockPackage(trx, idNumber(id)),
  notFound: 'packageNotFound',
  target: ({ pcbCode, versionText }) => targetOf({ pcbCode, version: versionText }),
})

const addressesOf = (fileId: string) => {
  const filePath = pathPrefix + fileId
  const fileUrl = `/api/firmware/download?filePath=${filePath}`
  return { filePath, fileUrl, downloadUrl: fileUrl }
}

const versionOf = ({ major, minor }: { major: number; minor: number }) => `${major}.${minor}`

function shownOf({ fileId, remark, versionText, version, ...row }: PackageRecord) {
  return {
    ...row,
    version: versionText,
    lockVersion: version,
    ...addressesOf(fileId),
    fgRelease: row.isRelease ? (1 as const) : (0 as const),
    remark: JSON.stringify(inOrder(remark)),
  }
}

/** What can be changed of a package, as the operation log shows it. */
const loggedOf = ({
  fileName,
  sha256,
  isAutoUpgrade,
  remark,
}: Pick<PackageRecord, 'fileName' | 'sha256' | 'isAutoUpgrade' | 'remark'>) => ({
  fileName,
  sha256,
  isAutoUpgrade,
  versionNote: inOrder(remark),
})

/** The languages in their order, which the database does not keep. */
const inOrder = ({ zh, en, de, fr }: PackageRecord['remark']) => ({ zh, en, de, fr })

const targetOf = ({ pcbCode, version }: { pcbCode: string; version: string }) => `固件 ${pcbCode} V${version}`

/** The problem of a file that does not belong to the package. */
const otherThan = (known: PackageRecord) =>
  `文件与所修改的固件不一致：应为 ${[
    known.pcbCode,
    known.partType,
    `V${known.versionText}`,
    known.hwVersion === null ? undefined : `HW${known.hwVersion}`,
    known.mcuNum === null ? undefined : `M${known.mcuNum}`,
    known.isRelease ? 'R' : 'T',
  ]
    .filter((part) => part !== undefined)
    .join('_')}`
