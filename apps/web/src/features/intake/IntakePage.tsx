// The list of messages and connections that the intake refused.
import type { OutputOf } from '@voltkeep/contract/endpoint'
import { type IntakeRefusalRow, intakeReasons, listIntakeRefusals } from '@voltkeep/contract/intake'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './intake.module.css'
import { intakeTexts } from './intake.texts.ts'

type Refusal = OutputOf<typeof IntakeRefusalRow>

const { fields } = intakeTexts

/** What the broker refused, and why: the first place to look when a cabinet does not come online. */
export default function IntakePage() {
  const { title } = usePage()
  const list = useList(listIntakeRefusals)
  const row = useOpenRow()
  const open = list.rows.find(({ id }) => id === row.id)

  const columns: Column<Refusal>[] = [
    {
      key: 'time',
      title: fields.time,
      width: 226,
      render: ({ lastTime }) => <RelativeTime time={lastTime} />,
    },
    {
      key: 'code',
      title: fields.code,
      maxWidth: 220,
      render: (refusal) => <DeviceCode code={refusal.code} id={refusal.equipId} />,
    },
    textColumn('reasonName', fields.reason, { key: 'reason', width: 128 }),
    {
      key: 'count',
      title: fields.count,
      width: 80,
      align: 'right',
      render: ({ count }) => formatCount(count),
    },
    {
      key: 'detail',
      title: fields.detail,
      maxWidth: 280,
      render: ({ detail }) => <span title={detail ?? undefined}>{detail ?? <Nothing />}</span>,
    },
    {
      key: 'topic',
      title: fields.topic,
      maxWidth: 220,
      render: ({ topic }) =>
        topic === null ? (
          <Nothing />
        ) : (
          <span className="mono" title={topic}>
            {topic}
          </span>
        ),
    },
    {
      key: 'payload',
      title: fields.payload,
      render: ({ payload }) =>
        payload === null ? <Nothing /> : <span className={styles.start}>{payload}</span>,
    },
    textColumn('address', fields.address, { isMono: true }),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={intakeTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <TextFilter of={draft} name="code" label={fields.code} />
            <ChoiceFilter
              of={draft}
              name="reason"
              label={fields.reason}
              options={Object.entries(intakeReasons).map(([value, label]) => ({ value, label }))}
            />
            <RangeFilter of={draft} label={fields.range} />
          </>
        )}
        card={(refusal) => ({
          lead: refusal.reasonName,
          aside: <RelativeTime time={refusal.lastTime} isShort />,
          second: `${refusal.code} · ${refusal.detail ?? refusal.address ?? ''}`,
          action: refusal.count > 1 ? intakeTexts.times(formatCount(refusal.count)) : undefined,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={{ title: intakeTexts.empty, hint: intakeTexts.emptyHint }}
        emptyFiltered={intakeTexts.emptyFiltered}
      />
      {open && (
        <DetailPanel
          title={open.reasonName}
          tags={<DeviceCode code={open.code} id={open.equipId} />}
          steps={stepsFrom(list.rows, open.id, ({ id }) => row.open(id))}
          of={open.id}
          onClose={row.close}
        >
          <DetailSection title={fields.detail}>
            <p>{open.detail ?? open.reasonName}</p>
          </DetailSection>
          <DetailSection title={intakeTexts.refusal}>
            <Facts
              facts={[
                [fields.time, <RelativeTime key="last" time={open.lastTime} />],
                [fields.firstTime, open.firstTime],
                [fields.count, intakeTexts.times(formatCount(open.count))],
                [fields.address, open.address && <CopyText key="address" text={open.address} />],
                [fields.operator, open.operatorName ?? intakeTexts.unregistered],
                [fields.topic, open.topic && <CopyText key="topic" text={open.topic} />],
              ]}
            />
          </DetailSection>
          <DetailSection title={fields.payload}>
            {open.payload === null ? (
              <p className={styles.nothing}>{intakeTexts.noPayload}</p>
            ) : (
              <pre className={styles.payload}>{open.payload}</pre>
            )}
          </DetailSection>
        </DetailPanel>
      )}
    </>
  )
}
