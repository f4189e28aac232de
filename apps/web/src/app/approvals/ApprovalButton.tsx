import { AuditOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { countApprovals, liveApprovals } from '@voltkeep/contract/approvals'
import { functionCodesOf } from '@voltkeep/contract/endpoint'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import styles from '../tasks/tasks.module.css'
import { approvalButtonTexts } from './approvals.texts.ts'

/** A phone's top bar has no room for more; the link's name has the number. */
const mostShown = 99

/** How many deeds of others wait for this user, from every page; nothing where none do. */
export default function ApprovalButton({ className }: { className: string | undefined }) {
  const { functionCodes } = useCurrentUser()
  const mayDecide = functionCodesOf(countApprovals).some((code) => functionCodes.includes(code))
  const query = useQuery({
    ...reading(countApprovals, {}),
    enabled: mayDecide,
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(query.refetch, (event) => mayDecide && concerns(event, liveApprovals.noun))
  const count = query.data?.count ?? 0
  if (count === 0) return null
  return (
    <PageLink
      page="maintenance/approval"
      search={{ states: 'waiting' }}
      className={className}
      title={approvalButtonTexts.waiting(count)}
    >
      <span className={styles.sign}>
        <AuditOutlined aria-hidden="true" />
        <span className={styles.count}>{count > mostShown ? `${mostShown}+` : count}</span>
        <span className="visually-hidden">{approvalButtonTexts.waiting(count)}</span>
      </span>
    </PageLink>
  )
}
