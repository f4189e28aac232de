import { DownloadOutlined, EllipsisOutlined, ImportOutlined } from '@ant-design/icons'
import { exportDevices, importDevices } from '@voltkeep/contract/deviceImport'
import { texts } from '../../lib/texts/index.ts'
import { useLongDownload } from '../../lib/wire/download.ts'
import { MenuButton } from '../../ui/buttons/MenuButton.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { deviceTexts } from './devices.texts.ts'

/** Import and export on a phone: one menu, since the head has no room for buttons. */
export function PhoneActions({
  filters: { pageNum: _page, pageSize: _size, ...narrowing },
  isEmpty,
  onImport,
}: {
  filters: Record<string, unknown>
  isEmpty: boolean
  onImport: () => void
}) {
  const exporting = useLongDownload(exportDevices)
  const mayExport = usePermission(exportDevices.access)
  const mayImport = usePermission(importDevices.access)
  const choices = [
    ...(mayExport && !isEmpty && !exporting.current
      ? [
          {
            key: 'export',
            label: texts.list.export,
            icon: <DownloadOutlined />,
            onSelect: () => exporting.begin(narrowing),
          },
        ]
      : []),
    ...(mayImport
      ? [
          {
            key: 'import',
            label: deviceTexts.importing.action,
            icon: <ImportOutlined />,
            onSelect: onImport,
          },
        ]
      : []),
  ]
  if (choices.length === 0) return null
  return (
    <MenuButton label={texts.list.more} className="button" choices={choices}>
      <EllipsisOutlined />
    </MenuButton>
  )
}
