import type { PackageRow } from '@voltkeep/contract/firmware'
import { formatBytes } from '../../lib/format.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { firmwareTexts } from './firmware.texts.ts'
import { KindTag } from './KindTag.tsx'
import { remarkOf } from './remark.ts'

const { fields } = firmwareTexts

const board: Column<PackageRow>[] = [
  { key: 'pcbCode', title: fields.pcbCode, render: ({ pcbCode }) => <CopyText text={pcbCode} /> },
  textColumn('pcbName', fields.pcbName, { maxWidth: 120 }),
  textColumn('applyTo', fields.applyTo, { maxWidth: 140 }),
]
const equipType: Column<PackageRow>[] = [
  textColumn('equipTypeName', fields.equipType, { key: 'equipType', maxWidth: 160 }),
]

/** What a version is for a device: what is new in it, and which devices run it. */
const ofVersion: Column<PackageRow>[] = [
  {
    key: 'devices',
    title: fields.devices,
    width: 92,
    render: ({ equipTypeId, partType, version }) => (
      <PageLink page="upgrade/version" search={{ equipTypeId, partType, version }}>
        {firmwareTexts.devicesOf}
      </PageLink>
    ),
  },
  {
    key: 'remark',
    title: fields.remark,
    maxWidth: 360,
    render: (row) => remarkOf(row).zh,
  },
]
/** Of the file, which the list of firmware is about. */
const ofFile: ReadonlySet<string> = new Set(['fileSize', 'uploadBy'])

const everyColumn = (leads: 'board' | 'equipType'): Column<PackageRow>[] => [
  ...(leads === 'board' ? board : equipType),
  textColumn('partTypeName', fields.partType, { key: 'partType', maxWidth: 110 }),
  textColumn('version', fields.version, { width: 76, isMono: true }),
  {
    key: 'kind',
    title: fields.kind,
    render: (row) => <KindTag {...row} />,
  },
  ...(leads === 'board' ? [] : ofVersion),
  {
    key: 'hwVersion',
    title: fields.hwVersion,
    width: 76,
    render: ({ hwVersion }) =>
      hwVersion === null ? firmwareTexts.anyHardware : <span className="mono">{hwVersion}</span>,
  },
  {
    key: 'isAutoUpgrade',
    title: fields.isAutoUpgrade,
    width: 76,
    render: ({ isAutoUpgrade, autoUpgradeStop, isAutoUpgradeHeld }) => {
      if (!isAutoUpgrade) return <Nothing />
      return autoUpgradeStop === null ? (
        '是'
      ) : (
        <span title={autoUpgradeStop}>
          {isAutoUpgradeHeld ? firmwareTexts.autoHeld : firmwareTexts.autoStopped}
        </span>
      )
    },
  },
  textColumn('fileName', fields.fileName, { maxWidth: 'max(200px, 17vw)', isMono: true }),
  {
    key: 'fileSize',
    title: fields.size,
    width: 76,
    align: 'right',
    render: ({ fileSize }) => formatBytes(fileSize),
  },
  textColumn('uploadBy', fields.uploadBy, { maxWidth: 120 }),
  textColumn('createBy', fields.createBy, { maxWidth: 120 }),
  timeColumn('createTime', fields.createTime),
]

/** Firmware is identified by its board, a software version by its equipment type. */
export const packageColumns = (leads: 'board' | 'equipType') =>
  everyColumn(leads).filter(({ key }) => leads === 'board' || !ofFile.has(key))
