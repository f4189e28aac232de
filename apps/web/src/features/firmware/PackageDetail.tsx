// The panel of one firmware package, beside its list.
import { useQuery } from '@tanstack/react-query'
import { downloadFirmware, type PackageRow, remarkLanguages } from '@voltkeep/contract/firmware'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { useDownload } from '../../lib/wire/download.ts'
import { reading } from '../../lib/wire/reading.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../ui/detail/UnreadPanel.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'
import { KindTag } from './KindTag.tsx'
import type { PackageView } from './packageViews.ts'
import { remarkOf } from './remark.ts'

const { fields } = firmwareTexts

/** One package: its target, release notes in four languages, and its file. */
export function PackageDetail({
  id,
  view,
  actionsOf,
  rows,
  onOpen,
  onClose,
}: {
  id: string
  view: PackageView
  actionsOf: (row: PackageRow) => ReactNode
  /** The rows of the list beside the panel; its steps go through them. */
  rows: readonly PackageRow[]
  onOpen: (row: PackageRow) => void
  onClose: () => void
}) {
  const known = rows.filter((each) => each.id === id)
  const query = useQuery({
    ...reading(view.list, { ids: [id] }),
    // The list's row is shown until the answer arrives.
    placeholderData: known.length > 0 ? { rows: known, total: 1 } : undefined,
    retry: false,
    meta: { isQuiet: 'first' },
  })
  const downloading = useDownload(downloadFirmware)
  const row = query.data?.rows[0]
  if (!row) {
    return (
      <UnreadPanel title={fields.version} notFound={firmwareTexts.notFound} query={query} onClose={onClose} />
    )
  }
  const remark = remarkOf(row)
  return (
    <DetailPanel
      title={`${row.pcbCode} ${row.version}`}
      tags={<KindTag {...row} />}
      actions={actionsOf(row)}
      steps={stepsFrom(rows, id, onOpen)}
      of={id}
      onClose={onClose}
    >
      <DetailSection title={fields.scope}>
        <Facts
          facts={[
            [fields.applyTo, row.applyTo],
            [fields.partType, row.partTypeName],
            [fields.pcbCode, <CopyText key="code" text={row.pcbCode} />],
            [fields.pcbName, row.pcbName],
            [fields.hwVersion, row.hwVersion ?? firmwareTexts.anyHardware],
            [fields.mcuNum, row.mcuNum],
            [fields.isAutoUpgrade, automaticOf(row), row.autoUpgradeStop !== null || row.isAutoNarrowed],
            ...(row.isAutoUpgrade
              ? ([
                  [fields.autoUpgradeBy, row.autoUpgradeBy],
                  [fields.autoUpgradeTime, row.autoUpgradeTime],
                  [fields.autoUpgradeApprovedBy, row.autoUpgradeApprovedBy],
                ] as const)
              : []),
          ]}
        />
      </DetailSection>
      <DetailSection title={fields.remark}>
        <Facts
          facts={remarkLanguages.map((language) => [
            firmwareTexts.languages[language],
            <span key={language} lang={language} className={styles.remark}>
              {remark[language]}
            </span>,
            // Four languages one below the other can be compared.
            true,
          ])}
        />
      </DetailSection>
      <DetailSection
        title={fields.file}
        aside={
          <Permitted code={downloadFirmware.access}>
            <Button
              type="link"
              size="small"
              loading={downloading.isPending}
              onClick={() => downloading.mutate({ filePath: row.filePath })}
            >
              {firmwareTexts.download}
            </Button>
          </Permitted>
        }
      >
        <Facts
          facts={[
            [fields.fileName, <CopyText key="name" text={row.fileName} />],
            ['MD5', <CopyText key="md5" text={row.md5} />],
            ['SHA-256', <CopyText key="sha256" text={row.sha256} />],
            [fields.size, formatBytes(row.fileSize)],
            [fields.uploadBy, row.uploadBy],
            [fields.uploadTime, row.uploadTime],
            [fields.createBy, row.createBy],
            [fields.createTime, row.createTime],
          ]}
        />
      </DetailSection>
    </DetailPanel>
  )
}

function automaticOf({ isAutoUpgrade, autoUpgradeStop, isAutoNarrowed, autoUpgradeApprovedBy }: PackageRow) {
  if (autoUpgradeStop !== null) return autoUpgradeStop
  if (isAutoNarrowed) return firmwareTexts.autoNarrowed(autoUpgradeApprovedBy ?? '')
  return isAutoUpgrade ? '是' : '否'
}
