import type { AlarmDefinitionRow, AlarmRow } from '@voltkeep/contract/alarms'
import type { OutputOf } from '@voltkeep/contract/endpoint'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { narrowQuery, useMedia } from '../../../lib/browser/media.ts'
import { texts } from '../../../lib/texts/index.ts'
import { useEnum } from '../../../ui/choices/choices.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { type Column, DataTable } from '../../../ui/list/DataTable.tsx'
import { textColumn } from '../../../ui/list/plainColumns.tsx'
import { TableBox } from '../../../ui/list/TableBox.tsx'
import { AlarmValue } from '../alarms.columns.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'
import { decodeTexts } from './detail.texts.ts'
import { useDecoded } from './useDecoded.ts'

type Definition = OutputOf<typeof AlarmDefinitionRow>

const { columns: titles } = decodeTexts

/** A bit has a position; what is analysed by value is equal to it. */
const columnsOf = (isByValue: boolean, classOf: (code: string) => string): Column<Definition>[] => [
  textColumn('code', titles.code, { isMono: true }),
  {
    key: 'equipClassify',
    title: titles.equipClassify,
    render: ({ equipClassify }) => <span title={equipClassify}>{classOf(equipClassify)}</span>,
  },
  textColumn('name', titles.name),
  {
    key: 'type',
    title: titles.type,
    render: ({ type, analysisType }) => (
      <span title={type}>{analysisType === 'VALUE' ? titles.wholeValue : titles.bitPosition}</span>
    ),
  },
  textColumn('typeName', titles.typeName),
  textColumn('bitPosition', isByValue ? titles.wholeValue : titles.bitPosition, {
    align: 'right',
    isMono: true,
  }),
]

/** What an alarm's value means: the definitions behind it. */
export default function DecodeDialog({ alarm, onClose }: { alarm: AlarmRow; onClose: () => void }) {
  const [isOpen, setOpen] = useState(true)
  const isNarrow = useMedia(narrowQuery)
  const decoded = useDecoded(alarm.semaphoreCode, alarm.value, alarm.equipClassify)
  const classes = useEnum('EQUIP_CLASSIFY')
  const classOf = (code: string) => classes.data?.find((one) => one.code === code)?.name ?? code
  const isByValue = decoded.data?.[0]?.analysisType === 'VALUE'
  return (
    <Modal
      open={isOpen}
      title={decodeTexts.title(alarm.semaphoreName)}
      width={760}
      centered
      onCancel={() => setOpen(false)}
      afterClose={onClose}
      footer={<Button onClick={() => setOpen(false)}>{texts.close}</Button>}
    >
      <p className={styles.hint}>
        <span className="mono">{alarm.code}</span> · {alarmTexts.fields.value}{' '}
        <AlarmValue value={alarm.value} />
      </p>
      <TableBox scrollsAs={alarmTexts.content} maxHeight={350}>
        {decoded.isError ? (
          <EmptyState
            title={texts.list.failed}
            hint={decoded.error.message}
            action={<Button onClick={() => void decoded.refetch()}>{texts.list.retry}</Button>}
          />
        ) : (
          <DataTable
            label={alarmTexts.content}
            columns={columnsOf(isByValue, classOf)}
            rows={decoded.data ?? []}
            keyOf={({ code, bitPosition }) => `${code}/${bitPosition}`}
            isNarrow={isNarrow}
            card={({ code, equipClassify, name, typeName, bitPosition }) => ({
              lead: name,
              aside: `${isByValue ? titles.wholeValue : titles.bitPosition} ${bitPosition}`,
              second: [code, classOf(equipClassify), typeName].join(' · '),
            })}
            skeletonRows={decoded.isPending ? 3 : 0}
            empty={<EmptyState title={decodeTexts.empty} hint={decodeTexts.emptyHint} />}
          />
        )}
      </TableBox>
    </Modal>
  )
}
