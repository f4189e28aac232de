// One dictionary entry; an alarm's also lists the meaning of its bits or values, by family of devices.
import type { DictionaryRow, SemaphoreDefinition } from '@voltkeep/contract/dictionary'
import { CopyText } from '../../ui/CopyText.tsx'
import { useEnum } from '../../ui/choices/choices.ts'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import type { Steps } from '../../ui/detail/steps.tsx'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { TableBox } from '../../ui/list/TableBox.tsx'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { DictionaryActions } from './DictionaryActions.tsx'
import styles from './dictionary.module.css'
import { dictionaryTexts } from './dictionary.texts.ts'

const { fields, definitions: words } = dictionaryTexts

export function DictionaryDetail({
  entry,
  typeName,
  onEdit,
  steps,
  onClose,
}: {
  entry: DictionaryRow
  typeName: string
  onEdit: (entry: DictionaryRow) => void
  steps: Steps
  onClose: () => void
}) {
  return (
    <DetailPanel
      title={entry.name}
      tags={entry.alarmLevel ? <LevelTag level={entry.alarmLevel} /> : undefined}
      actions={<DictionaryActions entry={entry} onEdit={onEdit} onDeleted={onClose} />}
      steps={steps}
      of={entry.id}
      onClose={onClose}
    >
      <DetailSection title={typeName}>
        <Facts
          facts={[
            [fields.code, <CopyText key="code" text={entry.code} />],
            [fields.type, entry.type],
            [fields.note, entry.note],
            ...(entry.unit === null ? [] : [[fields.unit, entry.unit] as const]),
          ]}
        />
      </DetailSection>
      {entry.analysisType && (
        <Definitions analysisType={entry.analysisType} definitions={entry.definitions ?? []} />
      )}
    </DetailPanel>
  )
}

function Definitions({
  analysisType,
  definitions,
}: {
  analysisType: 'BIT' | 'VALUE'
  definitions: readonly SemaphoreDefinition[]
}) {
  const classifies = useEnum('EQUIP_CLASSIFY')
  const used = [...new Set(definitions.map(({ equipClassify }) => equipClassify))]
  const columns: Column<SemaphoreDefinition>[] = [
    textColumn('bitPosition', words.positions[analysisType], { width: 72, align: 'right', isMono: true }),
    textColumn('name', words.name),
  ]
  if (used.length === 0) {
    return (
      <DetailSection title={words.titles[analysisType]}>
        <p className={styles.quiet}>{words.count(0)}</p>
      </DetailSection>
    )
  }
  return used.map((code) => {
    const name = classifies.data?.find((one) => one.code === code)?.name ?? code
    const rows = definitions.filter(({ equipClassify }) => equipClassify === code)
    return (
      <DetailSection
        key={code}
        title={`${words.titles[analysisType]} · ${name}`}
        aside={words.count(rows.length)}
      >
        <TableBox>
          <DataTable
            label={`${words.titles[analysisType]} ${name}`}
            columns={columns}
            rows={rows}
            keyOf={({ bitPosition }) => String(bitPosition)}
            isNarrow={false}
          />
        </TableBox>
      </DetailSection>
    )
  })
}
