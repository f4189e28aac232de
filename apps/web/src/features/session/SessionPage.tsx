// The list of signed-in users; an administrator can end their sessions.
import { endSession, listSessions, type SessionRow } from '@voltkeep/contract/sessions'
import { usePage } from '../../lib/pages.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/buttons/ConfirmButton.tsx'
import { OrganizationFilter } from '../../ui/choices/filters.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './SessionPage.module.css'
import { describeAgent } from './session.agent.ts'
import { sessionTexts } from './session.texts.ts'

const { fields, end } = sessionTexts
const agentOf = (userAgent: string | null) => describeAgent(userAgent) ?? sessionTexts.unknownAgent

export default function SessionPage() {
  const { title } = usePage()
  const list = useList(listSessions)

  const columns: Column<SessionRow>[] = [
    {
      key: 'user',
      title: fields.user,
      maxWidth: 260,
      fixed: 'left',
      render: ({ userName, loginName }) => (
        <span title={`${userName}（${loginName}）`}>
          {userName} <span className={styles.quiet}>{loginName}</span>
        </span>
      ),
    },
    textColumn('organizationName', fields.organization, { key: 'organization', maxWidth: 180 }),
    textColumn('address', fields.address, { isMono: true }),
    {
      key: 'agent',
      title: fields.agent,
      maxWidth: 220,
      render: ({ userAgent }) => <span title={userAgent ?? undefined}>{agentOf(userAgent)}</span>,
    },
    textColumn('createTime', fields.createTime),
    {
      key: 'seenTime',
      title: fields.seenTime,
      width: 116,
      render: ({ seenTime }) => <RelativeTime time={seenTime} isShort />,
    },
    operationColumn(116, (session) => <EndButton session={session} />, [endSession.access]),
  ]

  return (
    <ListPage
      title={title}
      measure={sessionTexts.measure}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="name" label={fields.name} placeholder={fields.nameHint} />
          <OrganizationFilter of={draft} label={fields.organization} />
          <TextFilter of={draft} name="address" label={fields.address} />
        </>
      )}
      card={(session) => ({
        lead: `${session.userName}（${session.loginName}）`,
        aside: <RelativeTime time={session.seenTime} isShort />,
        second: [session.address, agentOf(session.userAgent), session.organizationName].join(' · '),
        action: <EndButton session={session} />,
      })}
      empty={{ title: sessionTexts.empty }}
      emptyFiltered={sessionTexts.emptyFiltered}
    />
  )
}

function EndButton({ session: { id, userName, address, isCurrent, isManageable } }: { session: SessionRow }) {
  const ending = useWriting(endSession, [listSessions])
  const mayEnd = usePermission(endSession.access)
  if (isCurrent) return <span className={styles.tag}>{sessionTexts.current}</span>
  if (!mayEnd || !isManageable) return null
  return (
    <ConfirmButton
      type="link"
      size="small"
      isDanger
      title={end.title}
      body={
        <>
          <p>{end.ask(userName, address)}</p>
          <p>{end.warn}</p>
        </>
      }
      confirmLabel={end.action}
      onConfirm={() => ending.mutateAsync({ id })}
    >
      {end.action}
    </ConfirmButton>
  )
}
