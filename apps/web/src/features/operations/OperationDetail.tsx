import { shownChange } from '@voltkeep/contract/operationChanges'
import type { OperationRow } from '@voltkeep/contract/operations'
import { CopyText } from '../../ui/CopyText.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import type { Steps } from '../../ui/detail/steps.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './operations.module.css'
import { operationTexts } from './operations.texts.ts'
import { Result } from './Result.tsx'
import { whoDid } from './whoDid.ts'

const { fields, detail } = operationTexts

/** One entry: user, origin, and the changed fields before and after. */
export function OperationDetail({
  operation,
  steps,
  onClose,
}: {
  operation: OperationRow
  steps: Steps
  onClose: () => void
}) {
  return (
    <DetailPanel
      title={operation.summary}
      tags={<Result of={operation} />}
      steps={steps}
      of={operation.id}
      onClose={onClose}
    >
      <DetailSection title={detail.operation}>
        <Facts
          facts={[
            [fields.time, <RelativeTime key="time" time={operation.time} />],
            [fields.target, operation.target],
            [fields.user, whoDid(operation)],
            [fields.address, <CopyText key="address" text={operation.address} />],
            [fields.message, operation.message],
            [
              fields.path,
              <span key="path" className="mono">
                {operation.call}
              </span>,
            ],
            [fields.requestId, <CopyText key="request" text={operation.requestId} />],
          ]}
        />
      </DetailSection>
      <DetailSection title={detail.changes}>
        <Changes of={operation} />
      </DetailSection>
    </DetailPanel>
  )
}

function Changes({ of: { isOk, changes } }: { of: OperationRow }) {
  if (!isOk) return <p className={styles.quiet}>{detail.refusedChanges}</p>
  if (changes === null) return <p className={styles.quiet}>{detail.noChanges}</p>
  const rows = shownChange(changes.before, changes.after)
  if (rows.length === 0) return <p className={styles.quiet}>{detail.sameChanges}</p>
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">{detail.field}</th>
          <th scope="col">{detail.before}</th>
          <th scope="col">{detail.after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ field, label, before, after }) => (
          <tr key={field}>
            <th scope="row">{label}</th>
            <td data-side="before">{before ?? <Nothing />}</td>
            <td data-side="after">{after ?? <Nothing />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
