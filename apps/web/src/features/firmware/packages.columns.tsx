import type { PackageRow } from '@voltkeep/contract/firmware'
import { formatBytes } from '../../lib/format.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { firmwareTexts } from './firmware.texts.ts'
import { KindTag } from './KindTag.tsx'

const { fields } = firmwareTexts

const board: Column<PackageRow>[] = [
  { key: 'pcbCode', title: fields.pcbCode, render: ({ pcbCode }) => <CopyText text={pcbCode} /> },
  { key: 'pcbName', title: fields.pcbName, maxWidth: 180, render: ({ pcbName }) => pcbName },
  {
    key: 'applyTo',
    title: fields.applyTo,
    maxWidth: 240,
    render: ({ applyTo }) => <span title={applyTo}>{applyTo}</span>,
  },
]
const equipType: Column<PackageRow>[] = [
  { key: 'equipType', title: fields.equipType, maxWidth: 160, render: ({ equipTypeName }) => equipTypeName },
]

/** Firmware is identified by its board, a software version by its equipment type. */
export const packageColumns = (leads: 'board' | 'equipType'): Column<PackageRow>[] => [
  ...(leads === 'board' ? board : equipType),
  { key: 'partType', title: fields.partType, maxWidth: 140, render: ({ partTypeName }) => partTypeName },
  {
    key: 'version',
    title: fields.version,
    width: 96,
    render: ({ version }) => <span className="mono">{version}</span>,
  },
  {
    key: 'kind',
    title: fields.kind,
    width: 84,
    render: ({ isRelease }) => <KindTag isRelease={isRelease} />,
  },
  {
    key: 'hwVersion',
    title: fields.hwVersion,
    width: 84,
    render: ({ hwVersion }) =>
      hwVersion === null ? firmwareTexts.anyHardware : <span className="mono">{hwVersion}</span>,
  },
  {
    key: 'isAutoUpgrade',
    title: fields.isAutoUpgrade,
    width: 84,
    render: ({ isAutoUpgrade, autoUpgradeStop }) => {
      if (!isAutoUpgrade) return <Nothing />
      return autoUpgradeStop === null ? (
        '是'
      ) : (
        <span title={autoUpgradeStop}>{firmwareTexts.autoStopped}</span>
      )
    },
  },
  {
    key: 'fileName',
    title: fields.fileName,
    maxWidth: 300,
    render: ({ fileName }) => (
      <span className="mono" title={fileName}>
        {fileName}
      </span>
    ),
  },
  {
    key: 'fileSize',
    title: fields.size,
    width: 92,
    align: 'right',
    render: ({ fileSize }) => formatBytes(fileSize),
  },
  { key: 'uploadBy', title: fields.uploadBy, maxWidth: 120, render: ({ uploadBy }) => uploadBy },
  { key: 'createBy', title: fields.createBy, maxWidth: 120, render: ({ createBy }) => createBy },
  { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
]
