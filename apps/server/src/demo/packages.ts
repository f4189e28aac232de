// Boards, hardware versions and packages of the demonstration.
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { readKeptReach } from '../domain/access/reaches.ts'
import type { Db, Trx } from '../platform/database/database.ts'
import type { Files } from '../platform/files/kept/index.ts'
import { espImage, mcubootImage } from './images.ts'

interface DemoBoard {
  code: string
  name: string
  typeCode: string
  partType: string
  /** None: all models of the type. */
  modelCodes?: readonly string[]
}

/** Of the parts that are upgraded most. Part types that the simulated devices report. */
const boards: readonly DemoBoard[] = [
  { code: 'VK-MC20', name: '换电柜主控板', typeCode: 'EC', partType: 'PART_TYPE_EC_MASTER' },
  { code: 'VK-BC10', name: '换电柜仓控板', typeCode: 'EC', partType: 'PART_TYPE_EC_BIN' },
  {
    code: 'VK-PW30',
    name: '大功率电源板',
    typeCode: 'EC',
    partType: 'PART_TYPE_EC_POWER',
    modelCodes: ['VK-EC12', 'VK-EC16'],
  },
  { code: 'VK-MC11', name: '充电柜主控板', typeCode: 'CC', partType: 'PART_TYPE_EC_MASTER' },
  { code: 'VK-BM05', name: '电池管理板', typeCode: 'BAT', partType: 'BMS' },
  { code: 'VK-WF01', name: '储能通信板', typeCode: 'ESS', partType: 'WIFI' },
]

/** The boards of a device of that type and model, by type of part. */
export const boardsOf = (typeCode: string, modelCode: string): Record<string, string> =>
  Object.fromEntries(
    boards
      .filter((board) => board.typeCode === typeCode && (board.modelCodes?.includes(modelCode) ?? true))
      .map(({ partType, code }) => [partType, code]),
  )

/** The revisions of each board, as the simulated parts report them. */
const revisions = [
  { code: '1', name: '第一版', note: '首批量产' },
  { code: '2', name: '第二版', note: '更换电源芯片' },
  { code: '3', name: '第三版', note: '接插件防水' },
] as const

interface DemoPackage {
  boardCode: string
  major: number
  minor: number
  isTest?: true
  remark: { zh: string; en: string; de: string; fr: string }
}

const fixes = {
  zh: '修复已知问题，提高稳定性。',
  en: 'Fixes known problems and improves stability.',
  de: 'Behebt bekannte Fehler und verbessert die Stabilität.',
  fr: 'Corrige des problèmes connus et améliore la stabilité.',
}
const doors = {
  zh: '优化仓门状态判断，减少误报。',
  en: 'Judges compartment doors better: fewer false alarms.',
  de: 'Erkennt Fachtüren zuverlässiger: weniger Fehlalarme.',
  fr: 'Meilleure détection des portes : moins de fausses alarmes.',
}
const link = {
  zh: '弱信号下重连更快。',
  en: 'Reconnects faster where the signal is weak.',
  de: 'Verbindet sich bei schwachem Signal schneller neu.',
  fr: 'Se reconnecte plus vite quand le signal est faible.',
}

/** From the version that devices leave the factory with up to one that is still being tested. */
const packages: readonly DemoPackage[] = [
  { boardCode: 'VK-MC20', major: 1, minor: 4, remark: fixes },
  { boardCode: 'VK-MC20', major: 1, minor: 5, remark: doors },
  { boardCode: 'VK-MC20', major: 1, minor: 6, isTest: true, remark: link },
  { boardCode: 'VK-BC10', major: 1, minor: 4, remark: fixes },
  { boardCode: 'VK-BC10', major: 1, minor: 5, remark: doors },
  { boardCode: 'VK-PW30', major: 1, minor: 5, remark: fixes },
  { boardCode: 'VK-MC11', major: 1, minor: 5, remark: doors },
  { boardCode: 'VK-BM05', major: 1, minor: 5, remark: fixes },
  { boardCode: 'VK-WF01', major: 1, minor: 5, remark: link },
]

