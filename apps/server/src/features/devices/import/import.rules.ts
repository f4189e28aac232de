// Rules of an import: the device that a row of a sheet describes, or every problem of the row.
import {
  businessStatuses,
  businessStatusNames,
  DeviceCode,
  type DeviceProtocol,
  deviceProtocols,
  type ImportColumn,
  type ImportProblem,
  importColumns,
  insertDevice,
  protocolNames,
} from '@voltkeep/contract'
import * as z from 'zod/mini'
import { refuseInput } from '../../../platform/calls/refusal.ts'
import { invalidCharacter } from '../../../platform/files/sheets/cell-limits.ts'
import type { ReadRow } from '../../../platform/files/sheets/spreadsheet.ts'
import { inEnglish } from '../../../platform/process/language/translation.ts'

/** The rows that a cell may name, by code or by name: only those of the caller's scope. */
export interface Reference {
  operators: readonly Named[]
  equipTypes: readonly Named[]
  equipModels: readonly (Named & { equipTypeId: number })[]
  /** `name` is the whole path from the country down, separated by ` / `. */
  regions: readonly NamedRegion[]
}
export interface Named {
  id: number
  code: string
  name: string
}

export interface NamedRegion extends Named {
  isEverywhere: boolean
  /** The number of regions above it. */
  depth: number
}

/** A row that can be written. */
export interface ImportedDevice {
  row: number
  code: string
  name: string | null
  address: string | null
  businessStatus: (typeof businessStatuses)[number]
  protocol: DeviceProtocol
  operator: Named
  equipModel: Named
  region: Named
}

const neededColumns: readonly ImportColumn[] = ['code', 'operator', 'equipModel', 'region']
const columnNames = Object.keys(importColumns) as ImportColumn[]

/** The place of each column, by the titles in the first row; their order does not matter. */
export type Titles = ReadonlyMap<ImportColumn, number>

/** As templates of both languages have it, without spaces. */
const titlesOf = (chinese: string) => [chinese, inEnglish(chinese).replace(/\s/g, '')]

/** Refuses titles that are missing, duplicate or unknown: the cells below them would be lost. */
export function readTitles({ cells }: ReadRow): Titles {
  const titles = new Map<ImportColumn, number>()
  const unknown: string[] = []
  for (const [index, cell] of cells.entries()) {
    const title = cell?.replace(/[*＊\s]/g, '')
    if (!title) continue
    const column = columnNames.find((name) => titlesOf(importColumns[name]).includes(title))
    if (!column) unknown.push(title)
    else if (titles.has(column)) refuseInput({ field: 'file', message: `列“${title}”重复` })
    else titles.set(column, index)
  }
  const missing = neededColumns.filter((name) => !titles.has(name)).map((name) => importColumns[name])
  if (missing.length > 0) {
    refuseInput({ field: 'file', message: `缺少列：${missing.join('、')}。请使用导入模板` })
  }
  if (unknown.length > 0) {
    refuseInput({
      field: 'file',
      message: `无法识别的列：${unknown.join('、').slice(0, 200)}。请使用导入模板`,
    })
  }
  return titles
}

/**
 * Checks rows one after the other: returns the device of each, or all its problems. It remembers the codes of earlier
 * rows; those in the database are read separately (`listTakenCodes`).
 */
export function createRowCheck(titles: Titles, reference: Reference) {
  const operators = choices('运营商', reference.operators)
  const equipTypes = choices('设备类型', reference.equipTypes)
  const equipModels = choices('设备型号', reference.equipModels)
  const regions = regionChoices(reference.regions)
  const { name: nameSchema, address: addressSchema } = insertDevice.input.shape
  const rowOfCode = new Map<string, number>()

  return (row: ReadRow): { device: ImportedDevice | null; problems: ImportProblem[] } => {
    const problems: ImportProblem[] = []
    const cellOf = (column: ImportColumn) => row.cells[titles.get(column) ?? -1]
    const complain = (column: ImportColumn, message: string): null => {
      problems.push({ ...placeOf(row.number, column, cellOf(column)), message })
      return null
    }
    // A cell is empty, whereas a form's message says to type or to choose.
    const complainOfEmpty = (column: ImportColumn) => complain(column, `${importColumns[column]}不能为空`)
    const checked = <T>(column: ImportColumn, schema: z.ZodMiniType<T>): T | null => {
      const cell = cellOf(column)
      if (cell?.includes(invalidCharacter)) return complain(column, '包含无效字符')
      const result = z.safeParse(schema, cell)
      if (result.success) return result.data
      if (cell === undefined) return complainOfEmpty(column)
      return complain(column, result.error.issues[0]?.message ?? '格式有误')
    }
    const chosen = <T extends Named>(column: ImportColumn, find: Find<T>): T | null => {
      const cell = cellOf(column)
      if (cell === undefined) return complainOfEmpty(column)
      const found = find(cell)
      return typeof found === 'string' ? complain(column, found) : found
    }

    const code = checked('code', DeviceCode)
    if (code !== null) {
      const earlier = rowOfCode.get(code)
      if (earlier === undefined) rowOfCode.set(code, row.number)
      else complain('code', `与第 ${earlier} 行的设备编号重复`)
    }
    const name = checked('name', nameSchema) ?? null
    const address = checked('address', addressSchema) ?? null
    const operator = chosen('operator', operators)
    const region = chosen('region', regions)
    const typeCell = cellOf('equipType')
    const equipType = typeCell === undefined ? undefined : chosen('equipType', equipTypes)
    const ofType = equipType
      ? (model: { equipTypeId: number }) => model.equipTypeId === equipType.id
      : undefined
    const equipModel = chosen('equipModel', (cell) => {
      const found = equipModels(cell, ofType)
      if (typeof found !== 'string' || !equipType || typeof equipModels(cell) === 'string') return found
      return `设备型号“${cell}”不属于设备类型“${equipType.name}”`
    })
    const businessStatus = statusOf(cellOf('businessStatus'))
    if (businessStatus === null) {
      const words = businessStatuses.map((status) => businessStatusNames[status]).join('、')
      complain('businessStatus', `业务状态只能是${words}`)
    }
    const protocol = protocolOf(cellOf('protocol'))
    if (protocol === null) {
      const words = deviceProtocols.map((one) => protocolNames[one]).join('、')
      complain('protocol', `接入协议只能是 ${words}`)
    }

    if (problems.length > 0 || !code || !operator || !region || !equipModel || !businessStatus || !protocol) {
      return { device: null, problems }
    }
    return {
      device: {
        row: row.number,
        code,
        name,
        address,
        businessStatus,
        protocol,
        operator,
        equipModel,
        region,
      },
      problems,
    }
  }
}

