// Mappings of the messages of other makers' devices: the list, the form of the draft, trials and versions.
import {
  deleteMapping,
  insertMapping,
  listMappings,
  type MappingRow,
  updateMapping,
} from '@voltkeep/contract/mappings'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { RowButton } from '../../ui/buttons/RowActions.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { mappingTexts } from './mappings.texts.ts'

const MappingDialog = lazyDialog(() => import('./MappingDialog.tsx'))
const TrialDialog = lazyDialog(() => import('./TrialDialog.tsx'))

const { fields, remove, trial, ...words } = mappingTexts

const versionOf = ({ isEnabled, activeNo, isChanged }: MappingRow) =>
  activeNo === null ? words.noVersion : isEnabled ? words.version(activeNo, isChanged) : words.off
const modelsOf = ({ models }: MappingRow) => models.map(({ name }) => name).join('、')

const columns: Column<MappingRow>[] = [
  textColumn('name', fields.name, { fixed: 'left', maxWidth: 200 }),
  { key: 'models', title: fields.models, maxWidth: 240, render: modelsOf },
  textColumn('topic', fields.topic, { isMono: true, maxWidth: 240 }),
  { key: 'version', title: fields.version, width: 152, render: versionOf },
  {
    key: 'rules',
    title: fields.rules,
    width: 64,
    align: 'right',
    render: ({ ruleCount }) => formatCount(ruleCount),
  },
  {
    key: 'commands',
    title: fields.commands,
    width: 64,
    align: 'right',
    render: ({ commandCount }) => formatCount(commandCount),
  },
  {
    key: 'devices',
    title: fields.devices,
    width: 80,
    align: 'right',
    render: ({ deviceCount }) => formatCount(deviceCount),
  },
  { key: 'updated', title: fields.updated, render: ({ updateTime }) => <RelativeTime time={updateTime} /> },
]

export default function MappingPage() {
  const list = useList(listMappings)
  const [tried, setTried] = useState<MappingRow>()
  return (
    <>
      <NounPage
        words={mappingTexts}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => <TextFilter of={draft} name="keyword" label={fields.keyword} />}
        card={(mapping) => ({
          lead: mapping.name,
          aside: versionOf(mapping),
          second: `${modelsOf(mapping)} · ${mapping.topic}`,
        })}
        insert={insertMapping}
        update={updateMapping}
        form={({ row, onClose }) => <MappingDialog mapping={row} onClose={onClose} />}
        also={(row) => <RowButton onClick={() => setTried(row)}>{trial.open}</RowButton>}
        actionsPx={168}
        remove={{
          endpoint: deleteMapping,
          input: ({ id }) => ({ id }),
          words: remove,
          asks: ({ name }) => [remove.ask(name), remove.warn],
          stale: [listMappings],
        }}
      />
      {tried && <TrialDialog mapping={tried} onClose={() => setTried(undefined)} />}
    </>
  )
}
