import { id } from '@voltkeep/contract/fields'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { UpgradeTaskList } from './UpgradeTaskList.tsx'

const UpgradeTaskView = lazy(() => import('./view/UpgradeTaskView.tsx'))

const TaskSearch = z.object({
  /** The open task; absent for the list. */
  task: z.optional(id()),
})

/** Upgrade tasks: the list, or one task by its id in the address. */
export default function UpgradeTaskPage() {
  const [{ task }] = useUrlState(TaskSearch)
  if (task === undefined) return <UpgradeTaskList />
  return (
    <Suspense fallback={<Waiting isPage />}>
      <UpgradeTaskView id={task} />
    </Suspense>
  )
}