/** The number of characters that a problem quotes: one long text that every cell shares made an answer of 300 MB. */
const shownLength = 100

export function placeOf(row: number, column: ImportColumn, value: string | undefined) {
  return { row, column: importColumns[column], value: value?.slice(0, shownLength).toWellFormed() ?? null }
}

/** The whole import is refused; each problem names its place. */
export function fieldProblemOf({ row, column, value, message }: ImportProblem) {
  return {
    field: `file.${row}.${column}`,
    message: `第 ${row} 行“${column}”：${message}`,
    row,
    column,
    value,
  }
}

function statusOf(cell: string | undefined): (typeof businessStatuses)[number] | null {
  // As a device that is added in the form: not delivered.
  if (cell === undefined) return 2
  return (
    businessStatuses.find(
      (status) =>
        String(status) === cell ||
        [businessStatusNames[status], inEnglish(businessStatusNames[status])].includes(cell),
    ) ?? null
  )
}

function protocolOf(cell: string | undefined): DeviceProtocol | null {
  // As a device that is added in the form.
  if (cell === undefined) return 'mqtt'
  const word = cell.toLowerCase()
  return deviceProtocols.find((one) => one === word || protocolNames[one].toLowerCase() === word) ?? null
}

/** Finds the row that a cell names, or says in Chinese why there is none. `among` narrows the choice. */
type Find<T> = (cell: string, among?: (one: T) => boolean) => T | string

/** By code first: a code is unique, while a name may also be the code of another row. */
function choices<T extends Named>(label: string, all: readonly T[]): Find<T> {
  const byCode = new Map(all.map((one) => [one.code.toUpperCase(), one]))
  const byName = Map.groupBy(all, ({ name }) => name)
  return (cell, among = () => true) => {
    const coded = byCode.get(cell.toUpperCase())
    if (coded && among(coded)) return coded
    return only(label, cell, (byName.get(cell) ?? []).filter(among))
  }
}

/** A region is named by its code, or by the end of its path: 南山区, 深圳市/南山区, 广东省/深圳市/南山区. */
function regionChoices(all: readonly NamedRegion[]): Find<NamedRegion> {
  const byCode = new Map(all.map((one) => [one.code, one]))
  const byEnd = new Map<string, NamedRegion[]>()
  for (const one of all) {
    const names = one.name.split(' / ')
    for (let from = 0; from < names.length; from += 1) {
      const end = names.slice(from).join('/')
      byEnd.set(end, [...(byEnd.get(end) ?? []), one])
    }
  }
  return (cell) => {
    const names = cell.split(/[/／>＞]/)
    const end = names.map((name) => name.trim()).join('/')
    const found = byCode.get(cell) ?? only('地区', cell, uppermost(byEnd.get(end) ?? []))
    return typeof found !== 'string' && found.isEverywhere ? '请选择具体的地区' : found
  }
}

/**
 * A region without a name of its own (the level of districts in 北京市, places directly under 河南省) has the name of the
 * region above it: that name then means the upper one. Leaves out regions whose whole path equals another's.
 */
export function uppermost(regions: readonly NamedRegion[]): NamedRegion[] {
  const least = new Map<string, number>()
  for (const { name, depth } of regions) least.set(name, Math.min(depth, least.get(name) ?? depth))
  return regions.filter(({ name, depth }) => least.get(name) === depth)
}

function only<T extends Named>(label: string, cell: string, found: readonly T[]): T | string {
  const [first, second] = found
  const shown = cell.slice(0, 50)
  if (!first) return `${label}“${shown}”不存在`
  if (!second) return first
  const hint = label === '地区' ? '请写出上级地区，如 深圳市/南山区，或填写编码' : '请填写编码'
  return `有 ${found.length} 个${label}名为“${shown}”，${hint}`
}
