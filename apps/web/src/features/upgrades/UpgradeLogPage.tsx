// The log of all upgrades of all devices, the newest first.
import type { DataFor } from '@voltkeep/contract/endpoint'
import { listUpgradeLog, upgradeTargetStates, upgradeTypes } from '@voltkeep/contract/upgrades'
import { usePage } from '../../lib/pages.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'
import { useList } from '../../ui/list/useList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { reasonColumn } from '../../ui/work/deviceColumns.tsx'
import { TargetState } from './StateTag.tsx'
import styles from './upgrades.module.css'
import { upgradePage } from './upgrades.page.ts'
import { upgradeTexts } from './upgrades.texts.ts'

const { fields, task: words, log } = upgradeTexts

type LogRow = DataFor<typeof listUpgradeLog>[number]

export default function UpgradeLogPage() {
  const { title } = usePage()
  const list = useList(listUpgradeLog, { assumed: useLastMonth() })
  const columns: Column<LogRow>[] = [
    {
      key: 'code',
      title: fields.code,
      fixed: 'left',
      render: ({ code, equipId }) => <DeviceCode code={code} id={equipId} />,
    },
    textColumn('equipTypeName', fields.equipType, { key: 'type', maxWidth: 120 }),
    textColumn('partTypeName', fields.partTypes, { key: 'part', maxWidth: 120 }),
    {
      key: 'version',
      title: fields.version,
      maxWidth: 180,
      render: ({ fromVersion, version }) => (
        <span className="mono" title={words.fromTo(fromVersion, version)}>
          {words.fromTo(fromVersion, version)}
        </span>
      ),
    },
    timeColumn('createTime', fields.logTime, { key: 'time' }),
    {
      key: 'result',
      title: fields.status,
      width: 100,
      render: ({ result }) => <TargetState state={result} />,
    },
    reasonColumn(fields.reason, 280),
    textColumn('createBy', fields.createBy, { maxWidth: 120 }),
    operationColumn(96, ({ taskId }) => (
      <PageLink page={upgradePage} search={{ task: taskId }}>
        {log.task}
      </PageLink>
    )),
  ]
  return (
    <ListPage
      title={title}
      measure={log.measure}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <CodesFilter of={draft} label={fields.code} />
          <EquipTypeFilter of={draft} />
          <PartTypeFilter of={draft} label={fields.partTypes} />
          <TextFilter
            of={draft}
            name="version"
            label={fields.version}
            placeholder={upgradeTexts.versionHint}
          />
          <ChoiceFilter
            of={draft}
            name="states"
            label={fields.status}
            isMultiple
            placeholder={upgradeTexts.all}
            options={choicesOf(upgradeTargetStates, upgradeTexts.targetStates)}
          />
          <ChoiceFilter
            of={draft}
            name="type"
            label={fields.type}
            options={[
              { value: 'ALL', label: upgradeTexts.all },
              ...choicesOf(upgradeTypes, upgradeTexts.types),
            ]}
          />
          <RangeFilter of={draft} label={fields.logTime} />
        </>
      )}
      card={(row) => ({
        lead: <DeviceCode code={row.code} id={row.equipId} />,
        aside: <TargetState state={row.result} />,
        second: [`${row.partTypeName} ${words.fromTo(row.fromVersion, row.version)}`, row.reason]
          .filter(Boolean)
          .join(' · '),
        // Without year and seconds, to leave room for the reason on a phone.
        action: <span className={styles.quiet}>{row.createTime.slice(5, 16)}</span>,
      })}
      empty={{
        title: log.empty,
        hint: (
          <>
            <PageLink page={upgradePage}>{log.emptyHint.task}</PageLink>
            {log.emptyHint.after}
          </>
        ),
      }}
      emptyFiltered={log.emptyFiltered}
    />
  )
}
