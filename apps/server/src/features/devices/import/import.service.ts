// The import of devices from a spreadsheet: a trial that reports every problem, and the import itself, in batches.
import { setImmediate } from 'node:timers/promises'
import {
  type FileReply,
  type ImportProblem,
  type ImportReport,
  type importDevices,
  importRowLimit,
  type ParsedInputFor,
} from '@voltkeep/contract'
import type { Registry } from 'prom-client'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import { readBranches } from '../../../domain/access/organization-tree.ts'
import { type Actor, callerOf } from '../../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { recordOperation, shownDevices } from '../../../platform/database/operation-log.ts'
import { createSheetReader, type ReadSheetApart } from '../../../platform/files/sheets/read-apart.ts'
import { fileNameAt, type ReadRow } from '../../../platform/files/sheets/spreadsheet.ts'
import type { Log } from '../../../platform/process/log.ts'
import { hashSecret, makeSecret } from '../device-secrets.ts'
import { devicesChanged } from '../devices.notices.ts'
import { insertDevices, listTakenCodes, lockModelsShared, readReference } from './import.queries.ts'
import { createRowCheck, fieldProblemOf, type ImportedDevice, placeOf, readTitles } from './import.rules.ts'
import { resultOf, secretsOf, templateOf } from './import-sheets.ts'
import { createImportSlots } from './import-slots.ts'
import { findImport, finishImport, insertImport, lockUnconnected, updateSecrets } from './imports.queries.ts'

/** Rows that are checked before other work gets its turn: some milliseconds. */
const rowsWithoutPause = 200

export type DeviceImport = ReturnType<typeof createDeviceImport>

/**
 * Adds devices from a sheet. To a row, anything out of the caller's scope is unknown, like anything that does not
 * exist.
 */
export function createDeviceImport({
  db,
  log,
  metrics,
  notices,
}: {
  db: Db
  log: Log
  metrics: Registry
  notices: Pick<Notices, 'publish' | 'publishAtOnce'>
}) {
  const readSheet = createSheetReader({ log, metrics })
  const inSlot = createImportSlots({ log, metrics })

  /**
   * A dry run returns every problem of every row. Otherwise all rows are written, or none: refuses 400 with the
   * problems, or 409 `deviceCodeTaken` for a code taken in between; 429 `importRunning` and `tooManyImports` where
   * too many run. The answer is the only place where the secrets can be read.
   */
  async function importDevicesOf(
    actor: Actor,
    { file, dryRun }: ParsedInputFor<typeof importDevices>,
  ): Promise<ImportReport | FileReply> {
    const [head, ...rows] = await readRows(readSheet, file.path)
    const titles = readTitles(head)
    if (dryRun === 1) {
      const { devices, problems } = await check(db, actor, titles, rows)
      // A trial shows for thousands of codes at once which of them devices have: so it is recorded.
      await db.transaction().execute((trx) =>
        recordOperation(trx, actor, {
          target: `校验设备 ${rows.length} 台（${file.fileName}），其中 ${problems.length} 处有误`,
        }),
      )
      return { fileName: file.fileName, rowCount: rows.length, validCount: devices.length, problems }
    }
    const importId = await insertImport(db, {
      userId: actor.userId,
      fileName: file.fileName,
      rowCount: rows.length,
    })
    const made = await writeDevices(actor, { titles, rows, fileName: file.fileName, importId }).catch(
      async (error: unknown) => {
        const reason = error instanceof Refusal ? error.message : '导入失败，没有写入任何设备'
        // If this fails too, the import is shown as one whose process ended.
        await finishImport(db, importId, { reason }).catch(() => undefined)
        throw error
      },
    )
    notices.publish(
      devicesChanged,
      made.map(({ code }) => code),
    )
    return { fileName: fileNameAt('设备导入结果', new Date()), body: resultOf(made) }
  }

  function writeDevices(
    actor: Actor,
    {
      titles,
      rows,
      fileName,
      importId,
    }: {
      titles: ReturnType<typeof readTitles>
      rows: readonly ReadRow[]
      fileName: string
      importId: string
    },
  ) {
    return db.transaction().execute(async (trx) => {
      await lockModelsShared(trx)
      const { devices, problems } = await check(trx, actor, titles, rows)
      if (problems.length > 0) throw new Refusal('badInput', problems.map(fieldProblemOf))
      await refuseForeignCode(trx, rows, titles)
      const withSecrets = devices.map((device) => ({ ...device, secret: makeSecret(device.protocol) }))
      const deviceIds = await insertDevices(
        trx,
        withSecrets.map((device) => ({ ...device, secretHash: hashSecret(device.secret) })),
        actor.userId,
      )
      // One of the codes was taken after they were looked up.
      if (deviceIds.length < devices.length) throw new Refusal('deviceCodeTaken')
      const codes = devices.map(({ code }) => code)
      await recordOperation(trx, actor, {
        target: `设备 ${codes.length} 台（${fileName}）`,
        changes: { after: { fileName, ...shownDevices({ codes }) } },
      })
      await finishImport(trx, importId, { deviceIds })
      return withSecrets
    })
  }

  /**
   * New secrets for the devices of an import that never connected. Refuses `importNotFound` (404) for an import that
   * is not the caller's or made none, and `importInUse` (409) where every device has been connected, or is deleted.
   */
  async function renewSecretsOf(actor: Actor, id: string): Promise<FileReply> {
    const made = await findImport(db, actor.userId, id)
    if (!made?.finishedAt || made.reason !== null) refuse('importNotFound')
    const renewed = await db.transaction().execute(async (trx) => {
      const devices = await lockUnconnected(trx, await scopeOf(trx, actor), id)
      if (devices.length === 0) refuse('importInUse')
      const withSecrets = devices.map((device) => ({ ...device, secret: makeSecret(device.protocol) }))
      await updateSecrets(
        trx,
        withSecrets.map(({ id: deviceId, secret }) => ({ id: deviceId, secretHash: hashSecret(secret) })),
        actor.userId,
      )
      await recordOperation(trx, actor, { target: `设备 ${devices.length} 台（${made.fileName}）` })
      return withSecrets
    })
    notices.publishAtOnce(
      devicesChanged,
      renewed.map(({ code }) => code),
    )
    return { fileName: fileNameAt('设备密钥', new Date()), body: secretsOf(renewed) }
  }

  async function slotOf(actor: Actor, signal: AbortSignal) {
    const [branch = 0] = (await readBranches(db))(actor.organizationId)
    return { caller: callerOf(actor), branch, signal }
  }

  return {
    async readImportTemplate(actor: Actor): Promise<FileReply> {
      const reference = await readReference(db, await scopeOf(db, actor))
      return { fileName: '设备导入模板.xlsx', body: templateOf(reference) }
    },

    importDevices: async (actor: Actor, input: ParsedInputFor<typeof importDevices>, signal: AbortSignal) =>
      inSlot(await slotOf(actor, signal), () => importDevicesOf(actor, input)),

    renewImportSecrets: async (actor: Actor, { id }: { id: string }, signal: AbortSignal) =>
      inSlot(await slotOf(actor, signal), () => renewSecretsOf(actor, id)),
  }
}