/** Large enough that a download is seen on its way, small enough that the demonstration starts at once. */
const imageBytes = 192 * 1024

/** Boards with their revisions, and packages with real images. Nothing where there is a board already: what users made or deleted stays. */
export async function plantPackages(db: Db, files: Pick<Files, 'keep'>): Promise<void> {
  const { rows } = await sql`SELECT FROM pcb_board LIMIT 1`.execute(db)
  if (rows.length > 0) return
  // Before the transaction; files of one that fails are collected, as no row refers to them.
  const kept = await Promise.all(
    packages.map(async (one) => {
      const name = fileNameOf(one)
      return { ...one, fileName: name, file: await files.keep(Readable.from([imageOf(one)]), { name }) }
    }),
  )
  const reach = JSON.stringify(await readKeptReach(db, 1))
  await db.transaction().execute(async (trx) => {
    for (const board of boards) await insertBoard(trx, board)
    await insertRevisions(trx)
    for (const { boardCode, major, minor, isTest = false, remark, fileName, file } of kept) {
      await sql`
        INSERT INTO software_package
          (file_id, file_name, pcb_board_id, part_type, major, minor, is_release, remark, created_by, created_by_name,
            created_reach, file_by, file_by_name, file_at, file_reach)
        SELECT ${file.id}, ${fileName}, b.id, b.part_type, ${major}, ${minor}, ${!isTest},
          ${JSON.stringify(remark)}::jsonb, 1, 'admin', ${reach}::jsonb, 1, 'admin', now(), ${reach}::jsonb
        FROM pcb_board b WHERE b.pcb_code = ${boardCode}`.execute(trx)
    }
  })
}

async function insertBoard(trx: Trx, { code, name, typeCode, partType, modelCodes = [] }: DemoBoard) {
  await sql`
    WITH board AS (
      INSERT INTO pcb_board (pcb_code, pcb_name, part_type, equip_type_id)
      SELECT ${code}, ${name}, ${partType}, t.id FROM equip_type t WHERE t.code = ${typeCode}
      RETURNING id
    )
    INSERT INTO pcb_board_model (pcb_board_id, equip_model_id)
    SELECT board.id, m.id FROM board, equip_model m WHERE m.code = ANY(${modelCodes}::text[])`.execute(trx)
}

/** Of the boards' parts in each model that has them, the newest last. */
async function insertRevisions(trx: Trx): Promise<void> {
  const of = (field: keyof (typeof revisions)[number]) => revisions.map((one) => one[field])
  await sql`
    INSERT INTO hw_version (equip_model_id, part_type, name, code, note)
    SELECT DISTINCT ON (m.id, b.part_type, r.code) m.id, b.part_type, r.name, r.code, r.note
    FROM pcb_board b
    JOIN equip_model m ON m.equip_type_id = b.equip_type_id
    JOIN equip_model_part p ON p.equip_model_id = m.id AND p.part_type = b.part_type
    CROSS JOIN unnest(${of('code')}::text[], ${of('name')}::text[], ${of('note')}::text[]) AS r (code, name, note)
    WHERE NOT EXISTS (SELECT FROM pcb_board_model o WHERE o.pcb_board_id = b.id)
      OR EXISTS (SELECT FROM pcb_board_model o WHERE o.pcb_board_id = b.id AND o.equip_model_id = m.id)
    ORDER BY m.id, b.part_type, r.code`.execute(trx)
}

const boardOf = ({ boardCode }: DemoPackage) => boards.find(({ code }) => code === boardCode) as DemoBoard

const fileNameOf = (one: DemoPackage) =>
  `${one.boardCode}_${boardOf(one).partType.replace('PART_TYPE_', '')}_V${one.major}.${one.minor}_${one.isTest ? 'T' : 'R'}.bin`

/** WIFI modules run ESP-IDF, all others boot by MCUboot. */
const imageOf = (one: DemoPackage) =>
  boardOf(one).partType === 'WIFI'
    ? espImage(`${one.major}.${one.minor}.0`, imageBytes)
    : mcubootImage({ ...one, bodyBytes: imageBytes })
