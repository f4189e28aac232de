// The page of one shift, as it is read on the screen and on paper.
import { PrinterOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { shelfKindNames } from '@voltkeep/contract/alarmShelves'
import { handlingNames } from '@voltkeep/contract/alarms'
import {
  draftHandover,
  type HandoverAlarm,
  type HandoverDetail,
  type HandoverNote,
  type HandoverShelf,
  handoverNotes,
  listHandovers,
  liveHandovers,
  readHandover,
  signHandover,
} from '@voltkeep/contract/handover'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { shortRegion } from '../../lib/regions.ts'
import { shelfScope } from '../../lib/shelfScope.ts'
import { reading } from '../../lib/wire/reading.ts'
import { Facts } from '../../ui/detail/DetailPanel.tsx'
import { useWalk } from '../../ui/detail/useWalk.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { WatchNote, WatchPage, WatchPart } from '../../ui/work/WatchPage.tsx'
import { HandoverTag } from './HandoverTag.tsx'
import styles from './handover.module.css'
import { handoverPage, useOpenHandover } from './handover.page.ts'
import { handoverTexts } from './handover.texts.ts'

const DraftDialog = lazyDialog(() => import('./DraftDialog.tsx'))
const SignDialog = lazyDialog(() => import('./SignDialog.tsx'))

const { fields, view } = handoverTexts
const alarmPage = 'maintenance/exitWarning'

export default function HandoverView({ id }: { id: string }) {
  const query = useQuery({
    ...reading(readHandover, { id }),
    retry: false,
    // A page becomes overdue by time alone.
    refetchInterval: 60_000,
    meta: { isQuiet: true },
  })
  useLiveReading(query.refetch, (event) => event.type !== 'ready' && concerns(event, liveHandovers.noun), 400)
  const open = useOpenHandover()
  const steps = useWalk(listHandovers, id, open, handoverTexts.measure)
  return (
    <WatchPage
      of={id}
      page={handoverPage}
      back={view.back}
      steps={steps}
      query={query}
      notFound={view.notFound}
      show={(page) => ({
        title: view.title(handoverTexts.shift(page.startTime, page.endTime)),
        label: view.title(handoverTexts.shift(page.startTime, page.endTime)),
        tags: <HandoverTag of={page} />,
        actions: <Actions page={page} />,
        lead: <Lead page={page} />,
        parts: <Parts page={page} />,
      })}
    />
  )
}

function Actions({ page }: { page: HandoverDetail }) {
  const [dialog, setDialog] = useState<'draft' | 'sign'>()
  const mayDraft = usePermission(draftHandover.access)
  const maySign = usePermission(signHandover.access)
  const isSigned = page.state === 'signed'
  const close = () => setDialog(undefined)
  return (
    <>
      <Button icon={<PrinterOutlined />} onClick={() => window.print()}>
        {handoverTexts.print}
      </Button>
      {mayDraft && page.isOwn && !isSigned && (
        <Button onClick={() => setDialog('draft')}>{handoverTexts.again}</Button>
      )}
      {maySign && !page.isOwn && !isSigned && page.isWhole && (
        <Button type="primary" onClick={() => setDialog('sign')}>
          {handoverTexts.sign}
        </Button>
      )}
      {dialog === 'draft' && <DraftDialog page={page} onClose={close} />}
      {dialog === 'sign' && <SignDialog page={page} onClose={close} />}
    </>
  )
}

/** What the reader has to know before anything else. */
function Lead({ page: { state, isOwn, isWhole } }: { page: HandoverDetail }) {
  if (state === 'signed') return null
  if (!isWhole && !isOwn) return <WatchNote>{view.partly}</WatchNote>
  if (state === 'overdue') return <WatchNote>{view.overdue}</WatchNote>
  return isOwn ? <WatchNote>{view.own}</WatchNote> : null
}

function Parts({ page }: { page: HandoverDetail }) {
  const { alarms, levels, notes, openCount, shelves, shelvedCount } = page
  return (
    <div className={styles.sheet}>
      <WatchPart title={view.summary}>
        <Facts
          facts={[
            [fields.organization, page.organizationName],
            [fields.drafter, page.draftUserName],
            [fields.countTime, page.countTime],
            [view.upgrades, view.tasks(formatCount(page.upgradeCount))],
            [view.batches, view.tasks(formatCount(page.batchCount))],
            [fields.signer, page.signUserName],
            [fields.signTime, page.signTime],
            ...(page.signNote === null ? [] : [[fields.signNote, page.signNote, true] as const]),
          ]}
        />
      </WatchPart>
      {page.note !== null && (
        <WatchPart title={fields.note}>
          <p className={styles.words}>{page.note}</p>
        </WatchPart>
      )}
      <WatchPart title={view.open} aside={<span>{view.openCount(formatCount(openCount))}</span>}>
        {openCount === 0 ? (
          <p className={styles.none}>{view.none}</p>
        ) : (
          <ul className={styles.levels}>
            {levels.map(({ level, count, handlings }) => (
              <li key={level} className={styles.level}>
                <LevelTag level={level} />
                <b>{formatCount(count)}</b>
                <span className={styles.handlings}>
                  {handlings
                    .map((each) => `${handlingNames[each.handling]} ${formatCount(each.count)}`)
                    .join('，')}
                </span>
              </li>
            ))}
          </ul>
        )}
        {shelvedCount > 0 && <p className={styles.none}>{view.shelvedCount(formatCount(shelvedCount))}</p>}
        {alarms.length < openCount && (
          <p className={styles.none}>{view.gravest(formatCount(alarms.length), formatCount(openCount))}</p>
        )}
        <ol className={styles.rows}>
          {alarms.map((alarm) => (
            <Alarm key={alarm.id} alarm={alarm} />
          ))}
        </ol>
      </WatchPart>
      {shelves.length > 0 && (
        <WatchPart title={view.shelved}>
          <ol className={styles.rows}>
            {shelves.map((shelf) => (
              <Shelf key={shelf.id} shelf={shelf} />
            ))}
          </ol>
        </WatchPart>
      )}
      <WatchPart
        title={view.notes}
        aside={page.isNotesCut ? <span>{view.notesCut(formatCount(handoverNotes))}</span> : undefined}
      >
        {notes.length === 0 ? (
          <p className={styles.none}>{view.noNotes}</p>
        ) : (
          <ol className={styles.rows}>
            {notes.map((note, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a page's notes do not move
              <Note key={at} note={note} />
            ))}
          </ol>
        )}
      </WatchPart>
    </div>
  )
}

/** 仓位过温 · 4号仓 */
const named = ({ semaphoreName, meaning }: Pick<HandoverNote, 'semaphoreName' | 'meaning'>) =>
  [semaphoreName, meaning].filter((each) => each !== null).join(' · ')

function Alarm({ alarm }: { alarm: HandoverAlarm }) {
  const { id, code, equipName, regionName, occurrenceTime, handling, lastNote } = alarm
  return (
    <li className={styles.row}>
      <span className={styles.lead}>
        <LevelTag level={alarm.alarmLevel} />
        <PageLink page={alarmPage} search={{ tab: 'history', open: id, at: occurrenceTime }}>
          {named(alarm)}
        </PageLink>
        <span className={styles.aside}>
          {handlingNames[handling]}
          {alarm.assigneeName !== null
            ? ` · ${view.assignee(alarm.assigneeName)}`
            : handling === 'acknowledged' && alarm.ackUserName !== null
              ? ` · ${view.ackedBy(alarm.ackUserName)}`
              : ''}
          {alarm.isShelved === 1 && ` · ${view.shelvedUntil(alarm.shelvedUntil)}`}
        </span>
      </span>
      <span className={styles.second}>
        <span className="mono">{code}</span>
        {equipName !== null && <span>{equipName}</span>}
        <span title={regionName}>{shortRegion(regionName)}</span>
        <span>{view.since(occurrenceTime)}</span>
      </span>
      {lastNote !== null && (
        <span className={styles.said}>
          {view.lastNote(alarm.lastNoteUserName ?? '', alarm.lastNoteTime ?? '', lastNote)}
        </span>
      )}
    </li>
  )
}

function Shelf({ shelf }: { shelf: HandoverShelf }) {
  return (
    <li className={styles.row}>
      <span className={styles.lead}>
        <span>{shelfScope(shelf)}</span>
        <span className={styles.aside}>
          {shelfKindNames[shelf.kind]} {view.until(shelf.endTime)}
        </span>
      </span>
      <span className={styles.second}>
        <span>{view.by(shelf.createBy, shelf.reason)}</span>
      </span>
    </li>
  )
}

function Note({
  note: { time, userName, kind, note, alarmCount, code, semaphoreName, meaning },
}: {
  note: HandoverNote
}) {
  return (
    <li className={styles.row}>
      <span className={styles.lead}>
        <span>{note}</span>
      </span>
      <span className={styles.second}>
        <span>{time}</span>
        <span>
          {userName} {handoverTexts.kinds[kind]}
        </span>
        <span>
          {alarmCount > 1
            ? view.onMany(code, formatCount(alarmCount))
            : [code, named({ semaphoreName, meaning })].join(' ')}
        </span>
      </span>
    </li>
  )
}