async function readRows(
  readSheet: ReadSheetApart,
  path: string,
): Promise<[head: ReadRow, ...rows: ReadRow[]]> {
  // The titles, and one row more than allowed.
  const [head, ...others] = await readSheet({ path, rowLimit: importRowLimit + 2 })
  if (others.length > importRowLimit) {
    refuseInput({ field: 'file', message: `一次最多导入 ${importRowLimit} 台设备，请拆分后再导入` })
  }
  if (!head || others.length === 0) refuseInput({ field: 'file', message: '文件中没有设备' })
  return [head, ...others]
}

/**
 * A code of a device out of the caller's scope is treated as free until everything else is right; then only the first
 * of them is named: nobody should learn thousands of codes from an import.
 */
async function refuseForeignCode(
  trx: Db,
  rows: readonly ReadRow[],
  titles: ReturnType<typeof readTitles>,
): Promise<void> {
  const codeAt = titles.get('code') ?? -1
  const codes = rows.map((row) => row.cells[codeAt] ?? '')
  const taken = await listTakenCodes(trx, codes)
  const index = codes.findIndex((code) => taken.has(code))
  if (index === -1) return
  const place = placeOf((rows[index] as ReadRow).number, 'code', codes[index])
  throw new Refusal('badInput', [fieldProblemOf({ ...place, message: '设备编号已存在' })])
}

async function check(db: Db, actor: Actor, titles: ReturnType<typeof readTitles>, rows: readonly ReadRow[]) {
  const scope = await scopeOf(db, actor)
  const checkRow = createRowCheck(titles, await readReference(db, scope))
  const checked: ReturnType<typeof checkRow>[] = []
  for (const row of rows) {
    checked.push(checkRow(row))
    if (checked.length % rowsWithoutPause === 0) await setImmediate()
  }
  const codeAt = titles.get('code') ?? -1
  const codeOf = (row: ReadRow) => row.cells[codeAt]
  const taken = await listTakenCodes(
    db,
    rows.flatMap((row) => codeOf(row) ?? []),
    scope,
  )
  const devices: ImportedDevice[] = []
  const problems: ImportProblem[] = []
  for (const [index, { device, problems: found }] of checked.entries()) {
    const row = rows[index] as ReadRow
    const code = codeOf(row)
    const isTaken = code !== undefined && taken.has(code)
    if (isTaken) problems.push({ ...placeOf(row.number, 'code', code), message: '设备编号已存在' })
    problems.push(...found)
    if (device && !isTaken) devices.push(device)
  }
  return { devices, problems }
}
