// What has become of an action that was just asked for: sent, answered, shown by a report; or what it waits for.
import { useQuery } from '@tanstack/react-query'
import {
  listRemoteActions,
  liveRemoteActions,
  type RemoteAction,
  type RemoteActionRow,
} from '@voltkeep/contract/actions'
import { listApprovals, liveApprovals } from '@voltkeep/contract/approvals'
import { Button, Modal } from 'antd'
import type { ReactNode } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useDialogFrame } from '../../../ui/form/useDialogFrame.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import { sizes } from '../../../ui/theme/tokens.ts'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import styles from './actions.module.css'
import { actionTexts, confirmedWords } from './actions.texts.ts'
import { isActionOver, markOf, stateWord } from './actions.words.ts'

const words = actionTexts.progress
/** Beside the live stream, which may be away. */
const askAgainMs = 2_000

export function ActionProgress({
  title,
  subject,
  action,
  commandId: given,
  approvalId,
  onClose,
}: {
  title: string
  subject: ReactNode
  action: RemoteAction
  commandId?: string | undefined
  approvalId?: string | undefined
  onClose: () => void
}) {
  const frame = useDialogFrame(sizes.dialog)
  const approval = useQuery({
    ...reading(listApprovals, { ids: [approvalId ?? ''] }),
    enabled: approvalId !== undefined,
    refetchInterval: ({ state }) => (state.data?.rows[0]?.state === 'waiting' ? askAgainMs : false),
    meta: { isQuiet: true },
  })
  useLiveReading(approval.refetch, (event) => approvalId !== undefined && concerns(event, liveApprovals.noun))
  const asked = approval.data?.rows[0]
  const commandId = given ?? asked?.resultId ?? undefined
  const query = useQuery({
    ...reading(listRemoteActions, { commandId: commandId ?? '' }),
    enabled: commandId !== undefined,
    refetchInterval: ({ state }) => {
      const row = state.data?.rows[0]
      return row && isActionOver(row.state) ? false : askAgainMs
    },
    meta: { isQuiet: true },
  })
  useLiveReading(query.refetch, (event) => commandId !== undefined && concerns(event, liveRemoteActions.noun))
  const row = query.data?.rows[0]
  return (
    <Modal
      open
      title={title}
      {...frame}
      onCancel={onClose}
      footer={
        // The dialog was opened by a press: the key that closes it is where the focus is.
        <Button type="primary" autoFocus onClick={onClose}>
          {words.close}
        </Button>
      }
    >
      {subject}
      <div role="status">
        {commandId === undefined && approvalId !== undefined && <Waiting of={asked} id={approvalId} />}
        {commandId !== undefined &&
          (row ? <Steps row={row} /> : <Sent action={action} hasFailed={query.isError} />)}
      </div>
    </Modal>
  )
}

function Sent({ hasFailed }: { action: RemoteAction; hasFailed: boolean }) {
  return (
    <ol className={styles.steps}>
      <li>
        <StateTag state="done">{words.sent}</StateTag>
      </li>
      <li>
        {hasFailed ? (
          <StateTag state="partly">{words.lost}</StateTag>
        ) : (
          <StateTag state="sent">{words.waitingAnswer}</StateTag>
        )}
      </li>
    </ol>
  )
}

function Steps({ row }: { row: RemoteActionRow }) {
  const { action, state, answerTime, confirmTime, createTime, note } = row
  return (
    <>
      <ol className={styles.steps}>
        <li>
          <StateTag state="done">{words.sent}</StateTag>
          <span className={styles.time}>{createTime}</span>
        </li>
        {state === 'sent' && (
          <li>
            <StateTag state="sent">{words.waitingAnswer}</StateTag>
          </li>
        )}
        {answerTime !== null && state !== 'failed' && state !== 'refused' && (
          <li>
            <StateTag state="done">{words.answered}</StateTag>
            <span className={styles.time}>{answerTime}</span>
          </li>
        )}
        {state === 'acknowledged' && (
          <li>
            <StateTag state="confirming">{words.waitingReport}</StateTag>
          </li>
        )}
        {state === 'confirmed' && (
          <li>
            <StateTag state="succeeded">{words.reported(confirmedWords[action])}</StateTag>
            <span className={styles.time}>{confirmTime}</span>
          </li>
        )}
        {isActionOver(state) && state !== 'confirmed' && (
          <li>
            <StateTag state={markOf(state)}>{stateWord(row)}</StateTag>
            <span className={styles.note}>{state === 'unconfirmed' ? words.unconfirmed : note}</span>
          </li>
        )}
      </ol>
      <PageLink page="maintenance/action" search={{ code: row.equipCode }}>
        {words.record}
      </PageLink>
    </>
  )
}

function Waiting({
  of: asked,
  id,
}: {
  of: { state: string; decideBy: string | null; note: string | null } | undefined
  id: string
}) {
  const { approval } = actionTexts
  const isOpen = asked === undefined || asked.state === 'waiting'
  return (
    <>
      <p>
        <StateTag state={isOpen ? 'paused' : 'refused'}>
          {isOpen
            ? approval.title
            : asked.state === 'refused'
              ? approval.refused(asked.decideBy ?? '')
              : asked.state === 'expired'
                ? approval.expired
                : approval.over}
        </StateTag>
      </p>
      <p className={styles.note}>{isOpen ? approval.body : asked.note}</p>
      <PageLink page="maintenance/approval" search={{ open: id }}>
        {approval.link}
      </PageLink>
    </>
  )
}
