// The spreadsheets of the device import: the template, the result with the secrets, and the secrets alone.
// import.rules.ts checks a filled-in template.
import {
  businessStatuses,
  businessStatusNames,
  deviceProtocols,
  importColumns,
  importRowLimit,
  protocolNames,
} from '@voltkeep/contract'
import { type FilledSheet, workbook } from '../../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../../platform/process/language/speech.ts'
import { type ImportedDevice, type Named, type Reference, uppermost } from './import.rules.ts'

const listSheet = '可选值'

/** An empty sheet to fill in, with instructions and the values that its cells may have. */
export function templateOf(reference: Reference): AsyncGenerator<Uint8Array> {
  const { operators, equipTypes, equipModels, regions } = offeredBy(reference)
  const statuses = businessStatuses.map((status) => businessStatusNames[status])
  const protocols = deviceProtocols.map((protocol) => protocolNames[protocol])
  const lists = [operators, equipTypes, equipModels, regions, statuses, protocols]
  const choice = (column: number, list: number, prompt: string, isStrict = false) => ({
    column,
    from: {
      sheet: listSheet,
      column: list,
      firstRow: 2,
      lastRow: Math.max(2, (lists[list]?.length ?? 0) + 1),
    },
    rows: importRowLimit,
    prompt,
    isStrict,
  })

  const devices: FilledSheet<null> = {
    name: '设备',
    columns: [
      { title: importColumns.code, width: 20, cell: () => null },
      { title: importColumns.name, width: 24, cell: () => null },
      { title: importColumns.operator, width: 24, cell: () => null },
      { title: importColumns.equipType, width: 18, cell: () => null },
      { title: importColumns.equipModel, width: 20, cell: () => null },
      { title: importColumns.region, width: 36, cell: () => null },
      { title: importColumns.address, width: 36, cell: () => null },
      { title: importColumns.businessStatus, width: 12, cell: () => null },
      { title: importColumns.protocol, width: 14, cell: () => null },
    ],
    batches: () => [],
    // Codes of digits alone would become numbers, and beyond 15 digits they would change.
    textColumns: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    choices: [
      choice(2, 0, '必填：运营商的名称或编码'),
      choice(3, 1, '选填：设备类型的名称或编码'),
      choice(4, 2, '必填：设备型号的名称或编码'),
      choice(5, 3, '必填：地区的编码或名称，如 深圳市/南山区'),
      choice(7, 4, '选填：留空为未交付', true),
      choice(8, 5, '选填：留空为 MQTT', true),
    ],
  }

  const explanations: [title: string, isNeeded: boolean, rule: string, example: string | undefined][] = [
    [importColumns.code, true, '1 到 32 位字母或数字，不能与已有设备或其他行重复', 'EC2502000001'],
    [importColumns.name, false, '不超过 64 个字符', '南山智园一号柜'],
    [importColumns.operator, true, '名称或编码；名称相同的请填写编码', operators[0]],
    [importColumns.equipType, false, '名称或编码；填写时，型号须属于该类型', equipTypes[0]],
    [importColumns.equipModel, true, '名称或编码；名称相同的请填写编码', equipModels[0]],
    [importColumns.region, true, '编码，或从任意一级写到本级的名称，用 / 分隔', regions.at(-1)],
    [importColumns.address, false, '不超过 200 个字符', '科技南路 1 号'],
    [importColumns.businessStatus, false, `${statuses.join('、')}，或 1、2、3；留空为未交付`, statuses[1]],
    [importColumns.protocol, false, `${protocols.join('、')}；留空为 MQTT`, protocols[0]],
  ]
  const explanation: FilledSheet<(typeof explanations)[number]> = {
    name: '填写说明',
    columns: [
      { title: '列', width: 14, cell: ([title]) => said(title) },
      { title: '是否必填', width: 10, cell: ([, isNeeded]) => said(isNeeded ? '必填' : '选填') },
      { title: '规则', width: 56, cell: ([, , rule]) => said(rule) },
      { title: '示例', width: 36, cell: ([, , , example]) => said(example ?? null) },
      {
        title: '说明',
        width: 60,
        cell: (row) => (row === explanations[0] ? notes.map((note) => said(note)).join('') : null),
      },
    ],
    batches: () => [explanations],
  }

  const rowCount = Math.max(...lists.map((list) => list.length))
  const values: FilledSheet<number> = {
    name: listSheet,
    columns: ['运营商', '设备类型', '设备型号', '地区', '业务状态', '接入协议'].map((title, index) => ({
      title,
      width: title === '地区' ? 40 : 24,
      cell: (row) => (index === 4 ? said(lists[index]?.[row] ?? null) : (lists[index]?.[row] ?? null)),
    })),
    batches: () => [Array.from({ length: rowCount }, (_, row) => row)],
  }
  return workbook([devices, explanation, values])
}

const notes = [
  `在“设备”表中每行填写一台设备，最多 ${importRowLimit} 行。请先试运行：全部正确才会写入，有一处错误则一行也不写入。`,
  '导入后下载的结果文件含有每台设备的接入密钥，只提供这一次，请妥善保管。',
]

/** The values that the template's cells offer: an import accepts each of them. */
export function offeredBy(reference: Reference) {
  return {
    operators: shownNames(reference.operators),
    equipTypes: shownNames(reference.equipTypes),
    equipModels: shownNames(reference.equipModels),
    regions: shownNames(uppermost(reference.regions.filter(({ isEverywhere }) => !isEverywhere))),
  }
}

/** Names, or codes where several rows have the same name. */
function shownNames(all: readonly Named[]): string[] {
  const counts = Map.groupBy(all, ({ name }) => name)
  return all.map(({ name, code }) => (counts.get(name)?.length === 1 ? name : code))
}

/** The devices that were made, with their secrets. */
export function resultOf(
  devices: readonly (ImportedDevice & { secret: string })[],
): AsyncGenerator<Uint8Array> {
  const sheet: FilledSheet<(typeof devices)[number]> = {
    name: '导入结果',
    columns: [
      { title: '行号', width: 8, cell: ({ row }) => row },
      { title: importColumns.code, width: 20, cell: ({ code }) => code },
      { title: '密钥', width: 40, cell: ({ secret }) => secret },
      { title: importColumns.name, width: 24, cell: ({ name }) => name },
      { title: importColumns.operator, width: 24, cell: ({ operator }) => operator.name },
      { title: importColumns.equipModel, width: 20, cell: ({ equipModel }) => equipModel.name },
      { title: importColumns.region, width: 36, cell: ({ region }) => region.name },
      { title: importColumns.address, width: 36, cell: ({ address }) => address },
      {
        title: importColumns.businessStatus,
        width: 12,
        cell: ({ businessStatus }) => said(businessStatusNames[businessStatus]),
      },
      { title: importColumns.protocol, width: 14, cell: ({ protocol }) => protocolNames[protocol] },
    ],
    batches: () => [devices],
  }
  return workbook([sheet])
}

/** New secrets. */
export function secretsOf(
  devices: readonly { code: string; secret: string; name: string | null; address: string | null }[],
): AsyncGenerator<Uint8Array> {
  const sheet: FilledSheet<(typeof devices)[number]> = {
    name: '设备密钥',
    columns: [
      { title: importColumns.code, width: 20, cell: ({ code }) => code },
      { title: '密钥', width: 40, cell: ({ secret }) => secret },
      { title: importColumns.name, width: 24, cell: ({ name }) => name },
      { title: importColumns.address, width: 36, cell: ({ address }) => address },
    ],
    batches: () => [devices],
  }
  return workbook([sheet])
}
