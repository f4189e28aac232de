import { MailOutlined } from '@ant-design/icons'
import { insertReportSubscription, type ReportKind } from '@voltkeep/contract/reportSubscriptions'
import type { AlarmGroup } from '@voltkeep/contract/reports'
import { Button } from 'antd'
import { useState } from 'react'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { reportTexts } from './reports.texts.ts'

const SubscriptionDialog = lazyDialog(() => import('./SubscriptionDialog.tsx'))

/** Has the report that is shown come by mail: the same groups and devices. */
export function SubscribeButton({
  kind,
  groupBy,
  places,
}: {
  kind: ReportKind
  groupBy: AlarmGroup
  places: Record<string, unknown>
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Permitted code={insertReportSubscription.access}>
      <Button icon={<MailOutlined />} onClick={() => setOpen(true)}>
        {reportTexts.subscriptions.subscribe}
      </Button>
      {isOpen && (
        <SubscriptionDialog given={{ kind, groupBy, filter: places }} onClose={() => setOpen(false)} />
      )}
    </Permitted>
  )
}
