// The devices that a work leaves out, with the reasons, as the file beside its preview.
import type { FileReply } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import {
  fileNameAt,
  refuseTooManyRows,
  type Sheet,
  spreadsheet,
} from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'

interface LeftOutRow {
  code: string
  name: string | null
  operatorName: string
  equipTypeName: string
  equipModelName: string
  regionName: string
  part: string | null
  reason: string
}

const sheet: Sheet<LeftOutRow> = {
  name: '未包含的设备',
  columns: [
    { title: '设备编号', width: 22, cell: (row) => row.code },
    { title: '设备名称', width: 24, cell: (row) => row.name },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '设备类型', width: 16, cell: (row) => row.equipTypeName },
    { title: '设备型号', width: 18, cell: (row) => row.equipModelName },
    { title: '地区', width: 30, cell: (row) => row.regionName },
    { title: '部件', width: 14, cell: (row) => row.part },
    { title: '原因', width: 36, cell: (row) => said(row.reason) },
  ],
}

/**
 * An .xlsx of them. `leftOut`: a query of (device_id, part, reason), `part` a part type or null, `reason` a text for
 * users or a key of `texts`.
 */
export async function leftOutFile(
  db: Db,
  title: string,
  leftOut: RawBuilder<unknown>,
  texts: Readonly<Record<string, string>>,
): Promise<FileReply> {
  const { rows } = await sql<LeftOutRow>`
    SELECT d.code, d.name, o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
      g.full_name AS "regionName", coalesce(p.name, l.part) AS part, l.reason
    FROM (${leftOut}) l(device_id, part, reason)
    JOIN device d ON d.id = l.device_id
    JOIN operator o ON o.id = d.operator_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region g ON g.id = d.region_id
    LEFT JOIN part_type p ON p.code = l.part
    ORDER BY d.code, p.order_num`.execute(db)
  refuseTooManyRows(rows.length)
  return {
    fileName: fileNameAt(title, new Date()),
    body: spreadsheet(sheet, async function* () {
      yield rows.map((row) => ({ ...row, reason: texts[row.reason] ?? row.reason }))
    }),
  }
}
